"""Proves that two indices differ under given conditions.

A self loop makes a node its own neighbor, so `delta[w]` may be `delta[v]`; behind `level[w] == depth + 1` it is not,
since `level[v] == depth` holds for every iteration. Only conditions that cannot have changed since they were judged may
be given.
"""

from collections.abc import Collection, Iterable, Iterator

from starplat.ir import build, visitor
from starplat.ir import nodes as ir

_APART = (ir.BinaryOperator.NOT_EQUAL, ir.BinaryOperator.LESS, ir.BinaryOperator.GREATER)

Said = tuple[ir.Array, bool, ir.Expression]
"""Whether the cell of the array is (True) or is not (False) equal to the value."""


def lasting(
    conditions: Iterable[ir.Expression], written: Collection[ir.Array], assigned: Collection[ir.Variable]
) -> tuple[ir.Expression, ...]:
    """The conditions that no write to these arrays and variables changes."""

    def may_change(e: ir.Expression) -> bool:
        match e:
            case ir.Load(array, _):
                return array in written
            case ir.Ref(variable):
                return variable in assigned
        return isinstance(e, ir.CallFunction)

    return tuple(c for c in conditions if not any(map(may_change, visitor.walk_expression(c))))


def differ(one: ir.Expression, other: ir.Expression, conditions: Iterable[ir.Expression]) -> bool:
    """Whether the indices are surely not the same where all of the conditions hold."""
    known = tuple(conditions)
    for condition in known:
        match condition:
            case ir.Binary(operator, left, right) if operator in _APART and (left, right) in (
                (one, other),
                (other, one),
            ):
                return True
    ones = [said for condition in known for said in _said_of(one, condition)]
    others = [said for condition in known for said in _said_of(other, condition)]
    return any(_contradict(a, b) for a in ones for b in others)


def _said_of(index: ir.Expression, condition: ir.Expression) -> Iterator[Said]:
    """What a condition says of the cell of some array at `index`."""
    match condition:
        case ir.Load(array, at) if at == index:
            yield array, True, build.TRUE
        case ir.Unary(ir.UnaryOperator.NOT, ir.Load(array, at)) if at == index:
            yield array, True, build.FALSE
        case ir.Binary(ir.BinaryOperator.EQUAL | ir.BinaryOperator.NOT_EQUAL as operator, left, right):
            for cell, value in ((left, right), (right, left)):
                if isinstance(cell, ir.Load) and cell.index == index:
                    yield cell.array, operator is ir.BinaryOperator.EQUAL, value


def _contradict(one: Said, other: Said) -> bool:
    """Whether one cell cannot be both."""
    (array, equals, value), (other_array, other_equals, other_value) = one, other
    if array != other_array or not (equals or other_equals):
        return False
    return _unequal(value, other_value) if equals and other_equals else value == other_value


def _unequal(one: ir.Expression, other: ir.Expression) -> bool:
    """Whether two values are surely different."""
    if isinstance(one, ir.Const) and isinstance(other, ir.Const):
        return one.value != other.value
    (base, step), (other_base, other_step) = _with_step(one), _with_step(other)
    return base == other_base and 0 < abs(step - other_step) < 2**31


def _with_step(value: ir.Expression) -> tuple[ir.Expression, int]:
    """An integer as another one and a constant that is added."""
    match value:
        case ir.Binary(ir.BinaryOperator.ADD, base, ir.Const(int(step))) if not value.element.is_real:
            return base, step
        case ir.Binary(ir.BinaryOperator.SUBTRACT, base, ir.Const(int(step))) if not value.element.is_real:
            return base, -step
    return value, 0
