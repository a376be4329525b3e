"""A parent that a node finds first in its row is found behind the search.

while (more) {                                        fixedPoint until (done : !active) {
  more = False;                                         forall (v in g.nodes().filter(active)) {
  forall (w in g.nodes().filter(level == INF)) {          forall (w in g.neighbors(v)) {
    for (v in g.nodes_to(w)) {                              <w.level, w.active> = <Min(w.level, v.level + 1), True>;
      if (v.level == depth) {                             }
        w.level = depth + 1;                            }
        w.parent = v;                                 }
        more = True;                                  forall (w in g.nodes().filter(level != INF && level > 0)) {
        break;                                          int first = INF;
      }                                                 for (v in g.nodes_to(w)) {
    }                                                     if (w.level == v.level + 1) { first = Min(first, v); }
  }                                                     }
  depth++;                                              w.parent = first;
}                                                     }

Rows are in ascending order, and a node finds its neighbors of one level only, since those of the levels before would
have been found by a round before. So its parent is the least of these. The rounds are held against the same ones in
which any of them may be the parent, which are read as a search by levels that carries it; truths that spread get levels
for that.
"""

from collections.abc import Iterator
from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, hosts, rebuilding
from starplat.operators.canonical.frontiers import over_frontiers
from starplat.operators.canonical.labels.any_neighbor import without_findings
from starplat.operators.canonical.labels.numbers import plain
from starplat.operators.canonical.rounds import edge_effects
from starplat.operators.canonical.searches.initial_values import initial_values, opened
from starplat.operators.canonical.searches.levels import begins_at, is_next, number
from starplat.operators.canonical.searches.stores import read_nest
from starplat.operators.records import EdgeEffect


def with_first_parents(body: typed.Block, program: typed.Program, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with such parents behind searches; `results` are the symbols that its caller sees."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        for parent, of_any in _of_any(loop):
            carrying = over_frontiers(around.with_in_place(loop, (of_any,)), program, results)
            if (found := _found_behind(carrying, parent, program, results)) is not None:
                return with_first_parents(found, program, results)
    return body


def _of_any(loop: hosts.HostLoop) -> Iterator[tuple[typed.Symbol, hosts.HostLoop]]:
    """Each property that nodes give the first in a row, and the rounds in which it may be any."""
    rows = (s for s in walk.statements(loop) if isinstance(s, typed.ForEach) and isinstance(s.domain, typed.Neighbors))
    if all(row.parallel for row in rows):
        return
    plainly = without_findings(loop.body)
    for place, s in enumerate(plainly.statements):
        nest = read_nest(s)
        if nest is None or not nest.may_break or not nest.inner or not isinstance(nest.inner[-1], typed.Break):
            continue
        own, other = typed.Variable(nest.node), typed.Variable(nest.there)
        for store in nest.inner:
            match store:
                case typed.Assign(typed.Cell(parent, index), value) if index == own and plain(value) == other:
                    body = rebuilding.spliced(plainly, place, (_in_any_order(s),))
                    yield parent, replace(loop, body=body)


def _in_any_order(s: typed.Statement) -> typed.Statement:
    """A loop over nodes whose rows are parallel, and not left."""

    def change(part: object) -> object:
        match part:
            case typed.ForEach(domain=typed.Neighbors()):
                kept = rebuilding.without(part.body, lambda inner: isinstance(inner, typed.Break))
                return replace(part, parallel=True, body=kept)
        return None

    return rebuilding.rebuilt(s, change)


def _found_behind(
    body: typed.Block, parent: typed.Symbol, program: typed.Program, results: frozenset[typed.Symbol]
) -> typed.Block | None:
    """The body with the parent that a search carries found behind it; None if there is no such search."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        match edge_effects(loop, around, program, results) if isinstance(loop, typed.FixedPoint) else ():
            case (EdgeEffect(carried=(typed.Carried(place, value),)) as effect,) if (
                place.symbol is parent and isinstance(loop, typed.FixedPoint) and isinstance(place, typed.Cell)
            ):
                first = _first_level(effect, loop, around)
                if first is None or plain(value) != typed.Variable(effect.source):
                    return None
                return around.with_in_place(
                    loop, (_without(parent, loop), _least_in_row(effect, place, first, loop.graph))
                )
    return None


def _first_level(effect: EdgeEffect, loop: hosts.HostLoop, around: hosts.Surroundings) -> int | None:
    """The level at which a search begins."""
    before, known = opened(around.before(loop)), around.known_before(loop)
    begun = initial_values(effect.symbol, before)
    if begun is None or not begun.set or not is_next(effect.own, effect.value):
        return None
    if effect.direction is typed.Direction.BOTH or typed.scalar_of(effect.own) is not Scalar.INT:
        return None
    first = number(begun.set[0][1], known)
    return first if first is not None and begins_at(effect.symbol, first, before, known) else None


def _without(parent: typed.Symbol, loop: typed.FixedPoint) -> typed.FixedPoint:
    """The search without what it carries."""

    def change(part: object) -> object:
        match part:
            case typed.AssignExtreme(carried=carried):
                return replace(part, carried=tuple(c for c in carried if c.place.symbol is not parent))
        return None

    return rebuilding.rebuilt(loop, change)


def _least_in_row(effect: EdgeEffect, place: typed.Cell, first: int, graph: typed.Symbol) -> typed.Statement:
    """The loop in which nodes of levels above the first take the least of their neighbors of the level before."""
    build, here, there = Builder(effect.span), effect.destination, effect.source
    level, least = build.cell(effect.symbol, here), build.local("first", Scalar.INT)
    when = rebuilding.rebuilt(effect.when, lambda part: effects.seen_from(part, here, there))
    found = build.extreme(typed.Extreme.MIN, build.variable(least), typed.Convert(build.variable(there), Scalar.INT))
    row = build.row(graph, here, effects.REVERSED[effect.direction])
    arcs = build.over(there, row, build.when(build.both(build.equal(level, effect.value), *when), found))
    value: typed.Expression = build.variable(least)
    if place.type is not Scalar.INT:
        value = typed.Convert(value, place.type, span=build.span)
    later = build.compared(level, typed.Operator.GREATER, build.number(first))
    reached = build.both(build.differs(level, build.infinity()), later)
    stores = build.declare(least, build.infinity()), replace(arcs, parallel=False), build.assign(place, value)
    loop = build.over(here, typed.AllNodes(graph), *stores, condition=reached)
    return rebuilding.with_fresh_symbols(loop, (loop,))
