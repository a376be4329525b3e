"""A search that only marks and counts the nodes that it visits spreads the mark along arcs, and counts afterwards.

g.attachNodeProperty(seen = False);                   g.attachNodeProperty(seen = False);
iterateInBFS (v in g.nodes() from src) {              if (src >= 0) { src.seen = True; }
  v.seen = True;                                      do {
  found += 1;                                           more = False;
}                                                       forall (v in g.nodes().filter(seen)) {
                                                          forall (w in g.neighbors(v)) {
                                                            if (!w.seen) { w.seen = True; more = True; }
                                                          }
                                                        }
                                                      } while (more);
                                                      forall (v in g.nodes().filter(seen)) { found += 1; }

If `src` is none, no node is marked. Only stores to a node's own cells, and sums that read nothing that
the search changes, do not depend on the level.
"""

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical.rebuilding import substituted, with_statements


def as_marks_that_spread(body: typed.Block) -> typed.Block:
    """A function's body in which marks spread in place of such searches, of those that stand in it by themselves."""
    statements: list[typed.Statement] = []
    for s in body.statements:
        before = statements[-1] if statements else None
        if isinstance(s, typed.IterateInBFS) and isinstance(before, typed.Attach):
            statements += _spread(s, before) or (s,)
        else:
            statements.append(s)
    return with_statements(body, statements)


def _spread(search: typed.IterateInBFS, fill: typed.Attach) -> list[typed.Statement] | None:
    """What takes the place of a search behind a fill."""
    own = typed.Variable(search.iterator)
    cleared = {symbol for symbol, value in fill.items if value == typed.FALSE}
    done = search.body.statements
    marks = [s for s in done if isinstance(s, typed.Assign) and s.value == typed.TRUE and s.place.symbol in cleared]
    changed = walk.all_written(search)
    whole = search.filter is None and search.reverse is None and search.graph is fill.graph
    if not whole or not marks or any(walk.calls(search)):
        return None
    if not isinstance(search.source, typed.Variable) or not all(_is_of_node(s, own, changed) for s in done):
        return None
    build, mark = Builder(search.span), marks[0].place.symbol
    places = [place.symbol for s in done for place in walk.written_places(s)]
    if len(places) != len(set(places)):
        return None
    more, there = build.variable(build.local("more", types.Scalar.BOOL)), build.iterator("next", parallel_depth=2)
    reached = build.cell(mark, there)
    discovered = build.when(build.negated(reached), build.assign(reached, True), build.assign(more, True))
    arcs = build.over(there, build.row(search.graph, search.iterator, typed.Direction.OUT), discovered)
    is_reached = build.cell(mark, search.iterator)
    every = build.over(search.iterator, typed.AllNodes(search.graph), arcs, condition=is_reached)
    rounds = typed.DoWhile(build.block(build.assign(more, False), every), more, span=search.span)
    first = build.assign(typed.Cell(mark, search.source, span=search.span), True)
    began = build.if_a_node(search.source.symbol, first)
    statements: list[typed.Statement] = [*began, build.declare(more.symbol, build.truth(False)), rounds]
    if rest := [s for s in done if s is not marks[0]]:
        node = build.iterator(parallel_depth=1)
        visits = build.over(search.iterator, typed.AllNodes(search.graph), *rest, condition=is_reached)
        statements.append(substituted(visits, {search.iterator: node}))
    return statements


def _is_of_node(s: typed.Statement, own: typed.Variable, changed: set[typed.Symbol]) -> bool:
    """Whether a statement stores in the node's own cell, or sums up in a scalar, what no search changes."""
    match s:
        case typed.Assign(typed.Cell(index=at), value):
            return at == own and not mentions(value, changed)
        case typed.Update(typed.Combine.ADD, typed.Variable(symbol), value):
            return symbol.scalar.is_integer and not mentions(value, changed)
    return False
