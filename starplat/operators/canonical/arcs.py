"""Loops over all arcs become loops over the nodes and their neighbors, which frontiers and directions are about.

forall (e in g.edges()) {                        forall (u in g.nodes()) {
  ... e.source ... e.destination ... e.weight       forall (w in g.neighbors(u)) { ... u ... w ... weight ... }
}                                                }
"""

from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.canonical.rebuilding import rebuilt, without


def by_rows(loop: typed.Statement, *, of_arcs: bool = False, may_only_ask: bool = False) -> typed.ForEach | None:
    """A parallel loop over all arcs that changes cells of their ends only, or `of_arcs` only, as one over nodes and one
    over the neighbors of each; None for any other statement. For proofs it `may_only_ask`, and change no cell."""
    if not isinstance(loop, typed.ForEach) or not loop.parallel or not isinstance(loop.domain, typed.AllEdges):
        return None
    graph, arc = loop.domain.graph, loop.iterator
    source = replace(arc, name="source", type=types.Scalar.NODE)
    destination = replace(arc, name="destination", type=types.Scalar.NODE)
    ends = {typed.End.SOURCE: source, typed.End.DESTINATION: destination}
    named = _names_of_ends(loop.body, arc)

    def change(part: Any) -> Any:
        match part:
            case typed.EdgeEnd(edge=typed.Variable(symbol), end=end) if symbol is arc:
                return typed.Variable(ends[end], span=part.span)
            case typed.Variable(symbol) if symbol is arc:
                return typed.ArcInHand(destination, span=part.span)
            case typed.Variable(symbol) if symbol in named:
                return typed.Variable(ends[named[symbol]], span=part.span)
        return None

    body = rebuilt(without(loop.body, lambda s: isinstance(s, typed.Declare) and s.symbol in named), change)
    places = list(walk.places(body))
    changed = {place.index for place in places if isinstance(place, typed.Cell)}
    ends_of_it = (typed.Variable(source), typed.Variable(destination))
    own: set[typed.Expression] = {typed.ArcInHand(destination)} if of_arcs else {*ends_of_it}
    if not (changed or may_only_ask) or not changed <= own:
        return None
    row = typed.Neighbors(graph, typed.Variable(source, span=loop.span), typed.Direction.OUT)
    condition = None if loop.filter is None else rebuilt(loop.filter, change)
    inner = typed.ForEach(True, destination, row, condition, body, span=loop.span)
    nodes = typed.AllNodes(graph)
    return typed.ForEach(True, source, nodes, None, typed.Block((inner,), span=loop.body.span), span=loop.span)


def _names_of_ends(body: typed.Block, arc: typed.Symbol) -> dict[typed.Symbol, typed.End]:
    """The locals that only ever hold an end of the arc."""
    changed = {place.symbol for place in walk.places(body)}
    return {
        s.symbol: s.value.end
        for s in walk.statements(body)
        if isinstance(s, typed.Declare)
        and isinstance(s.value, typed.EdgeEnd)
        and s.value.edge == typed.Variable(arc)
        and s.symbol not in changed
    }
