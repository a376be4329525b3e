"""Programs whose graph changes: after every batch the answer is the `Static` function's on the graph as it is then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import starplat
from starplat import Graph, Program, Result
from starplat.algorithms import program
from starplat.diagnostics import DiagnosticError
from starplat.graph.updates import ADD, DELETE, Updates
from tests.programs.targets import REFERENCE, Target, compiled, every_target

PATHS = Path(__file__).parent / "as_published" / "dynamic_sssp.sp"

MARKS = """// What stays with arcs, what lists of updates answer, and what reaches what.
function worth(Graph g, updates<g> listed, int factor) {
  int total = 0;
  for (u in listed) {
    total += factor * u.weight;
  }
  return total;
}

Dynamic marks(Graph g, propEdge<int> mark, propEdge<int> weight, propNode<bool> reached, propNode<int> strength,
    updates<g> U, int size) {
  int number = 0, sizes = 0, added = 0;
  g.attachEdgeProperty(mark = -1);
  Batch (U : size) {
    number++;
    updates<g> gone = U.currentBatch(0);
    sizes += 100 * gone.size() + U.currentBatch(1).size();
    g.updateCSRDel(U);
    g.updateCSRAdd(U);
    added += worth(g, U.currentBatch(1), 3);
    forall (u in U.currentBatch(1)) {
      edge e = g.get_edge(u.source, u.destination);
      e.mark = number;
    }
    g.attachNodeProperty(reached = False, strength = 0);
    OnDelete (u in gone) {
      node v = u.source;
      v.reached = True;
    }
    g.propagateNodeFlags(reached);
    forall (v in g.nodes()) {
      for (w in g.nodes_to(v)) {
        edge e = g.get_edge(w, v);
        v.strength += e.weight;
      }
    }
  }
  return sizes + added + number * 1000000;
}
"""

Listed = list[tuple[int, int, int, int]]


def graph_of(n: int, arcs: list[tuple[int, int, int]], *, directed: bool = True) -> Graph:
    source, destination, weight = np.array(arcs, np.int64).reshape(-1, 3).T
    return Graph.from_arcs(n, source, destination, weight.astype(np.int32), directed=directed)


def updates_of(graph: Graph, listed: Listed) -> Updates:
    kinds, source, destination, weights = np.array(listed, np.int64).reshape(-1, 4).T
    return Updates.of(graph, kinds, source, destination, weights)


def rebuilt(graph: Graph, updates: Updates, size: int) -> Graph:
    for first, last in updates.batches(size):
        graph = updates.rebuilt(graph, first, last).graph
    return graph


def same_arcs(one: Graph, other: Graph) -> bool:
    pairs = ((one.row_offsets, other.row_offsets), (one.columns, other.columns), (one.weights, other.weights))
    return all(np.array_equal(a, b) for a, b in pairs)


def random_case(seed: int, *, directed: bool = True) -> tuple[Graph, Updates, int]:
    """Arcs and updates among few nodes, so that arcs are parallel, deleted, added again, and absent when deleted."""
    draw = np.random.default_rng(seed)
    n, m, k = 14, 34, 25
    graph = graph_of(n, draw.integers([0, 0, 1], [n, n, 9], (m, 3)).tolist(), directed=directed)
    listed = draw.integers([0, 0, 0, 1], [2, n, n, 9], (k, 4))
    known = (listed[:, 0] == DELETE) & (draw.random(k) < 0.7)
    chosen = draw.integers(0, graph.num_arcs, k)[known]
    listed[known, 1], listed[known, 2] = graph.sources[chosen], graph.columns[chosen]
    return graph, updates_of(graph, [tuple(row) for row in listed.tolist()]), int(draw.integers(1, 10))


def assert_paths_follow(target: Target, graph: Graph, updates: Updates, size: int) -> None:
    before = [array.copy() for array in (graph.row_offsets, graph.columns)]
    program = compiled(PATHS)
    end = rebuilt(graph, updates, size)
    found = target.run(program, graph, {"function": "follow", "U": updates, "batchSize": size, "src": 0})
    static = REFERENCE.run(program, end, {"function": "fresh", "src": 0})
    assert found["dist"].tolist() == static["dist"].tolist()
    assert same_arcs(found.graph, end)
    assert all(map(np.array_equal, before, (graph.row_offsets, graph.columns)))


NODES = st.integers(0, 4)
ARCS = st.lists(st.tuples(NODES, NODES, st.integers(1, 5)), max_size=12)
UPDATES = st.lists(st.tuples(st.sampled_from((ADD, DELETE)), NODES, NODES, st.integers(1, 5)), max_size=12)


@settings(max_examples=40, deadline=None)
@given(arcs=ARCS, listed=UPDATES, size=st.integers(1, 13), directed=st.booleans())
def test_shortest_paths_follow_any_updates(
    arcs: list[tuple[int, int, int]], listed: Listed, size: int, directed: bool
) -> None:
    graph = graph_of(5, arcs, directed=directed)
    assert_paths_follow(REFERENCE, graph, updates_of(graph, listed), size)


@every_target
def test_shortest_paths_follow_updates_everywhere(target: Target) -> None:
    for seed in range(4):
        assert_paths_follow(target, *random_case(seed, directed=seed % 2 == 0))


@pytest.fixture(scope="module")
def marks() -> Program:
    return starplat.compile(MARKS)


@every_target
def test_cells_stay_with_their_arcs_and_lists_answer_for_their_part(target: Target, marks: Program) -> None:
    for seed in (5, 6):
        graph, updates, size = random_case(seed, directed=seed % 2 == 0)
        found = target.run(marks, graph, {"U": updates, "size": size})
        mark, returned = expected_marks(graph, updates, size)
        end = rebuilt(graph, updates, size)
        assert found.returned == returned
        assert found["mark"].tolist() == mark.tolist()
        assert found["weight"].tolist() == np.asarray(end.weights).tolist()
        strength = np.bincount(end.columns, end.weights, end.num_nodes).astype(int)
        assert found["strength"].tolist() == strength.tolist()
        assert np.flatnonzero(found["reached"]).tolist() == sorted(reached_at_end(end, updates, size))


@pytest.mark.parametrize("order", ["degree", "rcm"])
@settings(max_examples=25, deadline=None)
@given(arcs=ARCS, listed=UPDATES, size=st.integers(1, 13), directed=st.booleans())
def test_renumbered_graphs_change_as_the_callers(
    order: str, marks: Program, arcs: list[tuple[int, int, int]], listed: Listed, size: int, directed: bool
) -> None:
    """Cells of nodes and arcs, what is returned, and the graph are in the caller's numbers after every batch."""
    graph = replace(graph_of(5, arcs, directed=directed), ids=np.array([7, 3, 9, 1, 5]), index_base=0)
    updates, told = updates_of(graph, listed), []
    for schedule in ("plain", f"plain,order={order}"):
        seen: list[object] = []

        def note(number: int, so_far: Result, seen: list[object] = seen) -> None:
            seen.append((number, *shown(so_far)))

        call = {"U": updates, "size": size}
        last = marks.run(graph, target="reference", schedule=schedule, on_batch=note, arguments=call)
        told.append((seen, shown(last), last.returned))
    assert told[0] == told[1]


def shown(result: Result) -> list[object]:
    graph = result.graph
    cells = [result[name].tolist() for name in ("mark", "reached", "strength")]
    weights = None if graph.weights is None else graph.weights.tolist()
    return [*cells, graph.row_offsets.tolist(), graph.columns.tolist(), weights, graph.original_ids.tolist()]


@every_target
@pytest.mark.parametrize("order", ["degree", "rcm"])
def test_renumbered_graphs_change_everywhere(target: Target, order: str, marks: Program) -> None:
    for seed in (5, 6):
        graph, updates, size = random_case(seed, directed=seed % 2 == 0)
        call = {"U": updates, "size": size}
        found = target.run(marks, graph, {"arguments": call, "schedule": f"order={order}"})
        mark, returned = expected_marks(graph, updates, size)
        assert found.returned == returned
        assert found["mark"].tolist() == mark.tolist()
        assert same_arcs(found.graph, rebuilt(graph, updates, size))


def test_triangles_of_a_changing_graph_are_not_renumbered() -> None:
    graph = graph_of(3, [(0, 1, 1), (1, 2, 1), (0, 2, 1)], directed=False)
    call = {"changes": updates_of(graph, [(ADD, 0, 1, 1)]), "batch": 1}
    with pytest.raises(DiagnosticError, match="E0667"):
        program("dynamic_triangle_count").run(graph, target="reference", schedule="order=degree", arguments=call)


def expected_marks(graph: Graph, updates: Updates, size: int) -> tuple[np.ndarray, int]:
    mark, total, number = np.full(graph.num_arcs, -1), 0, 0
    for number, (first, last) in enumerate(updates.batches(size), 1):
        adds = updates.kinds[first:last] == ADD
        total += 100 * int((~adds).sum()) + int(adds.sum()) + 3 * int(updates.weights[first:last][adds].sum())
        changed = updates.rebuilt(graph, first, last)
        graph, mark = changed.graph, np.where(changed.before >= 0, mark[changed.before], 0)
        for u, v in zip(updates.sources[first:last][adds], updates.destinations[first:last][adds], strict=True):
            row = slice(graph.row_offsets[u], graph.row_offsets[u + 1])
            mark[row.start + np.searchsorted(graph.columns[row], v)] = number
    return mark, total + number * 1000000


def reached_at_end(graph: Graph, updates: Updates, size: int) -> set[int]:
    first, last = list(updates.batches(size))[-1]
    reached = set(updates.sources[first:last][updates.kinds[first:last] == DELETE].tolist())
    waiting = list(reached)
    while waiting:
        v = waiting.pop()
        new = set(graph.columns[graph.row_offsets[v] : graph.row_offsets[v + 1]].tolist()) - reached
        reached |= new
        waiting += new
    return reached


def test_a_run_may_be_repeated_and_starts_from_the_graph_as_it_was(marks: Program) -> None:
    graph, updates, size = random_case(7)
    once = marks.run(graph, target="reference", U=updates, size=size)
    often = marks.run(graph, target="reference", U=updates, size=size, repeat=3)
    assert (once.returned, once["mark"].tolist()) == (often.returned, often["mark"].tolist())
    assert same_arcs(once.graph, often.graph)


class EndedError(Exception):
    """Ends a run after one of its batches."""


every_order = pytest.mark.parametrize("order", ["as-is", "degree", "rcm"])


@every_target
@every_order
def test_a_run_that_ends_in_the_middle_leaves_the_graph_as_it_was(target: Target, order: str, marks: Program) -> None:
    graph, updates, size = random_case(5)
    arrays = graph.row_offsets, graph.columns, graph.weights
    before = [np.array(array) for array in arrays]
    call = {"U": updates, "size": size, "schedule": f"order={order}"}
    static = {"arguments": {"src": 0}, "schedule": f"order={order}"}
    whole, paths = target.run(marks, graph, call), target.run(program("sssp"), graph, static)

    def end(number: int, result: starplat.Result) -> None:
        assert not same_arcs(result.graph, graph)
        if number == 2:
            raise EndedError

    for _ in range(2):
        with pytest.raises(EndedError):
            target.run(marks, graph, {**call, "on_batch": end})
        assert all(map(np.array_equal, before, arrays))
        assert target.run(program("sssp"), graph, static)["dist"].tolist() == paths["dist"].tolist()
    again = target.run(marks, graph, call)
    assert (again.returned, again["mark"].tolist()) == (whole.returned, whole["mark"].tolist())
    assert same_arcs(again.graph, whole.graph)


STUCK = """Dynamic stuck(Graph g, propNode<int> degree, updates<g> U, int size, int last) {
  int number = 0;
  Batch (U : size) {
    number++;
    g.updateCSRDel(U);
    g.updateCSRAdd(U);
    while (number == last) {
      forall (v in g.nodes()) {
        v.degree += 1;
      }
    }
    forall (v in g.nodes()) {
      v.degree = g.count_outNbrs(v);
    }
  }
}"""


@every_target
@every_order
def test_a_run_that_a_limit_ends_leaves_the_graph_as_it_was(target: Target, order: str) -> None:
    """Within a batch, while the device works on the changed graph."""
    graph, updates, size = random_case(6)
    arrays = graph.row_offsets, graph.columns, graph.weights
    before = [np.array(array) for array in arrays]
    stuck, end = starplat.compile(STUCK), rebuilt(graph, updates, size)
    call = {"U": updates, "size": size, "schedule": f"order={order}"}
    for last in (1, 2):
        with pytest.raises(DiagnosticError, match="not done after 20 rounds"):
            target.run(stuck, graph, {**call, "last": last, "max_rounds": 20})
        assert all(map(np.array_equal, before, arrays))
        found = target.run(stuck, graph, {**call, "last": -1})
        assert found["degree"].tolist() == np.diff(end.row_offsets).tolist()
        assert same_arcs(found.graph, end)


def test_a_batch_has_one_update_at_least(marks: Program) -> None:
    graph, updates, _ = random_case(8)
    with pytest.raises(DiagnosticError) as refused:
        marks.run(graph, target="reference", U=updates, size=0)
    assert [d.code for d in refused.value.diagnostics] == ["E0733"]


def test_libraries_refuse_updates_by_name(marks: Program) -> None:
    with pytest.raises(DiagnosticError) as refused:
        marks.artifact("cuda", library=True)
    assert [d.code for d in refused.value.diagnostics] == ["E0651"]


def test_a_program_may_call_its_own_what_the_compiler_calls_the_number_of_updates() -> None:
    text = """Dynamic f(Graph g, propNode<int> x, updates<g> U, int size) {
      Batch (U : size) {
        forall (u in U.currentBatch(1)) {
          int count = u.destination;
          node v = count;
          v.x = 7;
        }
      }
    }"""
    graph = graph_of(4, [(0, 1, 1)])
    result = REFERENCE.run(
        starplat.compile(text), graph, {"U": updates_of(graph, [(ADD, 0, 2, 1)]), "size": 1, "function": "f"}
    )
    assert result["x"].tolist() == [0, 0, 7, 0]
