"""Tests whether what a node sends is monotone in its own cell: a lower cell never sends a higher value."""

from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_expression

_WIDE = (ir.Element.LONG, ir.Element.ARC)
_UPWARD = (ir.BinaryOperator.GREATER, ir.BinaryOperator.GREATER_EQUAL)
_DOWNWARD = (ir.BinaryOperator.LESS, ir.BinaryOperator.LESS_EQUAL)


def falls_with(value: ir.Expression, cell: ir.Load) -> bool:
    """Whether the value never rises when the cell falls, and never falls when it rises."""
    if value == cell or not _mentions(value, cell):
        return True
    match value:
        case ir.Binary(ir.BinaryOperator.ADD | ir.BinaryOperator.ADD_INF, left, right):
            return falls_with(left, cell) and falls_with(right, cell)
        case ir.Binary(ir.BinaryOperator.SUBTRACT, left, right):
            return falls_with(left, cell) and not _mentions(right, cell)
        case ir.Binary(ir.BinaryOperator.MULTIPLY, inner, ir.Const(int() | float() as factor)) | ir.Binary(
            ir.BinaryOperator.MULTIPLY, ir.Const(int() | float() as factor), inner
        ):
            return factor >= 0 and falls_with(inner, cell)
        case ir.Apply(ir.MathFunction.MIN | ir.MathFunction.MAX, arguments):
            return all(falls_with(argument, cell) for argument in arguments)
        case ir.Cast(operand, element):
            narrow = operand.element in _WIDE and not element.is_real and element not in _WIDE
            return not narrow and element is not ir.Element.BOOL and falls_with(operand, cell)
        case ir.Select(condition, then, otherwise):
            return not _mentions(condition, cell) and falls_with(then, cell) and falls_with(otherwise, cell)
        case _:
            return False


def keeps_holding(condition: ir.Expression, cell: ir.Load, extreme: ir.Combine) -> bool:
    """Whether a condition that held still holds after the cell moved in the extreme's direction."""
    if not _mentions(condition, cell):
        return True
    falls = extreme is ir.Combine.MIN
    match condition:
        case ir.Binary(operator, left, right) if cell in (left, right):
            other = right if left == cell else left
            if operator is ir.BinaryOperator.NOT_EQUAL:
                return falls and other == ir.infinity(cell.element)
            allowed = _DOWNWARD if falls is (left == cell) else _UPWARD
            return operator in allowed and not _mentions(other, cell)
        case _:
            return False


def _mentions(expression: ir.Expression, cell: ir.Load) -> bool:
    return any(part == cell for part in walk_expression(expression))
