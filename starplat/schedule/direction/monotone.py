"""Tests whether a condition on a cell goes on to hold as the cell falls (rises)."""

from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_expression

_UPWARD = (ir.BinaryOperator.GREATER, ir.BinaryOperator.GREATER_EQUAL)
_DOWNWARD = (ir.BinaryOperator.LESS, ir.BinaryOperator.LESS_EQUAL)


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
