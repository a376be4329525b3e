"""Prints assignments in a C-like language: `x = y`, or shorter where the value begins with `x`."""

from starplat.backends.c import precedence
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.ir import nodes as ir

_WITH_OWN_ASSIGNMENT = (ir.Combine.ADD, ir.Combine.MULTIPLY, ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR)

_ASSIGNED = (
    ir.BinaryOperator.ADD,
    ir.BinaryOperator.SUBTRACT,
    ir.BinaryOperator.MULTIPLY,
    ir.BinaryOperator.DIVIDE,
    ir.BinaryOperator.REMAINDER,
    ir.BinaryOperator.BIT_AND,
    ir.BinaryOperator.BIT_OR,
    ir.BinaryOperator.BIT_XOR,
)


def assignment_text(expressions: ExpressionPrinter, variable: ir.Variable, value: ir.Expression) -> str:
    """`x = value`, or `x += …` where the value begins with what the variable was."""
    place, _ = expressions.place(variable)
    if isinstance(value, ir.Binary) and value.left == ir.Ref(variable) and value.operator in _ASSIGNED:
        wraps = value.operator is ir.BinaryOperator.MULTIPLY and not value.element.is_real
        taken = _taken_away(ir.Combine.ADD, value.right) if value.operator is ir.BinaryOperator.ADD else None
        if taken is not None:
            return f"{place} -= {expressions.expression(taken)}"
        if not wraps:
            return f"{place} {value.operator.value}= {expressions.expression(value.right)}"
    return f"{place} = {expressions.expression(value)}"


def step_text(expressions: ExpressionPrinter, variable: ir.Variable, value: ir.Expression) -> str:
    """As `assignment_text`, with `x++` and `x--` where they do."""
    place, strength = expressions.place(variable)
    text = assignment_text(expressions, variable, value)
    short = {f"{place} += 1": f"{place}++", f"{place} -= 1": f"{place}--"}
    return short.get(text, text) if strength == precedence.POSTFIX else text


def combination_text(
    expressions: ExpressionPrinter, combine: ir.Combine, cell: ir.Array | ir.Ref, place: str, value: ir.Expression
) -> str:
    """`place = place combine value`, shorter where there is an operator for it."""
    if (taken := _taken_away(combine, value)) is not None:
        return f"{place} -= {expressions.expression(taken)}"
    if combine in _WITH_OWN_ASSIGNMENT:
        return f"{place} {combine.value}= {expressions.expression(value)}"
    if combine in (ir.Combine.MIN, ir.Combine.MAX):
        right = expressions.typed(value, cell.element)
    else:
        right = expressions.at(precedence.SUM, value)
    return f"{place} = {expressions.combined(combine, place, right, cell.element)}"


def _taken_away(combine: ir.Combine, value: ir.Expression) -> ir.Expression | None:
    """What a sum with `value` subtracts, if it does."""
    match combine, precedence.without_widening(value):
        case ir.Combine.ADD, ir.Unary(ir.UnaryOperator.NEGATE, operand):
            return operand
        case ir.Combine.ADD, ir.Const(int() as number, element) if (
            element.is_integer and ir.limits(element)[0] < number < 0
        ):
            return ir.Const(-number, element)
    return None
