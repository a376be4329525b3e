"""Labels that nodes pass on unchanged along arcs and against them do so in one loop over a frontier.

forall (v in g.nodes().filter(on)) {             forall (v in g.nodes().filter(on)) {
  forall (w in g.inOutNbrs(v)) {                   forall (w in g.neighbors(v)) {
    <w.c, w.on> = <Min(w.c, v.c), True>;             <w.c, w.on> = <Min(w.c, v.c), True>;
  }                                                }
}                                                  forall (u in g.nodes_to(v)) {
                                                     <u.c, u.on> = <Min(u.c, v.c), True>;
                                                   }
                                                 }
"""

from collections.abc import Sequence

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.canonical.hosts import HostLoop
from starplat.operators.canonical.searches.initial_values import given_to_all
from starplat.operators.records import EdgeEffect


def is_spread_out(loop: HostLoop) -> bool:
    """Whether rounds have more than one loop over nodes, or one over both kinds of neighbors, that could be two."""
    rows = (s.domain for s in walk.statements(loop.body) if isinstance(s, typed.ForEach))
    both = any(isinstance(row, typed.Neighbors) and row.direction is typed.Direction.BOTH for row in rows)
    return both or len(loop.body.statements) > 1


def both_ways(effects: Sequence[EdgeEffect], before: Sequence[typed.Statement]) -> tuple[EdgeEffect, ...]:
    """What arcs offer the node at their end and the one at their beginning, if that is all the effects do: a label as
    it is. `before` are the statements before the loop in its block."""
    first = effects[0]
    if first.symbol.property.element is types.Scalar.BOOL:
        return ()
    if any(effect.when or effect.carried or not _is_unchanged(effect, before) for effect in effects):
        return ()
    ways = {effect.direction for effect in effects}
    if typed.Direction.BOTH not in ways and len(ways) == 1:
        return ()
    return tuple(_one_way(first, way) for way in (typed.Direction.OUT, typed.Direction.IN))


def _one_way(effect: EdgeEffect, direction: typed.Direction) -> EdgeEffect:
    there = typed.Symbol("there", types.Scalar.NODE, typed.Role.ITERATOR, effect.span)
    target = typed.Cell(effect.symbol, typed.Variable(there, span=effect.span), span=effect.span)
    value = typed.Cell(effect.symbol, typed.Variable(effect.source, span=effect.span), span=effect.span)
    return EdgeEffect(effect.source, there, direction, (), target, effect.how, value, (), effect.frontier, effect.span)


def _is_unchanged(effect: EdgeEffect, before: Sequence[typed.Statement]) -> bool:
    """Whether a node offers its own label: by itself, or beside what it began with, which is no better."""
    source, own = typed.Variable(effect.source), effect.own
    function = typed.Function.MIN if effect.extreme is typed.Extreme.MIN else typed.Function.MAX
    match effect.value:
        case typed.Apply(used, (left, right)) if used is function and own in (left, right):
            other = whole_number(right if left == own else left)
            return other == own or (other == source and begin_as_themselves(effect.symbol, before))
        case value:
            return value == own


def begin_as_themselves(symbol: typed.Symbol, before: Sequence[typed.Statement]) -> bool:
    """Whether the last statement that writes the cells gives every node its own number."""
    last = next((s for s in reversed(before) if symbol in walk.all_written(s)), None)
    if not isinstance(last, typed.ForEach) or (given := given_to_all(last, symbol)) is None:
        return False
    return whole_number(given) == typed.Variable(last.iterator)


def whole_number(value: typed.Expression) -> typed.Expression:
    """The value without conversions from one whole number to another that holds it."""
    while isinstance(value, typed.Convert) and value.type in (types.Scalar.NODE, types.Scalar.INT, types.Scalar.LONG):
        value = value.operand
    return value
