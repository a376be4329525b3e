"""What is known of conditions on the host: true, false, or not known."""

from __future__ import annotations

from starplat.ir.nodes import Binary, BinaryOperator, Const, Element, Expression, Ref, Unary, UnaryOperator, Variable

Truths = dict[Variable, bool | None]
"""What is known of variables; those that are not there are not known."""


def truth(expression: Expression, known: Truths) -> bool | None:
    """The value of a BOOL, if it follows from what is known; None else, and for other types."""
    match expression:
        case Const(bool() as constant, Element.BOOL):
            return constant
        case Ref(variable):
            return known.get(variable)
        case Unary(UnaryOperator.NOT, operand):
            value = truth(operand, known)
            return None if value is None else not value
        case Binary(BinaryOperator.AND, left, right):
            return _combined(truth(left, known), truth(right, known), False)
        case Binary(BinaryOperator.OR, left, right):
            return _combined(truth(left, known), truth(right, known), True)
        case Binary(BinaryOperator.EQUAL, left, right) if left.element is Element.BOOL:
            return _same(truth(left, known), truth(right, known))
        case Binary(BinaryOperator.NOT_EQUAL, left, right) if left.element is Element.BOOL:
            same = _same(truth(left, known), truth(right, known))
            return None if same is None else not same
        case _:
            return None


def _combined(left: bool | None, right: bool | None, decides: bool) -> bool | None:
    if left is decides or right is decides:
        return decides
    return None if left is None or right is None else not decides


def _same(left: bool | None, right: bool | None) -> bool | None:
    return None if left is None or right is None else left is right
