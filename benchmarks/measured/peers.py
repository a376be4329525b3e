"""Graph libraries for CPUs from PyPI, doing what the rows of the table do: NetworKit and SciPy.

Where a library has several ways the caller may try them all; each is one `Peer`. What a peer needs made beforehand, its
own graph above all, is made by `peers_of` and not timed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measured.graphs import Entry
from benchmarks.measured.rows import DAMPING, ROUNDS


@dataclass(frozen=True)
class Peer:
    """One way to solve a row's problem.

    Attributes:
        name: the library and what it calls the method.
        run: solves it, and gives something to take the answer from.
        number: of what `run` gave, the number that all right answers have in common; None where there is none.
        rounds: the iterations that a run is divided by.
    """

    name: str
    run: Callable[[], Any]
    number: Callable[[Any], int] | None = None
    rounds: int = 1

    @property
    def library(self) -> str:
        """Its first word."""
        return self.name.split()[0]


def peers_of(entry: Entry, threads: int) -> dict[str, list[Peer]]:
    """For every row the ways that the installed libraries have.

    Raises:
        SystemExit: NetworKit is not installed.
    """
    try:
        import networkit
    except ImportError:
        raise SystemExit("NetworKit is not installed: pip install networkit") from None
    networkit.setNumberOfThreads(threads)
    ways = _networkit(networkit, entry)
    for row, peers in _scipy(entry).items():
        ways[row] += peers
    return ways


# --- NetworKit -----------------------------------------------------------------------------------------------------


def _networkit(nk: Any, entry: Entry) -> dict[str, list[Peer]]:
    weighted, source = _networkit_graph(nk, entry), entry.source
    graph = nk.graphtools.toUnweighted(weighted)
    graph.indexEdges()
    largest = nk.components.ConnectedComponents.extractLargestConnectedComponent(graph, True)
    distance, centrality, components = nk.distance, nk.centrality, nk.components
    ran = partial(_ran, "NetworKit")
    return {
        "bfs": [ran("BFS", lambda: distance.BFS(graph, source, False, False), _sum_of_distances)],
        "sssp": [ran("Dijkstra", lambda: distance.Dijkstra(weighted, source, False, False), _sum_of_distances)],
        "components": [
            ran("ConnectedComponents", lambda: components.ConnectedComponents(graph), _count),
            ran("ParallelConnectedComponents", lambda: components.ParallelConnectedComponents(graph), _count),
        ],
        "pagerank": [ran("PageRank", lambda: _networkit_pagerank(nk, graph), None, ROUNDS)],
        # its source is drawn at random: of the largest component all are as good
        "betweenness": [
            ran("EstimateBetweenness", lambda: centrality.EstimateBetweenness(largest, 1, False, False), None)
        ],
        "triangles": [
            ran("TriangleEdgeScore", lambda: nk.sparsification.TriangleEdgeScore(graph), _third_of_scores),
            ran("LocalClusteringCoefficient", lambda: centrality.LocalClusteringCoefficient(graph, True), None),
        ],
    }


def _ran(
    library: str, method: str, made: Callable[[], Any], number: Callable[[Any], int] | None, rounds: int = 1
) -> Peer:
    def run() -> Any:
        algorithm = made()
        algorithm.run()
        return algorithm

    return Peer(f"{library} {method}", run, number, rounds)


def _networkit_graph(nk: Any, entry: Entry) -> Any:
    graph = entry.graph
    once = graph.sources < graph.columns
    weights = np.ones(graph.num_arcs) if graph.weights is None else graph.weights.astype(np.float64)
    ends = (graph.sources[once].astype(np.uint64), graph.columns[once].astype(np.uint64))
    return nk.GraphFromCoo((weights[once], ends), n=graph.num_nodes, weighted=True, directed=False)


def _networkit_pagerank(nk: Any, graph: Any) -> Any:
    made = nk.centrality.PageRank(graph, DAMPING, 1e-300)
    made.maxIterations = ROUNDS
    return made


def _sum_of_distances(algorithm: Any) -> int:
    found = np.asarray(algorithm.getDistances())
    return int(found[found < 1e300].sum())


def _count(algorithm: Any) -> int:
    return int(algorithm.numberOfComponents())


def _third_of_scores(algorithm: Any) -> int:
    return int(sum(algorithm.scores())) // 3


# --- SciPy ---------------------------------------------------------------------------------------------------------


def _scipy(entry: Entry) -> dict[str, list[Peer]]:
    """What it has; single-threaded."""
    from scipy.sparse import csgraph, csr_array

    graph, source = entry.graph, entry.source
    offsets, columns, shape = graph.row_offsets, graph.columns, (graph.num_nodes, graph.num_nodes)
    weights = np.ones(graph.num_arcs) if graph.weights is None else graph.weights.astype(np.float64)
    weighted = csr_array((weights, columns, offsets), shape)
    ones = csr_array((np.ones(graph.num_arcs), columns, offsets), shape)
    return {
        "bfs": [Peer("SciPy breadth_first_order", lambda: csgraph.breadth_first_order(ones, source))],
        "sssp": [Peer("SciPy dijkstra", lambda: csgraph.dijkstra(weighted, indices=source), _sum_of_reals)],
        "components": [
            Peer(
                "SciPy connected_components", lambda: csgraph.connected_components(ones, False), lambda found: found[0]
            )
        ],
        "pagerank": [Peer("SciPy products", lambda: _scipy_pagerank(ones), None, ROUNDS)],
    }


def _sum_of_reals(found: Any) -> int:
    return int(found[np.isfinite(found)].sum())


def _scipy_pagerank(ones: Any) -> Any:
    """The plain power method: what one would write."""
    n = ones.shape[0]
    degree = np.diff(ones.indptr)
    share = np.divide(1.0, degree, out=np.zeros(n), where=degree > 0)
    rank = np.full(n, 1.0 / n)
    for _ in range(ROUNDS):
        inflow = (rank * share) @ ones
        rank = (1.0 - DAMPING) / n + DAMPING * (inflow + rank[degree == 0].sum() / n)
    return rank
