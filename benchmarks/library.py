"""The commonest algorithms of the library beside NetworKit and rustworkx: `pip install 'starplat[benchmarks]'`.

    python benchmarks/library.py                 RMAT 16 to 18, a grid, a uniform graph; OpenCL and OpenMP; 2 threads
    python benchmarks/library.py --quick         tiny graphs: whether it works
    python benchmarks/library.py --graphs rmat:16,grid:256 --targets openmp --algorithms bfs,components

Every contender has the graph in its own form, and kernels built, before it is timed; a run is from the call to the
answer in memory. Contenders run in turn, several times each (short ones more often), after a pause in which all threads
come to rest, and the time of each is its least: other work on the machine only adds to a time. Threads of OpenMP, ours
and NetworKit's, are bound to cores, one to each, unless OMP_PROC_BIND says otherwise. The spread beside a time is how
much longer the median run took, the last number the least processor time of all threads in a run, which other work
hardly changes; those of NetworKit and pocl wait actively. A ratio is our time over the fastest of the others: below 1
we are ahead.
Answers are compared by a number; one that differs is no time.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

ALL_PAIRS = 1 << 12
"""The most nodes of a graph on which all shortest paths are measured."""
SAMPLED = 16
"""Sources of betweenness."""
REST = 0.03
"""Seconds before each timed run: threads that wait actively go on for some milliseconds after their own."""
LONG_ENOUGH = 2.0
"""Seconds of timed runs, up to which contenders run again, at most five times as often as was asked for."""


@dataclass(frozen=True)
class Line:
    """Milliseconds of all contenders for one algorithm on one graph, in the order of their runs, and those of all their
    threads together; `faults` says why others have none."""

    graph: str
    algorithm: str
    runs: dict[str, list[float]]
    processor: dict[str, list[float]]
    faults: dict[str, str]

    @property
    def milliseconds(self) -> dict[str, float]:
        """The least of each contender's runs."""
        return {name: min(times) for name, times in self.runs.items()}

    def spread(self, name: str) -> float:
        """How much longer than the least run of a contender its median run took, in percent."""
        return 100 * (statistics.median(self.runs[name]) / min(self.runs[name]) - 1)

    def ratio(self, target: str) -> float | None:
        """Our time over that of the fastest other."""
        others = [time for name, time in self.milliseconds.items() if name.split()[0] in ("NetworKit", "rustworkx")]
        ours = self.milliseconds.get(target)
        return None if ours is None or not others else ours / min(others)


Contest = tuple[str, Callable[[], Any], Callable[[Any], float] | None]
"""A name, what is timed, and the number by which its answer is compared."""


def main() -> int:
    options = parser().parse_args()
    cores = sorted(os.sched_getaffinity(0))[: options.threads]
    os.sched_setaffinity(0, cores)
    os.environ["OMP_NUM_THREADS"] = os.environ["RAYON_NUM_THREADS"] = str(len(cores))
    if os.environ.setdefault("OMP_PROC_BIND", "spread") == "spread":
        os.environ.setdefault("OMP_PLACES", "cores")
    begin_threads(options.targets.split(","), cores)
    lines = list[Line]()
    for graph in graphs(options.graphs, quick=options.quick):
        for name in options.algorithms.split(",") if options.algorithms else OURS:
            lines.append(line(graph, name, options.targets.split(","), options.runs))
            print(told(lines[-1], options.targets.split(",")), flush=True)
            if options.json:
                found = [{**asdict(line), "milliseconds": line.milliseconds} for line in lines]
                text = json.dumps({"threads": len(cores), "lines": found}, indent=1)
                options.json.write_text(text + "\n", encoding="utf-8")
    return int(any(target in line.faults for line in lines for target in options.targets.split(",")))


def begin_threads(targets: list[str], cores: list[int]) -> None:
    """Loads all that has threads of its own. A library of OpenMP binds the thread that loads it, and what is loaded or
    begun after that would know of one core only; so this thread is free again before each, and bound at the end."""
    import rustworkx

    rustworkx.closeness_centrality(rustworkx.generators.path_graph(3), parallel_threshold=1)
    (graph,) = graphs("grid:2", quick=True)
    for target in targets:
        if target == "openmp":
            continue
        with suppress(Exception):  # a target that cannot run here: `line` says why
            ours(graph, "components", target)[1]()
    if "openmp" in targets:
        ctypes.CDLL("libgomp.so.1")  # ours
    os.sched_setaffinity(0, cores)
    import networkit  # brings its own

    networkit.setNumberOfThreads(len(cores))
    os.sched_setaffinity(0, cores if os.environ["OMP_PROC_BIND"].lower() == "false" else cores[:1])


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--targets", default="opencl,openmp", help="with commas (opencl,openmp)")
    made.add_argument("--algorithms", help=f"of {', '.join(OURS)}")
    made.add_argument("--threads", type=int, default=2, help="threads and cores for each (2)")
    made.add_argument("--runs", type=at_least_one, default=5, help="timed runs of each contender, at least (5)")
    made.add_argument("--graphs", help="with commas, such as rmat:16,grid:256,uniform:16")
    made.add_argument("--json", type=Path, help="a file for all of it")
    made.add_argument("--quick", action="store_true", help="tiny graphs")
    return made


def at_least_one(text: str) -> int:
    """A number of runs."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def graphs(wanted: str | None, *, quick: bool) -> Iterator[Any]:
    """Undirected graphs without loops and parallel edges; weights are 1 to 255."""
    from starplat.graph import generators

    for name in (wanted or ("rmat:9,grid:20" if quick else "rmat:16,rmat:17,rmat:18,grid:512,uniform:16")).split(","):
        kind, size = name.split(":")
        made = getattr(generators, kind)(int(size), weights=(1, 255))
        yield made.without_loops().undirected().deduplicated()


def smaller(graph: Any) -> Any:
    """What all shortest paths are measured on: the nodes of the lowest numbers."""
    from starplat.graph import Graph

    inside = (graph.sources < ALL_PAIRS) & (graph.columns < ALL_PAIRS)
    ends = graph.sources[inside], graph.columns[inside]
    return Graph.from_arcs(min(graph.num_nodes, ALL_PAIRS), *ends, graph.weights[inside], name=f"{graph.name}-part")


def line(graph: Any, name: str, targets: list[str], runs: int) -> Line:
    """All contenders, warmed up, then run in turn."""
    if name == "closeness":
        graph = smaller(graph).undirected()
    contests = [ours(graph, name, target) for target in targets]
    contests += [*of_networkit(graph, name), *of_rustworkx(graph, name)]
    expected, faults, warm = None, dict[str, str](), list[Contest]()
    for contest in contests:
        label, run, number = contest
        try:
            answer = run()
            found = None if number is None else float(number(answer))
        except Exception as error:  # of any library; the fault is shown, and no time
            faults[label] = f"{type(error).__name__}: {error}".splitlines()[0]
            continue
        expected = found if expected is None else expected
        if found is not None and abs(found - expected) > 1e-3 * abs(expected):
            faults[label] = f"{found:g} instead of {expected:g}"
        else:
            warm.append(contest)
    times: dict[str, list[float]] = {label: [] for label, *_ in warm}
    busy: dict[str, list[float]] = {label: [] for label, *_ in warm}
    began, rounds = perf_counter(), 0
    while rounds < runs or (rounds < 5 * runs and perf_counter() - began < LONG_ENOUGH):
        rounds += 1
        for label, run, _ in warm:
            sleep(REST)
            started, before = perf_counter(), process_time()
            run()
            times[label].append(1e3 * (perf_counter() - started))
            busy[label].append(1e3 * (process_time() - before))
    return Line(graph.name, name, times, busy, faults)


def told(line: Line, targets: list[str]) -> str:
    ratios = [f"{target} {ratio:.2f}" for target in targets if (ratio := line.ratio(target)) is not None]
    times = [
        f"{name} {time:.3g} +{line.spread(name):.0f} % / {min(line.processor[name]):.3g}"
        for name, time in line.milliseconds.items()
    ]
    faults = [f"{name}: {fault}" for name, fault in line.faults.items()]
    return f"{line.graph:>18} {line.algorithm:<12} {', '.join(ratios) or '-':<28} (ms: {'; '.join(times + faults)})"


# --- starplat ------------------------------------------------------------------------------------------------------

Ours = tuple[str, Mapping[str, Any], str | None, Callable[[Any], float] | None]
FINITE = 2**31 - 1


def finite(result: Any) -> float:
    """The sum of the only property's values that are not INF."""
    (cells,) = result.values()
    return float(cells[cells < FINITE].sum())


OURS: dict[str, Ours] = {
    "bfs": ("bfs_levels", {}, "level", finite),
    "sssp": ("sssp", {}, "dist", finite),
    "pagerank": ("pagerank", {"tolerance": 1e-8}, "rank", None),
    "components": ("connected_components", {}, "component", lambda r: len(set(r["component"].tolist()))),
    "betweenness": ("betweenness", {"sources": range(SAMPLED)}, "bc", None),
    "closeness": ("closeness", {}, "closeness", None),
    "triangles": ("triangle_count", {}, None, lambda r: r.returned),
    "clustering": ("clustering_coefficient", {}, "lcc", lambda r: r["lcc"].sum()),
    "cores": ("k_core", {}, "core", lambda r: r["core"].sum()),
    "labels": ("label_propagation", {}, "label", None),
    "eigenvector": ("eigenvector_centrality", {"weight": 1.0, "tolerance": 1e-4}, "score", None),
    "spanning tree": ("minimum_spanning_tree", {}, None, lambda r: r.returned),
}
"""By row the program, its arguments, the property that comes back, and the number to compare."""


def source(graph: Any) -> int:
    """A node of the most arcs: from others a search may end at once, and would measure a call."""
    import numpy as np

    return int(np.argmax(graph.out_degrees))


def ours(graph: Any, name: str, target: str) -> Contest:
    import starplat

    program, arguments, wanted, number = OURS[name]
    algorithm = getattr(starplat, program)
    started = {"src": source(graph)} if name in ("bfs", "sssp") else {}
    given = {"target": target, "results": [wanted] if wanted else [], **arguments, **started}
    return target, lambda: algorithm(graph, **given), number


# --- others --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def networkits(graph: Any) -> tuple[Any, Any]:
    """NetworKit's graphs, with weights and without."""
    import networkit as nk
    import numpy as np

    once = graph.sources < graph.columns
    ends = (graph.sources[once].astype(np.uint64), graph.columns[once].astype(np.uint64))
    shape = {"n": graph.num_nodes, "directed": False}
    weighted = nk.GraphFromCoo((graph.weights[once].astype(np.float64), ends), weighted=True, **shape)
    plain = nk.graphtools.toUnweighted(weighted)
    plain.indexEdges()
    return weighted, plain


@lru_cache(maxsize=2)
def rustworkxs(graph: Any) -> Any:
    """The graph of rustworkx."""
    import rustworkx as rx

    once = graph.sources < graph.columns
    made = rx.PyGraph(multigraph=False)
    made.add_nodes_from(range(graph.num_nodes))
    edges = zip(graph.sources[once].tolist(), graph.columns[once].tolist(), graph.weights[once].tolist(), strict=True)
    made.add_edges_from([(u, v, float(weight)) for u, v, weight in edges])
    return made


def of_networkit(graph: Any, name: str) -> list[Contest]:
    """NetworKit's ways."""
    import networkit as nk
    import numpy as np

    weighted, plain = networkits(graph)
    centrality = nk.centrality
    normal = centrality.ClosenessVariant.GENERALIZED
    src = source(graph)

    def reached(algorithm: Any) -> float:
        found = np.asarray(algorithm.getDistances())
        return float(found[found < 1e300].sum())

    def scores(algorithm: Any) -> float:
        return float(sum(algorithm.scores()))

    def ranks() -> Any:
        """Ends as ours does, by the sum of all changes; by default the root of their squares would end it earlier."""
        made = centrality.PageRank(plain, 0.85, 1e-8)
        made.norm = centrality.Norm.L1_NORM
        return made

    def weight(algorithm: Any) -> float:
        return float(algorithm.getForest().totalEdgeWeight())

    ways: dict[str, list[Contest]] = {
        "bfs": [("BFS", lambda: nk.distance.BFS(plain, src, False, False), reached)],
        "sssp": [("Dijkstra", lambda: nk.distance.Dijkstra(weighted, src, False, False), reached)],
        "pagerank": [("PageRank", ranks, None)],
        "components": [
            (way, lambda way=way: getattr(nk.components, way)(plain), lambda a: a.numberOfComponents())
            for way in ("ConnectedComponents", "ParallelConnectedComponents")
        ],
        "betweenness": [("Estimate", lambda: centrality.EstimateBetweenness(plain, SAMPLED, False, True), None)],
        "closeness": [("Closeness", lambda: centrality.Closeness(plain, True, normal), None)],
        "triangles": [("EdgeScore", lambda: nk.sparsification.TriangleEdgeScore(plain), lambda a: scores(a) / 3)],
        "clustering": [("LocalClustering", lambda: centrality.LocalClusteringCoefficient(plain, True), scores)],
        "cores": [("CoreDecomposition", lambda: centrality.CoreDecomposition(plain), scores)],
        "labels": [("PLP", lambda: nk.community.PLP(plain, maxIterations=10), None)],
        # its tolerance is of the eigenvalue: with 1e-9 its scores are as near as ours with 1e-4, 1e-5 in total
        "eigenvector": [("EigenvectorCentrality", lambda: centrality.EigenvectorCentrality(plain, 1e-9), None)],
        "spanning tree": [("KruskalMSF", lambda: nk.graph.KruskalMSF(weighted), weight)],
    }  # fmt: skip
    return [(f"NetworKit {way}", lambda made=made: made().run(), number) for way, made, number in ways[name]]


def of_rustworkx(graph: Any, name: str) -> list[Contest]:
    """What rustworkx has for undirected graphs and these sizes."""
    import rustworkx as rx

    if name not in ("sssp", "components", "closeness", "cores", "eigenvector", "spanning tree"):
        return []
    made = rustworkxs(graph)
    ways: dict[str, Contest] = {
        "sssp": (
            "dijkstra_shortest_path_lengths",
            lambda: rx.dijkstra_shortest_path_lengths(made, source(graph), float),
            lambda found: sum(found.values()),
        ),
        "components": ("connected_components", lambda: rx.connected_components(made), len),
        "closeness": ("closeness_centrality", lambda: rx.closeness_centrality(made), None),
        "cores": ("core_number", lambda: rx.core_number(made), lambda found: sum(found.values())),
        "eigenvector": ("eigenvector_centrality", lambda: rx.eigenvector_centrality(made, max_iter=1000), None),
        "spanning tree": (
            "minimum_spanning_edges",
            lambda: rx.minimum_spanning_edges(made, float),
            lambda found: sum(weight for *_, weight in found),
        ),
    }
    way, run, number = ways[name]
    return [(f"rustworkx {way}", run, number)]


if __name__ == "__main__":
    sys.exit(main())
