"""Graphs after updates are what the updates mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph
from starplat.graph.updates import ADD, DELETE, Updates
from starplat.graph.updates.history import Change, History
from tests.graph.changing import Stream, after, arcs_of, streams

TRIANGLE = Graph.from_arcs(3, [0, 1, 2], [1, 2, 0], [5, 6, 7])


@given(streams())
def test_batches_rebuild_the_graph(stream: Stream) -> None:
    graph, arcs, updates = stream.graph, arcs_of(stream.graph), stream.updates
    untouched = arcs_of(graph)
    bounds = list(updates.batches(stream.batch))
    pieces = [stream.given[i : i + stream.batch] for i in range(0, len(stream.given), stream.batch)]
    assert len(bounds) == len(pieces)
    for (first, last), piece in zip(bounds, pieces, strict=True):
        changed = updates.rebuilt(graph, first, last)
        arcs = after(graph, arcs, piece)
        assert arcs_of(changed.graph) == arcs
        assert changed.graph.directed or changed.graph.is_symmetric
        kept = changed.before >= 0
        was = np.array(arcs_of(graph), np.int64).reshape(-1, 3)[changed.before[kept]]
        assert np.array_equal(was, np.array(arcs, np.int64).reshape(-1, 3)[kept])
        assert len(np.unique(changed.before[kept])) == np.count_nonzero(kept)
        graph = changed.graph
    assert arcs_of(stream.graph) == untouched


@given(streams())
def test_changes_applied_elsewhere_come_to_the_graph_of_all_batches(stream: Stream) -> None:
    updates, graph, history = stream.updates, stream.graph, History(stream.graph)
    for number, (first, last) in enumerate(updates.batches(stream.batch)):
        graph = updates.rebuilt(graph, first, last).graph
        for kinds in (((DELETE,), (ADD,)), ((DELETE, ADD),))[number % 2]:
            history.then(Change(updates, first, last, kinds))
        if number % 3 == 2:
            assert arcs_of(history.graph) == arcs_of(graph)
    assert arcs_of(history.graph) == arcs_of(graph)


def test_order_of_parallel_arcs_is_the_order_of_their_additions() -> None:
    updates = Updates.of(TRIANGLE, [ADD, ADD, ADD], [0, 0, 0], [1, 0, 1], [9, 8, 1])
    changed = updates.rebuilt(TRIANGLE, 0, 3)
    assert arcs_of(changed.graph) == [(0, 0, 8), (0, 1, 5), (0, 1, 9), (0, 1, 1), (1, 2, 6), (2, 0, 7)]
    assert changed.before.tolist() == [-1, 0, -1, -1, 1, 2]


def test_an_arc_deleted_and_added_at_once_is_there_and_new() -> None:
    updates = Updates.of(TRIANGLE, [ADD, DELETE], [0, 0], [1, 1], [9, 0])
    changed = updates.rebuilt(TRIANGLE, 0, 2)
    assert (arcs_of(changed.graph)[0], changed.before[0]) == ((0, 1, 9), -1)


def test_updates_of_an_undirected_graph_are_of_both_arcs_and_of_one_batch() -> None:
    path = Graph.from_arcs(3, [0, 1], [1, 2], directed=False)
    updates = Updates.of(path, [ADD, ADD, DELETE], [0, 2, 2], [2, 2, 1])
    assert list(updates.batches(1)) == [(0, 2), (2, 3), (3, 5)]
    assert arcs_of(updates.rebuilt(path, 0, 5).graph) == [(0, 1, 1), (0, 2, 1), (1, 0, 1), (2, 0, 1), (2, 2, 1)]


@pytest.mark.parametrize(
    ("ours", "theirs", "weights"),
    [
        (None, None, None),
        (None, [3], [1, 3]),
        ([2], None, [2, 1]),
        ([2], [2**40], [2, 2**40]),
        ([2], [0.5], [2.0, 0.5]),
    ],
)
def test_weights_of_a_graph_and_of_additions_come_together(ours: Any, theirs: Any, weights: Any) -> None:
    graph = Graph.from_arcs(2, [0], [1], ours)
    joined = Updates.of(graph, [ADD], [1], [0], theirs).rebuilt(graph, 0, 1).graph.weights
    assert (None if joined is None else joined.tolist()) == weights


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([ADD], [0, 1], [1, 2]), "equally many"),
        (([ADD], [0], [1], [1, 2]), "equally many"),
        (([2], [0], [1]), "kinds of updates"),
        (([ADD], [0], [3]), "0..2"),
        (([ADD], [-1], [0]), "0..2"),
        (([ADD], [0.5], [0]), "integers"),
        (([ADD], [0], [1], [np.nan]), "finite"),
        (([ADD], [0], [1], ["x"]), "numbers"),
    ],
)
def test_arrays_that_are_no_updates_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(DiagnosticError, match=message):
        Updates.of(TRIANGLE, *arguments)


def test_batches_have_a_size() -> None:
    with pytest.raises(DiagnosticError, match="E0817"):
        list(Updates.of(TRIANGLE, [], [], []).batches(0))
