"""The benchmarks' judges agree with other people's answers, and find what is wrong with an answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.measured import judging
from benchmarks.measured.judging import Arcs, WrongAnswerError
from starplat.graph import Graph, generators
from tests import oracles
from tests.programs.cases import finite_or_inf

GRAPHS = {
    "skewed": generators.rmat(7, 4, 1, weights=(1, 9)),
    "uniform": generators.uniform(6, 4, 2, weights=(1, 9)),
    "long": generators.grid(12, 75, 3, weights=(1, 200)),
    "islands": Graph.from_arcs(7, [0, 1, 3, 4], [1, 2, 4, 5], [4, 2, 7, 1], directed=False),
    "alone": Graph.from_arcs(1, [], [], directed=False),
    "star": generators.star(9),
}
every_graph = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several pieces in small graphs, and in the largest sources that are found anew."""
    monkeypatch.setattr(judging, "PIECE", 100)
    monkeypatch.setattr(judging, "SOURCES_UP_TO_ARCS", 500)


def arcs(graph: Graph) -> Arcs:
    return Arcs(graph, np)


def source_of(graph: Graph) -> int:
    return int(graph.out_degrees.argmax())


@every_graph
@pytest.mark.parametrize("weighted", [False, True])
def test_right_distances_are_proved(graph: Graph, weighted: bool) -> None:
    source = source_of(graph)
    expected = (oracles.distances if weighted else oracles.levels)(graph, source)
    finite = expected[np.isfinite(expected)]
    proved = judging.distances(arcs(graph), source, finite_or_inf(expected), weighted=weighted)
    assert proved == (len(finite), int(finite.sum()), int(finite.max()))


def wrong_at(values: NDArray[Any], node: int, value: int) -> NDArray[Any]:
    changed = values.copy()
    changed[node] = value
    return changed


@pytest.mark.parametrize("weighted", [False, True])
def test_every_wrong_distance_is_found(weighted: bool) -> None:
    """Too short, too long, reached by nothing, not reached though it is."""
    for graph in (GRAPHS["skewed"], GRAPHS["islands"]):
        source = source_of(graph)
        right = finite_or_inf((oracles.distances if weighted else oracles.levels)(graph, source))
        for node in range(graph.num_nodes):
            for value in {0, 1, int(right[node]) - 1, int(right[node]) + 1, judging.INF} - {int(right[node])}:
                if value in (-1, judging.INF + 1):
                    continue
                with pytest.raises(WrongAnswerError):
                    judging.distances(arcs(graph), source, wrong_at(right, node, value), weighted=weighted)


def test_a_cycle_that_explains_itself_is_no_explanation() -> None:
    graph = Graph.from_arcs(4, [0, 2, 3], [1, 3, 2], [1, 0, 0])
    with pytest.raises(WrongAnswerError, match="positive weights"):
        judging.distances(arcs(graph), 0, np.array([0, 1, 5, 5]), weighted=True)


def test_sums_of_levels_are_those_of_single_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = GRAPHS["islands"]
    monkeypatch.setattr(judging, "SAMPLES", graph.num_nodes)
    sources = np.flatnonzero(graph.out_degrees > 0)[::3]
    levels = np.array([oracles.levels(graph, int(source)) for source in sources])
    right = np.where(np.isfinite(levels), levels, 0).sum(axis=0).astype(np.int64)
    assert judging.sums_of_levels(arcs(graph), sources, right) == right.sum()
    for node in range(graph.num_nodes):
        with pytest.raises(WrongAnswerError, match=f"at node {node} "):
            judging.sums_of_levels(arcs(graph), sources, wrong_at(right, node, int(right[node]) + 1))


@every_graph
def test_right_components_are_proved(graph: Graph) -> None:
    expected = oracles.components(graph, "weak")
    assert judging.components(arcs(graph), expected) == len(set(expected.tolist()))


def test_every_wrong_label_is_found() -> None:
    graph = GRAPHS["islands"]
    right = oracles.components(graph, "weak")
    for node in range(graph.num_nodes):
        for label in set(range(-1, graph.num_nodes)) - {int(right[node])}:
            with pytest.raises(WrongAnswerError):
                judging.components(arcs(graph), wrong_at(right, node, label))
    for wrong in ([0] * 7, [0, 0, 0, 5, 5, 5, 6], list(range(7))):
        with pytest.raises(WrongAnswerError):
            judging.components(arcs(graph), np.array(wrong))


@pytest.mark.parametrize("graph", [GRAPHS["skewed"], GRAPHS["islands"], GRAPHS["long"]])
def test_ranks_are_those_of_the_power_method(graph: Graph) -> None:
    """After many rounds they are NetworkX's."""
    rank = oracles.pagerank(graph)
    assert judging.pagerank(arcs(graph), rank, damping=0.85, rounds=400, tolerance=1e-8) > 100
    with pytest.raises(WrongAnswerError, match="off by"):
        judging.pagerank(arcs(graph), rank, damping=0.85, rounds=2)
    with pytest.raises(WrongAnswerError, match="off by"):
        judging.pagerank(arcs(graph), np.full_like(rank, np.nan), damping=0.85, rounds=2)


@every_graph
def test_right_labels_are_proved_and_wrong_ones_found(graph: Graph) -> None:
    right = np.array(oracles.communities(graph, 3))
    assert judging.communities(arcs(graph), right, rounds=3) == len(set(right.tolist()))
    with pytest.raises(WrongAnswerError, match="most neighbors"):
        judging.communities(arcs(graph), wrong_at(right, 0, -1), rounds=3)


def test_ranks_that_stand_still_take_no_more_rounds() -> None:
    ring = Graph.from_arcs(4, [0, 1, 2, 3], [1, 2, 3, 0])
    assert judging.pagerank(arcs(ring), np.full(4, 0.25), damping=0.85, rounds=20) == 1


@every_graph
def test_dependencies_are_those_of_brandes(graph: Graph) -> None:
    source = source_of(graph)
    expected = oracles.betweenness(graph, [source])
    np.testing.assert_allclose(judging.dependencies(arcs(graph), source), expected, rtol=1e-12, atol=1e-12)
    judging.betweenness(arcs(graph), source, expected)
    for node in range(graph.num_nodes):
        for wrong in (expected[node] + 0.5, np.nan, np.inf):
            with pytest.raises(WrongAnswerError):
                judging.betweenness(arcs(graph), source, wrong_at(expected, node, wrong))


def test_more_paths_than_a_double_holds_are_counted() -> None:
    """A ladder of 1100 diamonds has 2^1100 shortest paths, half of them through either side of a diamond."""
    step = np.arange(1100) * 3
    tails = np.concatenate([step, step, step + 1, step + 2])
    heads = np.concatenate([step + 1, step + 2, step + 3, step + 3])
    ladder = arcs(Graph.from_arcs(3301, tails, heads, directed=False))
    behind = 3300 - step
    expected = np.append(np.column_stack([behind, behind / 2 - 1, behind / 2 - 1]).ravel(), 0.0)
    expected[0] = 0.0
    np.testing.assert_allclose(judging.dependencies(ladder, 0), expected, rtol=1e-12)
    judging.betweenness(ladder, 0, expected)
    with pytest.raises(WrongAnswerError, match="no finite number"):
        judging.betweenness(ladder, 0, wrong_at(expected, 3000, np.nan))


@every_graph
def test_triangles_are_counted(graph: Graph) -> None:
    count = oracles.triangles(graph)
    assert judging.triangles(arcs(graph), count, None) == count
    assert judging.triangles(arcs(graph), count, count) == count
    for known in (None, count):
        with pytest.raises(WrongAnswerError):
            judging.triangles(arcs(graph), count + 1, known)


def test_triangles_that_nobody_counted_are_not_called_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "COUNTABLE_ARCS", 3)
    with pytest.raises(WrongAnswerError, match="not checked"):
        judging.triangles(arcs(GRAPHS["skewed"]), 5, None)
