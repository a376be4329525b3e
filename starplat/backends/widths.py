"""Which conversions an expression in a C-like language can do without, and whether its text has 64 bits."""

from __future__ import annotations

from starplat.ir.nodes import (
    IN_ROW_OFFSETS,
    ROW_OFFSETS,
    Binary,
    BinaryOperator,
    Cast,
    Const,
    Element,
    Expression,
    Load,
    NumArcs,
    Select,
    Unary,
)

_NARROWER = (Element.INT, Element.NODE, Element.ARC)


def without_widening(expression: Expression) -> Expression:
    """The expression as it is before a conversion to 64 bits that leaves its value alone."""
    match expression:
        case Cast(operand, Element.LONG, keeps_inf=False) if operand.element in _NARROWER:
            return operand
        case _:
            return expression


def without_narrowing(expression: Expression) -> Expression:
    """The expression as it is before the conversion that makes a degree, a difference of arc numbers, an INT."""
    match expression:
        case Cast(Binary(BinaryOperator.SUBTRACT, Load(after), Load(before)) as degree, Element.INT) if (
            after == before and after in (ROW_OFFSETS, IN_ROW_OFFSETS)
        ):
            return degree
        case _:
            return expression


def without_cast(expression: Expression) -> Expression:
    """The expression without conversions that its text may leave to whoever takes it."""
    return without_narrowing(without_widening(expression))


def is_long(expression: Expression) -> bool:
    """Whether the printed text surely has the 64-bit type."""
    match expression:
        case NumArcs():
            return False
        case Unary(_, operand):
            return is_long(operand)
        case Select(_, then, otherwise):
            return is_long(then) or is_long(otherwise)
        case _:
            return expression.element is Element.LONG


def is_plainly_long(expression: Expression) -> bool:
    """Whether the printed text has the 64-bit type by nature, not by a conversion or a suffix."""
    return not isinstance(expression, Const | Cast) and is_long(expression)
