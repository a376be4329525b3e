"""Conditions that are made of others: taken apart, and put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from starplat.ir import nodes as ir


def conjuncts(condition: ir.Expression) -> Iterator[ir.Expression]:
    """The conditions that all hold if this one does."""
    return _joined_by(ir.BinaryOperator.AND, condition)


def disjuncts(condition: ir.Expression) -> Iterator[ir.Expression]:
    """The conditions one of which holds if this one does."""
    return _joined_by(ir.BinaryOperator.OR, condition)


def _joined_by(operator: ir.BinaryOperator, condition: ir.Expression) -> Iterator[ir.Expression]:
    match condition:
        case ir.Binary(found, left, right) if found is operator:
            yield from _joined_by(operator, left)
            yield from _joined_by(operator, right)
        case _:
            yield condition


def both(left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left && right`."""
    return ir.Binary(ir.BinaryOperator.AND, left, right, ir.Element.BOOL)


def conjunction(conditions: Iterable[ir.Expression]) -> ir.Expression | None:
    """All of them, in their order; None if there are none."""
    parts = list(conditions)
    return reduce(both, parts) if parts else None
