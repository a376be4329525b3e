"""Conjunctions and disjunctions: taken apart and put together."""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from starplat.ir import build
from starplat.ir import nodes as ir

COMPARISONS: Mapping[ir.BinaryOperator, Callable[[Any, Any], bool]] = {
    ir.BinaryOperator.EQUAL: operator.eq,
    ir.BinaryOperator.NOT_EQUAL: operator.ne,
    ir.BinaryOperator.LESS: operator.lt,
    ir.BinaryOperator.LESS_EQUAL: operator.le,
    ir.BinaryOperator.GREATER: operator.gt,
    ir.BinaryOperator.GREATER_EQUAL: operator.ge,
}
"""What comparisons say of two numbers."""


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
