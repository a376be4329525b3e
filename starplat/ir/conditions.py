"""Conjunctions and disjunctions: taken apart and put together."""

from collections.abc import Iterable, Iterator

from starplat.ir import build
from starplat.ir import nodes as ir


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
