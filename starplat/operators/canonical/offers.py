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
end of the arc asks, nor that it stops asking once it has its level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.effects import REVERSED, asked
from starplat.operators.canonical.hosts import Known, Loop
from starplat.operators.canonical.rebuilding import rebuilt

_Offer = tuple[typed.AssignExtreme, tuple[typed.Expression, ...]]
"""What an arc offers, and the conditions that are left."""


@dataclass(frozen=True)
class _Store:
    """A store to a cell at one end of an arc, the conditions of it, and what is stored beside."""

    source: typed.Symbol
    destination: typed.Symbol
    direction: typed.Direction
    when: tuple[typed.Expression, ...]
    place: typed.Cell
    value: typed.Expression
    beside: tuple[typed.Carried, ...]


def as_offers(loop: Loop, before: Sequence[typed.Statement], known: Known) -> Loop:
    """The loop with such stores as offers, and without the counter of rounds if all its uses were in them.

    `before` are the statements before it in its block, `known` the values that they have given scalars.
    """
    counters = _counters_of_rounds(loop, known)
    done: list[typed.Statement] = []
    for s in loop.body.statements:
        store = _read(s)
        offer = (
            None
            if store is None
            else (
                _of_mark(store)
                or _of_level(store, loop, before, known, counters)
                or _of_wave(store, loop, before, known)
            )
        )
        done.append(s if store is None or offer is None else _nest(s, store, offer))
    rest = [s for s in done if not any(s is counter.step for counter in counters.values())]
    values = (loop.condition, *(value for s in rest for value in walk.all_values(s)))
    used = {symbol for value in values for symbol in _variables(value)}
    kept = [s for s in done if not any(s is c.step and symbol not in used for symbol, c in counters.items())]
    return replace(loop, body=replace(loop.body, statements=tuple(kept)))


def _variables(value: typed.Expression) -> set[typed.Symbol]:
    return {part.symbol for part in walk.within(value) if isinstance(part, typed.Variable)}


# --- the shape


def _read(s: typed.Statement) -> _Store | None:
    """The one store of a loop over nodes and their neighbors."""
    match s:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(), body=body):
            node, when, inner = s.iterator, asked(s.filter), body.statements
        case _:
            return None
    while len(inner) == 1:
        match inner[0]:
            case typed.If(otherwise=None) as branch:
                when, inner = (*when, *asked(branch.condition)), branch.then.statements
            case typed.ForEach(domain=typed.Neighbors(node=typed.Variable(symbol=own)) as row) as arcs if own is node:
                when, there = (*when, *asked(arcs.filter)), arcs.iterator
                return _leaf(node, there, row.direction, when, arcs.body.statements, may_break=not arcs.parallel)
            case _:
                return None
    return None


def _leaf(
    node: typed.Symbol,
    there: typed.Symbol,
    direction: typed.Direction,
    when: tuple[typed.Expression, ...],
    inner: Sequence[typed.Statement],
    *,
    may_break: bool,
) -> _Store | None:
    match inner:
        case [typed.If(otherwise=None) as branch]:
            conditions = (*when, *asked(branch.condition))
            return _leaf(node, there, direction, conditions, branch.then.statements, may_break=may_break)
        case [*others, typed.Break()] if may_break:
            inner = others
        case _:
            pass
    stores = [s for s in inner if isinstance(s, typed.Assign)]
    asked_for = [s for s in stores if isinstance(s.place, typed.Cell) and any(_asks(c, s.place) for c in when)]
    flags = [s for s in stores if isinstance(s.value, typed.Literal) and s not in asked_for]
    if len(asked_for) != 1 or len(flags) + 1 != len(inner):
        return None
    (store,) = asked_for
    place = store.place
    assert isinstance(place, typed.Cell)
    beside = tuple(typed.Carried(s.place, s.value, span=s.span) for s in flags)
    if place.index == typed.Variable(there):
        return _Store(node, there, direction, when, place, store.value, beside)
    if place.index == typed.Variable(node):
        when = rebuilt(when, lambda part: _seen_from(part, there, node))
        return _Store(there, node, REVERSED[direction], when, place, store.value, beside)
    return None


def _asks(condition: typed.Expression, place: typed.Cell) -> bool:
    """Whether a condition asks whether a cell has been given anything."""
    return _says(condition, place, False) or _compared(condition, place) is not None


def _seen_from(part: object, there: typed.Symbol, node: typed.Symbol) -> object:
    is_it = isinstance(part, typed.ArcInHand) and part.iterator is there
    return typed.ArcInHand(node, span=part.span) if isinstance(part, typed.ArcInHand) and is_it else None


def _nest(s: typed.Statement, store: _Store, offer: _Offer) -> typed.Statement:
    """The loop in which every source offers."""
    assert isinstance(s, typed.ForEach)
    assert isinstance(s.domain, typed.AllNodes)
    inner: typed.Statement = offer[0]
    for condition in reversed(offer[1]):
        inner = typed.If(condition, typed.Block((inner,), span=s.span), span=s.span)
    row = typed.Neighbors(s.domain.graph, typed.Variable(store.source, span=s.span), store.direction)
    arcs = typed.ForEach(True, store.destination, row, None, typed.Block((inner,), span=s.span), span=s.span)
    return typed.ForEach(True, store.source, s.domain, None, typed.Block((arcs,), span=s.span), span=s.span)


# --- marks


def _of_mark(store: _Store) -> _Offer | None:
    """A mark that a node has if a neighbor has it, as the greatest of the two."""
    if store.value != typed.Literal(True, Scalar.BOOL):
        return None
    mine = typed.Cell(store.place.symbol, typed.Variable(store.source))
    rest = tuple(c for c in store.when if not _says(c, mine, True) and not _says(c, store.place, False))
    if not any(_says(c, mine, True) for c in store.when):
        return None
    return typed.AssignExtreme(typed.Extreme.MAX, store.place, mine, store.beside, span=store.place.span), rest


def _says(condition: typed.Expression, cell: typed.Cell, value: bool) -> bool:
    """Whether a condition asks whether a flag has a value."""
    match condition:
        case typed.Cell():
            return value and condition == cell
        case typed.Unary(operator=typed.UnaryOperator.NOT, operand=operand):
            return not value and operand == cell
        case typed.Binary(operator=typed.Operator.EQUAL, left=left, right=typed.Literal(value=asked_for)):
            return left == cell and bool(asked_for) is value
        case typed.Binary(operator=typed.Operator.NOT_EQUAL, left=left, right=typed.Literal(value=asked_for)):
            return left == cell and bool(asked_for) is not value
        case _:
            return False


# --- levels


@dataclass(frozen=True)
class _Counter:
    """A local that grows by 1 in every round, by a statement of the round; its value when the loop begins."""

    step: typed.Statement
    place: int
    first: int


def _counters_of_rounds(loop: Loop, known: Known) -> dict[typed.Symbol, _Counter]:
    found = {}
    for place, s in enumerate(loop.body.statements):
        match s:
            case typed.Update(
                combine=typed.Combine.ADD, place=typed.Variable(symbol=symbol), value=typed.Literal(value=1)
            ):
                pass
            case typed.Assign(place=typed.Variable(symbol=symbol) as own, value=value) if _is_next(own, value):
                pass
            case _:
                continue
        writers = [i for i in walk.statements(loop.body) if symbol in walk.written(i)]
        first = known.get(symbol)
        if writers == [s] and isinstance(first, int) and not isinstance(first, bool):
            found[symbol] = _Counter(s, place, first)
    return found


def _is_next(value: typed.Expression, after: typed.Expression) -> bool:
    """Whether one value is 1 more than another."""
    match after:
        case typed.Binary(operator=typed.Operator.ADD, left=left, right=typed.Literal(value=1)) if left == value:
            return True
        case typed.Binary(operator=typed.Operator.ADD, left=typed.Literal(value=1), right=right) if right == value:
            return True
        case _:
            pass
    match value:
        case typed.Binary(operator=typed.Operator.SUBTRACT, left=left, right=typed.Literal(value=1)):
            return left == after
        case _:
            return False


def _of_level(
    store: _Store, loop: Loop, before: Sequence[typed.Statement], known: Known, counters: dict[typed.Symbol, _Counter]
) -> _Offer | None:
    """The next level, which a node without one is given by a neighbor of this level, as the least of all."""
    mine = typed.Cell(store.place.symbol, typed.Variable(store.source))
    levels = [(c, level) for c in store.when if (level := _compared(c, mine)) is not None]
    unreached = [c for c in store.when if isinstance(_compared(c, store.place), typed.Infinity)]
    if len(levels) != 1 or not unreached:
        return None
    ((condition, level),) = levels
    own_next = _is_next(mine, store.value)
    if not own_next and not _is_next(level, store.value):
        return None
    place = next(i for i, s in enumerate(loop.body.statements) if any(p is store.place for p in _places(s)))
    first = _first(level, counters, place)
    end = _compared(unreached[0], store.place)
    if first is None or not isinstance(end, typed.Infinity) or end.negative:
        return None
    if not _begins_at(mine.symbol, first, before, known):
        return None
    rest = tuple(c for c in store.when if c is not condition and c not in unreached)
    one = typed.Literal(1, mine.type, span=store.place.span)
    following = typed.Binary(typed.Operator.ADD, mine, one, mine.type, span=store.place.span)
    return typed.AssignExtreme(typed.Extreme.MIN, store.place, following, store.beside, span=store.place.span), rest


# --- waves


def _of_wave(store: _Store, loop: Loop, before: Sequence[typed.Statement], known: Known) -> _Offer | None:
    """What flagged nodes give to nodes that have nothing yet, and these are flagged for the next round: the flagged
    ones are all at one level, so the first to come is as good as any."""
    mine = typed.Cell(store.place.symbol, typed.Variable(store.source))
    flags = [flag for c in store.when if (flag := _flag(c, store.source)) is not None]
    if len(flags) != 1 or not _next_wave(flags[0], store, loop):
        return None
    is_mark = store.value == typed.Literal(True, Scalar.BOOL)
    unreached = [c for c in store.when if _asks_for_none(c, store.place, is_mark)]
    rest = tuple(c for c in store.when if c not in unreached)
    if is_mark and unreached:
        true = typed.Literal(True, Scalar.BOOL, span=store.place.span)
        return typed.AssignExtreme(typed.Extreme.MAX, store.place, true, store.beside, span=store.place.span), rest
    if (
        not unreached
        or not _is_next(mine, store.value)
        or not _flagged_at_one_level(flags[0], mine.symbol, before, known)
    ):
        return None
    return typed.AssignExtreme(typed.Extreme.MIN, store.place, store.value, store.beside, span=store.place.span), rest


def _flag(condition: typed.Expression, source: typed.Symbol) -> typed.Symbol | None:
    match condition:
        case typed.Cell(symbol=symbol, index=index) if index == typed.Variable(source):
            return symbol if condition.type is Scalar.BOOL else None
        case typed.Binary(operator=typed.Operator.EQUAL, left=left, right=typed.Literal(value=True)):
            return _flag(left, source)
        case _:
            return None


def _asks_for_none(condition: typed.Expression, place: typed.Cell, is_mark: bool) -> bool:
    end = _compared(condition, place)
    return _says(condition, place, False) if is_mark else isinstance(end, typed.Infinity) and not end.negative


def _next_wave(flag: typed.Symbol, store: _Store, loop: Loop) -> bool:
    """Whether a node is flagged for the next round exactly if it is given something in this one."""
    told = {
        c.place.symbol
        for c in store.beside
        if isinstance(c.place, typed.Cell) and c.place.index == store.place.index and _is_true(c.value)
    }
    writers = [s for s in walk.statements(loop.body) if {flag, *told} & set(walk.written(s))]
    beside = [s for s in writers if isinstance(s, typed.Assign) and any(s.place is c.place for c in store.beside)]
    moved = False
    for s in (s for s in writers if not any(s is b for b in beside)):
        match s:
            case typed.CopyProperty(destination=destination, source=following) if s in loop.body.statements:
                moved = destination is flag and following in told
                if not moved:
                    return False
            case typed.Attach(items=items) if s in loop.body.statements:
                if not all(symbol in told and symbol is not flag and _is_false(v) for symbol, v in items):
                    return False
            case _:
                return False
    itself = isinstance(loop, typed.FixedPoint) and flag in told and len(beside) == len(writers)
    return moved or itself


def _is_true(value: typed.Expression) -> bool:
    return value == typed.Literal(True, Scalar.BOOL)


def _is_false(value: typed.Expression | typed.Symbol) -> bool:
    return value == typed.Literal(False, Scalar.BOOL)


def _flagged_at_one_level(
    flag: typed.Symbol, symbol: typed.Symbol, before: Sequence[typed.Statement], known: Known
) -> bool:
    """Whether the flagged nodes are at first those that are given one number, and all others are at INF."""
    given: dict[typed.Expression, int | None] = {}
    flagged: set[typed.Expression] = set()
    for s in before:
        match s:
            case typed.Assign(place=typed.Cell(symbol=target, index=index), value=value) if target is symbol:
                given[index] = _number(value, known)
            case typed.Assign(place=typed.Cell(symbol=target, index=index), value=value) if target is flag:
                if not _is_true(value):
                    return False
                flagged.add(index)
            case typed.Attach(items=items) if any(target is flag for target, _ in items):
                if not all(_is_false(filled) for target, filled in items if target is flag):
                    return False
            case _ if any(flag in walk.written(inner) for inner in walk.statements(s)):
                return False
            case _:
                pass
    levels = set(given.values())
    if len(levels) != 1 or flagged != set(given):
        return False
    (first,) = levels
    return first is not None and _begins_at(symbol, first, before, known)


def _number(value: typed.Expression, known: Known) -> int | None:
    """The whole number that an expression is known to be."""
    held = known.get(value.symbol) if isinstance(value, typed.Variable) else None
    found = value.value if isinstance(value, typed.Literal) else held
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _places(s: typed.Statement) -> list[typed.Place]:
    return [place for inner in walk.statements(s) for place in walk.written_places(inner)]


def _compared(condition: typed.Expression, cell: typed.Cell) -> typed.Expression | None:
    """What a condition asks a cell to be equal to."""
    match condition:
        case typed.Binary(operator=typed.Operator.EQUAL, left=left, right=right):
            return right if left == cell else left if right == cell else None
        case _:
            return None


def _first(level: typed.Expression, counters: dict[typed.Symbol, _Counter], place: int) -> int | None:
    """The value of a level in the first round, asked in one statement of it."""
    match level:
        case typed.Variable(symbol=symbol) if symbol in counters:
            counter = counters[symbol]
            return counter.first + (counter.place < place)
        case typed.Binary(operator=typed.Operator.SUBTRACT, left=left, right=typed.Literal(value=int() as less)):
            value = _first(left, counters, place)
            return None if value is None else value - less
        case _:
            return None


def _begins_at(symbol: typed.Symbol, first: int, before: Sequence[typed.Statement], known: Known) -> bool:
    """Whether the cells are all INF after these statements, but for some that hold a number."""
    filled = False
    for s in before:
        match s:
            case typed.Attach(items=items) if any(target is symbol for target, _ in items):
                (value,) = (value for target, value in items if target is symbol)
                filled = isinstance(value, typed.Infinity) and not value.negative
                if not filled:
                    return False
            case typed.Assign(place=typed.Cell(symbol=target), value=value) if target is symbol:
                if _number(value, known) != first:
                    return False
            case _ if any(symbol in walk.written(inner) for inner in walk.statements(s)):
                return False
            case _:
                pass
    return filled
