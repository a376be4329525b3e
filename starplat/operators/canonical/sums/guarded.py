"""A sum of those neighbors' reals that meet a condition is one of all neighbors, in which the others count 0.

for (u in g.nodes_to(v)) {                            for (u in g.nodes_to(v)) {
  if (u.rank > 0.0) { sum += u.rank / u.size; }         sum += u.rank > 0.0 ? u.rank / u.size : 0.0;
}                                                     }

Only where condition and value are of the neighbor alone: what every node counts for is then found once, not for every
arc. Flags stay conditions, since few nodes may have them.
"""

from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical.rebuilding import rebuilt

_PLAIN = (typed.Literal, typed.Infinity, typed.Binary, typed.Unary, typed.Convert, typed.Apply)
_REAL = (types.Scalar.FLOAT, types.Scalar.DOUBLE)
_QUERIES = (typed.Query.OUT_DEGREE, typed.Query.IN_DEGREE, typed.Query.NUM_NODES, typed.Query.NUM_EDGES)


def of_all_neighbors(body: typed.Block) -> typed.Block:
    """A function's body with such sums, in loops that all nodes go through."""

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True, domain=typed.AllNodes(), filter=None):
                own = {part.iterator, *walk.declared(part.body)}
                return rebuilt(part, lambda row: _unguarded(row, own))
            case typed.ForEach(parallel=True) | typed.IterateInBFS():
                return part
        return None

    return rebuilt(body, change)


def _unguarded(row: Any, own: set[typed.Symbol]) -> typed.ForEach | None:
    """A row that does nothing but add up reals of some neighbors in a local, as one that adds up those of all; `own`
    are the symbols of the iteration that it stands in."""
    match row:
        case typed.ForEach(
            parallel=False,
            domain=typed.Neighbors(),
            iterator=there,
            filter=guard,
            body=typed.Block((typed.Update(typed.Combine.ADD, typed.Variable() as sum_, value) as s,)),
        ) if guard is not None and sum_.type in _REAL and typed.scalar_of(value) == sum_.type:
            of_neighbor = all(_is_of(there, part, own) for e in (guard, value) for part in walk.within(e))
            flags = any(isinstance(p, typed.Cell) and p.type is types.Scalar.BOOL for p in walk.within(guard))
            if not of_neighbor or flags:
                return None
            nothing = Builder(s.span).number(0, sum_.type)
            term = typed.Conditional(guard, value, nothing, span=s.span)
            return replace(row, filter=None, body=replace(row.body, statements=(replace(s, value=term),)))
    return None


def _is_of(there: typed.Symbol, part: typed.Expression, own: set[typed.Symbol]) -> bool:
    """Whether a part of an expression is of the neighbor, or the same for all nodes."""
    match part:
        case typed.Variable(symbol):
            return symbol is there or symbol not in own
        case typed.Cell(index=index):
            return index == typed.Variable(there)
        case typed.GraphQuery(query=query):
            return query in _QUERIES
    return isinstance(part, _PLAIN)
