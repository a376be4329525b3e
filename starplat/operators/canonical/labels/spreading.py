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

from collections.abc import Iterator, Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.canonical.hosts import HostLoop
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


def filled_apart(before: Sequence[typed.Statement], flag: typed.Symbol) -> Iterator[typed.Statement]:
    """The statements before a loop, with the flag filled by itself where all nodes set it beside other cells."""
    for s in before:
        if (fill := _fill_in(s, flag)) is None:
            yield s
            continue
        loop, store = fill
        kept = tuple(other for other in loop.body.statements if other is not store)
        yield replace(loop, body=replace(loop.body, statements=kept))
        assert isinstance(loop.domain, typed.AllNodes)
        yield typed.Attach(loop.domain.graph, ((flag, store.value),), span=store.span)


def _fill_in(s: typed.Statement, flag: typed.Symbol) -> tuple[typed.ForEach, typed.Assign] | None:
    """A loop of stores in which every node stores one constant in its cell of the flag, and that store."""
    match s:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(), filter=None, body=body):
            own = typed.Cell(flag, typed.Variable(s.iterator))
        case _:
            return None
    stores = [inner for inner in body.statements if isinstance(inner, typed.Assign)]
    fills = [store for store in stores if store.place == own and isinstance(store.value, typed.Literal)]
    others = [store for store in stores if store not in fills]
    apart = all(flag not in (*walk.written(store), *walk.read(store)) for store in others)
    if len(fills) != 1 or not others or len(stores) < len(body.statements) or not apart:
        return None
    return s, fills[0]


def _one_way(effect: EdgeEffect, direction: typed.Direction) -> EdgeEffect:
    there = typed.Symbol("there", types.Scalar.NODE, typed.Role.ITERATOR, effect.span)
    target = typed.Cell(effect.symbol, typed.Variable(there, span=effect.span), span=effect.span)
    value = typed.Cell(effect.symbol, typed.Variable(effect.source, span=effect.span), span=effect.span)
    return EdgeEffect(effect.source, there, direction, (), target, effect.how, value, (), effect.frontier, effect.span)


def _is_unchanged(effect: EdgeEffect, before: Sequence[typed.Statement]) -> bool:
    """Whether a node offers its own label: by itself, or beside what it began with, which is no better."""
    source = typed.Variable(effect.source)
    own = typed.Cell(effect.symbol, source)
    function = typed.Function.MIN if effect.extreme is typed.Extreme.MIN else typed.Function.MAX
    match effect.value:
        case typed.Apply(used, (left, right)) if used is function and own in (left, right):
            other = whole_number(right if left == own else left)
            return other == own or (other == source and _begins_as_itself(effect.symbol, before))
        case value:
            return value == own


def _begins_as_itself(symbol: typed.Symbol, before: Sequence[typed.Statement]) -> bool:
    """Whether the last statement that writes the cells gives every node its own number."""
    writers = [s for s in before if symbol in walk.all_written(s)]
    match writers:
        case [*_, typed.ForEach(domain=typed.AllNodes(), filter=None, iterator=node, body=body)]:
            stores = walk.writers(symbol, body)
            itself = typed.Variable(node)
            return len(stores) == 1 and any(
                isinstance(s, typed.Assign)
                and s.place == typed.Cell(symbol, itself)
                and whole_number(s.value) == itself
                for s in body.statements
            )
    return False


def whole_number(value: typed.Expression) -> typed.Expression:
    """The value without conversions from one whole number to another that holds it."""
    while isinstance(value, typed.Convert) and value.type in (types.Scalar.NODE, types.Scalar.INT, types.Scalar.LONG):
        value = value.operand
    return value
