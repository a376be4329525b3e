"""Stores of a common value become what an arc offers: the next level of a search, or a mark that spreads.

    forall (v in g.nodes().filter(level == depth)) {      forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {                        forall (w in g.neighbors(v)) {
        if (w.level == INF) {                                 <w.level, more> = <Min(w.level, v.level + 1), True>;
          w.level = depth + 1; more = True;                 }
        }                                                 }
      }
    }

A search by levels gives every node the least number of arcs, and so does the `Min`: `depth` counts the rounds from the
level of the nodes that it begins at, all others are at INF, and only these are given a level. It does not matter which
end of the arc asks, nor that it stops asking once it has its level. Flags that are stored beside go with the level, and
so does a parent: the node at the other end, where any that gives the level will do.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.canonical.hosts import Known, Loop
from starplat.operators.canonical.rebuilding import with_statements
from starplat.operators.canonical.searches import levels, waves
from starplat.operators.canonical.searches.stores import Offer, Store, nest, read_store, says


def as_offers(loop: Loop, before: Sequence[typed.Statement], known: Known) -> Loop:
    """The loop with such stores as offers, and without the counter of rounds if all its uses were in them.

    `before` are the statements before it in its block, `known` the values that they have given scalars.
    """
    counters = levels.counters_of_rounds(loop, known)

    def offer(store: Store) -> Offer | None:
        given = (store, loop, before, known, counters)
        return _of_mark(store) or levels.of_level(*given) or waves.of_wave(*given)

    done = [_offered(s, offer) for s in loop.body.statements]
    rest = [s for s in done if not any(s is counter.step for counter in counters.values())]
    values = (loop.condition, *(value for s in rest for value in walk.all_values(s)))
    used = {symbol for value in values for symbol in walk.variables(value)}
    kept = [s for s in done if not any(s is c.step and symbol not in used for symbol, c in counters.items())]
    return replace(loop, body=replace(loop.body, statements=tuple(kept)))


def with_marks(loop: typed.CountedLoop) -> typed.CountedLoop:
    """The loop with truths that nodes give their neighbors as offers."""
    return replace(loop, body=with_statements(loop.body, [_offered(s, _of_mark) for s in loop.body.statements]))


def _offered(s: typed.Statement, read: Callable[[Store], Offer | None]) -> typed.Statement:
    """A statement with what it stores as an offer, if it is one."""
    store = read_store(s)
    offer = None if store is None else read(store)
    return s if store is None or offer is None else nest(s, store, offer)


def asks_for_own_truth(s: typed.Statement) -> bool:
    """Whether nodes give their neighbors a truth under the condition that they have it themselves."""
    store = read_store(s)
    return store is not None and _of_mark(store) is not None


def _of_mark(store: Store) -> Offer | None:
    """A truth that a node gets if a neighbor has it, as the greatest of the two, or the least where False spreads."""
    if not isinstance(store.value, typed.Literal) or store.value.type is not types.Scalar.BOOL:
        return None
    truth = bool(store.value.value)
    mine = typed.Cell(store.place.symbol, typed.Variable(store.source))
    rest = tuple(c for c in store.when if not says(c, mine, truth) and not says(c, store.place, not truth))
    if not any(says(c, mine, truth) for c in store.when):
        return None
    extreme = typed.Extreme.MAX if truth else typed.Extreme.MIN
    return typed.AssignExtreme(extreme, store.place, mine, store.beside, span=store.place.span), rest
