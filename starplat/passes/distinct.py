"""Proves that two indices differ where certain conditions hold.

A self loop makes a node its own neighbor, so `delta[w]` may be `delta[v]`; behind `level[w] == depth + 1` it is not,
since `level[v] == depth` holds for every iteration. Only conditions that cannot have changed since they were judged may
be given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    CallFunction,
    Const,
    Element,
    Expression,
    Load,
    Ref,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.visitor import walk_expression

_APART = (BinaryOperator.NOT_EQUAL, BinaryOperator.LESS, BinaryOperator.GREATER)

Said = tuple[Array, bool, Expression]
"""That a cell of the array is (True) or is not (False) equal to the value."""


def lasting(
    conditions: Iterable[Expression], written: Collection[Array], assigned: Collection[Variable]
) -> tuple[Expression, ...]:
    """The conditions that nothing changes which writes these arrays and variables."""

    def may_change(e: Expression) -> bool:
        match e:
            case Load(array, _):
                return array in written
            case Ref(variable):
                return variable in assigned
            case _:
                return isinstance(e, CallFunction)

    return tuple(c for c in conditions if not any(map(may_change, walk_expression(c))))


def differ(one: Expression, other: Expression, conditions: Iterable[Expression]) -> bool:
    """Whether the indices are surely not the same where all of the conditions hold."""
    known = tuple(conditions)
    for condition in known:
        match condition:
            case Binary(operator, left, right) if operator in _APART and (left, right) in ((one, other), (other, one)):
                return True
    ones = [said for condition in known for said in _said_of(one, condition)]
    others = [said for condition in known for said in _said_of(other, condition)]
    return any(_contradict(a, b) for a in ones for b in others)


def _said_of(index: Expression, condition: Expression) -> Iterator[Said]:
    """What a condition says of the cell of some array at `index`."""
    match condition:
        case Load(array, at) if at == index:
            yield array, True, Const(True, Element.BOOL)
        case Unary(UnaryOperator.NOT, Load(array, at)) if at == index:
            yield array, True, Const(False, Element.BOOL)
        case Binary(BinaryOperator.EQUAL | BinaryOperator.NOT_EQUAL as operator, left, right):
            for cell, value in ((left, right), (right, left)):
                if isinstance(cell, Load) and cell.index == index:
                    yield cell.array, operator is BinaryOperator.EQUAL, value


def _contradict(one: Said, other: Said) -> bool:
    """Whether one cell cannot be both."""
    (array, equals, value), (other_array, other_equals, other_value) = one, other
    if array != other_array or not (equals or other_equals):
        return False
    return _unequal(value, other_value) if equals and other_equals else value == other_value


def _unequal(one: Expression, other: Expression) -> bool:
    """Whether two values are surely different."""
    if isinstance(one, Const) and isinstance(other, Const):
        return one.value != other.value
    (base, step), (other_base, other_step) = _with_step(one), _with_step(other)
    return base == other_base and 0 < abs(step - other_step) < 2**31


def _with_step(value: Expression) -> tuple[Expression, int]:
    """An integer as another one and a constant that is added."""
    match value:
        case Binary(BinaryOperator.ADD, base, Const(int(step))) if not value.element.is_real:
            return base, step
        case Binary(BinaryOperator.SUBTRACT, base, Const(int(step))) if not value.element.is_real:
            return base, -step
        case _:
            return value, 0
