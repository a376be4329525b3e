"""A whole number that is added only if a condition holds, and 0 otherwise, is added in a branch.

found += w > v ? (g.is_an_edge(u, w) ? 1 : 0) : 0;    if (w > v) { if (g.is_an_edge(u, w)) { found += 1; } }
left += v.color == 0;                                 if (v.color == 0) { left += 1; }

Adding 0 changes no whole number. Of reals, -0.0 would become 0.0.
"""

from dataclasses import replace
from typing import Any

from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.operators.canonical.rising import number

_WHOLE = (types.Scalar.INT, types.Scalar.LONG)


def added_in_branches(body: typed.Block) -> typed.Block:
    """A function's body with such sums in branches."""

    def change(part: Any) -> Any:
        match part:
            case typed.Update(typed.Combine.ADD, place) if typed.scalar_of(place) in _WHOLE:
                return _branch(part) if _is_in_hand(place) else None
        return None

    return rebuilt(body, change)


def _is_in_hand(place: typed.Place) -> bool:
    """Whether a place is there, whether anything is added to it or not: the cell of -1 is an error."""
    if isinstance(place, typed.Variable):
        return True
    index = place.index
    return isinstance(index, typed.Variable) and index.symbol.role is typed.Role.ITERATOR


def _branch(s: typed.Update) -> typed.Statement | None:
    """The branch that adds what a choice adds; None if both of its values count."""
    converted, value = typed.scalar_of(s.value), s.value
    while isinstance(value, typed.Convert) and value.type in _WHOLE:
        value = value.operand
    build = Builder(s.span)

    def adding(given: typed.Expression) -> typed.Statement:
        same = given.type == converted
        update = replace(s, value=given if same else typed.Convert(given, converted, span=given.span))
        return _branch(update) or update

    match value:
        case typed.Conditional(condition, then, otherwise) if _is_zero(otherwise):
            return build.when(condition, adding(then))
        case typed.Conditional(condition, then, otherwise) if _is_zero(then):
            return build.when(build.negated(condition), adding(otherwise))
        case _ if typed.scalar_of(value) is types.Scalar.BOOL:
            return build.when(value, adding(build.number(1, typed.scalar_of(s.value))))
    return None


def _is_zero(value: typed.Expression) -> bool:
    return typed.scalar_of(value) in _WHOLE and number(value) == 0
