"""Sums that stop at INF, as expressions."""

from __future__ import annotations

from starplat.ir import nodes as ir


def raised(value: ir.Variable, by: ir.Variable) -> ir.Expression:
    """The sum, or INF where it would be beyond."""
    element = value.element
    total = ir.Binary(ir.BinaryOperator.ADD, ir.Ref(value), ir.Ref(by), element)
    if element.is_real:
        return total
    largest = ir.infinity(element)
    room = ir.Binary(ir.BinaryOperator.SUBTRACT, largest, ir.Ref(by), element)
    return ir.Select(ir.Binary(ir.BinaryOperator.GREATER, ir.Ref(value), room, ir.Element.BOOL), largest, total)
