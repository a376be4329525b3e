"""Operator precedence of C-like languages, and the conversions that an expression can do without."""

from starplat.ir import nodes as ir

SELECT, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUALITY, ORDER, SHIFT, SUM, PRODUCT, PREFIX, POSTFIX = range(1, 14)
"""The weakest first; `POSTFIX` is also a text that needs no brackets, such as a name."""

LEVELS = {
    ir.BinaryOperator.ADD: SUM,
    ir.BinaryOperator.SUBTRACT: SUM,
    ir.BinaryOperator.MULTIPLY: PRODUCT,
    ir.BinaryOperator.DIVIDE: PRODUCT,
    ir.BinaryOperator.REMAINDER: PRODUCT,
    ir.BinaryOperator.AND: AND,
    ir.BinaryOperator.OR: OR,
    ir.BinaryOperator.BIT_AND: BIT_AND,
    ir.BinaryOperator.BIT_OR: BIT_OR,
    ir.BinaryOperator.BIT_XOR: BIT_XOR,
    ir.BinaryOperator.SHIFT_LEFT: SHIFT,
    ir.BinaryOperator.SHIFT_RIGHT: SHIFT,
    ir.BinaryOperator.EQUAL: EQUALITY,
    ir.BinaryOperator.NOT_EQUAL: EQUALITY,
    ir.BinaryOperator.LESS: ORDER,
    ir.BinaryOperator.LESS_EQUAL: ORDER,
    ir.BinaryOperator.GREATER: ORDER,
    ir.BinaryOperator.GREATER_EQUAL: ORDER,
}

MIXED_NEEDS_BRACKETS = (OR, AND, BIT_OR, BIT_XOR, BIT_AND)
"""Operators whose precedence few remember: inside each other, and bit operators around anything, they are bracketed."""


_NARROWER = (ir.Element.INT, ir.Element.NODE, ir.Element.ARC)


def without_widening(expression: ir.Expression) -> ir.Expression:
    """The expression as it is before a conversion to 64 bits that leaves its value alone."""
    match expression:
        case ir.Cast(operand, ir.Element.LONG, keeps_inf=False) if operand.element in _NARROWER:
            return operand
    return expression


def without_narrowing(expression: ir.Expression) -> ir.Expression:
    """The expression as it is before the conversion that makes a degree, a difference of arc numbers, an INT."""
    match expression:
        case ir.Cast(
            ir.Binary(ir.BinaryOperator.SUBTRACT, ir.Load(after), ir.Load(before)) as degree, ir.Element.INT
        ) if after == before and after in ir.LAYOUTS:
            return degree
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
    return expression.element is ir.Element.LONG


def is_plainly_long(expression: ir.Expression) -> bool:
    """Whether the printed text has the 64-bit type by nature, not by a conversion or a suffix."""
    return not isinstance(expression, ir.Const | ir.Cast) and is_long(expression)
