"""A flag of the nodes that a search by levels has just found, where more than the search asks for it, is a level.

    forall (v in g.nodes().filter(here)) {                forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {                        forall (w in g.neighbors(v)) {
        if (w.level == INF) {                                 if (w.level == INF) {
          w.level = depth + 1; w.there = True;                  w.level = depth + 1;
        }                                                     }
      }                                                     }
    }                                                     }
    forall (v in g.nodes().filter(here)) { ... }          forall (v in g.nodes().filter(level == depth)) { ... }
    here = there; g.attachNodeProperty(there = False);
    depth++;                                              depth++;

When a round begins, the nodes that are `here` are those at level `depth`, and no node is `there`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_flag
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical import hosts, rebuilding, unread
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.levels import above, counted_up
from starplat.operators.canonical.searches.steps import Steps
from starplat.operators.canonical.searches.stores import Nest, read_nest
from starplat.operators.canonical.searches.two_steps import begins, is_unreached

_Loop = typed.While | typed.DoWhile


def asked_by_level(body: typed.Block, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with levels in the place of such flags; `results` are the symbols that its caller sees."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        if not isinstance(loop, _Loop) or hosts.may_leave(loop.body.statements):
            continue
        made = _made(loop, around.before(loop), around.known_before(loop))
        gone = set() if made is None else set(walk.all_written(loop)) - walk.all_written(made)
        if made is not None and not any(s in results or around.is_seen(s, loop) for s in gone):
            return asked_by_level(unread.without_unread(around.with_in_place(loop, (made,)), results), results)
    return body


def _made(loop: _Loop, before: Sequence[typed.Statement], known: hosts.Known) -> _Loop | None:
    """The loop with levels, if the flags say what they are to say."""
    statements = loop.body.statements
    nests = [(at, nest) for at, s in enumerate(statements) if (nest := read_nest(s)) is not None]
    finds = [(at, nest, stores) for at, nest in nests if (stores := _finds(nest)) is not None]
    counted = [(at, symbol) for at, s in enumerate(statements) if (symbol := counted_up(s)) is not None]
    if len(finds) != 1 or len(counted) != 1:
        return None
    ((at, nest, (marks, store)),), ((step, counter),) = finds, counted
    waves = [f for c in nest.when if (f := asked_flag(c, nest.node)) is not None]
    assert isinstance(store.place, typed.Cell)
    level, more = store.place.symbol, above(store.value, typed.Variable(counter))
    if len(waves) != 1 or more is None or more + (step < at) != 1:
        return None
    here = waves[0]
    steps = Steps(here, marks.place.symbol)
    flags = {here, steps.next_frontier}
    initial = {symbol: initial_values(symbol, before) for symbol in (level, *flags)}
    _, none = begins(initial, level, steps, known, counter)
    if none is None or not any(is_unreached(c, nest, level, none, counter, ()) for c in nest.when):
        return None
    asking = sum(here in walk.read(i) for i in walk.statements(loop))
    if asking < 2 or any(len(walk.writers(symbol, loop)) != 1 for symbol in (level, counter)):
        return None
    done: list[typed.Statement] = []
    for place, s in enumerate(statements):
        if place != at and flags & walk.all_written(s):
            if not steps.follow(s) or steps.more or steps.levels:
                return None
            continue
        ahead = {here: 0} | {flag: 1 for flag, found in steps.holds.items() if found}
        ahead = {flag: by for flag, by in ahead.items() if steps.holds.get(flag, True)}
        if place == at:
            steps.begin()
        kept = rebuilding.rebuilt(s, lambda part: _without(part, marks))
        by = {flag: by - (step < place) for flag, by in ahead.items()}
        done.append(_by_level(kept, level, typed.Variable(counter), by))
    changed = replace(loop, body=replace(loop.body, statements=tuple(done)))
    emptied = steps.cleared or not steps.holds.get(steps.next_frontier)
    left = any(flags & {*walk.read(i), *walk.written(i)} for i in walk.statements(changed))
    return changed if emptied and steps.holds.get(here) and not left else None


def _finds(nest: Nest) -> tuple[typed.Assign, typed.Assign] | None:
    """The stores of a flag and of a level by which a loop over arcs finds nodes; None if it does more to cells."""
    stores = [s for s in nest.inner if isinstance(s, typed.Assign) and isinstance(s.place, typed.Cell)]
    marks = [s for s in stores if s.value == typed.TRUE]
    levels = [s for s in stores if s.place.type is Scalar.INT and s.value.type is Scalar.INT]
    plain = all(isinstance(s, typed.Assign) for s in nest.inner) and not nest.may_break
    there = all(s.place.index == typed.Variable(nest.there) for s in stores if isinstance(s.place, typed.Cell))
    return (marks[0], levels[0]) if plain and there and len(marks) == len(levels) == 1 and len(stores) == 2 else None


def _without(part: Any, store: typed.Assign) -> Any:
    """A block without a store."""
    match part:
        case typed.Block(statements) if any(s is store for s in statements):
            return replace(part, statements=tuple(s for s in statements if s is not store))
    return None


def _by_level(
    s: typed.Statement, level: typed.Symbol, counter: typed.Variable, ahead: Mapping[typed.Symbol, int]
) -> typed.Statement:
    """A statement that asks for levels, by so much ahead of the counter, where it asks for flags."""

    def change(part: Any) -> Any:
        match part:
            case typed.Cell(symbol, index) if symbol in ahead:
                build, by = Builder(part.span), ahead[symbol]
                how = typed.Operator.ADD if by > 0 else typed.Operator.SUBTRACT
                there = typed.Binary(how, counter, build.number(abs(by)), Scalar.INT, span=part.span) if by else counter
                return build.equal(typed.Cell(level, index, span=part.span), there)
        return None

    return rebuilding.rebuilt(s, change)
