"""Does it show in which order a loop goes, one iteration after another?

It does not where iterations only add to what they share, take the least of it, or store one constant there, and read
none of that; or where a loop ends at the first that passes a test, and does the same whichever that is.
"""

from collections.abc import Sequence

from starplat.analysis import walk
from starplat.frontend import typed


def order_shows(loop: typed.ForEach) -> bool:
    """Whether another order of the loop's iterations might leave something else."""
    inside = list(walk.statements(loop.body))
    own = {*walk.declared(loop), loop.iterator}
    values = [value for s in (loop, *inside) for value in walk.values(s)]
    parts = [part for value in values for part in walk.within(value)]
    own |= _own_cells(loop, inside, parts)
    shared = {symbol for s in inside for symbol in walk.written(s)} - own
    if any(_reads(part, shared) for part in parts) or any(isinstance(part, typed.Call) for part in parts):
        return True
    if walk.may_be_last(loop.body):
        return not _ends_at_any(loop, own)
    ways: dict[typed.Symbol, object] = {}
    for s in inside:
        for symbol in {*walk.written(s)} & shared:
            if (way := _way(s)) is None or ways.setdefault(symbol, way) != way:
                return True
    return any(_is_over(s, shared) for s in (loop, *inside))


def _own_cells(
    loop: typed.ForEach, inside: Sequence[typed.Statement], parts: Sequence[typed.Expression]
) -> set[typed.Symbol]:
    """The properties of which each iteration looks at one cell, its own."""
    if isinstance(loop.domain, typed.Neighbors | typed.Keys | typed.Items):  # the same node may come twice
        return set()
    own = typed.Variable(loop.iterator)
    places = [place for s in inside for place in walk.written_places(s)]
    cells = [part for part in (*parts, *places) if isinstance(part, typed.Cell)]
    whole = {symbol for s in inside for symbol in walk.written(s)} - {place.symbol for place in places}
    whole |= {part.property for part in parts if isinstance(part, typed.Aggregate)}
    whole |= {s.source for s in inside if isinstance(s, typed.CopyProperty)}
    whole |= {v for s in inside if isinstance(s, typed.Attach) for _, v in s.items if isinstance(v, typed.Symbol)}
    return {cell.symbol for cell in cells} - {cell.symbol for cell in cells if cell.index != own} - whole


def _reads(part: typed.Expression, shared: set[typed.Symbol]) -> bool:
    match part:
        case typed.MapValue(symbol=symbol) | typed.MapSize(symbol=symbol) | typed.MapBest(symbol=symbol):
            return symbol in shared
    return walk.symbol_of(part) in shared


def _is_over(s: typed.Statement, shared: set[typed.Symbol]) -> bool:
    """Whether a loop goes over members of what iterations share."""
    return (
        isinstance(s, typed.ForEach) and isinstance(s.domain, typed.Members | typed.Items) and s.domain.symbol in shared
    )


def _ends_at_any(loop: typed.ForEach, own: set[typed.Symbol]) -> bool:
    """Whether a loop does nothing but look for one that passes a test, and what follows is the same for all."""
    match loop.body.statements:
        case (*ahead, typed.If(_, typed.Block((*found, typed.Break() | typed.Return() as end)), None)) if all(
            isinstance(s, typed.Declare) for s in ahead
        ):
            return all(_is_same(s, own) for s in (*found, end))
        case (*found, typed.Break() | typed.Return() as end) if loop.filter is not None:
            return all(_is_same(s, own) for s in (*found, end))
    return False


def _is_same(s: typed.Statement, own: set[typed.Symbol]) -> bool:
    """Whether a statement only stores or returns what does not depend on the iteration."""
    if not isinstance(s, typed.Assign | typed.Break | typed.Return):
        return False
    return not any(_of(part, own) for value in walk.values(s) for part in walk.within(value))


def _of(part: typed.Expression, own: set[typed.Symbol]) -> bool:
    match part:
        case typed.Variable(symbol) | typed.Cell(symbol) | typed.ArcInHand(symbol):
            return symbol in own
    return False


def _way(s: typed.Statement) -> object:
    """How what a statement writes comes together with other writes of that kind, if they come to the same in any order;
    else None."""
    match s:
        case typed.Update(combine):
            return combine
        case typed.AssignExtreme(extreme=extreme, carried=()):
            return extreme
        case typed.Assign(value=typed.Literal() | typed.Infinity() as value):
            return value
        case typed.AddToSet() | typed.AddToMap():
            return type(s)
    return None
