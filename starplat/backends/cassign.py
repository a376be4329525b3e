"""How an assignment is written in a C-like language: `x = y`, or shorter where it begins with what `x` was."""

from __future__ import annotations

from starplat.backends.cexpr import ExpressionPrinter
from starplat.backends.precedence import POSTFIX, SUM
from starplat.backends.widths import without_widening
from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Expression,
    Ref,
    Unary,
    UnaryOperator,
    Variable,
    limits,
)

_WITH_OWN_ASSIGNMENT = (Combine.ADD, Combine.MULTIPLY, Combine.BIT_AND, Combine.BIT_OR, Combine.BIT_XOR)

_ASSIGNED = (
    BinaryOperator.ADD,
    BinaryOperator.SUBTRACT,
    BinaryOperator.MULTIPLY,
    BinaryOperator.DIVIDE,
    BinaryOperator.REMAINDER,
    BinaryOperator.BIT_AND,
    BinaryOperator.BIT_OR,
    BinaryOperator.BIT_XOR,
)


def assignment_text(expressions: ExpressionPrinter, variable: Variable, value: Expression) -> str:
    """`x = value`, or `x += …` where the value begins with what the variable was."""
    place, _ = expressions.place(variable)
    if isinstance(value, Binary) and value.left == Ref(variable) and value.operator in _ASSIGNED:
        wraps = value.operator is BinaryOperator.MULTIPLY and not value.element.is_real
        taken = _taken_away(Combine.ADD, value.right) if value.operator is BinaryOperator.ADD else None
        if taken is not None:
            return f"{place} -= {expressions.expression(taken)}"
        if not wraps:
            return f"{place} {value.operator.value}= {expressions.expression(value.right)}"
    return f"{place} = {expressions.expression(value)}"


def step_text(expressions: ExpressionPrinter, variable: Variable, value: Expression) -> str:
    """As `assignment_text`, with `x++` and `x--` where they do."""
    place, strength = expressions.place(variable)
    text = assignment_text(expressions, variable, value)
    short = {f"{place} += 1": f"{place}++", f"{place} -= 1": f"{place}--"}
    return short.get(text, text) if strength == POSTFIX else text


def combination_text(
    expressions: ExpressionPrinter, combine: Combine, cell: Array | Ref, place: str, value: Expression
) -> str:
    """`place = place combine value`, shorter where there is an operator for it."""
    taken = _taken_away(combine, value)
    if taken is not None:
        return f"{place} -= {expressions.expression(taken)}"
    if combine in _WITH_OWN_ASSIGNMENT:
        return f"{place} {combine.value}= {expressions.expression(value)}"
    if combine in (Combine.MIN, Combine.MAX):
        right = expressions.typed(value, cell.element)
    else:
        right = expressions.at(SUM, value)
    return f"{place} = {expressions.combined(combine, place, right, cell.element)}"


def _taken_away(combine: Combine, value: Expression) -> Expression | None:
    """What a sum with `value` subtracts, if it does."""
    match combine, without_widening(value):
        case Combine.ADD, Unary(UnaryOperator.NEGATE, operand):
            return operand
        case Combine.ADD, Const(int() as number, element) if element.is_integer and limits(element)[0] < number < 0:
            return Const(-number, element)
        case _:
            return None
