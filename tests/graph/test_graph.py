"""What a Graph promises about its arrays and its methods."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, prepared, statistics
from tests.graph.graphs import arcs_of, graphs, well_formed


@given(graphs())
def test_arrays_are_as_promised(graph: Graph) -> None:
    assert well_formed(graph)


@given(graphs(directed=True))
def test_arcs_are_kept_as_a_multiset(graph: Graph) -> None:
    order = np.random.default_rng(0).permutation(graph.num_arcs)
    weights = None if graph.weights is None else graph.weights[order]
    again = Graph.from_arcs(graph.num_nodes, graph.sources[order], graph.columns[order], weights)
    assert arcs_of(again) == arcs_of(graph)


def test_parallel_arcs_stay_in_the_order_they_came_in() -> None:
    graph = Graph.from_arcs(3, [1, 0, 1, 1], [2, 1, 2, 0], [9, 5, 3, 4])
    assert graph.weights is not None
    assert graph.weights.tolist() == [5, 4, 9, 3]


@given(graphs())
def test_reverse_lists_every_arc_at_its_destination(graph: Graph) -> None:
    back = graph.reverse
    heads = np.repeat(np.arange(graph.num_nodes), np.diff(back.row_offsets))
    assert np.array_equal(graph.columns[back.arc_ids], heads)
    assert np.array_equal(graph.sources[back.arc_ids], back.columns)
    assert sorted(back.arc_ids.tolist()) == list(range(graph.num_arcs))
    assert np.array_equal(np.lexsort((back.columns, heads)), np.arange(graph.num_arcs))


@given(graphs(directed=True))
def test_undirected_is_the_smallest_symmetric_multiset(graph: Graph) -> None:
    arcs = arcs_of(graph)
    turned = Counter({(v, u, w): count for (u, v, w), count in arcs.items()})
    both = graph.undirected()
    assert well_formed(both)
    assert not both.directed
    assert arcs_of(both) == arcs | turned


@given(graphs(directed=False))
def test_what_is_undirected_stays_as_it_is(graph: Graph) -> None:
    again = Graph.from_arcs(graph.num_nodes, graph.sources, graph.columns, graph.weights).undirected()
    assert arcs_of(again) == arcs_of(graph)


@given(graphs())
def test_without_loops_drops_loops_only(graph: Graph) -> None:
    kept = Counter({arc: count for arc, count in arcs_of(graph).items() if arc[0] != arc[1]})
    assert arcs_of(graph.without_loops()) == kept


@given(graphs())
def test_deduplicated_keeps_the_lightest(graph: Graph) -> None:
    lightest: dict[tuple[int, int], float] = {}
    for u, v, w in arcs_of(graph):
        lightest[u, v] = min(w, lightest.get((u, v), w))
    assert arcs_of(graph.deduplicated()) == Counter((u, v, w) for (u, v), w in lightest.items())


@given(graphs(directed=False), st.integers(-5, 5), st.integers(0, 300), st.integers(0, 2**40))
def test_random_weights_are_the_same_both_ways(graph: Graph, low: int, width: int, seed: int) -> None:
    weighted = graph.with_random_weights(low, low + width, seed)
    assert weighted.weights is not None
    assert well_formed(weighted)
    assert ((weighted.weights >= low) & (weighted.weights <= low + width)).all()


def test_random_weights_use_their_whole_range() -> None:
    graph = Graph.from_arcs(1000, np.arange(1000), np.arange(1000)[::-1].copy())
    drawn = graph.with_random_weights(1, 4, 7).weights
    assert drawn is not None
    assert np.bincount(drawn, minlength=5)[1:].min() > 150
    assert not np.array_equal(drawn, graph.with_random_weights(1, 4, 8).weights)


@pytest.mark.parametrize(("values", "dtype"), [([1, 2], np.int32), ([1, 2**31], np.int64), ([1, 0.5], np.float64)])
def test_weights_take_the_smallest_type_that_holds_them(values: list[float], dtype: type) -> None:
    weights = Graph.from_arcs(2, [0, 1], [1, 0], values).weights
    assert weights is not None
    assert weights.dtype == dtype


def test_original_ids_lead_to_nodes_and_back() -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2], ids=np.array([7, 30, 2**62]))
    assert [graph.node_of(graph.original_id(node)) for node in range(3)] == [0, 1, 2]
    based = Graph.from_arcs(3, [0, 1], [1, 2], index_base=1)
    assert (based.node_of(1), based.original_id(2)) == (0, 3)


@pytest.mark.parametrize("missing", [-1, 0, 8, 2**63, 2**64, 10**30])
def test_an_id_that_is_not_there_is_a_diagnostic(missing: int) -> None:
    graph = Graph.from_arcs(2, [0], [1], ids=np.array([7, 30]), name="g")
    with pytest.raises(DiagnosticError, match=f"E0816.*no node of g has the id {missing}; its ids lie in 7..30"):
        graph.node_of(missing)


@pytest.mark.parametrize(
    "arguments",
    [(2, [0], [2]), (2, [-1], [0]), (2, [0, 1], [1]), (2, [0.5], [1]), (2, [0], [1], [float("nan")]), (2**31, [], [])],
)
def test_arguments_that_make_no_graph_are_diagnostics(arguments: tuple[object, ...]) -> None:
    with pytest.raises(DiagnosticError, match=r"E081[17]"):
        Graph.from_arcs(*arguments)  # type: ignore[arg-type]


def test_describe_says_what_was_read() -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2], [4, 9], directed=False, name="g", index_base=1, format="DIMACS")
    assert graph.describe() == (
        "g: DIMACS, undirected, 3 nodes, 4 arcs (both directions of every edge, the missing ones added), "
        "weights int32 4..9, ids 1..3"
    )


@pytest.mark.parametrize("spec", ["one", "random:1", "random:5..1", "random:1..2:x", ""])
def test_weights_in_words_that_mean_nothing_are_diagnostics(spec: str) -> None:
    with pytest.raises(DiagnosticError, match="E0817"):
        prepared(Graph.from_arcs(2, [0], [1]), weights=spec)


def test_statistics_count_what_they_say() -> None:
    numbers = statistics(Graph.from_arcs(5, [0, 0, 1, 1, 2], [1, 1, 0, 1, 0], [3, 4, 5, 6, -7]))
    assert (numbers.nodes, numbers.arcs, numbers.symmetric) == (5, 5, False)
    assert (numbers.loops, numbers.duplicates, numbers.isolated) == (1, 1, 2)
    assert (numbers.min_degree, numbers.mean_degree, numbers.max_degree, numbers.max_in_degree) == (0, 1.0, 2, 3)
    assert (numbers.weight_type, numbers.min_weight, numbers.max_weight) == ("int32", -7, 6)


def test_statistics_of_nothing() -> None:
    numbers = statistics(Graph.from_arcs(0, [], []))
    assert (numbers.nodes, numbers.max_degree, numbers.mean_degree, numbers.min_weight) == (0, 0, 0.0, None)
