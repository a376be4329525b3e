"""Saturating sums: they stop at INF."""

from starplat.ir import build
from starplat.ir import nodes as ir


def raised(value: ir.Variable, by: ir.Variable) -> ir.Expression:
    """The sum, or INF where it would be beyond."""
    element = value.element
    total = build.plus(ir.Ref(value), ir.Ref(by), element)
    if element.is_real:
        return total
    largest = ir.infinity(element)
    room = build.minus(largest, ir.Ref(by), element)
    return ir.Select(build.greater(ir.Ref(value), room), largest, total)
