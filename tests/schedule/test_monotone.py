"""Module `monotone`: whether a condition on a cell goes on to hold as the cell falls or rises."""

from __future__ import annotations

import pytest

from starplat.ir import nodes as ir
from starplat.ir.rewriter import map_expression
from starplat.schedule.direction.monotone import keeps_holding

CELL = ir.Load(
    ir.Array("dist", ir.Element.INT, ir.Extent.NODES, ir.Origin.PARAMETER), ir.Ref(ir.Variable("v", ir.Element.NODE))
)
OTHER = ir.Ref(ir.Variable("other", ir.Element.INT))


def number(value: int) -> ir.Const:
    return ir.Const(value, ir.Element.INT)


def of(
    operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression, element: ir.Element = ir.Element.INT
) -> ir.Binary:
    return ir.Binary(operator, left, right, element)


SIGNS = {
    ir.BinaryOperator.LESS: ir.Combine.MIN,
    ir.BinaryOperator.LESS_EQUAL: ir.Combine.MIN,
    ir.BinaryOperator.GREATER: ir.Combine.MAX,
    ir.BinaryOperator.GREATER_EQUAL: ir.Combine.MAX,
}


@pytest.mark.parametrize("operator", SIGNS)
def test_a_condition_keeps_holding_the_way_the_cell_goes(operator: ir.BinaryOperator) -> None:
    asked = of(operator, CELL, OTHER, ir.Element.BOOL)
    turned = map_expression(lambda e: OTHER if e == CELL else CELL if e == OTHER else e, asked)
    for extreme in (ir.Combine.MIN, ir.Combine.MAX):
        assert keeps_holding(asked, CELL, extreme) is (extreme is SIGNS[operator])
        assert keeps_holding(turned, CELL, extreme) is not (extreme is SIGNS[operator])


def test_whether_there_is_a_value_keeps_holding_downward_only() -> None:
    asked = of(ir.BinaryOperator.NOT_EQUAL, CELL, ir.infinity(ir.Element.INT), ir.Element.BOOL)
    assert keeps_holding(asked, CELL, ir.Combine.MIN)
    assert not keeps_holding(asked, CELL, ir.Combine.MAX)
    assert not keeps_holding(of(ir.BinaryOperator.NOT_EQUAL, CELL, number(3), ir.Element.BOOL), CELL, ir.Combine.MIN)
    assert not keeps_holding(of(ir.BinaryOperator.EQUAL, CELL, OTHER, ir.Element.BOOL), CELL, ir.Combine.MIN)
