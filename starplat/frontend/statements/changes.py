"""Increments as statements, and whether they may run after their statement.

`sequence` puts the change before the statement and keeps the old value aside, which is always right; where the change
may come after, as in `x = i++`, no old value need be kept.
"""

from collections.abc import Iterator
from dataclasses import replace

from starplat.frontend import typed, types, walk
from starplat.frontend.statements.reductions import update


def change_of(e: typed.Incremented) -> typed.Statement:
    """The effect of an increment."""
    operator = typed.Operator.ADD if e.amount > 0 else typed.Operator.SUBTRACT
    reduced = update(e.place, operator, typed.Literal(1, types.Scalar.INT, span=e.span), e.span)
    if reduced is not None:
        return reduced
    kind = types.as_number(e.place.type)  # a node or an edge is counted up as a number
    counted = typed.Binary(
        operator, typed.Convert(e.place, kind, span=e.span), typed.Literal(1, kind, span=e.span), kind, span=e.span
    )
    return typed.Assign(e.place, typed.Convert(counted, e.place.type, span=e.span), span=e.span)


def changed_after(s: typed.Statement) -> tuple[typed.Statement, ...] | None:
    """The statement and then its increment, where that means the same; else None.

    That is so where the increment is always evaluated, the only part that acts, and nothing else in the statement
    touches what it changes, or changes what its place depends on.
    """
    inside = [part for e in walk.expressions(s) for part in walk.within(e)]
    increments = [part for part in inside if isinstance(part, typed.Incremented)]
    if len(increments) != 1 or not increments[0].old or any(isinstance(part, typed.Call) for part in inside):
        return None
    increment = increments[0]
    written = list(walk.written(s))  # the increment's own place among them
    depends = [part for i in walk.children(increment.place) for part in walk.within(i)]
    touched = sum(walk.symbol_of(part) is increment.place.symbol for part in inside) + written.count(
        increment.place.symbol
    )
    if touched > 2 or any(walk.symbol_of(part) in written for part in depends):
        return None
    if not any(part is increment for e in walk.expressions(s) for part in _always_evaluated(e)):
        return None
    plain = _without(s, increment)
    return None if plain is None else (plain, change_of(increment))


def _always_evaluated(e: typed.Expression) -> Iterator[typed.Expression]:
    """The parts that are evaluated whatever the others are."""
    yield e
    match e:
        case typed.Binary(operator=typed.Operator.AND | typed.Operator.OR):
            yield from _always_evaluated(e.left)
        case typed.Conditional():
            yield from _always_evaluated(e.condition)
        case _:
            for child in walk.children(e):
                yield from _always_evaluated(child)


def _without(s: typed.Statement, increment: typed.Incremented) -> typed.Statement | None:
    """The statement with the increment's place instead of it; None where it is no plain statement."""

    def plain(e: typed.Expression) -> typed.Expression:
        return (
            increment.place if e is increment else walk.with_children(e, [plain(child) for child in walk.children(e)])
        )

    match s:
        case typed.Declare() if s.value is not None:
            return replace(s, value=plain(s.value))
        case typed.Assign() | typed.Update():
            place = plain(s.place)
            assert isinstance(place, typed.Place)
            return replace(s, place=place, value=plain(s.value))
        case typed.ChangeList():
            return replace(s, arguments=tuple(map(plain, s.arguments)))
        case typed.AddToSet():
            return replace(s, member=plain(s.member))
        case typed.AddToMap():
            return replace(s, key=plain(s.key), value=plain(s.value))
    return None
