"""Rows with room: updates change only the rows that they name, and answers are those of the evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import starplat
from starplat import Graph, Program
from starplat.algorithms import program
from starplat.backends.cuda import CUDA
from starplat.backends.cuda_family import Family
from starplat.backends.hip import HIP
from starplat.graph import generators
from starplat.graph.updates import ADD, DELETE, Updates
from starplat.ir import nodes as ir
from starplat.runtime.changing.in_place import LEAST_ROOM, InPlace, Way
from starplat.runtime.changing.slices import Vector
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device, Kernels
from starplat.runtime.devices.device_faults import NoRoomError
from starplat.runtime.devices.device_memory import DeviceMemory
from starplat.runtime.running import Run
from starplat.runtime.session import default_session
from tests.backends.emulated import Machine, emulated
from tests.programs.targets import Target, compiled_targets, opencl_targets
from tests.programs.test_changing_graphs import Listed, graph_of, same_arcs, updates_of
from tests.runtime.test_merging import cells_of_arcs, updates_for

CARRY = """
Dynamic carry(Graph g, propEdge<long> weight, propEdge<bool> flag, propEdge<int> number, propEdge<float> single,
              propEdge<double> real, propEdge<node> end, propNode<long> strength, propNode<long> entering,
              propNode<int> degree, propNode<int> sources, propNode<int> loops, updates<g> U, int size) {
  Batch (U : size) {
    g.updateCSRDel(U);
    g.updateCSRAdd(U);
    forall (v in g.nodes()) {
      v.strength = 0;
      v.entering = 0;
      v.sources = 0;
      for (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        v.strength += e.weight;
      }
      for (w in g.nodes_to(v)) {
        v.sources += w;
        edge e = g.get_edge(w, v);
        v.entering += e.weight;
      }
      v.degree = 100 * g.count_outNbrs(v) + g.count_inNbrs(v);
      v.loops = g.is_an_edge(v, v) ? 1 : 0;
    }
    forall (e in g.edges()) {
      e.end = e.end == -1 ? e.destination : e.end;
      e.number += e.source;
    }
  }
}"""
IN_PLACE = "updates=in_place"

_CUDA = [target for target in compiled_targets() if target.label == "cuda" and target.fault is None]
here = pytest.mark.parametrize(
    "target", [Target("openmp", "openmp"), *opencl_targets(), *_CUDA], ids=lambda target: target.label
)


@pytest.fixture(scope="module")
def carry() -> Program:
    return starplat.compile(CARRY)


def assert_as_checked(run: Program, graph: Graph, call: dict[str, object], target: Target) -> None:
    found = target.run(run, graph, {**call, "schedule": IN_PLACE})
    right = run.run(graph, checked=True, **call)
    for name in right:
        np.testing.assert_array_equal(found[name], right[name], name)
    assert found.returned == right.returned
    assert same_arcs(found.graph, right.graph)


@here
@pytest.mark.parametrize("directed", [True, False])
def test_cells_of_every_type_stay_with_their_arcs(target: Target, directed: bool, carry: Program) -> None:
    drawn = generators.rmat(5, 4, 1, weights=(1, 255))
    graph = Graph.from_arcs(drawn.num_nodes, drawn.sources, drawn.columns, drawn.weights, directed=directed)
    assert_as_checked(carry, graph, {**cells_of_arcs(graph), "U": updates_for(graph, 90), "size": 7}, target)


NODES = st.integers(0, 4)
ARCS = st.lists(st.tuples(NODES, NODES, st.integers(1, 5)), max_size=20)
UPDATES = st.lists(st.tuples(st.sampled_from((ADD, DELETE)), NODES, NODES, st.integers(1, 5)), max_size=40)


@here
@settings(deadline=None)
@given(arcs=ARCS, listed=UPDATES, size=st.integers(1, 13), directed=st.booleans())
def test_any_updates_give_what_the_evaluator_gives(
    target: Target, arcs: list[tuple[int, int, int]], listed: Listed, size: int, directed: bool, carry: Program
) -> None:
    graph = graph_of(5, arcs, directed=directed)
    assert_as_checked(carry, graph, {**cells_of_arcs(graph), "U": updates_of(graph, listed), "size": size}, target)


@settings(deadline=None)
@given(
    arcs=ARCS,
    listed=UPDATES,
    size=st.integers(1, 13),
    directed=st.booleans(),
    schedule=st.sampled_from((IN_PLACE, f"{IN_PLACE},direction=pull", "updates=merge")),
)
def test_shortest_paths_after_any_updates_are_those_of_the_graph_as_it_is_then(
    arcs: list[tuple[int, int, int]], listed: Listed, size: int, directed: bool, schedule: str
) -> None:
    graph = graph_of(5, arcs, directed=directed)
    call = {"changes": updates_of(graph, listed), "batch": size, "src": 0}
    found = program("dynamic_sssp").run(graph, target="openmp", schedule=schedule, **call)
    static = program("sssp").run(found.graph, target="reference", src=0)
    assert found["dist"].tolist() == static["dist"].tolist()


SHIPPED = {
    "dynamic_sssp": {"src": 0},
    "dynamic_bfs_levels": {"src": 0},
    "dynamic_components": {},
    "dynamic_degrees": {},
    "dynamic_pagerank": {},
    "dynamic_triangle_count": {},
}


@here
@pytest.mark.parametrize("name", SHIPPED)
def test_programs_that_ship_find_what_they_find_otherwise(name: str, target: Target) -> None:
    drawn = generators.rmat(5, 4, 2, weights=(1, 255))
    arcs = drawn.num_nodes, drawn.sources, drawn.columns, drawn.weights
    graph = Graph.from_arcs(*arcs, directed=name != "dynamic_triangle_count")
    call = {"changes": updates_for(graph, 90, 2), "batch": 9, **SHIPPED[name]}
    found = target.run(program(name), graph, {**call, "schedule": IN_PLACE})
    right = program(name).run(graph, checked=True, **call)
    assert found.returned == right.returned
    for cells in set(right) - {"parent"}:  # any of several
        np.testing.assert_allclose(found[cells], right[cells], atol=1e-4, err_msg=cells)


@here
@pytest.mark.parametrize("directed", [True, False])
def test_nodes_that_pull_find_the_weights_of_arcs_as_they_lie_now(target: Target, directed: bool) -> None:
    drawn = generators.rmat(5, 4, 2, weights=(1, 255))
    graph = Graph.from_arcs(drawn.num_nodes, drawn.sources, drawn.columns, drawn.weights, directed=directed)
    call = {"changes": updates_for(graph, 90, 2), "batch": 9, "src": 0}
    found = target.run(program("dynamic_sssp"), graph, {**call, "schedule": f"{IN_PLACE},direction=pull"})
    np.testing.assert_array_equal(found["dist"], program("dynamic_sssp").run(graph, checked=True, **call)["dist"])


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("schedule", [IN_PLACE, "updates=merge"])
def test_no_batch_waits_until_kernels_are_built(
    directed: bool, schedule: str, carry: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    built_late = list[ir.Module]()

    def watched(device: Device, module: ir.Module, wide_arcs: bool) -> Kernels:
        if not device.has_built(module, wide_arcs):
            built_late.append(module)
        return kernels_of(device, module, wide_arcs)

    def begins(self: Run, *given: Any) -> float:
        built_late.clear()
        return once(self, *given)

    once, kernels_of = Run.once, Device.kernels_of
    monkeypatch.setattr(Run, "once", begins)
    monkeypatch.setattr(Device, "kernels_of", watched)
    default_session().close()
    drawn = generators.rmat(5, 4, 1, weights=(1, 255))
    graph = Graph.from_arcs(drawn.num_nodes, drawn.sources, drawn.columns, drawn.weights, directed=directed)
    call = {**cells_of_arcs(graph), "U": updates_for(graph, 30), "size": 7}
    carry.run(graph, target="openmp", schedule=schedule, **call)
    assert not built_late


@pytest.fixture
def spread(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gets the number of updates of each batch for which rows are laid out anew."""
    anew: list[int] = []
    laid_out = InPlace.spread

    def noted(self: InPlace, way: Way, full: Vector | None = None) -> Way:
        if self.num_nodes > 1:  # not the one row that is changed when kernels are built
            anew.append(len(self.slice))
        return laid_out(self, way, full)

    monkeypatch.setattr(InPlace, "spread", noted)
    return anew


ADDS = "Dynamic f(Graph g, propEdge<int> weight, updates<g> U, int size) { Batch (U : size) { g.updateCSRAdd(U); } }"


@pytest.mark.parametrize(("added", "anew"), [(LEAST_ROOM, 1), (LEAST_ROOM + 1, 2)])
def test_rows_are_laid_out_anew_only_where_one_has_too_little_room(added: int, anew: int, spread: list[int]) -> None:
    graph = graph_of(3, [(0, 1, 1), (1, 2, 1), (2, 0, 1)])
    updates = Updates.of(graph, [ADD] * added, [0] * added, [2] * added, range(added))
    result = starplat.compile(ADDS).run(graph, target="openmp", schedule=IN_PLACE, U=updates, size=1)
    assert len(spread) == anew
    assert result["weight"].tolist() == [1, *range(added), 1, 1]
    assert same_arcs(result.graph, updates.rebuilt(graph, 0, added).graph)


def test_every_repetition_and_every_batch_has_its_own_results(spread: list[int], carry: Program) -> None:
    graph = generators.rmat(5, 4, 3, weights=(1, 9))
    before = [array.copy() for array in (graph.row_offsets, graph.columns)]
    call = {**cells_of_arcs(graph), "U": updates_for(graph, 20, 3), "size": 4}
    shown: list[list[int]] = []
    merged: list[list[int]] = []
    carry.run(graph, target="openmp", on_batch=lambda _, result: merged.append(result["number"].tolist()), **call)
    carry.run(
        graph,
        target="openmp",
        schedule=IN_PLACE,
        repeat=2,
        on_batch=lambda _, result: shown.append(result["number"].tolist()),
        **call,
    )
    assert shown == merged
    assert spread
    assert all(map(np.array_equal, before, (graph.row_offsets, graph.columns)))


def followed(graph: Graph, batches: list[Listed], target: str) -> None:
    """Applies batches of one size in place, and holds the graph and its weights against the host's."""
    size = len(batches[0])
    updates = updates_of(graph, [update for batch in batches for update in batch])
    result = starplat.compile(ADDS).run(graph, target=target, schedule=IN_PLACE, U=updates, size=size)
    changed = updates.rebuilt(graph, 0, len(updates)).graph
    assert same_arcs(result.graph, changed)
    assert result["weight"].tolist() == changed.weights.tolist()


@pytest.mark.parametrize("target", ["openmp", "opencl"])
def test_threads_share_additions_to_a_long_row(target: str, spread: list[int]) -> None:
    arcs = [(0, 2 * node, 1) for node in range(1500)]  # the row has several segments
    graph = graph_of(3000, arcs, directed=True)
    everywhere = [(ADD, 0, 50 * number + 1, number) for number in range(60)]
    followed(graph, [everywhere], target)
    assert len(spread) == 1


def test_a_segment_without_room_has_its_row_laid_out_anew(spread: list[int]) -> None:
    graph = graph_of(3000, [(0, 2 * node, 1) for node in range(1500)], directed=True)
    together = [(ADD, 0, 2 * number + 1, number) for number in range(300)]
    followed(graph, [together], "openmp")
    assert len(spread) == 2


def test_an_arc_takes_the_slot_of_one_that_was_deleted(spread: list[int]) -> None:
    graph = graph_of(60, [(0, node, node) for node in range(50)], directed=True)
    text = ADDS.replace("g.updateCSRAdd(U);", "g.updateCSRDel(U); g.updateCSRAdd(U);")
    listed = [(kind, 0, node, 7) for _ in range(20) for node in range(9) for kind in (DELETE, ADD)]
    updates = updates_of(graph, listed)
    result = starplat.compile(text).run(graph, target="openmp", schedule=IN_PLACE, U=updates, size=18)
    assert len(spread) == 1
    assert result["weight"].tolist() == [7] * 9 + list(range(9, 50))
    assert result.graph.columns.tolist() == list(range(50))


def test_lists_of_one_table_hold_the_additions_to_all_segments(spread: list[int]) -> None:
    """Short rows, segments of a long one, parallel arcs, and deletions of arcs that the same batch adds."""
    graph = graph_of(3000, [(0, 2 * node, 1) for node in range(1500)] + [(v, v, 1) for v in range(1, 3000)])
    text = ADDS.replace("g.updateCSRAdd(U);", "g.updateCSRDel(U); g.updateCSRAdd(U);")
    listed: Listed = [(ADD, v % 1000, (v * 7) % 3000, v) for v in range(4000)]
    listed += [(kind, 0, 5, number) for number in range(6) for kind in (ADD, DELETE)]
    updates = updates_of(graph, listed)
    result = starplat.compile(text).run(graph, target="openmp", schedule=IN_PLACE, U=updates, size=len(listed))
    changed = updates.rebuilt(graph, 0, len(updates)).graph
    assert same_arcs(result.graph, changed)
    assert result["weight"].tolist() == changed.weights.tolist()
    assert len(spread) == 1


@pytest.mark.parametrize("repeat", [1, 2])
def test_rows_are_laid_out_array_by_array(repeat: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that one old array at a time lies beside the new ones, unless the next repetition needs them."""
    graph = generators.rmat(12, 16, 3, weights=(1, 9))
    held: list[int] = []
    allocate = DeviceMemory.allocate_changing

    def watched(self: DeviceMemory, dtype: np.dtype[np.generic], count: int) -> Buffer:
        buffer = allocate(self, dtype, count)
        held.append(self.held)
        return buffer

    monkeypatch.setattr(DeviceMemory, "allocate_changing", watched)
    default_session().close()
    run = starplat.compile(ADDS)
    updates = updates_of(graph, [(ADD, v, v, 1) for v in range(60)])
    run.run(graph, target="openmp", schedule=IN_PLACE, repeat=repeat, results=[], U=updates, size=20)
    size = 4 * (graph.num_nodes + 1 + 2 * graph.num_arcs)
    assert (max(held) <= 2.2 * size) is (repeat == 1)


def test_emulated_cuda_changes_rows_in_place(carry: Program) -> None:
    drawn = generators.rmat(4, 4, 1, weights=(1, 255))
    graph = Graph.from_arcs(drawn.num_nodes, drawn.sources, drawn.columns, drawn.weights, directed=True)
    call = {**cells_of_arcs(graph), "U": updates_for(graph, 30), "size": 7}
    with emulated(Machine()):
        assert_as_checked(carry, graph, call, Target("cuda", "cuda"))


@pytest.mark.parametrize("name", ["dynamic_sssp", "dynamic_bfs_levels"])
def test_emulated_cuda_follows_updates_in_place(name: str) -> None:
    """Lost nodes are many in some batches, and a few in others: rounds push, and pull by searches."""
    graph = generators.rmat(5, 4, 2, weights=(1, 255))
    call = {"changes": updates_for(graph, 60, 2), "batch": 20, **SHIPPED[name]}
    right = program(name).run(graph, checked=True, **call)
    with emulated(Machine()):
        found = program(name).run(graph, target="cuda", schedule=IN_PLACE, **call)
    for cells in set(right) - {"parent"}:
        np.testing.assert_array_equal(found[cells], right[cells], cells)


NEIGHBORS = """
Dynamic neighbors(Graph g, propNode<int> different, updates<g> U, int size) {
  Batch (U : size) {
    g.updateCSRDel(U);
    g.updateCSRAdd(U);
    forall (v in g.nodes()) {
      v.different = 0;
      for (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (e == g.get_edge(e.source, e.destination)) {
          v.different += 1;
        }
      }
    }
  }
}"""
"""Counts neighbors; of parallel arcs the first counts."""


@here
def test_the_first_of_parallel_arcs_is_known_whatever_slots_lie_between(target: Target) -> None:
    arcs = [(0, 1 + number // 20, 1) for number in range(60)] + [(1, 0, 1), (1, 2, 1)]
    graph, listed = graph_of(4, arcs), [(ADD, 0, 2, 1), (DELETE, 0, 1, 1), (ADD, 1, 2, 1)]
    listed += [(ADD, 0, 1, 1)] * 3 + [(DELETE, 0, 3, 1), (ADD, 0, 2, 1), (ADD, 3, 3, 1)]
    counting = starplat.compile(NEIGHBORS)
    for size in (1, 3, len(listed)):
        updates = updates_of(graph, listed)
        found = target.run(counting, graph, {"U": updates, "size": size, "schedule": IN_PLACE})
        after = found.graph
        right = [len(set(after.columns[after.row_offsets[v] : after.row_offsets[v + 1]].tolist())) for v in range(4)]
        assert found["different"].tolist() == right == [2, 2, 0, 1]


@pytest.mark.parametrize(("schedule", "family"), [(IN_PLACE, CUDA), ("updates=merge", CUDA), ("updates=merge", HIP)])
def test_blocks_that_note_few_of_many_arcs_find_all_triangles(schedule: str, family: Family) -> None:
    """All edges are uncounted at first, more than a block has room to note, and few in a batch."""
    drawn = generators.rmat(6, 8, 2)
    graph = Graph.from_arcs(drawn.num_nodes, drawn.sources, drawn.columns, directed=False)
    call = {"changes": updates_for(graph, 60, 2), "batch": 20}
    right = program("dynamic_triangle_count").run(graph, checked=True, **call)
    with emulated(Machine(family=family, warp=64 if family is HIP else 32)):
        found = program("dynamic_triangle_count").run(graph, target="cuda", schedule=schedule, **call)
    assert found.returned == right.returned > 0


# --- where memory ends while the graph changes ---------------------------------------------------------------------


@pytest.mark.parametrize("schedule", [IN_PLACE, "updates=merge"])
@pytest.mark.parametrize("repeat", [1, 2])
def test_a_run_that_an_allocation_ends_leaves_the_graph_for_the_next(
    schedule: str, repeat: int, carry: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, device = Target("openmp", "openmp"), default_session().device("openmp")
    graph = generators.rmat(5, 4, 1, weights=(1, 9))
    call = {**cells_of_arcs(graph), "U": updates_for(graph, 120), "size": 40}
    right, ends, room, refused = carry.run(graph, checked=True, **call), range(4, 130, 14), DeviceMemory._room, 0
    left, codes = [0], set[str]()

    def failing(memory: DeviceMemory, *what: Any, **how: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            raise NoRoomError(memory.name, 64)
        return room(memory, *what, **how)

    monkeypatch.setattr(DeviceMemory, "_room", failing)
    for left[0] in ends:
        device.forget_graphs()
        device.trim()
        for _ in range(2):  # the second one fails nowhere
            try:
                found = target.run(carry, graph, {**call, "schedule": schedule, "repeat": repeat})
            except starplat.DiagnosticError as error:
                refused += 1
                codes.add(error.diagnostics[0].code)
                continue
            for name in right:
                np.testing.assert_array_equal(found[name], right[name], name)
            assert same_arcs(found.graph, right.graph)
    assert codes == {"E0903"}
    assert refused <= len(ends)


def test_a_try_that_has_ended_holds_no_updates(carry: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = generators.rmat(5, 4, 1, weights=(1, 9))
    call = {**cells_of_arcs(graph), "U": updates_for(graph, 120), "size": 40, "target": "openmp"}
    runs, upload = list[Run](), Run.upload

    def uploading(run: Run) -> None:
        assert not any(other._slices for other in runs)
        upload(run)
        runs.append(run)
        if len(runs) == 1:
            raise NoRoomError("the device", 1 << 20)  # half of which is room enough

    monkeypatch.setattr(Run, "upload", uploading)
    carry.run(graph, **call)
    assert len(runs) == 2


def test_a_run_within_any_limit_is_right_or_refused(carry: Program) -> None:
    graph = generators.rmat(5, 4, 1, weights=(1, 9))
    call = {**cells_of_arcs(graph), "U": updates_for(graph, 120), "size": 40}
    right, codes, limits = carry.run(graph, checked=True, **call), set[str](), list[int]()
    needed = carry.run(graph, target="openmp", **call).estimate.total
    for most in range(needed, needed // 4, -needed // 16):
        try:
            found = carry.run(graph, target="openmp", device_memory=most, time_limit=60.0, **call)
        except starplat.DiagnosticError as error:
            codes.add(error.diagnostics[0].code)
            continue
        for name in right:
            np.testing.assert_array_equal(found[name], right[name], name)
        limits.append(most)
    assert "E0908" in codes <= {"E0903", "E0908"}
    assert limits[0] == needed
