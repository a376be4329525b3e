"""Which lowered cells nobody notices who only asks for a smaller number, and near misses that somebody would notice."""

from __future__ import annotations

import pytest

from starplat.ir.access import kernel_accesses
from starplat.ir.nodes import (
    CallFunction,
    Carry,
    Combine,
    Element,
    Expression,
    ExtremeCell,
    Kernel,
    KernelIf,
    KernelOp,
    Let,
    Load,
    Ref,
    SetLocal,
    Store,
    UpdateCell,
    Variable,
)
from starplat.ir.unnoticed import asked_in, goes_unnoticed, lowered_in
from tests.ir.building import DIST, NBR, V, array, binary, for_neighbors, kernel, number

DEPTH, OTHER = Variable("depth", Element.INT), Variable("other", Element.INT)
HERE, LATER = Load(DIST, Ref(NBR)), Variable("later", Element.INT)
OUT = array("out", Element.INT)


def plus(offset: int, variable: Variable = DEPTH) -> Expression:
    return binary("+", Ref(variable), number(offset)) if offset >= 0 else binary("-", Ref(variable), number(-offset))


def lowering(condition: Expression, value: Expression, *ahead: KernelOp) -> Kernel:
    return kernel(for_neighbors(*ahead, KernelIf(condition, (Store(DIST, Ref(NBR), value, shared=True),), ())))


def asking(condition: Expression) -> Kernel:
    return kernel(for_neighbors(KernelIf(condition, (Store(OUT, Ref(V), number(1)),), ())))


lowers = lowering(binary("<", plus(1), HERE), plus(1))


@pytest.mark.parametrize(
    "kernel",
    [
        lowers,
        lowering(binary(">", HERE, plus(1)), plus(1)),
        lowering(binary("<", Ref(LATER), HERE), Ref(LATER), Let(LATER, plus(1))),
        lowering(binary("&&", binary("==", Load(OUT, Ref(V)), number(0)), binary("<", plus(1), HERE)), plus(1)),
        kernel(for_neighbors(UpdateCell(Combine.MIN, DIST, Ref(NBR), plus(1), shared=True))),
        kernel(for_neighbors(ExtremeCell(Combine.MIN, DIST, Ref(NBR), plus(1), (), True))),
    ],
)
def test_cells_that_held_more_are_lowered_to_one_number(kernel: Kernel) -> None:
    assert lowered_in(kernel)[DIST] == (DEPTH, 1)


@pytest.mark.parametrize(
    "kernel",
    [
        lowering(binary("<", plus(0), HERE), plus(1)),  # held more than another number
        lowering(binary("<=", plus(1), HERE), plus(1)),
        lowering(binary(">", plus(1), HERE), plus(1)),
        lowering(binary("<", plus(1), Load(DIST, Ref(V))), plus(1)),  # another cell
        lowering(binary("<", plus(1), Load(OUT, Ref(NBR))), plus(1)),  # of another array
        lowering(binary("||", binary("<", plus(1), HERE), binary("==", HERE, number(7))), plus(1)),
        lowering(binary("<", Ref(LATER), HERE), Ref(LATER), Let(LATER, plus(1)), SetLocal(LATER, plus(-4))),
        lowering(binary("<", Load(OUT, Ref(V)), HERE), Load(OUT, Ref(V))),  # each iteration has its own
        kernel(for_neighbors(ExtremeCell(Combine.MAX, DIST, Ref(NBR), plus(1), (), True))),
        kernel(
            for_neighbors(ExtremeCell(Combine.MIN, OUT, Ref(NBR), plus(1), (Carry(DIST, Ref(NBR), plus(1)),), True))
        ),
        kernel(for_neighbors(UpdateCell(Combine.ADD, DIST, Ref(NBR), plus(1), shared=True))),
        kernel(
            for_neighbors(
                UpdateCell(Combine.MIN, DIST, Ref(NBR), plus(1), shared=True),
                UpdateCell(Combine.MIN, DIST, Ref(V), plus(2), shared=True),
            )
        ),
        kernel(KernelIf(binary("<", plus(1), HERE), (for_neighbors(Store(DIST, Ref(NBR), plus(1))),), ())),
        kernel(
            for_neighbors(
                Let(LATER, CallFunction("helper", (DIST, Ref(NBR)), Element.INT)),
                UpdateCell(Combine.MIN, DIST, Ref(NBR), plus(1), shared=True),
            )
        ),
    ],
)
def test_other_writes_are_not_taken_for_that(kernel: Kernel) -> None:
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
        (binary("==", Load(OUT, HERE), number(0)), False),
    ],
)
def test_who_only_asks_for_a_smaller_number_does_not_notice(condition: Expression, unnoticed: bool) -> None:
    asked = asked_in(asking(condition)).get(DIST)
    assert (asked is not None and goes_unnoticed(lowered_in(lowers)[DIST], asked)) is unnoticed
    disturbed = any(
        a.disturbs(b)
        for a in kernel_accesses(lowers)
        for b in kernel_accesses(asking(condition))
        if a.array == b.array == DIST
    )
    assert disturbed is not unnoticed


def test_nothing_is_said_by_variables_that_may_be_anything() -> None:
    for access in kernel_accesses(lowers):
        if access.array == DIST and access.writes:
            assert access.in_terms_of(frozenset({DEPTH})).lowered == (DEPTH, 1)
            assert access.in_terms_of(frozenset({OTHER})).lowered is None
