"""Fuses a loop over the members of a set, which only sets their own cells, into the loop that inserts them.

g.attachNodeProperty(weak = False);                   g.attachNodeProperty(weak = False);
forall (v in g.nodes().filter(alive)) {               forall (v in g.nodes().filter(alive)) {
  if (v.degree < k) { v.weak = True; }                  if (v.degree < k) { v.weak = True; v.alive = False; }
}                                                     }
forall (v in g.nodes().filter(weak)) {
  v.alive = False;
}

Statements between the loops may not touch those cells, nor may other iterations of the loop that inserts.
"""

from collections.abc import Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.frontend.walk import children
from starplat.operators.canonical import hosts, rebuilding
from starplat.operators.canonical.counts.members import empties, is_over_nodes, member_of


def done_on_joining(body: typed.Block) -> typed.Block:
    """Fuses such loops in a function's body."""
    return rebuilding.with_host_blocks(body, _joined)


def _joined(statements: tuple[typed.Statement, ...]) -> tuple[typed.Statement, ...]:
    for place, s in enumerate(statements):
        if isinstance(s, typed.ForEach) and (found := _by_members(s, statements[:place])) is not None:
            join, changed = found
            return _joined((*statements[:join], changed, *statements[join + 1 : place], *statements[place + 1 :]))
    return statements


def _by_members(loop: typed.ForEach, before: Sequence[typed.Statement]) -> tuple[int, typed.ForEach] | None:
    """The index of the loop that inserts the members that `loop` visits, and that loop with the stores fused in."""
    own = typed.Variable(loop.iterator)
    done = loop.body.statements
    constant = all(
        isinstance(s, typed.Assign)
        and isinstance(s.place, typed.Cell)
        and s.place.index == own
        and isinstance(s.value, typed.Literal | typed.Infinity)
        for s in done
    )
    if not is_over_nodes(loop) or not constant or loop.filter is None:
        return None
    if (found := member_of(loop.filter)) is None or found[0].index != own or found[1] is not True:
        return None
    joined = found[0].symbol
    changed = {symbol for s in done for symbol in walk.written(s)}
    begun = [i for i, s in enumerate(before) if empties(s, joined)][-1:]
    joins = [i for first in begun for i in range(first + 1, len(before)) if _writes(before[i], {joined})]
    if len(joins) != 1 or joined in changed:
        return None
    (join,) = joins
    if hosts.may_leave(before[join + 1 :]):
        return None
    others = [i for s in (*before[begun[0] + 1 : join], *before[join + 1 :]) for i in walk.statements(s)]
    if any(changed & {*walk.written(i), *walk.read(i)} for i in others):
        return None
    return (join, made) if (made := _with(before[join], joined, changed, loop)) is not None else None


def _writes(s: typed.Statement, symbols: set[typed.Symbol]) -> bool:
    return not symbols.isdisjoint(walk.all_written(s))


def _with(
    s: typed.Statement, joined: typed.Symbol, changed: set[typed.Symbol], loop: typed.ForEach
) -> typed.ForEach | None:
    """The loop that inserts members, with the stores of `loop` fused in; None if another iteration may see those."""
    if not isinstance(s, typed.ForEach) or not is_over_nodes(s) or any(walk.calls(s)) or _writes(s, changed):
        return None
    own = (typed.Variable(s.iterator),)
    asked = [] if s.filter is None else [p for p in walk.within(s.filter) if mentions(p, changed)]
    if any(
        isinstance(part, typed.Aggregate) or (isinstance(part, typed.Cell) and children(part) != own) for part in asked
    ):
        return None
    if any(mentions(value, changed) for value in walk.all_values(s.body)):
        return None
    joins = walk.writers(joined, s.body)
    here = [i for i in walk.own_statements(s.body) if isinstance(i, typed.Assign) and i in joins]
    if len(here) != len(joins) or any(i.place != typed.Cell(joined, own[0]) or i.value != typed.TRUE for i in here):
        return None
    done = rebuilding.substituted(loop.body.statements, {loop.iterator: s.iterator})
    return replace(s, body=rebuilding.with_each_statement(s.body, lambda i: (i, *done) if i in here else None))
