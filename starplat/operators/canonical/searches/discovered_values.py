"""The best value that a node gets from its discoverers is computed after the search.

do {                                                  fixedPoint until (done : !active) {
  forall (v in g.nodes().filter(here)) {                forall (v in g.nodes().filter(active)) {
    forall (w in g.neighbors(v)) {                        forall (w in g.neighbors(v)) {
      if (!w.visited) {                                     <w.level, w.active> = <Min(w.level, v.level + 1), True>;
        w.low = Min(w.low, v); w.there = True;            }
      }                                                 }
    }                                                 }
  }                                                   forall (v in g.nodes().filter(level != INF)) {
  forall (v in g.nodes().filter(there)) {               forall (w in g.neighbors(v)) {
    v.visited = True; v.parent = v.low; ...               if (w.level == v.level + 1) { w.low = Min(w.low, v); }
  }                                                     }
} while (some);                                       }
                                                      forall (v in g.nodes().filter(level != INF)) {
                                                        v.visited = True;
                                                        if (v.level > 0) { v.parent = v.low; }
                                                      }

A node is discovered in one round only, by neighbors of the level before its own. A value that any of them may store is
carried by the level. In the rounds only the node itself reads its values, when it is visited, and its copies stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.frontend.types import PropertyType, Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical.hosts import HostLoop
from starplat.operators.canonical.rebuilding import substituted, with_fresh_symbols
from starplat.operators.canonical.searches.stores import Nest
from starplat.same import Same

_MIN = typed.Extreme.MIN


@dataclass(frozen=True)
class Discovered:
    """The values that come with a discovery: `stores` of any discoverer, what is `best` of all of them, and `copies`
    that a node makes of these when it is visited."""

    stores: tuple[typed.Assign, ...]
    best: tuple[typed.AssignExtreme, ...]
    copies: tuple[typed.Assign, ...]

    @property
    def any(self) -> bool:
        """Whether a flag is not all that there is to store when a node is discovered."""
        return bool(self.stores or self.best or self.copies)


def are_apart(discovered: Discovered, nest: Nest, loop: HostLoop) -> bool:
    """Whether nothing else in the rounds has to do with the values, and they do not depend on the rounds."""
    values: tuple[typed.Assign | typed.AssignExtreme, ...] = (*discovered.stores, *discovered.best)
    stores: tuple[typed.Assign | typed.AssignExtreme, ...] = (*values, *discovered.copies)
    cells = [s.place.symbol for s in stores]
    own = {Same(s) for s in stores}
    inside = list(walk.statements(loop))
    written = {symbol for s in inside for symbol in walk.written(s)} - {nest.node, nest.there}
    given = (s.value if isinstance(s, typed.Assign) else s.candidate for s in values)
    touched = (symbol for s in inside if Same(s) not in own for symbol in (*walk.read(s), *walk.written(s)))
    copied = {symbol for s in discovered.copies for symbol in walk.read(s) if isinstance(symbol.type, PropertyType)}
    return (
        len(set(cells)) == len(cells)
        and not set(cells) & set(touched)
        and copied <= {s.place.symbol for s in values}
        and not any(mentions(value, written) for value in given)
    )


def levels_and_values(
    nest: Nest,
    when: Sequence[typed.Expression],
    visited: typed.Symbol,
    discovered: Discovered,
    begin: Sequence[typed.Expression],
    *,
    copies_begin: bool,
) -> tuple[typed.Statement, ...]:
    """A search by levels from the nodes at which it begins, and what nodes are given and copy. Those at which it begins
    copy too if they are visited."""
    build, graph, node, there = Builder(nest.span), nest.domain.graph, nest.node, nest.there
    level, active = build.of_nodes("level", Scalar.INT), build.of_nodes("active", Scalar.BOOL)
    here, next_level, none = build.cell(level, node), build.cell(level, there), build.infinity()
    reached, following = build.differs(here, none), build.plus(here, 1)

    def along(condition: typed.Expression, test: Sequence[typed.Expression], *inner: typed.Statement) -> typed.ForEach:
        offered = (build.when(build.both(*test), *inner),) if test else inner
        return build.over(node, nest.domain, build.over(there, row, *offered), condition=condition)

    row = build.row(graph, node, nest.direction)
    brought = (typed.Carried(s.place, s.value, span=s.span) for s in discovered.stores)
    joins = build.carried(build.cell(active, there), True)
    rounds = along(build.cell(active, node), when, build.extreme(_MIN, next_level, following, *brought, joins))
    best = along(reached, (build.equal(next_level, following), *when), *discovered.best)
    begun = build.compared(here, typed.Operator.GREATER, build.number(0))
    copies = _copies(discovered, node, None if copies_begin else begun)
    visits = build.over(node, nest.domain, build.assign(build.cell(visited, node), True), *copies, condition=reached)
    first = (typed.Cell(symbol, at, span=nest.span) for at in begin for symbol in (level, active))
    return (
        build.declare(level),
        build.declare(active),
        typed.Attach(graph, ((level, none), (active, build.truth(False))), span=nest.span),
        *(build.assign(place, build.number(0) if place.symbol is level else build.truth(True)) for place in first),
        build.until_none(active, graph, rounds),
        *(new for s in ((best, visits) if discovered.best else (visits,)) for new in with_fresh_symbols((s,), (s,))),
    )


def _copies(
    discovered: Discovered, node: typed.Symbol, condition: typed.Expression | None
) -> tuple[typed.Statement, ...]:
    """What the node copies, under a condition."""
    copies = []
    for s in discovered.copies:
        assert isinstance(s.place, typed.Cell)
        assert isinstance(s.place.index, typed.Variable)
        copies.append(substituted(s, {s.place.index.symbol: node}))
    if not copies or condition is None:
        return tuple(copies)
    return (Builder(copies[0].span).when(condition, *copies),)
