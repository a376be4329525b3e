"""Operator precedence of C-like languages, and the operators that are bracketed all the same."""

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
