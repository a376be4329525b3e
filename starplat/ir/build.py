"""Builds the expressions that every step needs: comparisons, sums, and the constants 0, 1, true and false."""

from functools import partial, reduce

from starplat.ir import nodes as ir

TRUE, FALSE = ir.Const(True, ir.Element.BOOL), ir.Const(False, ir.Element.BOOL)
ZERO, ONE = ir.Const(0, ir.Element.INT), ir.Const(1, ir.Element.INT)


def number(value: int) -> ir.Const:
    """An `int`."""
    return ir.Const(value, ir.Element.INT)


def compared(operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """A comparison, or two conditions joined."""
    return ir.Binary(operator, left, right, ir.Element.BOOL)


equal = partial(compared, ir.BinaryOperator.EQUAL)
differs = partial(compared, ir.BinaryOperator.NOT_EQUAL)
less = partial(compared, ir.BinaryOperator.LESS)
greater = partial(compared, ir.BinaryOperator.GREATER)
at_least = partial(compared, ir.BinaryOperator.GREATER_EQUAL)
at_most = partial(compared, ir.BinaryOperator.LESS_EQUAL)
either = partial(compared, ir.BinaryOperator.OR)


def beyond(extreme: ir.Combine, left: ir.Expression, right: ir.Expression) -> ir.Binary:
    """`left < right` where the least wins (MIN), `left > right` where the greatest does (MAX)."""
    return less(left, right) if extreme is ir.Combine.MIN else greater(left, right)


def both(*conditions: ir.Expression) -> ir.Expression:
    """`a && b`, of any number of conditions but none, in their order."""
    return reduce(lambda left, right: compared(ir.BinaryOperator.AND, left, right), conditions)


def denied(condition: ir.Expression) -> ir.Unary:
    """`!condition`."""
    return ir.Unary(ir.UnaryOperator.NOT, condition)


def computed(
    operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression, element: ir.Element | None = None
) -> ir.Binary:
    """A number, of the type of `left` unless `element` says otherwise."""
    return ir.Binary(operator, left, right, element or left.element)


plus = partial(computed, ir.BinaryOperator.ADD)
minus = partial(computed, ir.BinaryOperator.SUBTRACT)
times = partial(computed, ir.BinaryOperator.MULTIPLY)
divided = partial(computed, ir.BinaryOperator.DIVIDE)


def converted(value: ir.Expression, element: ir.Element) -> ir.Expression:
    """The value as one of another type; itself if it is of that."""
    return value if value.element is element else ir.Cast(value, element)


def half(value: ir.Expression) -> ir.Binary:
    """`value / 2` of a LONG."""
    return divided(value, ir.Const(2, ir.Element.LONG), ir.Element.LONG)


def cell(array: ir.Array, index: ir.Expression) -> ir.Expression:
    """What ExtremeCell compares at a place of the array: the cell, or its key."""
    held = ir.Load(array, index)
    return held if array.pairs is None else ir.Cast(held, array.compared)


def partner(array: ir.Array, index: ir.Expression) -> ir.Expression:
    """What stands beside the key, in an array of pairs."""
    assert array.pairs is not None
    high = ir.Binary(ir.BinaryOperator.SHIFT_RIGHT, ir.Load(array, index), number(32), ir.Element.LONG)
    return ir.Cast(high, array.pairs[1])


def pair(key: ir.Expression, partner: ir.Expression) -> ir.Binary:
    high = ir.Binary(ir.BinaryOperator.SHIFT_LEFT, ir.Cast(partner, ir.Element.LONG), number(32), ir.Element.LONG)
    half = ir.Const(2**32 - 1, ir.Element.LONG)
    low = ir.Binary(ir.BinaryOperator.BIT_AND, ir.Cast(key, ir.Element.LONG), half, ir.Element.LONG)
    return ir.Binary(ir.BinaryOperator.BIT_OR, high, low, ir.Element.LONG)


_OPERATORS = {
    ir.Arithmetic.SUM: ir.BinaryOperator.ADD,
    ir.Arithmetic.PRODUCT: ir.BinaryOperator.MULTIPLY,
    ir.Arithmetic.QUOTIENT: ir.BinaryOperator.DIVIDE,
}


def size(extent: ir.Extent) -> ir.Expression:
    """The number of cells of an array; an INT, or an ARC if it depends on the number of arcs."""
    counts: dict[ir.Count, ir.Expression] = {
        ir.Count.NODES: ir.NumNodes(),
        ir.Count.ARCS: ir.NumArcs(),
        ir.Count.SLOTS: ir.NumArcs(),
        ir.Count.WORKERS: number(ir.WORKERS),
    }

    def combined(operator: ir.Arithmetic, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        arcs = ir.Element.ARC in (left.element, right.element)
        return ir.Binary(_OPERATORS[operator], left, right, ir.Element.ARC if arcs else ir.Element.INT)

    return extent.folded(lambda leaf: number(leaf) if isinstance(leaf, int) else counts[leaf], combined)
