"""The first arcs of every row lie on the device for programs that mostly read no others: answers, bytes and limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import starplat
from starplat.backends.scheduled import capabilities_of
from starplat.graph import generators
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.elements import dtype_of
from starplat.runtime.heads import COPIED, Cut, arcs_in_heads, head_cells, head_offsets, largest_cut
from starplat.runtime.resident import ResidentGraph, on_device
from starplat.runtime.session import Session
from starplat.runtime.tracing.reads import Reads
from tests.backends.emulated import Machine, emulated
from tests.runtime.devices import device_of
from tests.runtime.poisoned import PoisonedReference, session_with
from tests.runtime.test_device_memory import Boasting
from tests.zoo import ZOO

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TARGETS = ("reference", "opencl", "sycl")
NAMES = ("betweenness", "bfs_levels", "connected_components", "graph_coloring", "maximal_independent_set", "sssp")
ONDEMAND = "memory=ondemand,order=as-is"


def random_graph(scale: int) -> tuple[Graph, int]:
    """A graph with rows of many lengths, and a node of most arcs."""
    graph = generators.rmat(scale, 16, 1, weights=(1, 255))
    return graph, int(graph.out_degrees.argmax())


def call(name: str, source: int) -> dict[str, Any]:
    return {"betweenness": {"sources": [source]}, "bfs_levels": {"src": source}, "sssp": {"src": source}}.get(name, {})


def needs(program: starplat.Program, graph: Graph, **how: Any) -> tuple[int, int]:
    """The bytes of a run besides arcs, and those of all arcs."""
    mapped = program.run(graph, **{**how, "schedule": "memory=mapped,order=as-is"}).estimate
    return mapped.total, sum(mapped.mapped.values())


def limited(program: starplat.Program, graph: Graph, share: float, **how: Any) -> tuple[starplat.Result, int]:
    """A run with room for its node data and a share of the arcs, and the bytes of all arcs."""
    least, arcs = needs(program, graph, **how)
    return program.run(graph, device_memory=least + int(share * arcs), **how), arcs


@contextmanager
def like_a_gpu() -> Iterator[tuple[PoisonedReference, Session]]:
    """The interpreter, which counts what is read and poisons what is not there, with schedules of OpenCL's."""
    device = PoisonedReference()
    device.capabilities = capabilities_of("opencl")
    with session_with(device) as session:
        yield device, session


@pytest.mark.parametrize(("name", "most"), [("bfs_levels", 0.03), ("connected_components", 0.03)])
def test_a_small_part_of_the_arcs_is_read_in_the_hosts_memory(name: str, most: float) -> None:
    program, (graph, source) = starplat.compile(EXAMPLES / f"{name}.sp"), random_graph(12)
    expected = program.run(graph, target="opencl", **call(name, source))
    with like_a_gpu() as (device, session):
        how: dict[str, Any] = {"target": "reference", "session": session, **call(name, source)}
        program.run(graph, schedule="memory=mapped,order=as-is", **how)
        without = device.read().host
        result, arcs = limited(program, graph, 0.1, schedule=ONDEMAND, **how)
        device.read()
        program.run(graph, device_memory=result.estimate.total, schedule=ONDEMAND, **how)
        read = device.read()
    for one in expected.properties:
        np.testing.assert_allclose(result[one], expected[one], rtol=1e-4)
    assert sum(result.estimate.mapped.values()) == arcs
    assert read.host < most * arcs
    assert read.host < without / 2
    assert read.device > 0


@pytest.mark.spread
@pytest.mark.parametrize("share", [0.2, 0.6])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_answers_are_the_same(name: str, target: str, share: float) -> None:
    device_of(target)
    program, (graph, source) = starplat.compile(EXAMPLES / f"{name}.sp"), random_graph(9)
    expected = program.run(graph, target="reference", **call(name, source))
    with Session() as fresh:
        result, _ = limited(program, graph, share, target=target, session=fresh, **call(name, source))
        resident = on_device(fresh.device(target), graph)
    for one in expected.properties:
        np.testing.assert_allclose(result[one], expected[one], rtol=1e-4)
    assert sum(result.estimate.mapped.values()) > 0
    if target != "reference":  # it pushes where others pull
        assert resident.num_heads > 0


def test_heads_of_another_program_make_room_for_arcs() -> None:
    search, ranks = (starplat.compile(EXAMPLES / f"{name}.sp") for name in ("bfs_levels", "pagerank"))
    graph, source = random_graph(9)
    found = []
    for earlier in ((), (search,)):
        with like_a_gpu() as (_, session):
            how: dict[str, Any] = {"target": "reference", "session": session}
            least, arcs = needs(ranks, graph, **how)
            how |= {"device_memory": least + arcs // 2, "schedule": ONDEMAND}
            for program in earlier:
                program.run(graph, src=source, **how)
                assert on_device(session.device("reference"), graph).num_heads > 0
            found.append(sum(ranks.run(graph, **how).estimate.mapped.values()))
    assert 0 < found[0] == found[1] < arcs


@pytest.mark.thin(plain=4, campaign=2)
@pytest.mark.parametrize("name", NAMES)
def test_emitted_cuda_kernels_read_heads(name: str) -> None:
    program, (graph, source) = starplat.compile(EXAMPLES / f"{name}.sp"), random_graph(7)
    expected = program.run(graph, target="reference", **call(name, source))
    with emulated(Machine()) as device:
        device.is_host = False  # its kernels make the heads
        result, arcs = limited(program, graph, 0.4, target="cuda", **call(name, source))
        assert sum(result.estimate.mapped.values()) == arcs
        assert on_device(device, graph).num_heads > 0
    for one in expected.properties:
        np.testing.assert_allclose(result[one], expected[one], rtol=1e-4)


FULL_ROWS = starplat.compile("""
function sums(Graph g, propNode<bool> wanted, propNode<int> found, propNode<long> sum) {
    forall (v in g.nodes()) {
        for (w in g.nodes_to(v)) {
            if (w.wanted) { v.found = 1; break; }
        }
    }
    forall (v in g.nodes()) {
        forall (w in g.nodes_to(v)) { v.sum += w.found + 1; }
    }
}
""")


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_a_trace_tells_heads_from_what_lies_on_the_host(share: float) -> None:
    generator = np.random.default_rng(5)
    ends = generator.integers(0, 120, (2, 1500))
    graph, device = Graph.from_arcs(120, ends[0], ends[1]), PoisonedReference()
    with session_with(device) as session:
        how: dict[str, Any] = {"target": "reference", "session": session, "schedule": ONDEMAND}
        result, arcs = limited(FULL_ROWS, graph, share, **how)
        device.read()
        trace = FULL_ROWS.run(graph, device_memory=result.estimate.total, trace=True, **how).trace
        count = device.read()
    assert trace is not None
    assert not trace.unread
    assert trace.reads == Reads(count.device // 2, count.host // 2, count.lines // 2)
    assert trace.reads.device + trace.reads.host == 2 * arcs
    assert trace.reads.device > 0


def test_where_short_rows_begin_takes_a_small_part_of_the_room() -> None:
    """Of a grid, whose rows are all short, the first arcs of the arrays are more."""
    device_of("opencl")
    program = starplat.compile(EXAMPLES / "sssp.sp")
    for graph, all_on_host in ((generators.grid(60, 70, 1, weights=(1, 9)), False), (random_graph(9)[0], True)):
        result, arcs = limited(program, graph, 0.4, target="opencl", src=0)
        assert (sum(result.estimate.mapped.values()) == arcs) is all_on_host


def test_heads_follow_the_limit_and_stay_while_it_stays() -> None:
    program, (graph, source) = starplat.compile(EXAMPLES / "bfs_levels.sp"), random_graph(10)
    with like_a_gpu() as (device, session):
        how: dict[str, Any] = {"target": "reference", "session": session, "src": source, "schedule": ONDEMAND}

        def length(limit: int | None) -> tuple[int, int]:
            result = program.run(graph, device_memory=limit, **how)
            assert result.estimate.total <= (limit or result.estimate.total)
            return on_device(device, graph).num_heads if sum(result.estimate.mapped.values()) else -1, result.bytes.up

        least, arcs = needs(program, graph, **how)
        few, many = (length(least + int(share * arcs))[0] for share in (0.2, 0.6))
        assert 0 < few < many
        again = length(least + int(0.6 * arcs))
        assert again[0] == many
        assert again[1] < 100  # nothing of the graph crosses again
        there = on_device(device, graph)
        assert length(least + int(0.2 * arcs))[0] == few
        assert on_device(device, graph) is there  # what lies on the host has stayed
        assert length(None)[0] == length(least + arcs)[0] == -1  # all arcs are the device's
        assert length(least + 100)[0] == 0  # no room for offsets of heads: a part of the columns is there


def test_a_host_without_room_for_all_arcs_gets_those_that_the_device_has_not() -> None:
    program, (graph, source) = starplat.compile(EXAMPLES / "bfs_levels.sp"), random_graph(10)
    with like_a_gpu() as (_, session):
        how: dict[str, Any] = {"target": "reference", "session": session, "src": source, "schedule": ONDEMAND}
        least, arcs = needs(program, graph, **how)
        limits = {"device_memory": least + arcs // 2, "host_memory": int(0.6 * arcs)}
        result = program.run(graph, device_memory=limits["device_memory"], **how)
        assert sum(result.estimate.mapped.values()) == arcs
        result = program.run(graph, **limits, **how)
        assert 0 < sum(result.estimate.mapped.values()) <= 0.6 * arcs


def test_a_device_that_has_less_room_than_it_says_gets_shorter_heads() -> None:
    program, (graph, source) = starplat.compile(EXAMPLES / "bfs_levels.sp"), random_graph(10)
    expected = program.run(graph, target="reference", src=source)["level"].tolist()
    device = Boasting()
    device.capabilities, device.room = capabilities_of("opencl"), 60_000
    with session_with(device) as session:
        how: dict[str, Any] = {"target": "reference", "session": session, "src": source}
        result = program.run(graph, schedule=ONDEMAND, **how)
        assert result["level"].tolist() == expected
        assert result.estimate.mapped
        assert on_device(device, graph).num_heads > 0
        assert not device.is_limited
        device.room = 5000
        device.forget_graphs()
        device.trim()
        with pytest.raises(starplat.DiagnosticError, match=r"E090[38]"):
            program.run(graph, **how)
        device.room = 60_000
        assert program.run(graph, **how)["level"].tolist() == expected


def test_with_room_for_all_arcs_a_run_on_demand_is_a_resident_one() -> None:
    program, (graph, source) = starplat.compile(EXAMPLES / "sssp.sp"), random_graph(9)
    with like_a_gpu() as (_, session):  # not on threads: how many rounds shortest paths take there differs by chance
        resident, ondemand, mapped = (
            program.run(graph, target="reference", session=session, src=source, schedule=f"memory={memory}").launches
            for memory in ("resident", "ondemand", "mapped")
        )
    assert resident == ondemand < mapped  # where arcs lie on the host there are more rounds of fewer arcs


# --- arithmetic --------------------------------------------------------------------------------------------------

HEADS = {ir.HEAD_OFFSETS: ir.HEAD_COLUMNS, ir.IN_HEAD_OFFSETS: ir.IN_HEAD_COLUMNS}
FIRST, SHORT = ir.HeadKind.FIRST, ir.HeadKind.SHORT


@pytest.mark.parametrize(
    "cut", [Cut(FIRST, 0), Cut(FIRST, 1), Cut(FIRST, 3), Cut(FIRST, 99), Cut(SHORT, 2, 1)], ids=str
)
@pytest.mark.parametrize("name", sorted(ZOO))
def test_heads_are_the_first_arcs_of_rows(name: str, cut: Cut, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starplat.runtime.heads._PIECE", 3)
    graph = ZOO[name]
    reverse = graph.reverse if graph.directed else graph
    count = arcs_in_heads(graph, HEADS, cut)
    for offsets, columns, rows in zip(HEADS, HEADS.values(), (graph, reverse), strict=True):
        begins = head_offsets(graph, offsets, cut)
        cells = head_cells(graph, columns, cut, rows.columns, count)
        for node, length in enumerate(cut.lengths(np.diff(rows.row_offsets))):
            row = rows.columns[rows.row_offsets[node] : rows.row_offsets[node + 1]]
            assert cells[begins[node] : begins[node + 1]].tolist() == row[:length].tolist()
            assert cut.kind is SHORT or length == min(cut.length, len(row))


@pytest.mark.parametrize("target", [*TARGETS, "cuda"])
def test_a_device_makes_the_heads_that_the_host_makes(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with emulated(Machine()) if target == "cuda" else nullcontext(device_of(target)) as device:
        monkeypatch.setattr(device, "is_host", False)
        graphs = [ZOO[name] for name in sorted(ZOO)] + [generators.rmat(8, 8, 1, weights=(1, 255))]
        for graph in graphs:
            for cut in (Cut(FIRST, 1), Cut(FIRST, 5), Cut(SHORT, 1, 2), Cut(SHORT, 9, 4)):
                resident = ResidentGraph.of(device, graph)
                resident.cut_heads(graph, ir.HEAD_ARRAYS, cut)
                for head, array in COPIED.items():
                    cells = cells_of(graph, array)
                    if cells is None or cells.dtype != dtype_of(array.element, wide_arcs=True):
                        continue
                    expected = head_cells(graph, head, cut, cells, resident.num_heads)
                    count = arcs_in_heads(graph, (head,), cut)
                    assert count == head_offsets(graph, head, cut)[-1]
                    found = device.download(resident.array(head, partial(itself, graph)))
                    assert found[:count].tolist() == expected[:count].tolist(), (graph.name, cut, head)


def cells_of(graph: Graph, array: ir.Array) -> Any:
    if array.name == ir.WEIGHTS.name:
        return graph.weights
    return graph.columns if array is ir.COLUMNS or not graph.directed else graph.reverse.columns


def itself(graph: Graph) -> Graph:
    return graph


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.integers(0, 50), st.sampled_from(ir.HeadKind))
def test_heads_are_as_large_as_there_is_room(degrees: list[int], room: int, kind: ir.HeadKind) -> None:
    nodes = len(degrees)
    columns = [w % nodes for degree in degrees for w in range(degree)]
    graph = Graph.from_arcs(nodes, np.repeat(np.arange(nodes), degrees), columns)
    cut, degrees_found = largest_cut(graph, (ir.HEAD_OFFSETS,), kind, room), graph.out_degrees
    found = arcs_in_heads(graph, (ir.HEAD_OFFSETS,), cut)
    assert found == cut.lengths(degrees_found).sum() <= room
    if kind is SHORT:  # what is left is too little for the shortest row that is not there
        left = degrees_found[cut.lengths(degrees_found) < degrees_found]
        assert not len(left) or found + left.min() > room
    elif found < graph.num_arcs:
        assert Cut(kind, cut.length + 1).lengths(degrees_found).sum() > room
