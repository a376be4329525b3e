"""Conditions that only leave out what would not win are dropped.

if (a != b && a.c != b.c) {                      if (a.on) { <b.c> = <Min(b.c, a.c)>; }
  if (a.on) { <b.c> = <Min(b.c, a.c)>; }         if (b.on) { <a.c> = <Min(a.c, b.c)>; }
  if (b.on) { <a.c> = <Min(a.c, b.c)>; }
}
"""

from collections.abc import Iterator

from starplat.analysis import walk
from starplat.analysis.settling.monotone import conjuncts
from starplat.frontend import typed
from starplat.operators.canonical.extremes import under
from starplat.operators.canonical.rebuilding import with_each_statement_inside_out


def without_idle_guards(body: typed.Block) -> typed.Block:
    """A block in which it is not asked whether two cells, or their nodes, differ before the one is lowered (raised) to
    the other."""
    offers = any(isinstance(s, typed.AssignExtreme) for s in walk.statements(body))
    return with_each_statement_inside_out(body, _without) if offers else body


def _without(s: typed.Statement) -> Iterator[typed.Statement]:
    if not isinstance(s, typed.If) or (offers := _offers(s)) is None:
        yield s
        return
    asked = list(conjuncts(s.condition))
    kept = [c for c in asked if not all(_is_idle(c, offer) for offer in offers)]
    if len(kept) == len(asked):
        yield s
    elif kept:
        yield under(kept, s.then)
    else:
        yield from s.then.statements


def _offers(s: typed.Statement) -> list[typed.AssignExtreme] | None:
    """What a statement offers to cells, if it does nothing else."""
    match s:
        case typed.AssignExtreme():
            return [s]
        case typed.If(_, typed.Block(inner), None) | typed.Block(inner):
            parts = [_offers(i) for i in inner]
            return None if None in parts or not parts else [offer for part in parts for offer in part or ()]
    return None


def _is_idle(condition: typed.Expression, offer: typed.AssignExtreme) -> bool:
    """Whether the offer wins only where the condition holds: a cell is not better than itself."""
    match condition, offer.place, offer.candidate:
        case (
            typed.Binary(typed.Operator.NOT_EQUAL, left, right),
            typed.Cell(symbol, index) as place,
            typed.Cell(offered, other) as value,
        ) if symbol is offered:
            return any({left, right} == {one, two} for one, two in ((place, value), (index, other)))
    return False
