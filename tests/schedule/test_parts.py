"""`order=parts`: sums over neighbors are added up from one part of the nodes after the other, and come to the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import capabilities_of
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.verifying.modules import verify
from starplat.runtime import elements
from starplat.runtime.facts import far_arcs
from starplat.runtime.resident import on_device
from starplat.runtime.room import Room
from starplat.schedule import parts
from starplat.schedule.apply import decided
from starplat.schedule.facts import GraphFacts
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated
from tests.runtime.devices import device_of, every_target

PAGERANK = (Path(__file__).resolve().parents[2] / "examples" / "pagerank.sp").read_text()
CALL = {"max_iterations": 6, "tolerance": 0.0}


def sums(body: str, *, way: str = "nodes_to", where: str = "", kind: str = "double") -> str:
    """A program in which every node adds something up over its neighbors."""
    return f"""
function add(Graph g, propNode<double> x, propEdge<double> toll, propNode<int> mark, propNode<double> out) {{
    forall (v in g.nodes(){where}) {{
        {kind} total = 1;
        for (u in g.{way}(v)) {{ {body} }}
        v.out = total;
    }}
}}"""


TAKEN = {
    "what neighbors have": sums("total += u.x;"),
    "what nodes have that arcs lead to": sums("total += u.x * v.x;", way="neighbors"),
    "of some neighbors": sums("if (u.mark > 1) { total += u.x; }"),
}
LEFT = {
    "what arcs have": sums("edge e = g.get_edge(u, v); total += u.x * e.toll;"),
    "whole numbers": sums("total += u.mark;", kind="int"),
    "the least": sums("total = min(total, u.x);"),
    "of some nodes": sums("total += u.x;", where=".filter(mark > 1)"),
    "what the same kernel changes": sums("total += u.out;"),
    "beyond neighbors": sums("if (u.mark >= 0) { node w = u.mark; total += w.x; }"),
}


@cache
def program(text: str) -> starplat.Program:
    return starplat.compile(text)


def made(text: str, schedule: str = "order=parts", facts: GraphFacts | None = None, target: str = "cuda") -> ir.Module:
    module = decided(program(text).module(), parse_schedule(schedule), capabilities_of(target), facts).module
    verify(module)
    return module


def numbers_of_parts(module: ir.Module) -> set[int]:
    return {parts for (parts, _), arrays in ir.PART_ARRAYS.items() if arrays[0] in module.graph_arrays}


def graph(*, directed: bool = True) -> Graph:
    """A multigraph with loops, parallel arcs, nodes without arcs, and others with many."""
    random = np.random.default_rng(5)
    ends = (300 * random.random((2, 3000)) ** 3).astype(np.int64)
    return Graph.from_arcs(330, ends[0], ends[1], directed=directed)


def arguments(of: Graph) -> dict[str, Any]:
    random = np.random.default_rng(6)
    return {
        "x": random.random(of.num_nodes),
        "mark": random.integers(0, 5, of.num_nodes).astype(np.int32),
        "toll": random.random(of.num_arcs),
    }


@pytest.mark.parametrize("name", TAKEN)
def test_sums_are_taken_apart(name: str) -> None:
    module = made(TAKEN[name])
    assert numbers_of_parts(module) == {16}
    (one,) = module.prepared
    assert one.arrays == ir.PART_ARRAYS[16, "" if "lead" in name else "in_"]


@pytest.mark.parametrize("name", LEFT)
def test_other_sums_are_left(name: str) -> None:
    assert not made(LEFT[name]).prepared
    with pytest.raises(DiagnosticError) as raised:
        program(LEFT[name]).run(graph(), target="reference", schedule="order=parts", arguments=arguments(graph()))
    (said,) = raised.value.diagnostics
    assert said.code == "E0665"
    assert "adds up reals of all neighbors" in said.message


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        (GraphFacts(2**22, 2**27, 99, far_arcs=0.8), {2}),
        (GraphFacts(2**24, 2**29, 99, far_arcs=0.8), {8}),
        (GraphFacts(2**26, 2**31, 99, far_arcs=0.8), {16}),
        (GraphFacts(2**21, 2**26, 99, far_arcs=0.8), set()),  # the cache holds it
        (GraphFacts(2**24, 2**26, 99, far_arcs=0.8), set()),  # few arcs
        (GraphFacts(2**24, 2**29, 99, far_arcs=0.1), set()),  # neighbors are near
        (None, set()),
    ],
)
def test_parts_are_chosen_by_the_graph(facts: GraphFacts | None, wanted: set[int]) -> None:
    assert numbers_of_parts(made(PAGERANK, "auto", facts)) == wanted
    assert not numbers_of_parts(made(PAGERANK, "order=as-is", facts))
    assert not numbers_of_parts(made(PAGERANK, "auto", facts, target="openmp"))


def test_a_lattice_has_near_neighbors_and_a_random_graph_far_ones() -> None:
    random = np.random.default_rng(3)
    n, m = 2**22, 2**12
    sources = random.integers(0, n, m)
    assert far_arcs(Graph.from_arcs(n, sources, random.integers(0, n, m))) > 0.4
    assert far_arcs(Graph.from_arcs(n, sources, (sources + 2048) % n)) < 0.01
    assert far_arcs(generators.grid(8)) == 0


@every_target
@pytest.mark.parametrize(("name", "directed"), list(zip(TAKEN, (True, True, False), strict=True)))
def test_sums_are_the_same(name: str, directed: bool, target: str) -> None:
    device_of(target)
    of = graph(directed=directed)
    call = arguments(of)
    expected = program(TAKEN[name]).run(of, target="reference", arguments=call)["out"]
    result = program(TAKEN[name]).run(of, target=target, schedule="order=parts", arguments=call, repeat=2)
    np.testing.assert_allclose(result["out"], expected, rtol=1e-12)


@pytest.mark.parametrize("name", TAKEN)
def test_threads_of_blocks_add_up_the_same(name: str) -> None:
    of = graph()
    expected = program(TAKEN[name]).run(of, target="reference", arguments=arguments(of))["out"]
    with emulated(Machine(2, 96, seed=2)):
        found = program(TAKEN[name]).run(of, target="cuda", schedule="order=parts", arguments=arguments(of))
    np.testing.assert_allclose(found["out"], expected, rtol=1e-12)


@every_target
def test_making_the_rows_is_told_within_the_upload(target: str) -> None:
    device_of(target)
    seconds = program(PAGERANK).run(graph(), target=target, schedule="order=parts", arguments=CALL).seconds
    assert 0 < seconds.preparation <= seconds.upload
    assert seconds.to_json()["preparation"] == seconds.preparation


@every_target
@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
def test_rows_of_parts_hold_the_arcs_of_their_nodes(wide: bool, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if wide:
        monkeypatch.setattr(elements, "WIDE_ARCS_FROM", 0)
    device, of = device_of(target), graph()
    program(PAGERANK).run(of, target=target, schedule="order=parts", arguments=CALL)

    def missing(_: object) -> None:
        raise AssertionError("the device holds no rows in parts")

    buffers = on_device(device, of).prepared(ir.PART_ARRAYS[16, "in_"], missing)
    rows, columns = (device.download(buffer) for buffer in buffers.values())
    n, share = of.num_nodes, -(-of.num_nodes // 16)
    assert rows[0] == 0
    assert rows[-1] == of.num_arcs
    for v in range(n):
        row = of.reverse.columns[of.reverse.row_offsets[v] : of.reverse.row_offsets[v + 1]]
        for part in range(16):
            found = columns[rows[part * n + v] : rows[part * n + v + 1]]
            assert found.tolist() == row[row // share == part].tolist()


def test_ranks_of_a_persistent_kernel_are_the_same() -> None:
    for of in (graph(), Graph.from_arcs(3, [], [])):
        expected = program(PAGERANK).run(of, target="reference", arguments=CALL)["rank"]
        with emulated(Machine(2, 96, seed=2)):
            for schedule in ("order=parts", "order=parts,loop=host"):
                found = program(PAGERANK).run(of, target="cuda", schedule=schedule, arguments=CALL)["rank"]
                np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("fits", [True, False])
def test_rows_in_parts_are_made_only_where_they_fit(fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_CACHED", 2**9)
    monkeypatch.setattr(parts, "_FAR", 0.0)
    monkeypatch.setattr(Room, "fits", lambda room: fits or not any("parts" in a.name for a in room.module.graph_arrays))
    of = graph()
    expected = program(PAGERANK).run(of, target="reference", arguments=CALL)["rank"]
    with emulated(Machine(seed=1)):
        found = program(PAGERANK).run(of, target="cuda", arguments=CALL)
    np.testing.assert_allclose(found["rank"], expected, rtol=1e-12)
    assert (found.estimate.graph > 4 * (of.num_arcs + 16 * of.num_nodes)) is fits
