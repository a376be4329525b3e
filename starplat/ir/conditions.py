"""Conjunctions, disjunctions and negations: taken apart and put together."""

from collections.abc import Iterable, Iterator

from starplat.ir import build, nodes as ir

_EQUALITY = (ir.BinaryOperator.EQUAL, ir.BinaryOperator.NOT_EQUAL)
_OPPOSITE = {
    ir.BinaryOperator.EQUAL: ir.BinaryOperator.NOT_EQUAL,
    ir.BinaryOperator.NOT_EQUAL: ir.BinaryOperator.EQUAL,
    ir.BinaryOperator.LESS: ir.BinaryOperator.GREATER_EQUAL,
    ir.BinaryOperator.GREATER_EQUAL: ir.BinaryOperator.LESS,
    ir.BinaryOperator.GREATER: ir.BinaryOperator.LESS_EQUAL,
    ir.BinaryOperator.LESS_EQUAL: ir.BinaryOperator.GREATER,
}


def conjuncts(condition: ir.Expression) -> Iterator[ir.Expression]:
    """The conditions that all hold if this one does."""
    return _joined_by(ir.BinaryOperator.AND, condition)


def disjuncts(condition: ir.Expression) -> Iterator[ir.Expression]:
    """The conditions one of which holds if this one does."""
    return _joined_by(ir.BinaryOperator.OR, condition)


def _joined_by(wanted: ir.BinaryOperator, condition: ir.Expression) -> Iterator[ir.Expression]:
    match condition:
        case ir.Binary(found, left, right) if found is wanted:
            yield from _joined_by(wanted, left)
            yield from _joined_by(wanted, right)
        case _:
            yield condition


def conjunction(conditions: Iterable[ir.Expression]) -> ir.Expression | None:
    """All of them, in their order; None if there are none."""
    parts = list(conditions)
    return build.both(*parts) if parts else None


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
    return build.denied(condition)
