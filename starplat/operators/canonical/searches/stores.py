"""Stores that give a cell at one end of an arc what it has not been given yet."""

from dataclasses import dataclass

from starplat.analysis.settling.monotone import asked_of, says_that_it_wins
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, rebuilding
from starplat.source import Span

Offer = tuple[typed.AssignExtreme, tuple[typed.Expression, ...]]
"""What an arc offers, and the conditions that are left."""
_STRICT = (typed.Operator.LESS, typed.Operator.GREATER)


@dataclass(frozen=True)
class Store:
    """A store to a cell at one end of an arc, the conditions of it, and what is stored beside."""

    source: typed.Symbol
    destination: typed.Symbol
    direction: typed.Direction
    when: tuple[typed.Expression, ...]
    place: typed.Cell
    value: typed.Expression
    beside: tuple[typed.Carried, ...]


@dataclass(frozen=True)
class Nest:
    """A loop over nodes and their neighbors: what it does with each arc, and the conditions of it. The inner loop goes
    one by one where it `may_break`."""

    node: typed.Symbol
    there: typed.Symbol
    domain: typed.AllNodes
    direction: typed.Direction
    when: tuple[typed.Expression, ...]
    inner: tuple[typed.Statement, ...]
    may_break: bool
    span: Span


def read_nest(s: typed.Statement) -> Nest | None:
    """A loop that does nothing besides with its nodes."""
    match s:
        case typed.ForEach(parallel=True, iterator=node, domain=typed.AllNodes() as domain):
            of_node, rows = effects.asked_by_loop(s)
        case _:
            return None
    match rows:
        case (typed.ForEach(domain=typed.Neighbors(node=typed.Variable(own)) as row) as arcs,) if own is node:
            of_arc, inner = effects.asked_by_loop(arcs)
            when, may_break = (*of_node, *of_arc), not arcs.parallel
            return Nest(node, arcs.iterator, domain, row.direction, when, inner, may_break, s.span)
    return None


def read_store(s: typed.Statement) -> Store | None:
    """The one store of a loop over nodes and their neighbors; a `Min` stores what is less."""
    if (nest := read_nest(s)) is None:
        return None
    node, there, direction, when, inner = nest.node, nest.there, nest.direction, nest.when, nest.inner
    match inner:
        case (typed.AssignExtreme(extreme=typed.Extreme.MIN, place=typed.Cell()) as best,) if (
            best.place.type is Scalar.INT
        ):
            when = (*when, Builder(best.span).compared(best.place, typed.Operator.GREATER, best.candidate))
            carried = (typed.Assign(c.place, c.value, span=c.span) for c in best.carried)
            inner = (typed.Assign(best.place, best.candidate, span=best.span), *carried)
    left = nest.may_break and bool(inner) and isinstance(inner[-1], typed.Break)
    inner = inner[:-1] if left else inner
    stores = [s for s in inner if isinstance(s, typed.Assign)]
    asked_for = [s for s in stores if isinstance(s.place, typed.Cell) and any(_asks(c, s.place, s.value) for c in when)]
    if not asked_for and len(inner) == 1:  # a truth may be given again where nothing is done beside
        asked_for = [s for s in stores if isinstance(s.place, typed.Cell) and isinstance(s.value, typed.Literal)]
    if len(asked_for) != 1:
        return None
    (store,) = asked_for
    place = store.place
    assert isinstance(place, typed.Cell)
    flags = [s for s in stores if s is not store and (isinstance(s.value, typed.Literal) or _is_parent(s, place, nest))]
    last = {s.place.symbol: (s.place, s.value) for s in stores}
    if len(flags) + 1 != len(inner) or any(last[s.place.symbol] != (s.place, s.value) for s in stores):
        return None
    beside = tuple(typed.Carried(s.place, s.value, span=s.span) for s in flags)
    if place.index == typed.Variable(there) and not left:
        return Store(node, there, direction, when, place, store.value, beside)
    if place.index == typed.Variable(node):
        when = rebuilding.rebuilt(when, lambda part: effects.seen_from(part, there, node))
        return Store(there, node, effects.REVERSED[direction], when, place, store.value, beside)
    return None


def _is_parent(s: typed.Assign, place: typed.Cell, nest: Nest) -> bool:
    """Whether a cell beside `place` is given the node at the other end of the arc, and any that gives it will do: not
    the first or the last of a row that is walked in order."""
    is_there = place.index == typed.Variable(nest.there)
    other = nest.node if is_there else nest.there
    given = s.value
    while isinstance(given, typed.Convert):
        given = given.operand
    at_place = isinstance(s.place, typed.Cell) and s.place.index == place.index
    return at_place and given == typed.Variable(other) and (is_there or not nest.may_break)


def _asks(condition: typed.Expression, place: typed.Cell, value: typed.Expression) -> bool:
    """Whether a condition asks whether a cell has been given anything, or that truth."""
    spreads_false = value == typed.FALSE
    asks_for_none = says(condition, place, spreads_false) or compared(condition, place) is not None
    return asks_for_none or says_that_it_wins(condition, typed.AssignExtreme(typed.Extreme.MIN, place, value))


def is_above(condition: typed.Expression, store: Store) -> bool:
    """Whether a condition asks whether a cell holds more than it is given."""
    strict = isinstance(condition, typed.Binary) and condition.operator in _STRICT
    return strict and says_that_it_wins(condition, typed.AssignExtreme(typed.Extreme.MIN, store.place, store.value))


def nest(s: typed.Statement, store: Store, offer: Offer) -> typed.Statement:
    """The loop in which every source offers."""
    assert isinstance(s, typed.ForEach)
    assert isinstance(s.domain, typed.AllNodes)
    inner: typed.Statement = offer[0]
    for condition in reversed(offer[1]):
        inner = typed.If(condition, typed.Block((inner,), span=s.span), span=s.span)
    row = typed.Neighbors(s.domain.graph, typed.Variable(store.source, span=s.span), store.direction)
    arcs = typed.ForEach(True, store.destination, row, None, typed.Block((inner,), span=s.span), span=s.span)
    return typed.ForEach(True, store.source, s.domain, None, typed.Block((arcs,), span=s.span), span=s.span)


def says(condition: typed.Expression, cell: typed.Cell, value: bool) -> bool:
    """Whether a condition asks whether a flag has a value."""
    return condition == (cell if value else typed.Unary(typed.UnaryOperator.NOT, cell))


def compared(condition: typed.Expression, cell: typed.Cell) -> typed.Expression | None:
    """What a condition asks a cell to be equal to."""
    asked = asked_of(condition, cell)
    return asked[1] if asked is not None and asked[0] is typed.Operator.EQUAL else None
