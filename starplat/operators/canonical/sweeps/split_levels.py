"""Splits a search that does other work at each level into the search and a loop over its levels.

    while (more) {                                        while (more) { more = False; ... depth++; }
      more = False;                                       int far = 0;
      forall (v in g.nodes().filter(level == depth)) {    forall (v in g.nodes().filter(level != INF)) {
        forall (w in g.neighbors(v)) {                      far = Max(far, v.level);
          if (w.level == INF) { ... more = True; }        }
        }                                                 depth = far + 1;
      }                                                   for (int k = 0; k <= far; k++) {
      forall (v in g.nodes().filter(level == depth)) {      forall (v in g.nodes().filter(level == k)) {
        forall (w in g.neighbors(v)) {                        forall (w in g.neighbors(v)) {
          if (w.level == depth + 1) {                           if (w.level == k + 1) {
            w.paths += v.paths;                                   w.paths += v.paths;
          }                                                     }
        }                                                     }
      }                                                     }
      depth++;                                            }
    }

A level is stored once, in the round before its own, so tests of levels up to the current one have the same result after
the search. If the counter is read after the loop, the search gets one of its own. The rewrite is kept only if nothing
reads levels and counter in the end, because `loops` turned all their readers into an `iterateInBFS`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, mentions
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import filters, frontiers
from starplat.operators.canonical.counters import as_flags
from starplat.operators.canonical.hosts import Loop, Surroundings, surroundings
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_block
from starplat.operators.canonical.searches import by_level, levels, stores, unreached
from starplat.operators.canonical.sweeps import loops, split_arcs, split_sums
from starplat.same import Same

_Loop = typed.While | typed.DoWhile


def with_searches_apart(body: typed.Block, program: typed.Program, results: frozenset[typed.Symbol]) -> typed.Block:
    """Rewrites such loops in a function's body; `results` are the symbols that its caller sees."""
    around = surroundings(as_flags(body))
    for loop in around.loops:
        if isinstance(loop, typed.CountedLoop):
            continue
        for candidate, place in _tried(loop, around, program, results):
            if (apart := _apart(candidate, place)) is not None:
                changed = frontiers.over_frontiers(apart.body, program, results)
                changed = loops.as_searches(filters.with_filters(changed), program, results)
                if not any(apart.gone.intersection(walk.read(s)) for s in walk.statements(changed)):
                    return with_searches_apart(changed, program, results)
    return body


def _tried(
    loop: Loop, around: Surroundings, program: typed.Program, results: frozenset[typed.Symbol]
) -> Iterator[tuple[_Loop, Surroundings]]:
    """The forms of the loop that may be split, each with its function's body."""
    split = split_sums.with_looks(loop, around.before(loop)) or split_arcs.with_the_rest_behind(loop)
    if split is not None:
        loop, around = split, surroundings(around.with_in_place(loop, (split,)))
    if (asking := by_level.asked_by_level(loop, around, program, results)) is not None:
        declared, made = asking
        around, loop = surroundings(around.with_in_place(loop, (*declared, made))), made
    if not isinstance(loop, _Loop):
        return
    yield loop, around
    if (trial := unreached.with_infinity(loop, around)) is not None and isinstance(trial.loop, _Loop):
        yield trial.loop, trial.around


@dataclass(frozen=True)
class _Apart:
    """The function's body with a loop over levels after the search. Nothing may read the symbols `gone` in the end: the
    levels, and the counter, since the number of rounds that found nothing is unknown."""

    body: typed.Block
    gone: frozenset[typed.Symbol]


@dataclass(frozen=True)
class _Levels:
    """A loop that assigns levels from `first` on by a `counter`; `visitor` is the other work of a round, if any,
    the statement at place `visited`."""

    loop: _Loop
    cells: typed.Symbol
    first: int
    nodes: typed.AllNodes
    visitor: typed.ForEach | None
    visited: int | None
    counter: typed.Symbol
    begins: int
    ahead: int
    """The counter minus the current level, where the visitor runs."""


def _apart(loop: _Loop, around: Surroundings) -> _Apart | None:
    if (found := _levels(loop, around)) is None:
        return None
    block, place = around.block_of(loop)
    private = replace(found.counter)
    build = Builder(loop.span)
    far, k = (build.local(name, types.Scalar.INT) for name in ("far", "k"))
    rest = tuple(s for place, s in enumerate(loop.body.statements) if place != found.visited)
    search = substituted(replace(loop, body=replace(loop.body, statements=rest)), {found.counter: private})
    statements = (
        *block.statements[:place],
        build.declare(private, build.number(found.begins)),
        search,
        *_farthest(found, far),
        build.assign(build.variable(found.counter), _plus(build.variable(far), found.begins - found.first + 1)),
        *(() if found.visitor is None else (_over_levels(found, found.visitor, far, k),)),
        *block.statements[place + 1 :],
    )
    gone = frozenset((found.cells, found.counter))
    return _Apart(with_block(around.body, block, replace(block, statements=statements)), gone)


def _levels(loop: _Loop, around: Surroundings) -> _Levels | None:
    """The parts of such a loop; None for other loops."""
    block, place = around.block_of(loop)
    before, known = block.statements[:place], around.known_before(loop)
    counters = levels.counters_of_rounds(loop, known)
    statements = loop.body.statements
    for at, s in enumerate(statements):
        store = stores.read_store(s)
        offer = None if store is None else levels.of_level(store, loop, before, known, counters)
        if store is None or offer is None or offer[1]:
            continue
        cells, mine = store.place.symbol, typed.Cell(store.place.symbol, typed.Variable(store.source))
        asked_for = [value for c in store.when if (value := stores.compared(c, mine)) is not None]
        for symbol, counter in counters.items():
            level = levels.above(asked_for[0], typed.Variable(symbol))
            visitors = [i for i, other in enumerate(statements) if mentions_any(other, cells) and i != at]
            if level is None or len(visitors) > 1 or not isinstance(s, typed.ForEach):
                continue
            visited = visitors[0] if visitors else at
            visitor = _at_its_level(statements[visited], cells) if visitors else None
            ahead = (counter.place < visited) - (counter.place < at) - level
            first = counter.first + (counter.place < at) + level
            if isinstance(s.domain, typed.AllNodes) and isinstance(visitor, typed.ForEach | None):
                place_of = visited if visitors else None
                found = _Levels(loop, cells, first, s.domain, visitor, place_of, symbol, counter.first, ahead)
                if (visitor is None and around.is_seen(symbol, loop)) or (
                    visitor is not None
                    and _asks_for_the_past(found, visitor, visited > at)
                    and _is_alone(found, visitor)
                ):
                    return found
    return None


def _at_its_level(s: typed.Statement, cells: typed.Symbol) -> typed.Statement:
    """A loop over nodes at one level with that level in the place of what its nodes hold."""
    if not isinstance(s, typed.ForEach) or cells in walk.all_written(s):
        return s
    own = typed.Cell(cells, typed.Variable(s.iterator))
    asked = [level for c in all_asked(s.filter) if (level := levels.asked_level(c, own)) is not None]
    return replace(s, body=rebuilt(s.body, lambda part: asked[0] if part == own else None)) if len(asked) == 1 else s


def mentions_any(s: typed.Statement, cells: typed.Symbol) -> bool:
    """Whether a statement reads cells at any depth."""
    return any(mentions(value, {cells}) for value in walk.all_values(s))


def _asks_for_the_past(found: _Levels, visitor: typed.ForEach, most: int) -> bool:
    """Whether the visitor only compares levels with constants, from 0 on and at most `most` above the current level."""
    asked: set[Same] = set()
    parts = list(walk.all_parts(visitor))
    for part in parts:
        for cell in walk.within(part):
            if isinstance(cell, typed.Cell) and cell.symbol is found.cells:
                level = levels.above(levels.asked_level(part, cell), typed.Variable(found.counter))
                if level is not None and -found.first <= level + found.ahead <= most:
                    asked.add(Same(cell))
    return all(Same(part) in asked for part in parts if isinstance(part, typed.Cell) and part.symbol is found.cells)


def _is_alone(found: _Levels, visitor: typed.ForEach) -> bool:
    """Whether the visitor and the rest of the round share nothing but the levels."""
    rest = [s for place, s in enumerate(found.loop.body.statements) if place != found.visited]
    inside = [i for s in rest for i in walk.statements(s)]
    written = {symbol for i in inside for symbol in walk.written(i)}
    uses = written.union(walk.read(found.loop), *(walk.read(i) for i in inside))
    visits = list(walk.statements(visitor))
    leaves = (typed.Break, typed.Continue)
    own = {found.cells, found.counter}
    return (
        not any(uses & set(walk.written(i)) for i in visits)
        and not any((written - own) & set(walk.read(i)) for i in visits)
        and not any(isinstance(i, leaves) for s in found.loop.body.statements for i in walk.own_statements(s))
        and not any(isinstance(i, typed.Return) for i in (*visits, *inside))
        and not any(any(walk.calls(s)) for s in found.loop.body.statements)
    )


def _farthest(found: _Levels, far: typed.Symbol) -> tuple[typed.Statement, ...]:
    """The statements that find the greatest level."""
    build = Builder(found.loop.span)
    node = build.iterator(parallel_depth=1)
    own = build.cell(found.cells, node)
    takes = build.extreme(typed.Extreme.MAX, build.variable(far), own)
    every = build.over(node, found.nodes, takes, condition=build.differs(own, build.infinity()))
    return build.declare(far, build.number(found.first)), every


def _over_levels(found: _Levels, done: typed.ForEach, far: typed.Symbol, k: typed.Symbol) -> typed.CountedLoop:
    build = Builder(done.span)
    level = build.variable(k)
    visitor = substituted(done, {found.counter: _plus(level, found.ahead)})
    return typed.CountedLoop(
        k,
        True,
        build.number(found.first),
        build.compared(level, typed.Operator.LESS_EQUAL, build.variable(far)),
        build.add(level, 1),
        build.block(visitor),
        span=build.span,
    )


def _plus(value: typed.Expression, number: int) -> typed.Expression:
    return value if number == 0 else Builder(value.span).plus(value, number)
