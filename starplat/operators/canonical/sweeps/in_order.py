"""Searches whose nodes come one after another are searches whose nodes come in any order.

while (found > 0) {                                   while (found > 0) {
  found = 0;                                            found = 0;
  for (v in g.nodes()) {                                forall (v in g.nodes()) {
    if (v.level == depth) { ... }                         if (v.level == depth) { ... }
  }                                                     }
  depth++;                                              depth++;
}                                                     }

The written order is one of those that a `forall` may take. Other rewrites find a search in these, whatever the order;
what it does at a level is the same in any order if `analysis.races` says so of every cell. The loops stay as they are
where anything but searches is left of them.
"""

from dataclasses import replace
from typing import Any

from starplat.analysis import parallel, races, walk
from starplat.frontend import typed
from starplat.operators.canonical.filters import with_filters
from starplat.operators.canonical.hosts import HostLoop, at_once
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.operators.canonical.sums.dissolved import dissolved
from starplat.operators.canonical.sums.parallel import FREE
from starplat.operators.canonical.sweeps.loops import as_searches
from starplat.operators.canonical.sweeps.split_levels import with_searches_apart


def searched_in_any_order(body: typed.Block, program: typed.Program, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with such searches; `results` are the symbols that its caller sees."""

    def change(part: Any) -> Any:
        freed = isinstance(part, HostLoop) and (inner := at_once(part.body)) != part.body
        return replace(part, body=rebuilt(inner, _with_rows_at_once)) if freed else None

    if (freed := rebuilt(body, change)) is body:
        return body
    found = as_searches(with_filters(dissolved(freed)), program, results)
    found = with_searches_apart(found, program, results)
    inside = list(walk.statements(found))
    searches = [part for s in inside if isinstance(s, typed.IterateInBFS) for part in parallel.of_bfs(s)]
    is_free = all(
        all(cells.race_class in FREE for cells in races.classify(part, program).cells)
        and all(_only_adds(row) for row in walk.statements(part.body) if isinstance(row, typed.ForEach))
        for part in searches
    )
    return found if is_free and not any(isinstance(s, HostLoop) for s in inside) else body


def _with_rows_at_once(part: Any) -> Any:
    is_row = isinstance(part, typed.ForEach) and isinstance(part.domain, typed.Neighbors)
    return replace(part, parallel=True) if is_row and not walk.leaves(part) else None


def _only_adds(row: typed.ForEach) -> bool:
    """Whether all that a row does is to add to cells that it does not read."""
    places = list(walk.places(row.body))
    added = [
        s.place for s in walk.statements(row.body) if isinstance(s, typed.Update) and s.combine is typed.Combine.ADD
    ]
    return places == added and not any(part in places for value in walk.all_values(row) for part in walk.within(value))
