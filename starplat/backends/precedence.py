"""How strongly the operators of C-like languages bind, and which are bracketed all the same."""

from __future__ import annotations

from starplat.ir.nodes import BinaryOperator

SELECT, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUALITY, ORDER, SHIFT, SUM, PRODUCT, PREFIX, POSTFIX = range(1, 14)
"""The weakest first; `POSTFIX` is also what needs no brackets at all, such as a name."""

LEVELS = {
    BinaryOperator.ADD: SUM,
    BinaryOperator.SUBTRACT: SUM,
    BinaryOperator.MULTIPLY: PRODUCT,
    BinaryOperator.DIVIDE: PRODUCT,
    BinaryOperator.REMAINDER: PRODUCT,
    BinaryOperator.AND: AND,
    BinaryOperator.OR: OR,
    BinaryOperator.BIT_AND: BIT_AND,
    BinaryOperator.BIT_OR: BIT_OR,
    BinaryOperator.BIT_XOR: BIT_XOR,
    BinaryOperator.SHIFT_LEFT: SHIFT,
    BinaryOperator.EQUAL: EQUALITY,
    BinaryOperator.NOT_EQUAL: EQUALITY,
    BinaryOperator.LESS: ORDER,
    BinaryOperator.LESS_EQUAL: ORDER,
    BinaryOperator.GREATER: ORDER,
    BinaryOperator.GREATER_EQUAL: ORDER,
}

MIXED_NEEDS_BRACKETS = (OR, AND, BIT_OR, BIT_XOR, BIT_AND)
"""Operators whose order few remember: inside each other, and bit operators around anything, they are bracketed."""
