"""The judges of colors, sets, forests, cores and clustering agree with NetworkX, and find what is wrong."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.measured import proofs
from benchmarks.measured.judging import WrongAnswerError
from starplat.graph import Graph
from tests.benchmarks.test_judging import GRAPHS, arcs, short_pieces, wrong_at

__all__ = ["short_pieces"]  # a fixture for all of this file's tests
SIMPLE = {name: graph.without_loops().deduplicated() for name, graph in GRAPHS.items()}
every_graph = pytest.mark.parametrize("graph", SIMPLE.values(), ids=SIMPLE)


def network(graph: Graph) -> nx.Graph:
    made = nx.Graph()
    made.add_nodes_from(range(graph.num_nodes))
    weights = graph.weights if graph.weights is not None else np.ones(graph.num_arcs, np.int32)
    tails = graph.sources
    made.add_weighted_edges_from(zip(tails.tolist(), graph.columns.tolist(), weights.tolist(), strict=True))
    return made


def all_wrong(judge: Any, right: NDArray[Any], value: Any) -> None:
    for node in range(len(right)):
        with pytest.raises(WrongAnswerError):
            judge(wrong_at(right, node, value(node)))


@every_graph
def test_colors_are_proved_and_wrong_ones_found(graph: Graph) -> None:
    colored = nx.greedy_color(network(graph))
    right = np.array([colored[node] for node in range(graph.num_nodes)], np.int32)
    assert proofs.colors(arcs(graph), right) == max(colored.values()) + 1
    for node in np.flatnonzero(graph.out_degrees):
        neighbor = int(graph.columns[graph.row_offsets[node]])
        with pytest.raises(WrongAnswerError, match="of a color"):
            proofs.colors(arcs(graph), wrong_at(right, int(node), int(right[neighbor])))


@every_graph
def test_independent_sets_are_proved_and_wrong_ones_found(graph: Graph) -> None:
    right = np.zeros(graph.num_nodes, np.bool_)
    right[nx.maximal_independent_set(network(graph), seed=1)] = True
    assert proofs.independent(arcs(graph), right) == right.sum()
    all_wrong(lambda wrong: proofs.independent(arcs(graph), wrong), right, lambda node: not right[node])


@every_graph
def test_forests_are_proved_and_wrong_ones_found(graph: Graph) -> None:
    tree = nx.minimum_spanning_edges(network(graph), data=False)
    right = np.zeros(graph.num_arcs, np.bool_)
    tails = graph.sources
    numbers = {pair: arc for arc, pair in enumerate(zip(tails.tolist(), graph.columns.tolist(), strict=True))}
    right[[numbers[pair] for pair in tree]] = True
    weights = graph.weights if graph.weights is not None else np.ones(graph.num_arcs, np.int32)

    def judged(found: NDArray[Any]) -> int:
        return proofs.lightest_forest(arcs(graph), found, int(weights[found].sum()))

    assert judged(right) == right.sum()
    all_wrong(judged, right, lambda arc: not right[arc])
    if right.any():
        with pytest.raises(WrongAnswerError, match="was returned"):
            proofs.lightest_forest(arcs(graph), right, int(weights[right].sum()) - 1)


def test_a_forest_that_is_not_the_lightest_is_found() -> None:
    ring = Graph.from_arcs(4, [0, 1, 2, 0], [1, 2, 3, 3], [5, 1, 1, 1], directed=False)
    tails = ring.sources
    assert ring.weights is not None
    heavy = (tails < ring.columns) & ~((tails == 0) & (ring.columns == 3))
    with pytest.raises(WrongAnswerError, match="one of 3 exists"):
        proofs.lightest_forest(arcs(ring), heavy, 7)


@every_graph
def test_cores_are_found_anew(graph: Graph) -> None:
    right = np.array([core for _, core in sorted(nx.core_number(network(graph)).items())], np.int32)
    assert proofs.cores(arcs(graph), right) == right.max()
    all_wrong(lambda wrong: proofs.cores(arcs(graph), wrong), right, lambda node: int(right[node]) + 1)


@every_graph
def test_clustering_is_found_anew(graph: Graph) -> None:
    found = nx.clustering(network(graph))
    right = np.array([found[node] for node in range(graph.num_nodes)], np.float64)
    triangles = sum(nx.triangles(network(graph)).values()) // 3
    assert proofs.clustering(arcs(graph), right, triangles) == pytest.approx(right.mean())
    for node in np.flatnonzero(graph.out_degrees > 1):
        with pytest.raises(WrongAnswerError):
            proofs.clustering(arcs(graph), wrong_at(right, int(node), 0.123), triangles)
