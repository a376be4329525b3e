"""Sums that stop at INF, as expressions."""

from __future__ import annotations

from starplat.ir.nodes import Binary, BinaryOperator, Element, Expression, Ref, Select, Variable, infinity


def raised(value: Variable, by: Variable) -> Expression:
    """The sum, or INF where it would be beyond."""
    element = value.element
    total = Binary(BinaryOperator.ADD, Ref(value), Ref(by), element)
    if element.is_real:
        return total
    largest = infinity(element)
    room = Binary(BinaryOperator.SUBTRACT, largest, Ref(by), element)
    return Select(Binary(BinaryOperator.GREATER, Ref(value), room, Element.BOOL), largest, total)
