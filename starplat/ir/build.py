"""Builds the expressions that every step needs: comparisons, sums, and the constants 0, 1, true and false."""

from functools import reduce

from starplat.ir import nodes as ir

TRUE, FALSE = ir.Const(True, ir.Element.BOOL), ir.Const(False, ir.Element.BOOL)
ZERO, ONE = ir.Const(0, ir.Element.INT), ir.Const(1, ir.Element.INT)


def number(value: int) -> ir.Const:
    """An `int`."""
    return ir.Const(value, ir.Element.INT)


def compared(operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """A comparison, or two conditions joined."""
    return ir.Binary(operator, left, right, ir.Element.BOOL)


def equal(left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left == right`."""
    return compared(ir.BinaryOperator.EQUAL, left, right)


def differs(left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left != right`."""
    return compared(ir.BinaryOperator.NOT_EQUAL, left, right)


def less(left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left < right`."""
    return compared(ir.BinaryOperator.LESS, left, right)


def greater(left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left > right`."""
    return compared(ir.BinaryOperator.GREATER, left, right)


def at_least(left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left >= right`."""
    return compared(ir.BinaryOperator.GREATER_EQUAL, left, right)


def at_most(left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left <= right`."""
    return compared(ir.BinaryOperator.LESS_EQUAL, left, right)


def beyond(extreme: ir.Combine, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left < right` where the least wins (MIN), `left > right` where the greatest does (MAX)."""
    return less(left, right) if extreme is ir.Combine.MIN else greater(left, right)


def both(*conditions: ir.Expression) -> ir.Expression:
    """`a && b`, of any number of conditions but none, in their order."""
    return reduce(lambda left, right: compared(ir.BinaryOperator.AND, left, right), conditions)


def either(left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left || right`."""
    return compared(ir.BinaryOperator.OR, left, right)


def denied(condition: ir.Expression) -> ir.Unary:
    """`!condition`."""
    return ir.Unary(ir.UnaryOperator.NOT, condition)


def plus(left: ir.Expression, right: ir.Expression, element: ir.Element | None = None) -> ir.Binary:
    """`left + right`, of the type of `left` unless `element` says otherwise, as in all that follow."""
    return ir.Binary(ir.BinaryOperator.ADD, left, right, element or left.element)


def minus(left: ir.Expression, right: ir.Expression, element: ir.Element | None = None) -> ir.Binary:
    """`left - right`."""
    return ir.Binary(ir.BinaryOperator.SUBTRACT, left, right, element or left.element)


def times(left: ir.Expression, right: ir.Expression, element: ir.Element | None = None) -> ir.Binary:
    """`left * right`."""
    return ir.Binary(ir.BinaryOperator.MULTIPLY, left, right, element or left.element)


def divided(left: ir.Expression, right: ir.Expression, element: ir.Element | None = None) -> ir.Binary:
    """`left / right`."""
    return ir.Binary(ir.BinaryOperator.DIVIDE, left, right, element or left.element)
