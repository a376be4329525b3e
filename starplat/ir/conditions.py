"""Conditions that are made of others: taken apart, and put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from starplat.ir.nodes import Binary, BinaryOperator, Element, Expression


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """The conditions that all hold if this one does."""
    return _joined_by(BinaryOperator.AND, condition)


def disjuncts(condition: Expression) -> Iterator[Expression]:
    """The conditions one of which holds if this one does."""
    return _joined_by(BinaryOperator.OR, condition)


def _joined_by(operator: BinaryOperator, condition: Expression) -> Iterator[Expression]:
    match condition:
        case Binary(found, left, right) if found is operator:
            yield from _joined_by(operator, left)
            yield from _joined_by(operator, right)
        case _:
            yield condition


def both(left: Expression, right: Expression) -> Binary:
    """`left && right`."""
    return Binary(BinaryOperator.AND, left, right, Element.BOOL)


def conjunction(conditions: Iterable[Expression]) -> Expression | None:
    """All of them, in their order; None if there are none."""
    parts = list(conditions)
    return reduce(both, parts) if parts else None
