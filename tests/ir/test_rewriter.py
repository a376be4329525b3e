"""Rewriting reaches everything and rebuilds only what changed."""

from __future__ import annotations

from collections.abc import Iterable

from starplat.ir import nodes as ir
from starplat.ir.rewriter import Rewriter, map_expression
from tests.ir.building import DIST, MODIFIED, NEXT, TRUE, binary, number, relax
from tests.ir.test_verify import sssp


def test_mapping_expressions_changes_the_innermost_first() -> None:
    def double(expression: ir.Expression) -> ir.Expression:
        return number(expression.value * 2) if isinstance(expression, ir.Const) else expression

    assert map_expression(double, binary("+", number(1), number(2))) == binary("+", number(2), number(4))


def test_what_does_not_change_is_not_copied() -> None:
    kernel = relax()
    assert Rewriter().kernel_block(kernel.body)[0] is kernel.body[0]
    assert Rewriter().kernel(kernel) is kernel
    host = sssp().functions[0].body
    assert Rewriter().host_block(host) == host


def test_rewriting_renames_replaces_and_removes() -> None:
    class Pass(Rewriter):
        def array(self, array: ir.Array) -> ir.Array:
            return MODIFIED if array == NEXT else array

        def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
            if isinstance(op, ir.Contribute):
                return ()
            return (ir.KernelIf(TRUE, (self.rebuild(op),)),) if isinstance(op, ir.ForNeighbors) else (self.rebuild(op),)

    kernel = Pass().kernel(relax())
    assert len(kernel.body) == 1
    assert isinstance(kernel.body[0], ir.KernelIf)
    assert kernel.arrays == (ir.ROW_OFFSETS, ir.COLUMNS, ir.WEIGHTS, MODIFIED, DIST)
