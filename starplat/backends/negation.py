"""What the opposite of a condition is, in as few words as may be."""

from __future__ import annotations

from starplat.ir.nodes import Binary, BinaryOperator, Const, Element, Expression, Unary, UnaryOperator


def negated(condition: Expression) -> Expression:
    """The opposite of a BOOL; comparisons of reals are not turned round, because of NaN."""
    match condition:
        case Unary(UnaryOperator.NOT, operand):
            return operand
        case Const(value, Element.BOOL):
            return Const(not value, Element.BOOL)
        case Binary(operator, left, right) if operator in _OPPOSITE and (
            operator in _EQUALITY or not left.element.is_real
        ):
            return Binary(_OPPOSITE[operator], left, right, Element.BOOL)
        case _:
            return Unary(UnaryOperator.NOT, condition)


_EQUALITY = (BinaryOperator.EQUAL, BinaryOperator.NOT_EQUAL)
_OPPOSITE = {
    BinaryOperator.EQUAL: BinaryOperator.NOT_EQUAL,
    BinaryOperator.NOT_EQUAL: BinaryOperator.EQUAL,
    BinaryOperator.LESS: BinaryOperator.GREATER_EQUAL,
    BinaryOperator.GREATER_EQUAL: BinaryOperator.LESS,
    BinaryOperator.GREATER: BinaryOperator.LESS_EQUAL,
    BinaryOperator.LESS_EQUAL: BinaryOperator.GREATER,
}
