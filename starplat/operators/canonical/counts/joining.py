"""Fuses a loop over the members of a set, which only sets their own cells, into the loop that inserts them.

g.attachNodeProperty(weak = False);                   g.attachNodeProperty(weak = False);
forall (v in g.nodes().filter(alive)) {               forall (v in g.nodes().filter(alive)) {
  if (v.degree < k) { v.weak = True; }                  if (v.degree < k) { v.weak = True; v.alive = False; }
}                                                     }
forall (v in g.nodes().filter(weak)) {
  v.alive = False;
}

Statements between the loops may not touch those cells, nor may other iterations of the loop that inserts. So do numbers
of a loop that begin between the loops (`gone += 1`), and values that are the same in both; other statements of the loop
over members stay in it, if they do not touch what is fused.
"""

from collections.abc import Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_flag, mentions
from starplat.frontend import typed
from starplat.frontend.walk import children
from starplat.operators.build import Builder
from starplat.operators.canonical import hosts, rebuilding
from starplat.operators.canonical.counts.members import empties, is_over_nodes


def done_on_joining(body: typed.Block) -> typed.Block:
    """Fuses such loops in a function's body."""
    return rebuilding.with_host_blocks(body, _joined)


def _joined(statements: tuple[typed.Statement, ...]) -> tuple[typed.Statement, ...]:
    for place, s in enumerate(statements):
        if isinstance(s, typed.ForEach) and (found := _by_members(s, statements[:place])) is not None:
            join, changed = found
            return _joined((*statements[:join], *changed, *statements[place + 1 :]))
    return statements


def _by_members(
    loop: typed.ForEach, before: Sequence[typed.Statement]
) -> tuple[int, tuple[typed.Statement, ...]] | None:
    """The index of the loop that inserts the members that `loop` visits, and what takes the place of the statements
    from there to `loop`: that loop with the stores fused in, and what is left."""
    own = typed.Variable(loop.iterator)
    done = tuple(s for s in loop.body.statements if _is_constant(s, own))
    left = tuple(s for s in loop.body.statements if s not in done)
    joined = None if loop.filter is None else asked_flag(loop.filter, loop.iterator)
    if joined is None or not done or not is_over_nodes(loop):
        return None
    changed = {symbol for s in done for symbol in walk.written(s)}
    begun = [i for i, s in enumerate(before) if empties(s, joined)][-1:]
    joins = [i for first in begun for i in range(first + 1, len(before)) if _writes(before[i], {joined})]
    if len(joins) != 1 or joined in changed:
        return None
    (join,) = joins
    if hosts.may_leave(before[join + 1 :]):
        return None
    begins = tuple(s for s in before[join + 1 :] if _begins(s, changed))
    between = tuple(s for s in before[join + 1 :] if s not in begins)
    others = [i for s in (*before[begun[0] + 1 : join], *between, *left) for i in walk.statements(s)]
    if any(changed & {*walk.written(i), *walk.read(i), *walk.declared(i)} for i in others):
        return None
    needed = walk.variables(*(value for s in done for value in walk.expressions(s))) - {loop.iterator}
    if any(needed & {*walk.all_written(s), *walk.declared(s)} for s in (*before[join:], loop)):
        return None
    if changed & set(walk.declared(loop)):
        return None
    made = _with(before[join], joined, changed, done, loop.iterator)
    rest = (replace(loop, body=rebuilding.with_statements(loop.body, left)),) if left else ()
    return None if made is None else (join, (*begins, made, *between, *rest))


def _is_constant(s: typed.Statement, own: typed.Variable) -> bool:
    """Whether a statement gives a cell of the node a value that all have, or counts."""
    match s:
        case typed.Assign(place=typed.Cell(index=index), value=value):
            return index == own and isinstance(value, typed.Literal | typed.Infinity | typed.Variable)
        case typed.Update(combine=typed.Combine.ADD, place=typed.Variable(), value=typed.Literal()):
            return True
    return False


def _begins(s: typed.Statement, changed: set[typed.Symbol]) -> bool:
    """Whether a number that members change begins with a constant here."""
    return isinstance(s, typed.Declare) and s.symbol in changed and isinstance(s.value, typed.Literal)


def _writes(s: typed.Statement, symbols: set[typed.Symbol]) -> bool:
    return not symbols.isdisjoint(walk.all_written(s))


def _with(
    s: typed.Statement,
    joined: typed.Symbol,
    changed: set[typed.Symbol],
    stores: tuple[typed.Statement, ...],
    node: typed.Symbol,
) -> typed.ForEach | None:
    """The loop that inserts members, with the `stores` of each fused in; None if another iteration may see those."""
    if not isinstance(s, typed.ForEach) or not is_over_nodes(s) or any(walk.calls(s)) or _writes(s, changed):
        return None
    own = (typed.Variable(s.iterator),)
    asked = [] if s.filter is None else [p for p in walk.within(s.filter) if mentions(p, changed)]
    if any(
        isinstance(part, typed.Aggregate | typed.Variable) or (isinstance(part, typed.Cell) and children(part) != own)
        for part in asked
    ):
        return None
    if any(mentions(value, changed) for value in walk.all_values(s.body)):
        return None
    joins = walk.writers(joined, s.body)
    here = [i for i in walk.own_statements(s.body) if isinstance(i, typed.Assign) and i in joins]
    if len(here) != len(joins) or any(i.place != typed.Cell(joined, own[0]) for i in here):
        return None
    repeated = all(isinstance(i, typed.Assign) for i in stores) and all(i.value == typed.TRUE for i in here)
    if len(here) > 1 and not repeated:
        return None
    done = rebuilding.substituted(stores, {node: s.iterator})

    def join(store: typed.Assign) -> tuple[typed.Statement, ...]:
        if store.value == typed.TRUE:
            return (store, *done)
        build = Builder(store.span)
        return (build.when(store.value, build.assign(store.place, True), *done),)

    return replace(
        s,
        body=rebuilding.with_each_statement(
            s.body, lambda i: join(i) if isinstance(i, typed.Assign) and i in here else None
        ),
    )
