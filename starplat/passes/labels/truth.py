"""Evaluates host conditions in three values: true, false, unknown."""

from starplat.ir import nodes as ir

Truths = dict[ir.Variable, bool | None]
"""What is known of variables; those that are not there are not known."""


def truth(expression: ir.Expression, known: Truths) -> bool | None:
    """The value of a BOOL, if it follows from what is known; None else, and for other types."""
    match expression:
        case ir.Const(bool() as constant, ir.Element.BOOL):
            return constant
        case ir.Ref(variable):
            return known.get(variable)
        case ir.Unary(ir.UnaryOperator.NOT, operand):
            value = truth(operand, known)
            return None if value is None else not value
        case ir.Binary(ir.BinaryOperator.AND, left, right):
            return _combined(truth(left, known), truth(right, known), False)
        case ir.Binary(ir.BinaryOperator.OR, left, right):
            return _combined(truth(left, known), truth(right, known), True)
        case ir.Binary(ir.BinaryOperator.EQUAL, left, right) if left.element is ir.Element.BOOL:
            return _same(truth(left, known), truth(right, known))
        case ir.Binary(ir.BinaryOperator.NOT_EQUAL, left, right) if left.element is ir.Element.BOOL:
            same = _same(truth(left, known), truth(right, known))
            return None if same is None else not same
        case _:
            return None


def _combined(left: bool | None, right: bool | None, decides: bool) -> bool | None:
    if left is decides or right is decides:
        return decides
    return None if left is None or right is None else not decides


def _same(left: bool | None, right: bool | None) -> bool | None:
    return None if left is None or right is None else left is right
