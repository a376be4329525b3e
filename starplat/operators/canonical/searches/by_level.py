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

When a round begins, the nodes that are `here` are those at level `depth`, and no node is `there`. Nodes may also store
their level themselves where they are `there`, before they do more. A fixed point ends where no node is `here`: a local
says whether any has been found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.convergence import Spelling, convergence
from starplat.analysis.settling.monotone import asked_flag, mentions
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical import hosts, rebuilding
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.levels import above, counted_up
from starplat.operators.canonical.searches.steps import Steps
from starplat.operators.canonical.searches.stores import Nest, read_nest
from starplat.operators.canonical.searches.two_steps import begins, is_unreached

_Loop = typed.While | typed.DoWhile


def asked_by_level(
    loop: hosts.Loop, around: hosts.Surroundings, program: typed.Program, results: frozenset[typed.Symbol]
) -> tuple[tuple[typed.Statement, ...], _Loop] | None:
    """What is declared, and then such a loop with levels in the place of flags; None for other loops. `results` are the
    symbols that the function's caller sees."""
    if hosts.may_leave(loop.body.statements):
        return None
    written = set(walk.all_written(loop))
    declared: tuple[typed.Statement, ...] = ()
    if isinstance(loop, typed.FixedPoint):
        form, build = convergence(loop, program), Builder(loop.span)
        if form.frontier is None or form.spelling is Spelling.IN_PLACE:
            return None
        more = build.variable(build.local("more", Scalar.BOOL))
        declared, signals = (build.declare(more.symbol, build.truth(False)),), (build.assign(more, True),)
        rounds = _with_a_copy(loop, form.frontier) if form.spelling is Spelling.ONE_FLAG else loop.body
        again = typed.DoWhile(build.block(build.assign(more, False), *rounds.statements), more, span=loop.span)
        written.add(loop.flag)
        made = _made(again, around.before(loop), around.known_before(loop), signals, form.frontier)
    else:
        made = _made(loop, around.before(loop), around.known_before(loop))
    if made is None or any(s in results or around.is_seen(s, loop) for s in written - walk.all_written(made)):
        return None
    return declared, made


def _with_a_copy(loop: typed.FixedPoint, frontier: typed.Symbol) -> typed.Block:
    """The rounds with the second copy of the frontier that is meant where the program has one."""
    following = replace(frontier)

    def change(part: Any) -> Any:
        stores = isinstance(part, typed.Assign) and part.place.symbol is frontier
        return replace(part, place=replace(part.place, symbol=following)) if stores else None

    emptied = typed.Attach(loop.graph, ((following, typed.FALSE),), span=loop.span)
    copied = typed.CopyProperty(frontier, following, span=loop.span)
    return replace(loop.body, statements=(emptied, *rebuilding.rebuilt(loop.body.statements, change), copied))


def _made(
    loop: _Loop,
    before: Sequence[typed.Statement],
    known: hosts.Known,
    signals: tuple[typed.Assign, ...] = (),
    frontier: typed.Symbol | None = None,
) -> _Loop | None:
    """The loop with levels, and signals where a node is found, if the flags say what they are to say, that of the
    `frontier` among them."""
    counters = [symbol for s in loop.body.statements if (symbol := counted_up(s)) is not None]
    if len(counters) != 1:
        return None
    depth = typed.Variable(counters[0])
    statements = [inner for s in loop.body.statements for inner in _level_first(s, depth)]
    nests = [(at, nest) for at, s in enumerate(statements) if (nest := read_nest(s)) is not None]
    found = [(at, nest, stored) for at, nest in nests if (stored := _finds(nest))]
    finds = [find for find in found if len(find[2]) == 2] or found
    waves = [f for _, nest, _ in finds for c in nest.when if (f := asked_flag(c, nest.node)) is not None]
    if len(finds) != 1 or len(waves) != 1 or frontier not in (None, waves[0]):
        return None
    ((at, nest, (marks, *stores)),), (here,) = finds, waves
    steps, build = Steps(here, marks.place.symbol), Builder(marks.span)
    flags = {here, steps.next_frontier}
    kept: list[tuple[typed.Statement, dict[typed.Symbol, int]]] = []
    between: list[typed.Statement] = []
    following: typed.Expression = depth
    for place, s in enumerate(statements):
        if place != at and (flags & walk.all_written(s) or (not stores and _stores_level(s, depth))):
            if not steps.follow(s):
                return None
            continue
        steps.counted += counted_up(s) is not None
        if place > at and not stores and not steps.levels:
            between.append(s)
        ahead = {here: 0} | {flag: 1 for flag, holds in steps.holds.items() if holds}
        kept.append((s, {f: by - steps.counted for f, by in ahead.items() if steps.holds.get(f, True)}))
        if place == at:
            following = depth if steps.counted else build.plus(depth, 1)
            steps.levels += [(store, steps.counted) for store in stores]
            steps.begin()
    if len(steps.levels) != 1 or steps.more or steps.asked_again:
        return None
    ((store, before_it),) = steps.levels
    level, more = store.place.symbol, above(store.value, depth)
    initial = {symbol: initial_values(symbol, before) for symbol in (level, *flags)}
    _, none = begins(initial, level, steps, known, depth.symbol)
    if more is None or more + before_it != 1 or none is None or any(walk.touches(s, level) for s in between):
        return None
    if not any(is_unreached(c, nest, level, none, depth.symbol, ()) for c in nest.when):
        return None
    joins = () if stores else (build.assign(build.cell(level, nest.there), following),)
    found_here = rebuilding.with_each_statement(statements[at], lambda s: (*joins, *signals) if s is marks else None)
    asking = [(found_here if s is statements[at] else s, by) for s, by in kept]
    by_level = [_by_level(s, level, depth, by) for s, by in asking]
    asks_more = any(new is not s for new, (s, _) in zip(by_level, asking, strict=True) if s is not found_here)
    changed = replace(loop, body=replace(loop.body, statements=tuple(by_level)))
    if not asks_more or any(len(walk.writers(symbol, changed)) != 1 for symbol in (level, depth.symbol)):
        return None
    emptied = steps.cleared or not steps.holds.get(steps.next_frontier)
    left = any(walk.touches(changed, flag) for flag in (*flags, *steps.marks))
    return changed if emptied and steps.holds.get(here) and not left else None


def _level_first(s: typed.Statement, depth: typed.Variable) -> tuple[typed.Statement, ...]:
    """A loop over nodes that store their level, as a loop that does that and one for the rest: in a `forall` all nodes
    may do so before any does more."""
    match s:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(), body=typed.Block(inner)) if len(inner) > 1:
            pass
        case _:
            return (s,)
    cells = [i for i in inner if isinstance(i, typed.Assign) and isinstance(i.place, typed.Cell)]
    stores = [i for i in cells if above(i.value, depth) is not None]
    if len(stores) != 1 or depth.symbol in walk.all_written(s):
        return (s,)
    (store,) = stores
    rest = [i for i in inner if i is not store]
    first, level = inner[: inner.index(store)], store.place.symbol
    asked = s.filter is not None and mentions(s.filter, {level})
    if asked or any(walk.touches(i, level) or walk.leaves(i) for i in first) or level in walk.all_written(*rest):
        return (s,)
    behind = replace(s, body=replace(s.body, statements=tuple(rest)))
    return replace(s, body=replace(s.body, statements=(store,))), rebuilding.with_fresh_symbols(behind, (behind,))


def _stores_level(s: typed.Statement, depth: typed.Variable) -> bool:
    """Whether all that a loop over nodes does is to store the counted level, or one beside it, in their cells."""
    match s:
        case typed.ForEach(domain=typed.AllNodes(), body=typed.Block((typed.Assign(typed.Cell(), value),))):
            return above(value, depth) is not None
    return False


def _finds(nest: Nest) -> tuple[typed.Assign, ...]:
    """The stores of a flag, and of a level if there is one, by which a loop over arcs finds nodes; none if it does more
    to cells."""
    stores = [s for s in nest.inner if isinstance(s, typed.Assign) and isinstance(s.place, typed.Cell)]
    marks = [s for s in stores if s.value == typed.TRUE]
    levels = [s for s in stores if s.place.type is Scalar.INT and s.value.type is Scalar.INT]
    plain = all(isinstance(s, typed.Assign) for s in nest.inner) and not nest.may_break
    there = all(s.place.index == typed.Variable(nest.there) for s in stores if isinstance(s.place, typed.Cell))
    fits = plain and there and len(marks) == 1 and len(levels) <= 1 and len(stores) == len(levels) + 1
    return (*marks, *levels) if fits else ()


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
