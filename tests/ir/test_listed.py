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
from starplat.ir.nodes import (
    AllNodes,
    Array,
    Cast,
    Combine,
    Const,
    Contribute,
    DeclareVariable,
    Domain,
    Element,
    Expression,
    Extent,
    FetchAdd,
    Fill,
    HostFunction,
    HostOp,
    HostWhile,
    Kernel,
    KernelContinue,
    KernelIf,
    KernelOp,
    Launch,
    Let,
    Listed,
    ListMembers,
    Load,
    Module,
    NumNodes,
    Origin,
    Parameter,
    ReadCell,
    ReadSize,
    Reduction,
    Ref,
    SetVariable,
    Store,
    UpdateCell,
    Variable,
    WriteCell,
)
from starplat.ir.proceeding import proceeding
from starplat.ir.verify import InvalidModule, verify
from starplat.ir.visitor import with_signature
from starplat.runtime import bind, run_module
from tests.backends.emulated import Machine, emulated
from tests.backends.modules import V, module_of, node_array, number, over_nodes
from tests.ir.building import binary
from tests.programs.targets import REFERENCE, Target, every_target

N = 1000
ORDER = node_array("order", Element.NODE)
COUNT = Array("count", Element.INT, Extent.ONE, Origin.TEMPORARY)
LIMIT = Array("limit", Element.INT, Extent.ONE, Origin.TEMPORARY)
SEEN = node_array("seen", Element.INT, Origin.PARAMETER)
TOTAL = node_array("total", Element.LONG, Origin.PARAMETER)
FIRST, LAST, SUM = Variable("first", Element.INT), Variable("last", Element.INT), Variable("sum", Element.LONG)
ZERO = number(0)


def kernel(name: str, domain: Domain, *body: KernelOp, filter: Expression | None = None, sums: bool = False) -> Kernel:
    reductions = (Reduction(SUM, Combine.ADD),) if sums else ()
    return with_signature(Kernel(name, domain, V, filter, body, (), (), reductions))


def backwards() -> Kernel:
    """The nodes in the order of their numbers from above."""
    last = binary("-", NumNodes(), number(1))
    return kernel("fill_order", AllNodes(), Store(ORDER, binary("-", last, Ref(V)), Ref(V)))


def walk(listed: Listed) -> Kernel:
    """Counts how often a node with an even number is seen, unless it can be divided by ten, and adds up the others."""
    tens = KernelIf(binary("==", binary("%", Ref(V), number(10)), ZERO), (KernelContinue(),))
    seen = UpdateCell(Combine.ADD, SEEN, Ref(V), number(1), shared=False)
    even = binary("==", binary("%", Ref(V), number(2)), ZERO)
    return kernel("walk", listed, tens, seen, Contribute(SUM, Cast(Ref(V), Element.LONG)), filter=even, sums=True)


def module_for(*body: HostOp, kernels: tuple[Kernel, ...]) -> Module:
    whole = module_of(
        over_nodes([Store(SEEN, Ref(V), ZERO), Store(TOTAL, Ref(V), Cast(ZERO, Element.LONG))], [SEEN, TOTAL])
    )
    used = {array for kernel in kernels for array in kernel.arrays}
    arrays = tuple(array for array in (ORDER, COUNT, LIMIT) if array in used)
    ops = (
        Fill(SEEN, ZERO),
        Fill(TOTAL, Cast(ZERO, Element.LONG)),
        DeclareVariable(SUM, Cast(ZERO, Element.LONG)),
        *body,
    )
    main = HostFunction("run", (Parameter(SEEN), Parameter(TOTAL)), arrays, None, ops)
    module = replace(whole, functions=(main,), kernels=kernels)
    verify(module)
    return module


def by_scalars(first: int, last: int) -> Module:
    listed = Listed(ORDER, Ref(FIRST), binary("+", Ref(LAST), number(0)))
    declared = (DeclareVariable(FIRST, number(first)), DeclareVariable(LAST, number(last)))
    result = WriteCell(TOTAL, ZERO, Ref(SUM))
    return module_for(Launch("fill_order"), *declared, Launch("walk"), result, kernels=(backwards(), walk(listed)))


def by_cells(first: int, last: int) -> Module:
    listed = Listed(ORDER, Load(COUNT, ZERO), Load(LIMIT, ZERO))
    written = (WriteCell(COUNT, ZERO, number(first)), WriteCell(LIMIT, ZERO, number(last)))
    result = WriteCell(TOTAL, ZERO, Ref(SUM))
    return module_for(Launch("fill_order"), *written, Launch("walk"), result, kernels=(backwards(), walk(listed)))


def ran(module: Module, target: Target) -> tuple[NDArray[Any], int]:
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


def by_levels() -> Module:
    """Every node of a level of a binary heap appends its two children, and says how many came before the next level."""
    place = Variable("place", Element.INT)
    children: list[KernelOp] = [Let(place, ZERO)]
    for child in (1, 2):
        node = Cast(binary("+", binary("*", Ref(V), number(2)), number(child)), Element.NODE)
        append = (FetchAdd(place, COUNT, ZERO, number(1)), Store(ORDER, Ref(place), node))
        children.append(KernelIf(binary("<", node, NumNodes()), append))
    grow = kernel("grow", Listed(ORDER, Ref(FIRST), Ref(LAST)), Store(SEEN, Ref(V), Ref(LAST)), *children)
    rounds = (Launch("grow"), SetVariable(FIRST, Ref(LAST)), ReadCell(LAST, COUNT, ZERO))
    return module_for(
        WriteCell(ORDER, ZERO, Const(0, Element.NODE)),
        WriteCell(COUNT, ZERO, number(1)),
        DeclareVariable(FIRST, ZERO),
        DeclareVariable(LAST, number(1)),
        HostWhile((), binary("<", Ref(FIRST), Ref(LAST)), rounds),
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
    wrong = kernel("fill_order", AllNodes(), Store(ORDER, Ref(V), Cast(number(node), Element.NODE)))
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
        (Listed(SEEN, ZERO, number(1)), "lists no nodes"),
        (Listed(ORDER, ZERO, binary("+", Load(COUNT, ZERO), number(1))), "is not known"),
        (Listed(ORDER, ZERO, Load(SEEN, ZERO)), "is not known"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(listed: Listed, reason: str) -> None:
    with pytest.raises(InvalidModule, match=reason):
        module_for(kernels=(walk(listed),))


def test_a_kernel_does_not_move_the_end_of_its_list() -> None:
    end = UpdateCell(Combine.ADD, COUNT, ZERO, number(1), shared=True)
    with pytest.raises(InvalidModule, match="changes an end"):
        module_for(kernels=(kernel("walk", Listed(ORDER, ZERO, Load(COUNT, ZERO)), end),))


HOSTS = Array("hosts", Element.INT, Extent.NODES, Origin.HOST)


FLAGS = Array("flags", Element.BOOL, Extent.NODES, Origin.TEMPORARY)


@every_target
def test_the_host_keeps_cells_of_its_own(target: Target) -> None:
    module = module_for(kernels=())
    main = module.functions[0]
    more = (
        WriteCell(HOSTS, number(7), number(5)),
        DeclareVariable(FIRST, ZERO),
        ReadCell(FIRST, HOSTS, number(7)),
        WriteCell(SEEN, number(1), Ref(FIRST)),
    )
    module = replace(module, functions=(replace(main, arrays=(HOSTS,), body=(*main.body, *more)),))
    verify(module)
    seen, _ = ran(module, target)
    assert seen[:3].tolist() == [0, 5, 0]


@pytest.mark.parametrize(
    "op", [Fill(HOSTS, ZERO), ReadSize(FIRST, replace(HOSTS, element=Element.BOOL))], ids=["fill", "size"]
)
def test_the_host_s_own_is_not_on_the_device(op: HostOp) -> None:
    module = module_for(kernels=())
    main = module.functions[0]
    body = (*main.body, DeclareVariable(FIRST, ZERO), op)
    with pytest.raises(InvalidModule, match="the host's own"):
        verify(replace(module, functions=(replace(main, arrays=(HOSTS,), body=body),)))


def test_no_kernel_uses_what_the_host_has_alone() -> None:
    with pytest.raises(InvalidModule, match="the host has alone"):
        module_for(kernels=(kernel("walk", AllNodes(), Store(HOSTS, Ref(V), ZERO)),))


@pytest.mark.parametrize(
    ("op", "reason"),
    [(ListMembers(SEEN, ORDER, ZERO), "holds no flags"), (ListMembers(FLAGS, SEEN, ZERO), "lists no nodes")],
    ids=["no flags", "no list"],
)
def test_members_of_what_is_no_set_are_not_listed(op: ListMembers, reason: str) -> None:
    module = module_for(kernels=())
    main = module.functions[0]
    with pytest.raises(InvalidModule, match=reason):
        verify(replace(module, functions=(replace(main, arrays=(ORDER, FLAGS), body=(*main.body, op)),)))
