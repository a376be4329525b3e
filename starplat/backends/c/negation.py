"""Prints the opposite of a condition in few words."""

from starplat.ir import build
from starplat.ir import nodes as ir


def negated(condition: ir.Expression) -> ir.Expression:
    """The opposite of a BOOL; comparisons of reals are not turned round, because of NaN."""
    match condition:
        case ir.Unary(ir.UnaryOperator.NOT, operand):
            return operand
        case ir.Const(value, ir.Element.BOOL):
            return ir.Const(not value, ir.Element.BOOL)
        case ir.Binary(operator, left, right) if operator in _OPPOSITE and (
            operator in _EQUALITY or not left.element.is_real
        ):
            return build.compared(_OPPOSITE[operator], left, right)
        case _:
            return build.denied(condition)


_EQUALITY = (ir.BinaryOperator.EQUAL, ir.BinaryOperator.NOT_EQUAL)
_OPPOSITE = {
    ir.BinaryOperator.EQUAL: ir.BinaryOperator.NOT_EQUAL,
    ir.BinaryOperator.NOT_EQUAL: ir.BinaryOperator.EQUAL,
    ir.BinaryOperator.LESS: ir.BinaryOperator.GREATER_EQUAL,
    ir.BinaryOperator.GREATER_EQUAL: ir.BinaryOperator.LESS,
    ir.BinaryOperator.GREATER: ir.BinaryOperator.LESS_EQUAL,
    ir.BinaryOperator.LESS_EQUAL: ir.BinaryOperator.GREATER,
}
