"""A kernel over a list of nodes walks those of the list and no others, whoever knows how many there are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.printing.proceeding import proceeding
from starplat.ir.verifying.modules import InvalidModule, verify
from starplat.ir.visitor import with_signature
from starplat.runtime import bind, run_module
from tests.backends.emulated import Machine, emulated
from tests.backends.modules import V, module_of, node_array, number, over_nodes
from tests.ir.building import binary
from tests.programs.targets import REFERENCE, Target, every_target

N = 1000
ORDER = node_array("order", ir.Element.NODE)
COUNT = ir.Array("count", ir.Element.INT, ir.Extent.ONE, ir.Origin.TEMPORARY)
LIMIT = ir.Array("limit", ir.Element.INT, ir.Extent.ONE, ir.Origin.TEMPORARY)
SEEN = node_array("seen", ir.Element.INT, ir.Origin.PARAMETER)
TOTAL = node_array("total", ir.Element.LONG, ir.Origin.PARAMETER)
FIRST, LAST, SUM = (
    ir.Variable("first", ir.Element.INT),
    ir.Variable("last", ir.Element.INT),
    ir.Variable("sum", ir.Element.LONG),
)
ZERO = number(0)


def kernel(
    name: str, domain: ir.Domain, *body: ir.KernelOp, filter: ir.Expression | None = None, sums: bool = False
) -> ir.Kernel:
    reductions = (ir.Reduction(SUM, ir.Combine.ADD),) if sums else ()
    return with_signature(ir.Kernel(name, domain, V, body, filter=filter, reductions=reductions))


def backwards() -> ir.Kernel:
    """The nodes in the order of their numbers from above."""
    last = binary("-", ir.NumNodes(), number(1))
    return kernel("fill_order", ir.AllNodes(), ir.Store(ORDER, binary("-", last, ir.Ref(V)), ir.Ref(V)))


def walk(listed: ir.Listed) -> ir.Kernel:
    """Counts how often a node with an even number is seen, unless it can be divided by ten, and adds up the others."""
    tens = ir.KernelIf(binary("==", binary("%", ir.Ref(V), number(10)), ZERO), (ir.KernelContinue(),))
    seen = ir.UpdateCell(ir.Combine.ADD, SEEN, ir.Ref(V), number(1), shared=False)
    even = binary("==", binary("%", ir.Ref(V), number(2)), ZERO)
    return kernel(
        "walk", listed, tens, seen, ir.Contribute(SUM, ir.Cast(ir.Ref(V), ir.Element.LONG)), filter=even, sums=True
    )


def module_for(*body: ir.HostOp, kernels: tuple[ir.Kernel, ...]) -> ir.Module:
    whole = module_of(
        over_nodes(
            [ir.Store(SEEN, ir.Ref(V), ZERO), ir.Store(TOTAL, ir.Ref(V), ir.Cast(ZERO, ir.Element.LONG))], [SEEN, TOTAL]
        )
    )
    used = {array for kernel in kernels for array in kernel.arrays}
    arrays = tuple(array for array in (ORDER, COUNT, LIMIT) if array in used)
    ops = (
        ir.Fill(SEEN, ZERO),
        ir.Fill(TOTAL, ir.Cast(ZERO, ir.Element.LONG)),
        ir.DeclareVariable(SUM, ir.Cast(ZERO, ir.Element.LONG)),
        *body,
    )
    main = ir.HostFunction("run", (ir.Parameter(SEEN), ir.Parameter(TOTAL)), arrays, None, ops)
    module = replace(whole, functions=(main,), kernels=kernels)
    verify(module)
    return module


def by_scalars(first: int, last: int) -> ir.Module:
    listed = ir.Listed(ORDER, ir.Ref(FIRST), binary("+", ir.Ref(LAST), number(0)))
    declared = (ir.DeclareVariable(FIRST, number(first)), ir.DeclareVariable(LAST, number(last)))
    result = ir.WriteCell(TOTAL, ZERO, ir.Ref(SUM))
    return module_for(
        ir.Launch("fill_order"), *declared, ir.Launch("walk"), result, kernels=(backwards(), walk(listed))
    )


def by_cells(first: int, last: int) -> ir.Module:
    listed = ir.Listed(ORDER, ir.Load(COUNT, ZERO), ir.Load(LIMIT, ZERO))
    written = (ir.WriteCell(COUNT, ZERO, number(first)), ir.WriteCell(LIMIT, ZERO, number(last)))
    result = ir.WriteCell(TOTAL, ZERO, ir.Ref(SUM))
    return module_for(ir.Launch("fill_order"), *written, ir.Launch("walk"), result, kernels=(backwards(), walk(listed)))


def ran(module: ir.Module, target: Target) -> tuple[NDArray[Any], int]:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    graph = Graph.from_arcs(N, [], [])
    arguments = bind(module, graph, {})
    result = run_module(module, graph, target=target.target, device_index=target.device or 0, arguments=arguments)
    return result["seen"].astype(np.int64), int(result["total"][0])


def expected(first: int, last: int) -> tuple[NDArray[Any], int]:
    listed = [node for node in (N - 1 - np.arange(first, last)).tolist() if node % 2 == 0 and node % 10]
    return np.isin(np.arange(N), listed).astype(np.int64), sum(listed)


@every_target
@pytest.mark.parametrize("ends", [(0, N), (300, 731), (999, 1000), (5, 5)], ids=str)
@pytest.mark.parametrize("known", [by_scalars, by_cells], ids=["host", "device"])
def test_the_nodes_between_the_ends_are_walked(known: Any, ends: tuple[int, int], target: Target) -> None:
    seen, total = ran(known(*ends), target)
    right_seen, right_total = expected(*ends)
    np.testing.assert_array_equal(seen, right_seen)
    assert total == right_total


def by_levels() -> ir.Module:
    """Every node of a level of a binary heap appends its two children, and says how many came before the next level."""
    place = ir.Variable("place", ir.Element.INT)
    children: list[ir.KernelOp] = [ir.Let(place, ZERO)]
    for child in (1, 2):
        node = ir.Cast(binary("+", binary("*", ir.Ref(V), number(2)), number(child)), ir.Element.NODE)
        append = (ir.FetchAdd(place, COUNT, ZERO, number(1)), ir.Store(ORDER, ir.Ref(place), node))
        children.append(ir.KernelIf(binary("<", node, ir.NumNodes()), append))
    grow = kernel(
        "grow", ir.Listed(ORDER, ir.Ref(FIRST), ir.Ref(LAST)), ir.Store(SEEN, ir.Ref(V), ir.Ref(LAST)), *children
    )
    rounds = (ir.Launch("grow"), ir.SetVariable(FIRST, ir.Ref(LAST)), ir.ReadCell(LAST, COUNT, ZERO))
    return module_for(
        ir.WriteCell(ORDER, ZERO, ir.Const(0, ir.Element.NODE)),
        ir.WriteCell(COUNT, ZERO, number(1)),
        ir.DeclareVariable(FIRST, ZERO),
        ir.DeclareVariable(LAST, number(1)),
        ir.Loop((), binary("<", ir.Ref(FIRST), ir.Ref(LAST)), rounds),
        kernels=(grow,),
    )


@every_target
def test_a_list_may_grow_behind_its_end(target: Target) -> None:
    seen, _ = ran(by_levels(), target)
    ends = 2 ** np.arange(12) - 1
    np.testing.assert_array_equal(seen, np.minimum(ends[np.searchsorted(ends, np.arange(N), side="right")], N))


def test_the_emulated_device_walks_lists() -> None:
    with emulated(Machine()):
        seen, total = ran(by_cells(300, 731), Target("emulated", "cuda"))
    right_seen, right_total = expected(300, 731)
    np.testing.assert_array_equal(seen, right_seen)
    assert total == right_total


def test_it_reads_well() -> None:
    module = by_scalars(0, 3)
    assert "a work-item for every node that is listed in order" in proceeding(module)
    text = BACKENDS["cuda"].kernels_text(module)
    assert "const int v = order[place];" in text
    assert "place < last + 0" in text
    artifact = "".join(BACKENDS["cuda"].artifact(module, "run").values())
    assert "walk<<<device.blocks(last + 0 - first), 256>>>" in artifact
    assert "walk<<<device.blocks(std::min<long long>(graph.num_nodes, 131072)), 256>>>" in (
        "".join(BACKENDS["cuda"].artifact(by_cells(0, 3), "run").values())
    )


@pytest.mark.parametrize("node", [-1, N])
def test_what_is_listed_must_be_a_node(node: int) -> None:
    wrong = kernel("fill_order", ir.AllNodes(), ir.Store(ORDER, ir.Ref(V), ir.Cast(number(node), ir.Element.NODE)))
    module = by_scalars(0, 1)
    with pytest.raises(DiagnosticError) as caught:
        ran(replace(module, kernels=(wrong, *module.kernels[1:])), REFERENCE)
    assert caught.value.diagnostics[0].code == "E0704"


@pytest.mark.parametrize("ends", [(-1, 2), (N - 1, N + 1)], ids=str)
def test_the_ends_of_a_list_must_be_inside(ends: tuple[int, int]) -> None:
    with pytest.raises(DiagnosticError) as caught:
        ran(by_scalars(*ends), REFERENCE)
    assert caught.value.diagnostics[0].code == "E0704"


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        (ir.Listed(SEEN, ZERO, number(1)), "lists no nodes"),
        (ir.Listed(ORDER, ZERO, binary("+", ir.Load(COUNT, ZERO), number(1))), "is not known"),
        (ir.Listed(ORDER, ZERO, ir.Load(SEEN, ZERO)), "is not known"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(listed: ir.Listed, reason: str) -> None:
    with pytest.raises(InvalidModule, match=reason):
        module_for(kernels=(walk(listed),))


def test_a_kernel_does_not_move_the_end_of_its_list() -> None:
    end = ir.UpdateCell(ir.Combine.ADD, COUNT, ZERO, number(1), shared=True)
    with pytest.raises(InvalidModule, match="changes an end"):
        module_for(kernels=(kernel("walk", ir.Listed(ORDER, ZERO, ir.Load(COUNT, ZERO)), end),))


HOSTS = ir.Array("hosts", ir.Element.INT, ir.Extent.NODES, ir.Origin.HOST)


FLAGS = ir.Array("flags", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.TEMPORARY)


@every_target
def test_the_host_keeps_cells_of_its_own(target: Target) -> None:
    module = module_for(kernels=())
    main = module.functions[0]
    more = (
        ir.WriteCell(HOSTS, number(7), number(5)),
        ir.DeclareVariable(FIRST, ZERO),
        ir.ReadCell(FIRST, HOSTS, number(7)),
        ir.WriteCell(SEEN, number(1), ir.Ref(FIRST)),
    )
    module = replace(module, functions=(replace(main, arrays=(HOSTS,), body=(*main.body, *more)),))
    verify(module)
    seen, _ = ran(module, target)
    assert seen[:3].tolist() == [0, 5, 0]


@pytest.mark.parametrize(
    "op", [ir.Fill(HOSTS, ZERO), ir.ReadSize(FIRST, replace(HOSTS, element=ir.Element.BOOL))], ids=["fill", "size"]
)
def test_the_host_s_own_is_not_on_the_device(op: ir.HostOp) -> None:
    module = module_for(kernels=())
    main = module.functions[0]
    body = (*main.body, ir.DeclareVariable(FIRST, ZERO), op)
    with pytest.raises(InvalidModule, match="the host's own"):
        verify(replace(module, functions=(replace(main, arrays=(HOSTS,), body=body),)))


def test_no_kernel_uses_what_the_host_has_alone() -> None:
    with pytest.raises(InvalidModule, match="the host has alone"):
        module_for(kernels=(kernel("walk", ir.AllNodes(), ir.Store(HOSTS, ir.Ref(V), ZERO)),))


@pytest.mark.parametrize(
    ("op", "reason"),
    [(ir.ListMembers(SEEN, ORDER, ZERO), "holds no flags"), (ir.ListMembers(FLAGS, SEEN, ZERO), "lists no nodes")],
    ids=["no flags", "no list"],
)
def test_members_of_what_is_no_set_are_not_listed(op: ir.ListMembers, reason: str) -> None:
    module = module_for(kernels=())
    main = module.functions[0]
    with pytest.raises(InvalidModule, match=reason):
        verify(replace(module, functions=(replace(main, arrays=(ORDER, FLAGS), body=(*main.body, op)),)))
