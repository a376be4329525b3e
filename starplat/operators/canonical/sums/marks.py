"""Marks of the neighbors of the node in hand become questions for arcs.

for (u in g.nodes()) {                                for (u in g.nodes()) {
  forall (v in g.neighbors(u)) { v.mark = True; }       forall (v in g.neighbors(u)) {
  forall (v in g.neighbors(u)) {                          forall (w in g.neighbors(v)) {
    forall (w in g.neighbors(v)) {                          if (g.is_an_edge(u, w)) { t += 1; }
      if (w.mark) { t += 1; }                             }
    }                                                   }
  }                                                   }
  forall (v in g.neighbors(u)) { v.mark = False; }
}

A mark says that there is such an arc if no node has one when an iteration begins. A look at a mark costs less than the
search for an arc, so this is for loops that become parallel by it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, mentions
from starplat.frontend import typed, types
from starplat.operators.canonical import filters, rebuilding
from starplat.operators.canonical.counts.members import filled_with

_MARK = types.PropertyType(types.Carrier.NODE, types.Scalar.BOOL)


@dataclass(frozen=True)
class _Marks:
    """Statements of an iteration that set and take back the marks of a row, and those between them."""

    symbol: typed.Symbol
    row: typed.ForEach
    between: tuple[typed.Statement, ...]


def without_marks(loop: typed.ForEach, before: Sequence[typed.Statement]) -> typed.ForEach | None:
    """A loop over nodes with questions for arcs in place of marks; None if it has none. `before` stands before it."""
    found = next(_marks(loop.body.statements), None)
    if found is None or not isinstance(loop.domain, typed.AllNodes) or filled_with(found.symbol, before) != typed.FALSE:
        return None
    row, domain = found.row, found.row.domain
    if not isinstance(domain, typed.Neighbors) or domain.node != typed.Variable(loop.iterator):
        return None
    inside = [i for s in found.between for i in walk.statements(s)]
    written = {symbol for i in inside for symbol in walk.written(i)} | {found.symbol}
    asked = all_asked(row.filter)
    if any(found.symbol in walk.written(i) for i in inside):
        return None
    of_arcs = any(isinstance(part, typed.ArcInHand) for c in asked for part in walk.within(c))
    if domain.direction is typed.Direction.BOTH or any(mentions(c, written) for c in asked) or of_arcs:
        return None
    if any(isinstance(i, typed.Return | typed.Break | typed.Continue) for i in inside):
        return None

    def change(part: Any) -> Any:
        match part:
            case typed.Cell(symbol, typed.Variable() as node) if symbol is found.symbol:
                ends = (typed.Variable(loop.iterator, span=part.span), node)
                ends = ends if domain.direction is typed.Direction.OUT else (ends[1], ends[0])
                arc = typed.GraphQuery(domain.graph, typed.Query.IS_EDGE, ends, types.Scalar.BOOL, span=part.span)
                return filters.all_of([*rebuilding.substituted(asked, {row.iterator: node}), arc])
        return None

    between = rebuilding.rebuilt(found.between, change)
    if any(mentions(value, {found.symbol}) for s in between for value in walk.all_values(s)):
        return None
    return replace(loop, body=replace(loop.body, statements=between))


def _marks(statements: Sequence[typed.Statement]) -> Iterator[_Marks]:
    match statements:
        case (typed.ForEach() as row, *between, last):
            symbol = _stored(row, True)
            if (
                symbol is not None
                and symbol.role is typed.Role.LOCAL
                and symbol.type == _MARK
                and _clears(last, symbol, row)
            ):
                yield _Marks(symbol, row, tuple(between))


def _stored(s: typed.Statement, value: bool) -> typed.Symbol | None:
    """The property that a loop over a row stores a flag in for each neighbor, if it does nothing else."""
    match s:
        case typed.ForEach(
            domain=typed.Neighbors(), body=typed.Block((typed.Assign(typed.Cell(symbol, typed.Variable(own)), stored),))
        ) if own is s.iterator and stored == typed.Literal(value, types.Scalar.BOOL):
            return symbol
    return None


def _clears(s: typed.Statement, symbol: typed.Symbol, row: typed.ForEach) -> bool:
    """Whether a statement takes all marks of a row back."""
    match s:
        case typed.Attach(items=items):
            return items == ((symbol, typed.FALSE),)
        case typed.ForEach(domain=domain, filter=asked) if _stored(s, False) is symbol:
            if asked is not None and row.filter is not None:
                asked = None if rebuilding.substituted(asked, {s.iterator: row.iterator}) == row.filter else asked
            return domain == row.domain and asked is None
    return False
