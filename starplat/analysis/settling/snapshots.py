"""Loops that detect a change by comparing with a copy.

A round copies the cells (`old = dist`), lowers them by `Min`, and at its end every node whose cell differs signals that
the loop goes on. That equals a flag beside each `Min`: if none differs, none won.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.frontend import typed

_LESS = (typed.Operator.LESS, typed.Operator.NOT_EQUAL)
_GREATER = (typed.Operator.GREATER, typed.Operator.NOT_EQUAL)
_DIFFERS = {typed.Extreme.MIN: (_LESS, _GREATER), typed.Extreme.MAX: (_GREATER, _LESS)}


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A copy of the cells at the start of a round, and the loop over all nodes that compares them with it at its end.

    `stores` are what nodes store whose cells differ, `old` the property that holds the copy.
    """

    old: typed.Symbol
    copy: typed.Statement
    comparison: typed.ForEach
    stores: tuple[typed.Assign | typed.Update, ...]


def snapshot(
    loop: typed.Statement, symbol: typed.Symbol, extreme: typed.Extreme, *, is_read: bool = False
) -> Snapshot | None:
    """The copy of a property's cells around all accesses of one loop; None if there is none. Only where the copy
    `is_read` may statements between read it."""
    body = _body(loop)
    for first, copy in enumerate(body):
        if (old := _copied(copy, symbol)) is None:
            continue
        for last, comparison in enumerate(body[first + 1 :], first + 1):
            stores = stores_of_changed(comparison, symbol, old, extreme)
            outside = (*body[:first], *body[last + 1 :])
            if not stores or symbol in walk.all_written(*outside, comparison):
                continue
            between = body[first + 1 : last]
            kept = old not in walk.all_written(*between) if is_read else not any(walk.touches(s, old) for s in between)
            if kept and not any(walk.touches(s, old) for s in outside):
                assert isinstance(comparison, typed.ForEach)
                return Snapshot(old, copy, comparison, stores)
    return None


def _body(loop: typed.Statement) -> Sequence[typed.Statement]:
    match loop:
        case typed.FixedPoint() | typed.While() | typed.DoWhile():
            return loop.body.statements
    return ()


def _copied(s: typed.Statement, symbol: typed.Symbol) -> typed.Symbol | None:
    """The copy of the property, if nothing else happens."""
    match s:
        case typed.CopyProperty(old, source) if source is symbol:
            return old
        case typed.Attach(items=((old, source),)) if source is symbol:
            return old
        case typed.ForEach(domain=typed.AllNodes(), filter=None, body=typed.Block((typed.Assign() as own,))):
            cell = typed.Cell(symbol, typed.Variable(s.iterator))
            beside = isinstance(own.place, typed.Cell) and own.place.index == cell.index
            return own.place.symbol if beside and own.value == cell else None
    return None


def stores_of_changed(
    s: typed.Statement, symbol: typed.Symbol, old: typed.Symbol, extreme: typed.Extreme
) -> tuple[typed.Assign | typed.Update, ...]:
    """The stores of every node whose cell has changed; none if the loop does not compare."""
    if not isinstance(s, typed.ForEach) or not isinstance(s.domain, typed.AllNodes):
        return ()
    new, kept = (typed.Cell(p, typed.Variable(s.iterator)) for p in (symbol, old))
    ahead, behind = _DIFFERS[extreme]

    def differs(value: typed.Expression | None) -> bool:
        match value:
            case typed.Binary(operator, left, right):
                return ((left, right) == (new, kept) and operator in ahead) or (
                    (left, right) == (kept, new) and operator in behind
                )
        return False

    match s.filter, s.body.statements:
        case None, (typed.Update(combine=typed.Combine.OR, value=value) as update,) if differs(value):
            return (update,)
        case None, (typed.If(otherwise=None) as branch,) if differs(branch.condition):
            return _only_stores(branch.then.statements)
        case condition, statements if differs(condition):
            return _only_stores(statements)
    return ()


def _only_stores(statements: Sequence[typed.Statement]) -> tuple[typed.Assign | typed.Update, ...]:
    """The statements if each is idempotent."""
    flags = (typed.Combine.OR, typed.Combine.AND)
    stores = tuple(
        s for s in statements if isinstance(s, typed.Assign) or (isinstance(s, typed.Update) and s.combine in flags)
    )
    return stores if len(stores) == len(statements) and all(isinstance(s.value, typed.Literal) for s in stores) else ()
