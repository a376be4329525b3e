"""Rounds in which two frontiers take turns, each drained where the other is filled, are rounds over one frontier.

while (busy) {                                        while (busy) {
  busy = False;                                         busy = False;
  forall (v in g.nodes().filter(here)) {                forall (v in g.nodes().filter(here)) {
    v.here = False;                                       ... w.there = True; busy = True; ...
    ... w.there = True; busy = True; ...                }
  }                                                     here = there; g.attachNodeProperty(there = False);
  forall (v in g.nodes().filter(there)) {             }
    v.there = False;
    ... w.here = True; busy = True; ...
  }
}

The halves of a round are the same but for the names of the frontiers, or their arcs offer the same. A half from which
no node joins leaves both empty, so that all halves after it only count.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import eq

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_flag
from starplat.frontend import typed
from starplat.operators.canonical.hosts import HostLoop, Surroundings, with_loops
from starplat.operators.canonical.rebuilding import substituted
from starplat.operators.canonical.rounds import offer_the_same, plain
from starplat.operators.canonical.searches.initial_values import InitialValues, initial_values


def in_single_rounds(body: typed.Block) -> typed.Block:
    """A function's body with such rounds."""
    return with_loops(body, _single)


def _single(loop: HostLoop, around: Surroundings) -> tuple[typed.Statement, ...] | None:
    if not isinstance(loop, typed.While | typed.DoWhile):
        return None
    match loop.condition, loop.body.statements:
        case typed.Variable(symbol=busy), (typed.Assign(place=typed.Variable(symbol=reset), value=none), *rest) if (
            reset is busy and none == typed.FALSE and len(rest) % 2 == 0
        ):
            halves = [replace(loop.body, statements=tuple(rest[i : i + len(rest) // 2])) for i in (0, len(rest) // 2)]
        case _:
            return None
    first = _first_of_two(halves, busy, eq) or _first_of_two([*map(plain, halves)], busy, offer_the_same)
    if first is None:
        return None
    counted = {symbol for s in first.every if s is not first.loop for symbol in walk.written(s)}
    seen = any(symbol.role is not typed.Role.LOCAL or around.is_seen(symbol, loop) for symbol in counted)
    begins = initial_values(first.there, around.before(loop)) == InitialValues(typed.FALSE, ())
    if seen or not begins:
        return None
    rounds = replace(loop.body, statements=(loop.body.statements[0], *first.statements()))
    return (replace(loop, body=rounds),)


def _first_of_two(
    halves: Sequence[typed.Block], busy: typed.Symbol, alike: Callable[[typed.Block, typed.Block], bool]
) -> "_Half | None":
    """The first of two halves of a round, if they are alike but for the names of the frontiers."""
    one, other = halves
    first, second = (_read(half.statements, busy) for half in halves)
    if first is None or second is None or first.here is second.here or first.there is not second.here:
        return None
    names = dict(zip(_declared(other.statements), _declared(one.statements), strict=False))
    names |= {first.here: first.there, first.there: first.here}
    return first if alike(one, substituted(other, names)) else None


@dataclass(frozen=True)
class _Half:
    """A `loop`, of `every` statement, over the frontier `here` that drains it and fills the one `there`."""

    every: Sequence[typed.Statement]
    loop: typed.ForEach
    domain: typed.AllNodes
    here: typed.Symbol
    there: typed.Symbol
    drain: typed.Statement

    def statements(self) -> Iterator[typed.Statement]:
        """The half with the frontier moved behind it, in place of drained."""
        kept = [s for s in self.loop.body.statements if s is not self.drain]
        for s in self.every:
            yield replace(s, body=replace(s.body, statements=tuple(kept))) if s is self.loop else s
        yield typed.CopyProperty(self.here, self.there, span=self.loop.span)
        yield typed.Attach(self.domain.graph, ((self.there, typed.FALSE),), span=self.loop.span)


def _read(half: Sequence[typed.Statement], busy: typed.Symbol) -> _Half | None:
    """The half of a round, if it only counts besides, and says that it is `busy` exactly where a node joins."""
    loops = [s for s in half if isinstance(s, typed.ForEach)]
    counts = [s for s in half if isinstance(s, typed.Update) and isinstance(s.value, typed.Literal)]
    counts = [s for s in counts if isinstance(s.place, typed.Variable)]
    match loops:
        case [typed.ForEach(parallel=True, domain=typed.AllNodes() as domain, filter=typed.Cell() as own) as loop]:
            here = asked_flag(own, loop.iterator)
        case _:
            return None
    if here is None or len(counts) + 1 < len(half):
        return None
    drains = [s for s in loop.body.statements if s == typed.Assign(own, typed.FALSE)]
    others = [s for s in loop.body.statements if s not in drains]
    joins = {s.place.symbol for s in _signalled(others, busy)}
    if len(drains) != 1 or len(joins) != 1 or any(walk.touches(s, here) or walk.leaves(s) for s in others):
        return None
    there, inside = joins.pop(), [i for s in others for i in walk.statements(s)]
    joining = [i for i in inside if there in walk.written(i)]
    signals = [i for i in inside if busy in walk.written(i)]
    apart = len(joining) == len(signals) == len(list(_signalled(others, busy)))
    asked = any(busy in walk.read(i) for i in inside)
    return _Half(half, loop, domain, here, there, drains[0]) if apart and not asked else None


def _signalled(statements: Sequence[typed.Statement], busy: typed.Symbol) -> Iterator[typed.Assign | typed.Carried]:
    """The flags that are set in a block, or by a winner, where `busy` is set too."""
    for inside in (i for s in statements for i in walk.statements(s)):
        together = inside.statements if isinstance(inside, typed.Block) else getattr(inside, "carried", ())
        sets = [s for s in together if isinstance(s, typed.Assign | typed.Carried) and s.value == typed.TRUE]
        if any(s.place == typed.Variable(busy) for s in sets):
            yield from (s for s in sets if isinstance(s.place, typed.Cell))


def _declared(statements: Sequence[typed.Statement]) -> list[typed.Symbol]:
    return [symbol for s in statements for symbol in walk.declared(s)]
