"""Finds the conversions that an expression in a C-like language can do without, and whether its text has 64 bits."""

from starplat.ir import nodes as ir

_NARROWER = (ir.Element.INT, ir.Element.NODE, ir.Element.ARC)


def without_widening(expression: ir.Expression) -> ir.Expression:
    """The expression as it is before a conversion to 64 bits that leaves its value alone."""
    match expression:
        case ir.Cast(operand, ir.Element.LONG, keeps_inf=False) if operand.element in _NARROWER:
            return operand
        case _:
            return expression


def without_narrowing(expression: ir.Expression) -> ir.Expression:
    """The expression as it is before the conversion that makes a degree, a difference of arc numbers, an INT."""
    match expression:
        case ir.Cast(
            ir.Binary(ir.BinaryOperator.SUBTRACT, ir.Load(after), ir.Load(before)) as degree, ir.Element.INT
        ) if after == before and after in ir.LAYOUTS:
            return degree
        case _:
            return expression


def without_cast(expression: ir.Expression) -> ir.Expression:
    """The expression without conversions that its context makes anyway."""
    return without_narrowing(without_widening(expression))


def is_long(expression: ir.Expression) -> bool:
    """Whether the printed text surely has the 64-bit type."""
    match expression:
        case ir.NumArcs():
            return False
        case ir.Unary(_, operand):
            return is_long(operand)
        case ir.Select(_, then, otherwise):
            return is_long(then) or is_long(otherwise)
        case _:
            return expression.element is ir.Element.LONG


def is_plainly_long(expression: ir.Expression) -> bool:
    """Whether the printed text has the 64-bit type by nature, not by a conversion or a suffix."""
    return not isinstance(expression, ir.Const | ir.Cast) and is_long(expression)
