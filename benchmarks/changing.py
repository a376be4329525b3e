"""Graphs that change: the time of a batch of updates beside that of a static run on the changed graph.

    python benchmarks/changing.py                             rmat22 on CUDA, batches of 0.01, 0.1 and 1 % of the arcs
    python benchmarks/changing.py --shares 0.01 --rows apply          only how long a batch of 1 % takes to be applied
    python benchmarks/changing.py --target openmp --graphs rmat16     the same on this machine's cores

Half of a batch are deletions of edges that there are, half additions of edges with random ends and weights. A figure is
the median of the batches of a run after its first; it counts only if the answers after the last batch are those of the
static program. `applied` is the time of the same batches in a program that does no more than change the graph.

How many times as fast a batch is as the static program is read in three ways. `algorithm` leaves the change of the
graph out of both: static / (batch - applied). `whole` has it in both, since the graph must change before a static run
too: (applied + static) / batch. `mixed` has it in the batch's time alone: static / batch. Promises are for `algorithm`.

On CUDA `memory` is the most that the run took, over what rows, columns and weights take. The table comes last. Exit
code 1 if an answer is wrong, 2 if none is but a promise is not kept.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import starplat
from benchmarks.measured import graphs
from benchmarks.measured.options import names
from starplat import Graph, Result
from starplat.algorithms import program
from starplat.graph.updates import ADD, DELETE, Updates
from starplat.runtime.session import default_session

APPLY = """
Dynamic apply(Graph g, propEdge<int> weight, updates<g> changes, int batch) {
  Batch (changes : batch) {
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
  }
  long total = 0;
  forall (e in g.edges()) {
    total += e.weight;
  }
  return total;
}"""
"""Does nothing in its batches but to change the graph; its weights follow, and are added up at last."""
APPLY_WITHOUT_WEIGHTS = APPLY.replace(" propEdge<int> weight,", "").replace("e.weight", "1")

APPLIED_WITHIN = {0.01: 1.0e-3, 0.0001: 0.4e-3}
"""Seconds that a batch of a share of rmat22's arcs may take."""
FIRST_WEIGHT, LAST_WEIGHT = 1, 255

Same = Callable[[Result, Result], bool]


@dataclass(frozen=True)
class Row:
    """A program that follows updates, and the one that knows nothing of them.

    Attributes:
        same: whether both have found the same.
        judged_on: the graph on which the static program means the same.
        promised: how many times as fast a batch of 0.1 % of the arcs is to be, without the change of the graph.
        updates: how the graph is changed if the schedule is not given, as `auto` does on large graphs with long rows.
    """

    dynamic: str
    static: str
    same: Same
    promised: float
    arguments: Callable[[int], dict[str, Any]] = lambda source: {}
    judged_on: Callable[[Graph], Graph] = lambda graph: graph
    updates: str = "in_place"
    weighted: bool = False


def same_cells(of_batches: str, of_static: str) -> Same:
    return lambda changing, static: np.array_equal(changing[of_batches], static[of_static])


def same_ranks(changing: Result, static: Result) -> bool:
    return bool(np.abs(changing["rank"] - static["rank"]).sum() < 1e-4)


def same_count(changing: Result, static: Result) -> bool:
    return bool(changing.returned == static.returned)


def from_source(source: int) -> dict[str, Any]:
    return {"src": source}


def simple(graph: Graph) -> Graph:
    return graph.deduplicated().without_loops()


ROWS = {
    "sssp": Row("dynamic_sssp", "sssp", same_cells("dist", "dist"), 5, from_source, weighted=True),
    "bfs": Row("dynamic_bfs_levels", "bfs_levels", same_cells("level", "level"), 1, from_source),
    "pagerank": Row("dynamic_pagerank", "pagerank", same_ranks, 3, updates="merge"),
    "components": Row("dynamic_components", "connected_components", same_cells("comp", "component"), 2),
    "triangles": Row("dynamic_triangle_count", "triangle_count", same_count, 20, judged_on=simple),
}


@dataclass(frozen=True)
class Line:
    """A line of the table: seconds of a batch, of its application alone, and of the static run where there is one."""

    graph: str
    share: float
    row: str
    batch: float
    applied: float
    static: float | None
    right: bool
    memory: float | None = None

    @property
    def readings(self) -> tuple[float, ...]:
        """How many times as fast a batch is: the algorithms alone, both with the change of the graph, and mixed."""
        if self.static is None:
            return ()
        following = self.batch - self.applied
        alone = self.static / following if following > 0 else np.inf
        return alone, (self.applied + self.static) / self.batch, self.static / self.batch

    @property
    def keeps_promise(self) -> bool:
        if self.readings:
            return self.share != 0.001 or self.readings[0] >= ROWS[self.row].promised
        return self.graph != "rmat22" or self.batch <= APPLIED_WITHIN.get(self.share, np.inf)

    def __str__(self) -> str:
        static = "" if self.static is None else f"{1e3 * self.static:.3f}"
        readings = " ".join(f"{reading:9.2f}" for reading in self.readings)
        memory = "" if self.memory is None else f"{self.memory:.2f}"
        verdict = ("right" if self.right else "WRONG") + ("" if self.keeps_promise else "  less than promised")
        head = f"{self.graph:9} {100 * self.share:7.3f} % {self.row:11}"
        times = f"{1e3 * self.batch:10.3f} {1e3 * self.applied:8.3f} {static:>10}"
        return f"{head} {times} {readings:29} {memory:>6} {verdict}"


HEAD = (
    f"{'graph':9} {'of arcs':>9} {'program':11} {'batch, ms':>10} {'applied':>8} {'static':>10} "
    f"{'algorithm':>9} {'whole':>9} {'mixed':>9} {'memory':>6}"
)


def updates_of(graph: Graph, share: float, batches: int, seed: int = 1) -> tuple[Updates, int]:
    """Updates for so many batches, and how many make one: of an undirected graph each is of two arcs."""
    draw, arcs_each = np.random.default_rng(seed), 1 if graph.directed else 2
    size = max(2, int(share * graph.num_arcs / arcs_each))
    count = size * batches
    deletes = np.arange(count) % 2 == 0
    gone = draw.integers(0, graph.num_arcs, count)
    n = graph.num_nodes
    sources = np.where(deletes, np.searchsorted(graph.row_offsets, gone, "right") - 1, draw.integers(0, n, count))
    destinations = np.where(deletes, graph.columns[gone], draw.integers(0, n, count))
    weights = draw.integers(FIRST_WEIGHT, LAST_WEIGHT + 1, count)
    return Updates.of(graph, np.where(deletes, DELETE, ADD), sources, destinations, weights), size


def after(graph: Graph, updates: Updates, size: int) -> Graph:
    """The graph after all batches."""
    for first, end in updates.batches(size):
        graph = updates.rebuilt(graph, first, end).graph
    return graph


def total_of(graph: Graph) -> int:
    """The sum of the weights, 1 where there are none."""
    return graph.num_arcs if graph.weights is None else int(graph.weights.sum(dtype=np.int64))


def peak_of(target: str, run: Callable[[], object]) -> int | None:
    """The most memory that CuPy's pool took of a GPU during a run that finds it empty; None elsewhere."""
    if target != "cuda":
        return None
    import cupy

    pool, most = cupy.get_default_memory_pool(), 0

    def watched(size: int) -> Any:
        nonlocal most
        memory = pool.malloc(size)
        most = max(most, pool.total_bytes())
        return memory

    default_session().close()
    pool.free_all_blocks()
    cupy.cuda.set_allocator(watched)
    try:
        run()
    finally:
        cupy.cuda.set_allocator(pool.malloc)
    return most


def measured(options: argparse.Namespace, graph: Graph, name: str, source: int) -> list[Line]:
    lines = []
    for share in options.shares:
        updates, size = updates_of(graph, share, options.batches)
        given = {"changes": updates, "batch": size, "target": options.target}
        apply, schedule = starplat.compile(APPLY), options.schedule or "updates=in_place"
        peak = peak_of(options.target, partial(apply.run, graph, results=[], schedule=schedule, **given))
        memory = None if peak is None else peak / (4 * (graph.num_nodes + 1 + 2 * graph.num_arcs))
        applied = apply.run(graph, results=[], schedule=schedule, **given)
        changed = after(graph, updates, size)
        right = np.array_equal(applied.graph.columns, changed.columns) and applied.returned == total_of(changed)
        seconds = of_batches(applied)
        lines.append(Line(name, share, "apply", seconds, seconds, None, right, memory))
        print(lines[-1], flush=True)
        for row in options.rows:
            if row in ROWS:
                lines.append(compared(options, name, share, row, graph, changed, given, source))
                print(lines[-1], flush=True)
    return lines


def compared(
    options: argparse.Namespace,
    name: str,
    share: float,
    row: str,
    graph: Graph,
    changed: Graph,
    given: dict[str, Any],
    source: int,
) -> Line:
    """A program's batches beside the static one on the graph as it is at last."""
    what = ROWS[row]
    given = {**given, "schedule": options.schedule or f"updates={what.updates}"}
    apply = starplat.compile(APPLY if what.weighted else APPLY_WITHOUT_WEIGHTS)
    applied = of_batches(apply.run(graph, results=[], **given))
    following = program(what.dynamic).run(graph, **given, **what.arguments(source))
    static = program(what.static).run(
        what.judged_on(changed), target=options.target, repeat=1 + options.repeat, **what.arguments(source)
    )
    seconds = statistics.median(static.seconds.run[1:])
    return Line(name, share, row, of_batches(following), applied, seconds, what.same(following, static))


def of_batches(result: Result) -> float:
    return statistics.median(result.seconds.batches[1:])


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--graphs", type=names, default=("rmat22",), help="names, with commas (rmat22)")
    made.add_argument("--shares", default="0.0001,0.001,0.01", help="of the arcs, in a batch, with commas")
    made.add_argument("--rows", type=names, default=tuple(ROWS), help=f"of apply, {', '.join(ROWS)}")
    made.add_argument("--target", default="cuda")
    made.add_argument("--schedule", help="of the programs that follow updates (by program)")
    made.add_argument("--batches", type=int, default=4, help="of a run; the first is not measured (4)")
    made.add_argument("--repeat", type=int, default=3, help="of static runs, after the first (3)")
    made.add_argument("--data", type=Path, help="where the files of NY and egotw are")
    made.add_argument("--kept", type=Path, help="where made-up graphs are kept between processes")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    options.shares = [float(share) for share in options.shares.split(",")]
    lines = []
    for name in options.graphs:
        entry = graphs.load(name, options.data, options.kept)
        lines += measured(options, entry.graph, name, entry.source)
    print(f"\n{HEAD}")
    for line in lines:
        print(line)
    if not all(line.right for line in lines):
        return 1
    return 0 if all(line.keeps_promise for line in lines) else 2


if __name__ == "__main__":
    sys.exit(main())
