"""Conditions move to the loop that they are about, as its filter.

forall (e in g.edges()) {                             forall (a in g.nodes().filter(state == 1)) {
  if (a.state == 1 && b.state == 0) { b.deg -= 1; }     forall (b in g.neighbors(a).filter(state == 0)) {
}                                                         b.deg -= 1;
                                                        }
                                                      }

A filter is judged when its loop begins. So a condition moves only if the loop does not change what it reads, or changes
it in the iteration's own cells, or gives the next level to nodes without one where it asks for a level. One that
searches a row for an arc stays: that is work, not a choice of iterations.

if (v.level != depth) { continue; }                   if (v.level == depth) { ... }
...
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.guards import guarded
from starplat.analysis.settling.monotone import all_asked, asked_of, conjuncts, mentions
from starplat.frontend import typed, types
from starplat.frontend.walk import children
from starplat.operators.canonical.hosts import HostLoop
from starplat.operators.canonical.rebuilding import rebuilt

_SEARCHES = (typed.Query.FIND_EDGE, typed.Query.IS_EDGE)


def with_filters(body: typed.Block) -> typed.Block:
    """A function's body with conditions where they belong."""

    def change(part: Any) -> Any:
        if not isinstance(part, typed.ForEach):
            return None
        inner = rebuilt(part.body, change)
        loop = part if inner is part.body else replace(part, body=inner)
        found = _narrowed(loop)
        return found if found is not part else (part if inner is part.body else loop)

    return rebuilt(body, change)


def without_continues(body: typed.Block) -> typed.Block:
    """A function's body in which an iteration that would go on to the next does the rest only where it would not."""

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(body=inside):
                return replace(part, body=rebuilt(_structured(inside), change))
        return None

    return rebuilt(body, change) if any(isinstance(s, typed.Continue) for s in walk.statements(body)) else body


def _structured(block: typed.Block) -> typed.Block:
    for place, s in enumerate(block.statements):
        match s:
            case typed.If(condition, typed.Block((typed.Continue(),)), None):
                rest = _structured(replace(block, statements=block.statements[place + 1 :]))
                stays = typed.If(_denied(condition), rest, span=s.span)
                return replace(block, statements=(*block.statements[:place], stays))
    return block


def _denied(condition: typed.Expression) -> typed.Expression:
    """What holds where a condition does not, of reals too that are no numbers."""
    if any(typed.scalar_of(part).is_real for part in walk.within(condition)):
        return typed.Unary(typed.UnaryOperator.NOT, condition, span=condition.span)
    denied = all_of(conjuncts(condition, holds=False))
    assert denied is not None
    return denied


def all_of(conditions: Iterable[typed.Expression]) -> typed.Expression | None:
    """One condition that holds where all of them do; None if there are none."""
    joined: typed.Expression | None = None
    for c in conditions:
        joined = c if joined is None else typed.Binary(typed.Operator.AND, joined, c, types.Scalar.BOOL, span=c.span)
    return joined


def _narrowed(loop: typed.ForEach) -> typed.ForEach:
    """The loop with the conditions of its whole body as its filter."""
    if any(walk.calls(loop)):
        return loop
    match loop.body.statements:
        case (typed.If(condition, then, None) as branch,):
            moved = [c for c in conjuncts(condition) if _is_steady(c, loop)]
            kept = all_of(c for c in conjuncts(condition) if c not in moved)
            rest = then if kept is None else replace(loop.body, statements=(replace(branch, condition=kept),))
        case (typed.ForEach(domain=typed.Neighbors(node=typed.Variable(own)), filter=asked) as row,) if (
            own is loop.iterator and asked is not None
        ):
            of_arc = {row.iterator}
            moved = [c for c in conjuncts(asked) if not _is_about(c, of_arc) and _is_steady(c, loop)]
            left = all_of(c for c in conjuncts(asked) if c not in moved)
            rest = replace(loop.body, statements=(replace(row, filter=left),))
        case _:
            return loop
    if not moved:
        return loop
    before = all_asked(loop.filter)
    return _narrowed(replace(loop, filter=all_of([*before, *moved]), body=rest))


def _is_about(condition: typed.Expression, nodes: set[typed.Symbol]) -> bool:
    """Whether a condition asks for a node of a row, or for the arc to it."""
    return mentions(condition, nodes) or any(
        isinstance(part, typed.ArcInHand) and part.iterator in nodes for part in walk.within(condition)
    )


def _is_steady(condition: typed.Expression, loop: typed.ForEach) -> bool:
    """Whether a condition is the same when the loop begins as when its iteration does, and is cheap."""
    if any(isinstance(p, typed.GraphQuery) and p.query in _SEARCHES for p in walk.within(condition)):
        return False
    places = list(walk.places(loop.body))
    written = walk.all_written(loop.body)
    if not mentions(condition, written) or _is_of_other_level(condition, loop, written):
        return True
    own = (typed.Variable(loop.iterator),)
    alone = loop.parallel and not isinstance(loop.domain, typed.Neighbors)
    cells = [p for p in (*places, *walk.within(condition)) if isinstance(p, typed.Cell) and p.symbol in written]
    read = [part for part in walk.within(condition) if isinstance(part, typed.Variable) and part.symbol in written]
    return alone and not read and all(children(c) == own for c in cells if mentions(condition, {c.symbol}))


def _is_of_other_level(condition: typed.Expression, loop: typed.ForEach, written: set[typed.Symbol]) -> bool:
    """Whether a condition asks for a level, and the loop only gives the next one to nodes that have none (INF)."""
    match condition:
        case typed.Binary(typed.Operator.EQUAL, typed.Cell(symbol, typed.Variable()), level) if not mentions(
            level, written
        ):
            repeats = any(isinstance(s, HostLoop | typed.IterateInBFS) for s in walk.statements(loop.body))
            stores = [found for found in guarded(loop.body) if symbol in walk.written(found.statement)]
            return not repeats and all(_gives_next(found.statement, found.conditions, level) for found in stores)
    return False


def _gives_next(s: typed.Statement, when: Sequence[typed.Expression], level: typed.Expression) -> bool:
    """Whether a statement gives the level after one to a node that has none."""
    match s:
        case typed.Assign(place, typed.Binary(typed.Operator.ADD, left, typed.Literal(1))) if left == level:
            none = typed.Operator.EQUAL, typed.Infinity(typed.scalar_of(place))
            return any(asked_of(c, place) == none for c in when)
    return False
