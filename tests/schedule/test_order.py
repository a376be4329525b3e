"""`order=rows`: searches walk rows by degree, which the module makes itself, and find what they found before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.backends.scheduled import capabilities_of
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.printing.modules import print_kernel
from starplat.ir.verifying.modules import InvalidModule, verify
from starplat.runtime import elements
from starplat.runtime.estimate import ON_DEVICE
from starplat.runtime.resident import on_device
from starplat.schedule.apply import decided
from starplat.schedule.by_kind import for_all_kinds
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated
from tests.runtime.devices import device_of, every_target

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LEVELS = (EXAMPLES / "bfs_levels.sp").read_text()
ROWS = "order=rows,loop=host"
IN, OUT = ir.REVERSE_BY_DEGREE, ir.BY_DEGREE


def search(test: str, done: str = "v.found = True;", ahead: str = "", way: str = "nodes_to") -> str:
    """A program in which every node looks through its arcs for one that passes a test, and leaves there."""
    return f"""
function look(Graph g, propNode<int> mark, propEdge<int> toll, propNode<int> other, propNode<bool> found) {{
    forall (v in g.nodes()) {{
        v.found = False;
        int seen = 0;
        for (u in g.{way}(v)) {{
            {ahead}
            if ({test}) {{ {done} break; }}
        }}
    }}
}}"""


TOLLS = "edge e = g.get_edge(u, v);"
SEARCHES = {
    "by nodes": search("u.mark == 3"),
    "by the arc": search("u.mark > 1 && e.toll == 5", ahead=TOLLS),
    "by the arc that leaves": search("u.mark > 1 && e.toll == 5", ahead="edge e = g.get_edge(v, u);", way="neighbors"),
    "by degree": search("g.count_outNbrs(u) == 2 && u.mark != v.mark"),
}


def graph(*, directed: bool = True) -> Graph:
    """A multigraph with loops, parallel arcs, nodes without arcs, and others with many."""
    random = np.random.default_rng(5)
    ends = (300 * random.random((2, 3000)) ** 3).astype(np.int64)
    return Graph.from_arcs(330, ends[0], ends[1], random.integers(1, 9, 3000), directed=directed)


def arguments(of: Graph) -> dict[str, Any]:
    random = np.random.default_rng(6)
    return {
        "mark": random.integers(0, 5, of.num_nodes).astype(np.int32),
        "other": random.integers(-1, of.num_nodes, of.num_nodes).astype(np.int32),
        "toll": random.integers(0, 20, of.num_arcs).astype(np.int32),
    }


@cache
def program(text: str) -> starplat.Program:
    return starplat.compile(text)


def scheduled(text: str, schedule: str = "order=rows", target: str = "cuda") -> ir.Module:
    made = decided(program(text).module(), parse_schedule(schedule), capabilities_of(target)).module
    verify(made)
    return made


def searching(module: ir.Module) -> list[str]:
    return [kernel.name for kernel in module.kernels if " by degree\n" in print_kernel(kernel)]


# --- the form ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", BACKENDS)
@pytest.mark.parametrize("name", ["bfs", "bfs_levels", "betweenness", "closeness", "radii"])
def test_level_pulls_walk_rows_by_degree(name: str, target: str) -> None:
    module = scheduled((EXAMPLES / f"{name}.sp").read_text(), ROWS if target == "hip" else "order=rows", target)
    (kernel,) = searching(module)
    assert kernel.endswith("_pull")
    assert IN.neighbors in module.kernel(kernel).arrays
    assert ir.REVERSE.neighbors not in module.kernel(kernel).arrays
    assert [one.arrays for one in module.prepared] == [(IN.neighbors,)]
    assert IN.arcs not in module.graph_arrays


def test_a_persistent_kernel_takes_the_sorted_rows() -> None:
    (loop,) = [op for f in scheduled(LEVELS).functions for op in f.body if isinstance(op, ir.OnDevice)]
    assert IN.neighbors in loop.arrays
    assert ir.CSR.neighbors in loop.arrays  # pushes go on in ascending rows


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("by nodes", (IN.neighbors,)),
        ("by degree", (IN.neighbors,)),
        ("by the arc", (IN.neighbors, IN.arcs)),
        ("by the arc that leaves", (OUT.neighbors, OUT.arcs)),
    ],
)
def test_a_search_of_the_program_walks_them_too(name: str, made: tuple[ir.Array, ...]) -> None:
    module = scheduled(SEARCHES[name])
    assert [one.arrays for one in module.prepared] == [made]
    assert len(searching(module)) == 1


def test_auto_and_plain_leave_rows_as_they_are() -> None:
    for schedule in ("auto", "order=as-is"):
        assert scheduled(LEVELS, schedule) == scheduled(LEVELS, "auto")
        assert not scheduled(LEVELS, schedule).prepared


@pytest.mark.parametrize(
    "text",
    [
        search("u.mark == 3", "v.other = u;"),
        search("u.mark == 3", "v.found = True; seen = seen + u.mark; v.other = seen;"),
        search("u.mark == 3", ahead="seen = seen + 1;"),
        search("10 / u.mark == 3"),
        search("u.other != -1 && mark[u.other] == 3").replace("propNode<int> other", "propNode<node> other"),
        search("u.mark == 3", "v.found = True; if (v.mark > 2) { continue; }"),
        search("u.mark == 3").replace("break;", ""),
    ],
    ids=["which node", "its mark", "how many", "division", "no cell", "going on", "no break"],
)
def test_a_search_whose_end_depends_on_the_order_is_refused(text: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        program(text).run(graph(), target="reference", schedule="order=rows", arguments=arguments(graph()))
    (said,) = raised.value.diagnostics
    assert said.code == "E0665"
    assert "'order=rows'" in said.message
    assert "until it finds any one that passes a test" in said.message


def test_the_verifier_wants_rows_made_once_and_on_the_device() -> None:
    module = scheduled(LEVELS)
    (maker,) = module.prepared
    with pytest.raises(InvalidModule, match="not all that is prepared is made once"):
        verify(replace(module, prepared=()))
    with pytest.raises(InvalidModule, match="not all that is prepared is made once"):
        verify(replace(module, prepared=(maker, maker)))
    with pytest.raises(InvalidModule, match="makes other arrays"):
        verify(replace(module, prepared=(replace(maker, arrays=(IN.neighbors, IN.arcs)),)))
    with pytest.raises(InvalidModule, match="is made on the device"):
        verify(replace(module, mapped=(IN.neighbors,)))


def test_a_slot_of_sorted_rows_is_no_arc() -> None:
    module = scheduled(SEARCHES["by the arc that leaves"])
    (kernel,) = (kernel for kernel in module.kernels if kernel.name in searching(module))
    loop = next(op for op in kernel.body if isinstance(op, ir.ForNeighbors))
    toll = next(array for array in kernel.arrays if array.name == "toll")
    wrong = ir.Store(toll, ir.Ref(loop.position), ir.Const(1, ir.Element.INT))
    body = tuple(replace(op, body=(wrong, *op.body)) if op is loop else op for op in kernel.body)
    kernels = tuple(replace(kernel, body=body) if one is kernel else one for one in module.kernels)
    with pytest.raises(InvalidModule, match="'toll' has a cell for every arc and is indexed by a slot"):
        verify(replace(module, kernels=kernels))


def test_what_the_host_maps_leaves_sorted_rows_on_the_device() -> None:
    module = scheduled(LEVELS, "order=rows,memory=mapped", "opencl")
    assert [array.name for array in module.mapped] == ["columns"]


def test_variants_of_a_program_share_their_rows() -> None:
    text = f"""
function both(Graph g, propNode<int> level, node src, propNode<int> mark, propEdge<int> toll, propNode<bool> found) {{
    bfs_levels(g, level, src);
    long triangles = 0;
    forall (v in g.nodes()) {{
        forall (u in g.neighbors(v).filter(u < v)) {{
            forall (w in g.neighbors(v).filter(v < w)) {{
                if (g.is_an_edge(u, w)) {{ triangles += 1; }}
            }}
        }}
    }}
    return triangles;
}}
{LEVELS}"""
    wanted, able = parse_schedule("order=rows"), BACKENDS["cuda"].capabilities
    module = for_all_kinds(lambda facts: decided(program(text).module("both"), wanted, able, facts).module)
    verify(module)
    assert module.variants
    assert [one.arrays for one in module.prepared] == [(IN.neighbors,)]
    assert [f.name for f in module.functions if f.name.startswith("sort_")] == ["sort_in_rows"]


# --- the rows ------------------------------------------------------------------------------------------------------


def nothing_missing(_: Sequence[Any]) -> NoReturn:
    raise AssertionError("the device holds no sorted rows")


def rows_on(target: str, of: Graph, layout: ir.Layout, *, arcs: bool = True) -> list[np.ndarray[Any, Any]]:
    """The sorted rows as they lie on a device."""
    device, wanted = device_of(target), (layout.neighbors, layout.arcs) if arcs else (layout.neighbors,)
    buffers = on_device(device, of).prepared([array for array in wanted if array is not None], nothing_missing)
    return [device.download(buffer) for buffer in buffers.values()]


def classes(ranks: np.ndarray[Any, Any], num_arcs: int) -> np.ndarray[Any, Any]:
    """The launch in which each rank, a degree plus one, has its turn."""
    limits = [num_arcs]
    while limits[-1] > 1:
        limits.append(limits[-1] // 2)
    return np.array([next(turn for turn, least in enumerate(limits) if rank >= least) for rank in ranks])


@every_target
@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
@pytest.mark.parametrize("name", ["by the arc", "by the arc that leaves"])
def test_rows_hold_the_same_arcs_with_high_degrees_first(name: str, directed: bool, target: str) -> None:
    device_of(target)
    of, leaving = graph(directed=directed), name.endswith("leaves")
    program(SEARCHES[name]).run(of, target=target, schedule="order=rows", arguments=arguments(of))
    neighbors, arcs = rows_on(target, of, OUT if leaving else IN)
    offsets = of.row_offsets if leaving else of.reverse.row_offsets
    assert sorted(arcs) == list(range(of.num_arcs))
    here, there = (of.sources, of.columns) if leaving else (of.columns, of.sources)
    assert neighbors.tolist() == there[arcs].tolist()
    assert here[arcs].tolist() == np.repeat(np.arange(of.num_nodes), np.diff(offsets)).tolist()
    turns = classes(np.diff(offsets) + 1, of.num_arcs)[neighbors]
    assert len(set(turns)) > 4
    for first, end in pairwise(offsets):
        assert (np.diff(turns[first:end]) >= 0).all()


def looked_at(offsets: np.ndarray[Any, Any], rows: np.ndarray[Any, Any], level: np.ndarray[Any, Any]) -> int:
    """The arcs that pulls look at: in each round every unreached node walks its row up to one of the last level."""
    looked, last = 0, int(level[level < 2**31 - 1].max())
    for depth in range(last + 1):
        for v in np.flatnonzero(level > depth):
            row = level[rows[offsets[v] : offsets[v + 1]]]
            found = np.flatnonzero(row == depth)
            looked += found[0] + 1 if len(found) else len(row)
    return looked


@every_target
def test_pulls_look_at_fewer_arcs_of_a_skewed_graph(target: str) -> None:
    device_of(target)
    of = generators.rmat(12, 16, 1)
    src = int(np.argmax(np.diff(of.row_offsets) > 0))
    result = program(LEVELS).run(of, target=target, schedule=ROWS, src=src)
    (rows,) = rows_on(target, of, IN, arcs=False)
    as_is, sorted_ = (looked_at(of.row_offsets, one, result["level"]) for one in (of.columns, rows))
    assert sorted_ < 0.95 * as_is


# --- the answers ---------------------------------------------------------------------------------------------------


@every_target
@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_finds_the_same(name: str, directed: bool, target: str) -> None:
    device_of(target)
    of = graph(directed=directed)
    call = arguments(of)
    expected = program(SEARCHES[name]).run(of, target="reference", arguments=call)["found"]
    result = program(SEARCHES[name]).run(of, target=target, schedule="order=rows", arguments=call, repeat=2)
    assert 0 < expected.sum() < of.num_nodes
    assert result["found"].tolist() == expected.tolist()


@every_target
def test_a_search_with_arcs_of_64_bits_finds_the_same(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "WIDE_ARCS_FROM", 0)
    device_of(target)
    of = graph()
    call, look = arguments(of), program(SEARCHES["by the arc that leaves"])
    expected = look.run(of, target="reference", arguments=call)["found"]
    assert look.run(of, target=target, schedule="order=rows", arguments=call)["found"].tolist() == expected.tolist()
    neighbors, arcs = rows_on(target, of, OUT)
    assert arcs.dtype == np.int64
    assert neighbors.tolist() == of.columns[arcs].tolist()


@every_target
@pytest.mark.parametrize("schedule", [ROWS, f"{ROWS},direction=pull", f"{ROWS},frontier=queue"])
def test_levels_are_the_same(schedule: str, target: str) -> None:
    device_of(target)
    for of in (graph(), graph(directed=False), Graph.from_arcs(3, [], []), generators.rmat(8, 8, 2)):
        expected = program(LEVELS).run(of, target="reference", src=1)["level"]
        assert program(LEVELS).run(of, target=target, schedule=schedule, src=1)["level"].tolist() == expected.tolist()


@pytest.mark.parametrize("machine", [Machine(seed=1), Machine(2, 96, seed=2)], ids=["3 blocks", "2 blocks"])
def test_levels_of_a_persistent_kernel_are_the_same(machine: Machine) -> None:
    of = graph()
    expected = program(LEVELS).run(of, target="reference", src=1)["level"]
    with emulated(machine):
        for schedule in ("order=rows", "order=rows,direction=pull"):
            assert (
                program(LEVELS).run(of, target="cuda", schedule=schedule, src=1)["level"].tolist() == expected.tolist()
            )


@every_target
def test_rows_are_made_once_for_a_graph(target: str) -> None:
    device_of(target)
    of = graph()
    call, by_nodes, by_arcs = arguments(of), program(SEARCHES["by nodes"]), program(SEARCHES["by the arc"])
    first = by_nodes.run(of, target=target, schedule="order=rows", arguments=call)
    (alone,) = rows_on(target, of, IN, arcs=False)
    by_nodes.run(of, target=target, schedule="order=rows", arguments=call)
    assert rows_on(target, of, IN, arcs=False)[0].tolist() == alone.tolist()
    with pytest.raises(AssertionError, match="holds no sorted rows"):
        rows_on(target, of, IN)
    by_arcs.run(of, target=target, schedule="order=rows", arguments=call)
    neighbors, arcs = rows_on(target, of, IN)
    assert neighbors.tolist() == of.sources[arcs].tolist()
    again = by_nodes.run(of, target=target, schedule="order=rows", arguments=call)
    assert again["found"].tolist() == first["found"].tolist()
    assert again.launches == first.launches == 1
    assert again.estimate.temporaries == 4 * of.num_nodes


def test_memory_of_what_cannot_be_made_is_given_back() -> None:
    of, device = graph(), device_of("reference")
    resident = on_device(device, of)

    def broken(_: Sequence[Any]) -> NoReturn:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        resident.prepared((IN.neighbors,), broken)
    assert not resident.holds(IN.neighbors, ON_DEVICE)
