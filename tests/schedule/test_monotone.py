"""Module `monotone`: whether lower cells tell lower values."""

from __future__ import annotations

from itertools import product

import pytest

from starplat.ir import nodes as ir
from starplat.ir.rewriter import map_expression
from starplat.schedule.direction.monotone import falls_with, keeps_holding

CELL = ir.Load(
    ir.Array("dist", ir.Element.INT, ir.Extent.NODES, ir.Origin.PARAMETER), ir.Ref(ir.Variable("v", ir.Element.NODE))
)
OTHER = ir.Ref(ir.Variable("other", ir.Element.INT))
VALUES = (-7, -1, 0, 1, 2, 5, 40)


def number(value: int) -> ir.Const:
    return ir.Const(value, ir.Element.INT)


def of(
    operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression, element: ir.Element = ir.Element.INT
) -> ir.Binary:
    return ir.Binary(operator, left, right, element)


def apply(function: ir.MathFunction, *arguments: ir.Expression) -> ir.Apply:
    return ir.Apply(function, arguments, ir.Element.INT)


def evaluated(expression: ir.Expression, cell: int, other: int) -> int:
    """By Python, of what these tests are made of."""
    match expression:
        case ir.Const(value):
            return int(value)
        case ir.Load():
            return cell
        case ir.Ref():
            return other
        case ir.Cast(operand):
            return evaluated(operand, cell, other)
        case ir.Apply(function, arguments):
            found = [evaluated(argument, cell, other) for argument in arguments]
            return {"min": min, "max": max, "abs": lambda row: abs(row[0])}[function.value](found)
        case ir.Select(condition, then, otherwise):
            return evaluated(then if evaluated(condition, cell, other) else otherwise, cell, other)
        case ir.Binary(operator, left, right):
            one, two = evaluated(left, cell, other), evaluated(right, cell, other)
            return int(eval(f"one {operator.value.removesuffix('inf')} two", {"one": one, "two": two}))
        case _:
            raise AssertionError(expression)


FALLS = {
    "itself": CELL,
    "a sum": of(ir.BinaryOperator.ADD_INF, CELL, OTHER),
    "twice": of(ir.BinaryOperator.ADD, CELL, CELL),
    "less": of(ir.BinaryOperator.SUBTRACT, CELL, OTHER),
    "three times": of(ir.BinaryOperator.MULTIPLY, number(3), CELL),
    "at least": apply(ir.MathFunction.MAX, CELL, OTHER),
    "at most, of a wider type": ir.Cast(apply(ir.MathFunction.MIN, OTHER, CELL), ir.Element.LONG),
    "one way or the other": ir.Select(
        of(ir.BinaryOperator.LESS, OTHER, number(1), ir.Element.BOOL), CELL, of(ir.BinaryOperator.ADD, CELL, number(9))
    ),
    "something else": of(ir.BinaryOperator.REMAINDER, OTHER, number(5)),
}
MAY_RISE = {
    "taken away": of(ir.BinaryOperator.SUBTRACT, number(9), CELL),
    "times what may be below zero": of(ir.BinaryOperator.MULTIPLY, CELL, OTHER),
    "times what is below zero": of(ir.BinaryOperator.MULTIPLY, CELL, number(-2)),
    "what is left": of(ir.BinaryOperator.REMAINDER, CELL, number(5)),
    "without its sign": apply(ir.MathFunction.ABS, CELL),
    "by itself": ir.Select(of(ir.BinaryOperator.LESS, CELL, number(1), ir.Element.BOOL), number(9), number(3)),
    "a sum with it": of(ir.BinaryOperator.ADD, CELL, of(ir.BinaryOperator.SUBTRACT, number(0), CELL)),
}


@pytest.mark.parametrize("name", FALLS)
def test_what_falls_with_the_cell_does(name: str) -> None:
    assert falls_with(FALLS[name], CELL)
    for low, high, other in product(VALUES, VALUES, VALUES):
        if low <= high and not (other < 0 and "%" in str(FALLS[name])):
            assert evaluated(FALLS[name], low, other) <= evaluated(FALLS[name], high, other)


@pytest.mark.parametrize("name", MAY_RISE)
def test_what_may_rise_is_told_from_it(name: str) -> None:
    assert not falls_with(MAY_RISE[name], CELL)


def test_a_narrower_type_may_wrap_around() -> None:
    wide = ir.Load(ir.Array("far", ir.Element.LONG, ir.Extent.NODES, ir.Origin.PARAMETER), CELL.index)
    assert not falls_with(ir.Cast(wide, ir.Element.INT), wide)
    assert falls_with(ir.Cast(wide, ir.Element.DOUBLE), wide)


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
