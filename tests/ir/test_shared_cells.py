"""What code does to shared cells is found where it does it, also in functions that it calls."""

from __future__ import annotations

import pytest

from starplat.ir import nodes as ir
from starplat.ir.shared_cells import cells_written, contested_in, locked_in, updated_in, written_in
from starplat.passes.cells import accesses
from tests.ir.building import DIST, MODIFIED, V, array, kernel, module, number

LOCK = array("lock", ir.Element.INT)
HERE = ir.Ref(V)
INSIDE = array("cells", ir.Element.INT)

LOWERED = ir.ExtremeCell(ir.Combine.MIN, DIST, HERE, number(1), (ir.Carry(MODIFIED, HERE, number(0)),), shared=True)
UNDER_LOCK = ir.ExtremeCell(ir.Combine.MIN, DIST, HERE, number(1), (ir.Carry(MODIFIED, HERE, HERE),), True, LOCK)
OPS: dict[str, tuple[ir.KernelOp, set[ir.Array], set[ir.Array], set[ir.Array], set[ir.Array]]] = {
    "a store": (ir.Store(DIST, HERE, number(1)), {DIST}, set(), set(), set()),
    "a private Min": (ir.UpdateCell(ir.Combine.MIN, DIST, HERE, number(1), shared=False), {DIST}, set(), set(), set()),
    "a shared Min": (ir.UpdateCell(ir.Combine.MIN, DIST, HERE, number(1), shared=True), {DIST}, {DIST}, {DIST}, set()),
    "a shared sum": (ir.UpdateCell(ir.Combine.ADD, DIST, HERE, number(1), shared=True), {DIST}, {DIST}, set(), set()),
    "a Min that carries": (LOWERED, {DIST, MODIFIED}, {DIST}, {DIST}, set()),
    "a Min under a lock": (UNDER_LOCK, {DIST, MODIFIED, LOCK}, set(), set(), {DIST, MODIFIED}),
    "a count": (ir.FetchAdd(V, DIST, HERE, number(1)), {DIST}, {DIST}, set(), set()),
    "an exchange": (ir.CompareSwap(V, DIST, HERE, number(0), number(1)), {DIST}, {DIST}, {DIST}, set()),
}


@pytest.mark.parametrize("case", OPS)
def test_what_an_operation_does_to_cells(case: str) -> None:
    op, written, updated, contested, locked = OPS[case]
    whole = module(kernel(op))
    assert written_in((op,), whole) == written
    assert updated_in((op,), whole) == updated
    assert contested_in((op,), whole) == contested
    assert locked_in((op,), whole) == locked


@pytest.mark.parametrize("case", OPS)
def test_passes_see_every_write(case: str) -> None:
    op, written, *_ = OPS[case]
    assert {array for array, _ in cells_written(op)} == written
    assert {access.array for access in accesses((op,)) if access.writes} == written


def test_a_function_does_it_to_the_arrays_that_it_is_given() -> None:
    adds = ir.UpdateCell(ir.Combine.ADD, INSIDE, HERE, number(1), shared=True)
    inner = ir.Function("inner", (ir.Parameter(INSIDE), ir.Parameter(V)), None, (adds,))
    passed_on = ir.KernelCall(ir.CallFunction("inner", (INSIDE, HERE), ir.Element.INT))
    outer = ir.Function("outer", (ir.Parameter(MODIFIED), ir.Parameter(INSIDE), ir.Parameter(V)), None, (passed_on,))
    call = ir.KernelCall(ir.CallFunction("outer", (MODIFIED, DIST, HERE), ir.Element.INT))
    whole = module(kernel(call), helpers=(inner, outer))
    assert updated_in((call,), whole) == written_in((call,), whole) == {DIST}
    assert contested_in((call,), whole) == locked_in((call,), whole) == frozenset()
