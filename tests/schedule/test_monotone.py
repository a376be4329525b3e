"""Module `monotone`: whether lower cells tell lower values."""

from __future__ import annotations

from itertools import product

import pytest

from starplat.ir.nodes import (
    Apply,
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Combine,
    Const,
    Element,
    Expression,
    Extent,
    Load,
    MathFunction,
    Origin,
    Ref,
    Select,
    Variable,
    infinity,
)
from starplat.ir.rewriter import map_expression
from starplat.schedule.monotone import falls_with, keeps_holding

CELL = Load(Array("dist", Element.INT, Extent.NODES, Origin.PARAMETER), Ref(Variable("v", Element.NODE)))
OTHER = Ref(Variable("other", Element.INT))
VALUES = (-7, -1, 0, 1, 2, 5, 40)


def number(value: int) -> Const:
    return Const(value, Element.INT)


def of(operator: BinaryOperator, left: Expression, right: Expression, element: Element = Element.INT) -> Binary:
    return Binary(operator, left, right, element)


def apply(function: MathFunction, *arguments: Expression) -> Apply:
    return Apply(function, arguments, Element.INT)


def evaluated(expression: Expression, cell: int, other: int) -> int:
    """By Python, of what these tests are made of."""
    match expression:
        case Const(value):
            return int(value)
        case Load():
            return cell
        case Ref():
            return other
        case Cast(operand):
            return evaluated(operand, cell, other)
        case Apply(function, arguments):
            found = [evaluated(argument, cell, other) for argument in arguments]
            return {"min": min, "max": max, "abs": lambda row: abs(row[0])}[function.value](found)
        case Select(condition, then, otherwise):
            return evaluated(then if evaluated(condition, cell, other) else otherwise, cell, other)
        case Binary(operator, left, right):
            one, two = evaluated(left, cell, other), evaluated(right, cell, other)
            return int(eval(f"one {operator.value.removesuffix('inf')} two", {"one": one, "two": two}))
        case _:
            raise AssertionError(expression)


FALLS = {
    "itself": CELL,
    "a sum": of(BinaryOperator.ADD_INF, CELL, OTHER),
    "twice": of(BinaryOperator.ADD, CELL, CELL),
    "less": of(BinaryOperator.SUBTRACT, CELL, OTHER),
    "three times": of(BinaryOperator.MULTIPLY, number(3), CELL),
    "at least": apply(MathFunction.MAX, CELL, OTHER),
    "at most, of a wider type": Cast(apply(MathFunction.MIN, OTHER, CELL), Element.LONG),
    "one way or the other": Select(
        of(BinaryOperator.LESS, OTHER, number(1), Element.BOOL), CELL, of(BinaryOperator.ADD, CELL, number(9))
    ),
    "something else": of(BinaryOperator.REMAINDER, OTHER, number(5)),
}
MAY_RISE = {
    "taken away": of(BinaryOperator.SUBTRACT, number(9), CELL),
    "times what may be below zero": of(BinaryOperator.MULTIPLY, CELL, OTHER),
    "times what is below zero": of(BinaryOperator.MULTIPLY, CELL, number(-2)),
    "what is left": of(BinaryOperator.REMAINDER, CELL, number(5)),
    "without its sign": apply(MathFunction.ABS, CELL),
    "by itself": Select(of(BinaryOperator.LESS, CELL, number(1), Element.BOOL), number(9), number(3)),
    "a sum with it": of(BinaryOperator.ADD, CELL, of(BinaryOperator.SUBTRACT, number(0), CELL)),
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
    wide = Load(Array("far", Element.LONG, Extent.NODES, Origin.PARAMETER), CELL.index)
    assert not falls_with(Cast(wide, Element.INT), wide)
    assert falls_with(Cast(wide, Element.DOUBLE), wide)


SIGNS = {
    BinaryOperator.LESS: Combine.MIN,
    BinaryOperator.LESS_EQUAL: Combine.MIN,
    BinaryOperator.GREATER: Combine.MAX,
    BinaryOperator.GREATER_EQUAL: Combine.MAX,
}


@pytest.mark.parametrize("operator", SIGNS)
def test_a_condition_keeps_holding_the_way_the_cell_goes(operator: BinaryOperator) -> None:
    asked = of(operator, CELL, OTHER, Element.BOOL)
    turned = map_expression(lambda e: OTHER if e == CELL else CELL if e == OTHER else e, asked)
    for extreme in (Combine.MIN, Combine.MAX):
        assert keeps_holding(asked, CELL, extreme) is (extreme is SIGNS[operator])
        assert keeps_holding(turned, CELL, extreme) is not (extreme is SIGNS[operator])


def test_whether_there_is_a_value_keeps_holding_downward_only() -> None:
    asked = of(BinaryOperator.NOT_EQUAL, CELL, infinity(Element.INT), Element.BOOL)
    assert keeps_holding(asked, CELL, Combine.MIN)
    assert not keeps_holding(asked, CELL, Combine.MAX)
    assert not keeps_holding(of(BinaryOperator.NOT_EQUAL, CELL, number(3), Element.BOOL), CELL, Combine.MIN)
    assert not keeps_holding(of(BinaryOperator.EQUAL, CELL, OTHER, Element.BOOL), CELL, Combine.MIN)
