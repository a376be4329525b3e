"""Values of this round and the next in two properties become one property that is lowered in place.

next = now;                                      while (more) {
while (more) {                                     more = False;
  ... <w.next> = <Min(w.next, v.now)>; ...         ... <w.now, more> = <Min(w.now, v.now), True>; ...
  more = False;                                  }
  forall (v in g.nodes()) {
    if (v.next != v.now) { v.now = v.next; more = True; }
  }
}

Both properties are equal when a round begins, so they differ where a `Min` has won. Where only what is less is taken
over (`v.next < v.now`), `next` may begin with INF: what it lags behind with is never taken, and nothing else may read
it. A round may also keep what it begins with, `old = now;`, offer `v.old` to `w.now`, and compare both at its end. The
loop in place may propagate a value sooner. The caller proves that it converges; then both end in the same fixed point.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Any, TypeVar

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_of, mentions, says_that_it_wins
from starplat.analysis.settling.snapshots import snapshot, stores_of_changed
from starplat.frontend import typed
from starplat.operators.canonical.effects import asked_by_loop
from starplat.operators.canonical.hosts import HostLoop
from starplat.operators.canonical.rebuilding import rebuilt, substituted
from starplat.operators.canonical.searches.initial_values import initial_values

_STRICT = (typed.Operator.LESS, typed.Operator.GREATER)
AnyLoop = TypeVar("AnyLoop", bound=HostLoop)


class _Way(Enum):
    """How rounds keep two properties apart."""

    ALL_TAKEN = auto()
    """At its end a round takes over what the other property holds."""
    BETTER_TAKEN = auto()
    """It takes over what is better."""
    KEPT = auto()
    """It begins with a copy, and compares at its end."""


def in_one_buffer(loop: AnyLoop, before: Sequence[typed.Statement]) -> AnyLoop:
    """The loop with one property in place of two; `before` are the statements before it in its block."""
    inside = (s for s in walk.statements(loop.body) if isinstance(s, typed.AssignExtreme))
    lowered = dict.fromkeys((s.place.symbol, s.extreme) for s in inside if isinstance(s.place, typed.Cell))
    for ahead, extreme in lowered:
        if (kept := snapshot(loop, ahead, extreme, is_read=True)) is not None:
            rounds = [s for s in loop.body.statements if s is not kept.copy]
            place = next(i for i, s in enumerate(rounds) if s is kept.comparison)
            on_change = tuple(s for s in kept.stores if isinstance(s, typed.Assign))
            plain = replace(loop, body=replace(loop.body, statements=tuple(rounds)))
            if len(on_change) == len(kept.stores) and (
                found := _in_place(plain, place, ahead, extreme, kept.old, on_change, _Way.KEPT, before)
            ):
                return found
    for place, s in enumerate(loop.body.statements):
        for following, extreme in lowered:
            if (handed := _handed_over(s, following, extreme)) is not None:
                found = _in_place(loop, place, following, extreme, *handed, before)
                if found is not None:
                    return found
    return loop


def _in_place(
    loop: AnyLoop,
    place: int,
    following: typed.Symbol,
    extreme: typed.Extreme,
    now: typed.Symbol,
    on_change: tuple[typed.Assign, ...],
    way: _Way,
    before: Sequence[typed.Statement],
) -> AnyLoop | None:
    """The loop without what hands over at that place, if both properties are alike where a round begins, and there is
    but one way in which the one gets ahead of the other. Where only what is better is taken, the one may begin with
    nothing."""
    rounds, rest = list(loop.body.statements[:place]), loop.body.statements[place + 1 :]
    if rounds and not on_change and (on_change := _compared(rounds[-1], following, now, extreme)):
        rounds.pop()
    held = following if way is _Way.KEPT else now
    first = next((i for i, s in enumerate(rounds) if _copied(s) == (following, now)), None)
    ahead_of_it = [i for s in rounds[:first] for i in walk.statements(s)]
    if first is not None and not any({now, following} & {*walk.written(i), *walk.read(i)} for i in ahead_of_it):
        rounds.pop(first)
    elif way is not _Way.KEPT and not _begin_alike(now, following, before):
        offers_nothing = _offers_nothing(following, extreme, before) and not _is_read(following, *rounds, *rest)
        if way is not _Way.BETTER_TAKEN or not offers_nothing:
            return None
    ahead = walk.writers(following, *rounds)
    if not all(
        isinstance(i, typed.AssignExtreme)
        and i.extreme is extreme
        and all(c.place.symbol is not following for c in i.carried)
        for i in ahead
    ):
        return None
    if any(now in walk.written(i) for s in (*rounds, *rest) for i in walk.statements(s)):
        return None
    if any(following in walk.written(i) for s in rest for i in walk.statements(s)):
        return None
    rounds, on_change, begin, end = _with_fresh_frontier(rounds, on_change)
    flags = {store.place.symbol for store in on_change}
    resets = [s for s in rounds if _is_reset(s, flags)]
    rounds = [s for s in rounds if s not in resets]
    if any(flags & {*walk.written(i), *walk.read(i)} for s in rounds for i in walk.statements(s)):
        return None

    def carrying(part: Any) -> Any:
        match part:
            case typed.AssignExtreme(place=typed.Cell(symbol, index)) if symbol is held:
                carried = tuple(typed.Carried(_at(s.place, index), s.value, span=s.span) for s in on_change)
                return replace(part, carried=(*part.carried, *carried))
        return None

    changed = rebuilt(substituted(tuple(rounds), {following: held, now: held}), carrying)
    return replace(loop, body=replace(loop.body, statements=(*begin, *resets, *changed, *end, *rest)))


def _with_fresh_frontier(
    rounds: list[typed.Statement], on_change: tuple[typed.Assign, ...]
) -> tuple[list[typed.Statement], tuple[typed.Assign, ...], tuple[typed.Statement, ...], tuple[typed.Statement, ...]]:
    """A round and the stores of changed nodes. A flag that the round reads and then clears before these stores gets a
    fresh flag in its place, and is copied from it at the end. What begins and what ends the round comes last."""
    for store in on_change:
        fill = next((s for s in rounds if isinstance(s, typed.Attach) and s.items == _none_of(store.place)), None)
        if fill is None or store.value != typed.TRUE:
            continue
        place, flag = next(i for i, s in enumerate(rounds) if s is fill), store.place.symbol
        ahead, behind = rounds[:place], rounds[place + 1 :]
        if any(flag in walk.all_written(s) for s in ahead) or any(walk.touches(s, flag) for s in behind):
            continue
        fresh = typed.Symbol(f"{flag.name}_nxt", flag.type, typed.Role.LOCAL, store.span)
        given = tuple(substituted(s, {flag: fresh}) for s in on_change)
        begin = (typed.Declare(fresh, None, span=store.span), replace(fill, items=((fresh, typed.FALSE),)))
        return [*ahead, *behind], given, begin, (typed.CopyProperty(flag, fresh, span=store.span),)
    return rounds, on_change, (), ()


def _none_of(place: typed.Place) -> tuple[tuple[typed.Symbol, typed.Expression], ...]:
    return ((place.symbol, typed.FALSE),) if isinstance(place, typed.Cell) else ()


def _compared(
    s: typed.Statement, following: typed.Symbol, now: typed.Symbol, extreme: typed.Extreme
) -> tuple[typed.Assign, ...]:
    """The stores of nodes whose cell has changed, if a loop in front of the copy does nothing else."""
    stores = stores_of_changed(s, following, now, extreme)
    if not isinstance(s, typed.ForEach) or not s.parallel:
        return ()
    plain = tuple(store for store in stores if isinstance(store, typed.Assign))
    return plain if plain == stores and all(_is_plain(store, typed.Variable(s.iterator)) for store in plain) else ()


def _handed_over(
    s: typed.Statement, following: typed.Symbol, extreme: typed.Extreme
) -> tuple[typed.Symbol, tuple[typed.Assign, ...], _Way] | None:
    """The property that takes over what another holds, and what a node stores beside it, if its cell gets better; and
    which way it does so."""
    if (copy := _copied(s)) is not None:
        return (copy[0], (), _Way.ALL_TAKEN) if copy[1] is following and copy[0] is not following else None
    match s:
        case typed.ForEach(parallel=True, domain=typed.AllNodes()):
            conditions, inner = asked_by_loop(s)
        case _:
            return None
    own = typed.Variable(s.iterator)
    ahead = typed.Cell(following, own)
    match inner:
        case (typed.AssignExtreme(place=typed.Cell(now) as cell, candidate=candidate) as offer,) if (
            candidate == ahead and offer.extreme is extreme
        ):
            on_change, is_better = [typed.Assign(c.place, c.value, span=c.span) for c in offer.carried], True
        case _:
            stores = [store for store in inner if isinstance(store, typed.Assign)]
            taken = [store.place for store in stores if store.value == ahead]
            if len(stores) < len(inner) or len(taken) != 1 or not isinstance(taken[0], typed.Cell):
                return None
            on_change, cell, now = [store for store in stores if store.value != ahead], taken[0], taken[0].symbol
            differs = [c for c in conditions if _is_ahead(c, cell, ahead, extreme)]
            if on_change and not differs:
                return None
            is_better = any(isinstance(c, typed.Binary) and c.operator in _STRICT for c in differs)
            conditions = tuple(c for c in conditions if c not in differs)
    if conditions or cell.index != own or now is following or now.type != following.type:
        return None
    way = _Way.BETTER_TAKEN if is_better else _Way.ALL_TAKEN
    return (now, tuple(on_change), way) if all(_is_plain(store, own) for store in on_change) else None


def _is_ahead(condition: typed.Expression, now: typed.Cell, ahead: typed.Cell, extreme: typed.Extreme) -> bool:
    """Whether a condition says that a cell has got better, given that it never gets worse."""
    match asked_of(condition, now):
        case typed.Operator.NOT_EQUAL, other:
            return other == ahead
        case operator, _ if operator in _STRICT:
            return says_that_it_wins(condition, typed.AssignExtreme(extreme, now, ahead))
    return False


def _is_plain(store: typed.Assign, own: typed.Variable) -> bool:
    """Whether it stores a constant in a scalar or in the node's own cell."""
    place = store.place
    return isinstance(store.value, typed.Literal) and (not isinstance(place, typed.Cell) or place.index == own)


def _at(place: typed.Place, index: typed.Expression) -> typed.Place:
    return replace(place, index=index) if isinstance(place, typed.Cell) else place


def _is_reset(s: typed.Statement, flags: set[typed.Symbol]) -> bool:
    """Whether it gives a flag a constant."""
    match s:
        case typed.Assign(typed.Variable(symbol), typed.Literal()) | typed.Declare(symbol, typed.Literal()):
            return symbol in flags
    return False


def _offers_nothing(symbol: typed.Symbol, extreme: typed.Extreme, before: Sequence[typed.Statement]) -> bool:
    """Whether all cells of a property begin with what is no better than anything."""
    begun = initial_values(symbol, before)
    if begun is None or begun.set or not isinstance(begun.fill, typed.Infinity):
        return False
    return begun.fill.negative is (extreme is typed.Extreme.MAX)


def _is_read(symbol: typed.Symbol, *statements: typed.Statement) -> bool:
    """Whether statements use what a property holds, but to compare it with what is offered."""
    inside = (i for s in statements for i in walk.statements(s))
    return any(
        any(mentions(value, {symbol}) for value in walk.values(i))
        if isinstance(i, typed.AssignExtreme)
        else symbol in walk.read(i)
        for i in inside
    )


def _begin_alike(now: typed.Symbol, following: typed.Symbol, before: Sequence[typed.Statement]) -> bool:
    """Whether the statements before a loop make two properties copies, or give them the same."""
    given: dict[typed.Symbol, list[object]] = {now: [now], following: [following]}
    for place, s in enumerate(before):
        match s:
            case _ if _copied(s) in ((now, following), (following, now)) or _given_alike(s, now, following):
                given = {now: [s], following: [s]}
            case typed.Attach() | typed.CopyProperty():
                fills = s.items if isinstance(s, typed.Attach) else ()
                held = dict(given)
                given |= {symbol: [value] for symbol, value in fills if symbol in given}
                for symbol, source in walk.copies(s):
                    if symbol in given:  # what another property holds after so many changes
                        changes = sum(source in walk.all_written(i) for i in before[:place])
                        given[symbol] = list(held.get(source, (source, changes)))
            case typed.Assign(typed.Cell(symbol, index), value) if symbol in given:
                given[symbol] += (index, value)
            case _ if given.keys() & walk.all_written(s):
                given = {now: [now], following: [following]}
    values = [part for part in given[now] if isinstance(part, typed.Expression)]
    scalars = {part.symbol for v in values for part in walk.within(v) if isinstance(part, typed.Variable | typed.Cell)}
    changed = (i for s in before for i in walk.statements(s) if not isinstance(i, typed.Declare))
    return given[now] == given[following] and not scalars & {w for i in changed for w in walk.written(i)}


def _given_alike(s: typed.Statement, now: typed.Symbol, following: typed.Symbol) -> bool:
    """Whether all nodes get one value in both."""
    match s:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(), filter=None, body=body):
            own = typed.Variable(s.iterator)
        case _:
            return False
    stores = [i for i in walk.statements(body) if {now, following} & set(walk.written(i))]
    cells = [typed.Cell(now, own), typed.Cell(following, own)]
    match stores:
        case [typed.Assign(one, value), typed.Assign(other, same)]:
            plain = all(store in body.statements for store in stores)
            kept = not any(isinstance(part, typed.Cell) for part in walk.within(value))
            return plain and kept and same in (value, one) and cells in ([one, other], [other, one])
    return False


def _copied(s: typed.Statement) -> tuple[typed.Symbol, typed.Symbol] | None:
    """What becomes a copy of what, if the statement does nothing else."""
    match s:
        case typed.CopyProperty(destination, source):
            return destination, source
        case typed.Attach(items=((destination, typed.Symbol() as source),)):
            return destination, source
    return None
