"""Whether what a node tells goes the way of the node's own cell: a lower cell never tells a higher value."""

from __future__ import annotations

from starplat.ir.nodes import (
    Apply,
    Binary,
    BinaryOperator,
    Cast,
    Combine,
    Const,
    Element,
    Expression,
    Load,
    MathFunction,
    Select,
    infinity,
)
from starplat.ir.visitor import walk_expression

_WIDE = (Element.LONG, Element.ARC)
_UPWARD = (BinaryOperator.GREATER, BinaryOperator.GREATER_EQUAL)
_DOWNWARD = (BinaryOperator.LESS, BinaryOperator.LESS_EQUAL)


def falls_with(value: Expression, cell: Load) -> bool:
    """Whether the value never rises when the cell falls, and never falls when it rises."""
    if value == cell or not _mentions(value, cell):
        return True
    match value:
        case Binary(BinaryOperator.ADD | BinaryOperator.ADD_INF, left, right):
            return falls_with(left, cell) and falls_with(right, cell)
        case Binary(BinaryOperator.SUBTRACT, left, right):
            return falls_with(left, cell) and not _mentions(right, cell)
        case Binary(BinaryOperator.MULTIPLY, inner, Const(int() | float() as factor)) | Binary(
            BinaryOperator.MULTIPLY, Const(int() | float() as factor), inner
        ):
            return factor >= 0 and falls_with(inner, cell)
        case Apply(MathFunction.MIN | MathFunction.MAX, arguments):
            return all(falls_with(argument, cell) for argument in arguments)
        case Cast(operand, element):
            narrow = operand.element in _WIDE and not element.is_real and element not in _WIDE
            return not narrow and element is not Element.BOOL and falls_with(operand, cell)
        case Select(condition, then, otherwise):
            return not _mentions(condition, cell) and falls_with(then, cell) and falls_with(otherwise, cell)
        case _:
            return False


def keeps_holding(condition: Expression, cell: Load, extreme: Combine) -> bool:
    """Whether a condition that held still does after the cell went where the extreme lets it go."""
    if not _mentions(condition, cell):
        return True
    falls = extreme is Combine.MIN
    match condition:
        case Binary(operator, left, right) if left == cell and not _mentions(right, cell):
            if operator is BinaryOperator.NOT_EQUAL:
                return falls and right == infinity(cell.element)
            return operator in (_DOWNWARD if falls else _UPWARD)
        case Binary(operator, left, right) if right == cell and not _mentions(left, cell):
            if operator is BinaryOperator.NOT_EQUAL:
                return falls and left == infinity(cell.element)
            return operator in (_UPWARD if falls else _DOWNWARD)
        case _:
            return False


def _mentions(expression: Expression, cell: Load) -> bool:
    return any(part == cell for part in walk_expression(expression))
