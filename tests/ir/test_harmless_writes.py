"""Which lowered cells nobody notices who only asks for a smaller number, and near misses that somebody would notice."""

from __future__ import annotations

import pytest

from starplat.ir import nodes as ir
from starplat.ir.access import kernel_accesses
from starplat.ir.harmless_writes import asked_in, goes_unnoticed, lowered_in
from tests.ir.building import DIST, NBR, V, array, binary, for_neighbors, kernel, number

DEPTH, OTHER = ir.Variable("depth", ir.Element.INT), ir.Variable("other", ir.Element.INT)
HERE, LATER = ir.Load(DIST, ir.Ref(NBR)), ir.Variable("later", ir.Element.INT)
OUT = array("out", ir.Element.INT)
INF, OWN = ir.infinity(ir.Element.INT), ir.Load(DIST, ir.Ref(V))
UNREACHED = binary("==", OWN, INF)


def plus(offset: int, variable: ir.Variable = DEPTH) -> ir.Expression:
    return (
        binary("+", ir.Ref(variable), number(offset)) if offset >= 0 else binary("-", ir.Ref(variable), number(-offset))
    )


def lowering(condition: ir.Expression, value: ir.Expression, *ahead: ir.KernelOp) -> ir.Kernel:
    return kernel(for_neighbors(*ahead, ir.KernelIf(condition, (ir.Store(DIST, ir.Ref(NBR), value, shared=True),), ())))


def asking(condition: ir.Expression) -> ir.Kernel:
    return kernel(for_neighbors(ir.KernelIf(condition, (ir.Store(OUT, ir.Ref(V), number(1)),), ())))


def pulling(filter: ir.Expression, *writes: ir.KernelOp) -> ir.Kernel:
    """A node that passes the filter gets a number when one of its neighbors is found."""
    found = binary("==", ir.Load(OUT, ir.Ref(NBR)), number(1))
    body = writes or (ir.Store(DIST, ir.Ref(V), plus(1)),)
    return kernel(for_neighbors(ir.KernelIf(found, (*body, ir.KernelBreak()), ())), filter=filter)


lowers = lowering(binary("<", plus(1), HERE), plus(1))


@pytest.mark.parametrize(
    "kernel",
    [
        lowers,
        lowering(binary(">", HERE, plus(1)), plus(1)),
        lowering(binary("<", ir.Ref(LATER), HERE), ir.Ref(LATER), ir.Let(LATER, plus(1))),
        lowering(binary("&&", binary("==", ir.Load(OUT, ir.Ref(V)), number(0)), binary("<", plus(1), HERE)), plus(1)),
        kernel(for_neighbors(ir.UpdateCell(ir.Combine.MIN, DIST, ir.Ref(NBR), plus(1), shared=True))),
        kernel(for_neighbors(ir.ExtremeCell(ir.Combine.MIN, DIST, ir.Ref(NBR), plus(1), (), True))),
        lowering(binary("==", HERE, INF), plus(1)),
        pulling(UNREACHED),
        pulling(binary("&&", binary("==", ir.Load(OUT, ir.Ref(V)), number(0)), UNREACHED)),
        pulling(binary("<", plus(1), OWN)),
        kernel(ir.Store(DIST, ir.Ref(V), plus(1)), filter=UNREACHED),
    ],
)
def test_cells_that_held_more_are_lowered_to_one_number(kernel: ir.Kernel) -> None:
    assert lowered_in(kernel)[DIST] == (DEPTH, 1)


@pytest.mark.parametrize(
    "kernel",
    [
        lowering(binary("<", plus(0), HERE), plus(1)),  # held more than another number
        lowering(binary("<=", plus(1), HERE), plus(1)),
        lowering(binary(">", plus(1), HERE), plus(1)),
        lowering(binary("<", plus(1), ir.Load(DIST, ir.Ref(V))), plus(1)),  # another cell
        lowering(binary("<", plus(1), ir.Load(OUT, ir.Ref(NBR))), plus(1)),  # of another array
        lowering(binary("||", binary("<", plus(1), HERE), binary("==", HERE, number(7))), plus(1)),
        lowering(binary("<", ir.Ref(LATER), HERE), ir.Ref(LATER), ir.Let(LATER, plus(1)), ir.SetLocal(LATER, plus(-4))),
        lowering(binary("<", ir.Load(OUT, ir.Ref(V)), HERE), ir.Load(OUT, ir.Ref(V))),  # each iteration has its own
        lowering(binary("!=", HERE, INF), plus(1)),
        pulling(binary("!=", OWN, INF)),
        pulling(binary("==", OWN, number(2**31 - 2))),
        pulling(binary("==", ir.Load(OUT, ir.Ref(V)), INF)),  # of another array
        pulling(binary("==", ir.Load(DIST, ir.Ref(NBR)), INF)),  # another cell
        pulling(binary("||", UNREACHED, binary("==", ir.Load(OUT, ir.Ref(V)), number(0)))),
        pulling(UNREACHED, ir.Store(DIST, ir.Ref(NBR), plus(1))),  # a neighbor's cell may have held anything
        pulling(UNREACHED, ir.Store(DIST, ir.Ref(V), plus(1)), ir.Store(DIST, ir.Ref(V), plus(2))),
        pulling(UNREACHED, ir.Store(DIST, ir.Ref(V), ir.Load(OUT, ir.Ref(V)))),
        pulling(UNREACHED, ir.UpdateCell(ir.Combine.ADD, DIST, ir.Ref(V), plus(1), shared=True)),
        kernel(for_neighbors(ir.Store(DIST, ir.Ref(V), plus(1)))),
        kernel(for_neighbors(ir.ExtremeCell(ir.Combine.MAX, DIST, ir.Ref(NBR), plus(1), (), True))),
        kernel(
            for_neighbors(
                ir.ExtremeCell(ir.Combine.MIN, OUT, ir.Ref(NBR), plus(1), (ir.Carry(DIST, ir.Ref(NBR), plus(1)),), True)
            )
        ),
        kernel(for_neighbors(ir.UpdateCell(ir.Combine.ADD, DIST, ir.Ref(NBR), plus(1), shared=True))),
        kernel(
            for_neighbors(
                ir.UpdateCell(ir.Combine.MIN, DIST, ir.Ref(NBR), plus(1), shared=True),
                ir.UpdateCell(ir.Combine.MIN, DIST, ir.Ref(V), plus(2), shared=True),
            )
        ),
        kernel(ir.KernelIf(binary("<", plus(1), HERE), (for_neighbors(ir.Store(DIST, ir.Ref(NBR), plus(1))),), ())),
        kernel(
            for_neighbors(
                ir.Let(LATER, ir.CallFunction("helper", (DIST, ir.Ref(NBR)), ir.Element.INT)),
                ir.UpdateCell(ir.Combine.MIN, DIST, ir.Ref(NBR), plus(1), shared=True),
            )
        ),
    ],
)
def test_other_writes_are_not_taken_for_that(kernel: ir.Kernel) -> None:
    assert DIST not in lowered_in(kernel)


@pytest.mark.parametrize(
    ("condition", "unnoticed"),
    [
        (binary("==", HERE, plus(-1)), True),
        (binary("==", HERE, plus(0)), True),
        (binary("!=", HERE, plus(0)), True),
        (binary("||", binary("==", HERE, plus(0)), binary("==", HERE, plus(-3))), True),
        (binary("==", HERE, plus(1)), False),  # what the cells become
        (binary("==", HERE, plus(2)), False),  # what they may have been
        (binary("||", binary("==", HERE, plus(0)), binary("==", HERE, plus(2))), False),
        (binary("==", HERE, plus(-1, OTHER)), False),
        (binary("==", HERE, number(0)), False),
        (binary("<", HERE, plus(0)), False),
        (binary("&&", binary("==", HERE, plus(0)), binary("<", HERE, number(9))), False),
        (binary("==", ir.Load(OUT, HERE), number(0)), False),
    ],
)
def test_who_only_asks_for_a_smaller_number_does_not_notice(condition: ir.Expression, unnoticed: bool) -> None:
    asked = asked_in(asking(condition)).get(DIST)
    assert (asked is not None and goes_unnoticed(lowered_in(lowers)[DIST], asked)) is unnoticed
    disturbed = any(
        a.disturbs(b)
        for a in kernel_accesses(lowers)
        for b in kernel_accesses(asking(condition))
        if a.array == b.array == DIST
    )
    assert disturbed is not unnoticed


@pytest.mark.parametrize(("offset", "unnoticed"), [(1, True), (2**20, True), (2**20 + 1, False), (2**31 - 1, False)])
def test_sums_that_may_wrap_around_are_noticed(offset: int, unnoticed: bool) -> None:
    """A counter of 1 and 2**31 - 2 is INF, which a pull replaces by the next number, around the end."""
    lowered = lowered_in(pulling(UNREACHED, ir.Store(DIST, ir.Ref(V), plus(offset))))[DIST]
    assert goes_unnoticed(lowered, {(DEPTH, offset - 1)}) is unnoticed
    assert goes_unnoticed((DEPTH, 1), {(DEPTH, -offset)}) is unnoticed


def test_nothing_is_said_by_variables_that_may_be_anything() -> None:
    for access in kernel_accesses(lowers):
        if access.array == DIST and access.writes:
            assert access.in_terms_of(frozenset({DEPTH})).lowered == (DEPTH, 1)
            assert access.in_terms_of(frozenset({OTHER})).lowered is None
