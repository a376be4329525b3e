"""Nodes that are discovered in one step of a round, and visited in the next, are visited where they are discovered.

do {                                                  do {
  some = False;                                         some = False;
  forall (v in g.nodes().filter(here)) {                forall (v in g.nodes().filter(here)) {
    v.visited = True; some = True;                        forall (w in g.neighbors(v)) {
  }                                                         if (!w.visited) {
  forall (v in g.nodes().filter(here)) {                      w.visited = True; w.there = True; some = True;
    forall (w in g.neighbors(v)) {                          }
      if (!w.visited) { w.there = True; }                 }
    }                                                   }
  }                                                     here = there; g.attachNodeProperty(there = False);
  here = there; g.attachNodeProperty(there = False);  } while (some);
} while (some);

A round is followed from one discovery to the next: discovered nodes are visited in between, and then discover others.
The loop ends when no node is discovered. As no visited node is discovered, visits may come earlier. Other values
that a discovery brings go with a level in place of the visited flag (see `discovered_values`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical.hosts import HostLoop, Surroundings, surely_begins, surroundings
from starplat.operators.canonical.rebuilding import rebuilt, with_block
from starplat.operators.canonical.searches.discovered_values import Discovered, are_apart, levels_and_values
from starplat.operators.canonical.searches.initial_values import InitialValues, initial_values
from starplat.operators.canonical.searches.levels import has_enough
from starplat.operators.canonical.searches.steps import Steps
from starplat.operators.canonical.searches.stores import Nest, read_nest, says
from starplat.operators.canonical.unread import without_unread


def visited_on_discovery(body: typed.Block, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with such rounds; `results` are the symbols that its caller sees."""
    around = surroundings(body)
    for loop in around.loops:
        found = _read(loop)
        if found is None or (shown := _unseen(found, loop, around, results)) is None:
            continue
        before, known = around.before(loop), around.known_before(loop)
        if isinstance(loop, typed.While) and not surely_begins(loop, known, before):
            continue
        if found.asks_first and known.get(found.signal) is not True:
            continue
        if not found.begins(before) or (isinstance(loop, typed.CountedLoop) and not _has_as_many(loop)):
            continue
        made = shown.with_in_place(loop, found.made(loop, before))
        return visited_on_discovery(without_unread(made, results), results)
    return body


def _unseen(
    found: "_Round", loop: HostLoop, around: Surroundings, results: frozenset[typed.Symbol]
) -> Surroundings | None:
    """The body in which the flags of a round are not read later, if it may be had: none is here in the end."""
    seen = {s for s in found.flags if s in results or around.is_seen(s, loop)}
    if not seen:
        return around
    block, place = around.block_of(loop)
    rest = block.statements[place + 1 :]
    if seen != {found.here} or not found.leaves_none or any(found.here in walk.all_written(s) for s in rest):
        return None

    def change(part: Any) -> Any:
        match part:
            case typed.Cell(symbol) if symbol is found.here:
                return Builder(part.span).truth(False)
            case typed.Unary(typed.UnaryOperator.NOT, typed.Cell(symbol)) if symbol is found.here:
                return Builder(part.span).truth(True)
            case typed.Binary(typed.Operator.AND):
                kept = [c for c in rebuilt((part.left, part.right), change) if c != typed.TRUE]
                return Builder(part.span).both(*kept) if kept else typed.TRUE
        return None

    asked = replace(block, statements=(*block.statements[: place + 1], *rebuilt(rest, change)))
    shown = surroundings(with_block(around.body, block, asked))
    return None if found.here in results or shown.is_seen(found.here, loop) else shown


@dataclass(frozen=True)
class _Round:
    """A round: the arcs along which nodes that are `here` discover those `there`, under conditions besides, and the
    nodes that are `visited`, before others are discovered in the round if it `visits_first`. The `signal` is asked
    before it is set in a round that `asks_first`. The flag of those there is taken back in each round before nodes are
    discovered if it is `emptied`. `discovered` are the values that come with it. None is here when a loop that
    `leaves_none` ends."""

    nest: Nest
    when: tuple[typed.Expression, ...]
    here: typed.Symbol
    there: typed.Symbol
    visited: typed.Symbol
    signal: typed.Symbol
    visits_first: bool
    asks_first: bool
    emptied: bool
    discovered: Discovered
    leaves_none: bool

    @property
    def flags(self) -> set[typed.Symbol]:
        """What the rounds use besides the visited flag."""
        return {self.here, self.there, self.signal}

    def begins(self, before: Sequence[typed.Statement]) -> bool:
        """Whether the loop begins with some nodes here, which are visited, or are so first."""
        here, there, visited = (initial_values(s, before) for s in (self.here, self.there, self.visited))
        if here is None or visited is None or not here.set:
            return False
        alike = all(_is_set(v) for v in (here, visited))
        begins_empty = there is not None and there.fill == typed.FALSE and not there.set
        none_discovered = self.here is self.there or self.emptied or begins_empty
        inside, all_of_them = set(_indices(visited)), set(_indices(here))
        return alike and none_discovered and (inside <= all_of_them if self.visits_first else inside == all_of_them)

    def made(self, loop: HostLoop, before: Sequence[typed.Statement]) -> tuple[typed.Statement, ...]:
        """The loop in which nodes are visited where they are discovered, behind the visits of those that begin."""
        build, nest, graph = Builder(loop.span), self.nest, self.nest.domain.graph
        here, visited = (initial_values(s, before) for s in (self.here, self.visited))
        assert here is not None
        assert visited is not None
        first = [at for at in _indices(here) if at not in _indices(visited)]
        visits = (build.assign(typed.Cell(self.visited, at, span=loop.span), True) for at in first)
        if self.discovered.any:
            begin, own = _indices(here), self.visits_first
            return (
                *visits,
                *levels_and_values(nest, self.when, self.visited, self.discovered, begin, copies_begin=own),
            )
        visit, join = (build.cell(s, nest.there) for s in (self.visited, self.here))
        offer = build.when(
            build.both(build.negated(visit), *self.when), build.assign(visit, True), build.assign(join, True)
        )
        arcs = build.over(nest.there, build.row(graph, nest.node, nest.direction), offer)
        rounds = build.over(nest.node, nest.domain, arcs, condition=build.cell(self.here, nest.node))
        return (*visits, build.until_none(self.here, graph, rounds))


def _read(loop: HostLoop) -> _Round | None:
    """The round of a loop, if it takes such steps."""
    if isinstance(loop, typed.FixedPoint):
        return None
    statements = loop.body.statements
    discovering = [(at, discovers) for at, s in enumerate(statements) if (discovers := _discovers(s)) is not None]
    if len(discovering) != 1:
        return None
    ((at, (nest, there, discovery_signals, values)),) = discovering
    here = next((to for s in statements for to, of in walk.copies(s) if of is there), there)
    cycle = (*statements[at + 1 :], *_turned(loop), *statements[:at])
    steps = Steps(here, there)
    steps.begin()
    visiting = _visiting(cycle, steps)
    if visiting is None or len(steps.marks) != 1 or steps.asked_again:
        return None
    ahead = [i for s in statements[:at] for i in walk.statements(s) if {here, there} & set(walk.written(i))]
    if not all(_stores(i, typed.FALSE) or (isinstance(i, typed.Attach) and not any(walk.copies(i))) for i in ahead):
        return None  # the first round discovers from others than those that are here as the loop begins
    (visited,), copies = steps.marks, tuple(store for store, _ in steps.levels)
    visit_signals = frozenset(s.place.symbol for s in steps.more)
    sources = [typed.Cell(s, typed.Variable(nest.node)) for s in (here, visited)]
    waves = [c for c in nest.when if any(says(c, cell, True) for cell in sources)]
    unvisited = [c for c in nest.when if says(c, typed.Cell(visited, typed.Variable(nest.there)), False)]
    if len(waves) != 1 or not unvisited or not all(map(_is_copy, copies)):
        return None
    if says(waves[0], sources[1], True):
        steps.frontier = None
    signal = _exit(cycle, visiting, discovery_signals, visit_signals)
    if signal is None or not steps.are_next():
        return None
    when = tuple(c for c in nest.when if c not in waves and c not in unvisited)
    written = {s for inner in walk.statements(loop) for s in walk.written(inner)}
    discovered = Discovered(
        tuple(i for i in values if isinstance(i, typed.Assign)), tuple(i for i in values if _is_best(i)), copies
    )
    if any(mentions(c, written - {nest.node, nest.there}) for c in when) or not are_apart(discovered, nest, loop):
        return None
    place = next(i for i, s in enumerate(statements) if s is cycle[visiting])
    if place < at and here not in walk.read(cycle[visiting]):
        return None  # the first round visits others than those that are here
    left = next((i for i, s in enumerate(statements) if isinstance(s, typed.If)), len(statements))
    asks_first = left < (at if signal in discovery_signals else place)
    empty = any(isinstance(i, typed.Attach) and there in walk.written(i) for i in ahead)
    empty = empty or any(walk.declares(s, there) for s in statements)
    moved = next(isinstance(s, typed.CopyProperty) for s in cycle if isinstance(s, typed.CopyProperty | typed.If))
    none = moved and not isinstance(loop, typed.CountedLoop)
    return _Round(nest, when, here, there, visited, signal, place < at, asks_first, empty, discovered, none)


def _discovers(
    s: typed.Statement,
) -> tuple[Nest, typed.Symbol, frozenset[typed.Symbol], tuple[typed.Statement, ...]] | None:
    """The arcs along which nodes are discovered, their flag, the scalars that say so, and what is stored beside."""
    nest = read_nest(s)
    if nest is None or nest.may_break:
        return None
    there = typed.Variable(nest.there)
    discovered = [i for i in nest.inner if _stores(i, typed.TRUE) == there]
    signals = [i for i in nest.inner if isinstance(i, typed.Assign) and isinstance(i.place, typed.Variable)]
    values = tuple(i for i in nest.inner if i not in discovered and i not in signals)
    is_plain = all(i.value == typed.TRUE for i in signals)
    is_plain = is_plain and all(isinstance(i, typed.Assign) or _is_best(i) for i in values)
    of_there = all(isinstance(p, typed.Cell) and p.index == there for i in values for p in walk.written_places(i))
    if len(discovered) != 1 or not is_plain or not of_there:
        return None
    return nest, _symbol(discovered[0]), frozenset(map(_symbol, signals)), values


def _is_best(s: typed.Statement) -> TypeGuard[typed.AssignExtreme]:
    return isinstance(s, typed.AssignExtreme) and not s.carried


def _visiting(cycle: Sequence[typed.Statement], steps: Steps) -> int | None:
    """The place of the one statement that visits the nodes discovered, where all others but those that `_exit` reads
    are followed."""
    found: list[int] = []
    for place, s in enumerate(cycle):
        match s:
            case typed.If() | typed.Assign() | typed.Declare(value=typed.Literal()):
                continue
        done = len(steps.marks) + len(steps.levels) + len(steps.more)
        if not steps.follow(s):
            return None
        if len(steps.marks) + len(steps.levels) + len(steps.more) > done:
            found.append(place)
    return found[0] if len(found) == 1 else None


def _is_copy(s: typed.Assign) -> bool:
    """Whether it stores one of a node's cells in another."""
    value = s.value.operand if isinstance(s.value, typed.Convert) else s.value
    return isinstance(s.place, typed.Cell) and isinstance(value, typed.Cell) and value.index == s.place.index


def _turned(loop: HostLoop) -> tuple[typed.Statement, ...]:
    """The end of a round: the loop is left where its condition does not hold."""
    if not isinstance(loop, typed.While | typed.DoWhile) or loop.condition == typed.TRUE:
        return ()
    against = typed.Unary(typed.UnaryOperator.NOT, loop.condition, span=loop.span)
    return (typed.If(against, typed.Block((typed.Break(),)), span=loop.span),)


def _exit(
    cycle: Sequence[typed.Statement],
    visiting: int,
    discovered: frozenset[typed.Symbol],
    visits: frozenset[typed.Symbol],
) -> typed.Symbol | None:
    """The one scalar that a loop is left for, where it says that none has been discovered: it is set when nodes are
    discovered, or by the statement that is `visiting` them, and asked before it is taken back."""
    if len(discovered | visits) != 1 or discovered == visits:
        return None
    (signal,), first = discovered | visits, visiting + 1 if visits else 0
    order: list[tuple[typed.Symbol, bool]] = []
    for s in (*cycle[first:], *cycle[:first]):
        match s:
            case typed.If(
                typed.Unary(typed.UnaryOperator.NOT, typed.Variable(asked)), typed.Block((typed.Break(),)), None
            ):
                order.append((asked, True))
            case typed.Assign(typed.Variable(symbol), value) | typed.Declare(symbol, value) if value == typed.FALSE:
                order.append((symbol, False))
            case typed.If() | typed.Assign():
                return None
    return signal if order == [(signal, True), (signal, False)] else None


def _has_as_many(loop: typed.CountedLoop) -> bool:
    """Whether there are as many rounds as nodes."""
    return has_enough(loop, ()) and loop.first == typed.Literal(0, Scalar.INT)


def _stores(s: typed.Statement, value: typed.Expression) -> typed.Expression | None:
    """The node whose cell a statement gives a value."""
    stores = isinstance(s, typed.Assign) and isinstance(s.place, typed.Cell) and s.value == value
    return s.place.index if stores else None  # type: ignore[union-attr]


def _symbol(s: typed.Statement) -> typed.Symbol:
    assert isinstance(s, typed.Assign)
    return s.place.symbol


def _is_set(values: InitialValues) -> bool:
    return values.fill == typed.FALSE and all(value == typed.TRUE for _, value in values.set)


def _indices(values: InitialValues) -> list[typed.Expression]:
    return [index for index, _ in values.set]
