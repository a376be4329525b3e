"""Rewrites counted loops over the levels of a search as `iterateInBFS`, and `iterateInReverse` for descending ones.

for (int k = 1; k <= far; k++) {                      iterateInBFS (v in g.nodes() from s) {
  forall (v in g.nodes().filter(d == k)) {              for (u in g.nodes_to(v)) {
    for (u in g.nodes_to(v).filter(d == k - 1)) {         v.paths += u.paths;
      v.paths += u.paths;                               }
    }                                                 }
  }
}
for (int k = far; k >= 1; k--) {                      iterateInReverse (v != s) {
  forall (v in g.nodes().filter(d == k)) { ... }        ...
}                                                     }

`d` holds the distance of a node from `s`, and `far` is an upper bound of all distances. The loops over neighbors must
select those at the next or the previous level, as `iterateInBFS` does. The search that computed `d` is removed if
nothing else reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import pulling, walk
from starplat.analysis.settling.monotone import all_asked, mentions
from starplat.frontend import typed, types
from starplat.operators.canonical import hosts
from starplat.operators.canonical.filters import all_of
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_block
from starplat.operators.canonical.searches.levels import above, asked_level
from starplat.operators.canonical.sweeps.counting import read_counting
from starplat.operators.canonical.sweeps.distances import Distances, found_by, without_distances, written_or_declared
from starplat.same import Same

_INSIDE = (typed.Block, typed.If, typed.Declare, typed.Assign, typed.Update, typed.AssignExtreme, typed.ForEach)


def as_searches(body: typed.Block, program: typed.Program, results: frozenset[typed.Symbol]) -> typed.Block:
    """Rewrites such loops in a function's body; `results` are the symbols that its caller sees."""
    if not any(_nodes(s) for s in walk.statements(body)):
        return body
    around = hosts.surroundings(body)
    for loop in around.loops:
        block, place = around.block_of(loop)
        after = block.statements[place + 1 :]
        if not isinstance(loop, typed.FixedPoint) or not any(_nodes(s) for s in after):
            continue
        distances = found_by(loop, around, program, results)
        swept = None if distances is None else _swept(distances, after)
        if distances is not None and swept is not None:
            changed = with_block(body, block, replace(block, statements=(*block.statements[: place + 1], *swept)))
            return as_searches(without_distances(changed, distances, results), program, results)
    return body


def _nodes(s: typed.Statement) -> typed.ForEach | None:
    """The loop over nodes that is the body of a counted loop, besides the counter's step."""
    match s:
        case typed.CountedLoop(declares=True, body=typed.Block((typed.ForEach() as nodes,))):
            pass
        case typed.While(body=typed.Block((typed.ForEach() as nodes, _) | (_, typed.ForEach() as nodes))):
            pass
        case _:
            return None
    return nodes if nodes.parallel and isinstance(nodes.domain, typed.AllNodes) else None


def _swept(distances: Distances, after: Sequence[typed.Statement]) -> tuple[typed.Statement, ...] | None:
    """The statements after a search, with loops over its levels rewritten; None if there are none."""
    done: list[typed.Statement] = []
    there: typed.IterateInBFS | None = None
    at, holds, found = 0, True, False
    for s in after:
        sweep = _sweep(s, distances) if holds else None
        if sweep is None:
            holds = holds and distances.follow(s)
            done.append(s)
            there = there if any(s is made for made in distances.made) else None
            continue
        if there is not None and not sweep.up and not sweep.asks_for(written_or_declared(done[at + 1 :])):
            done[at], there = sweep.after(there), None
        elif (search := sweep.search(distances, s)) is not None:
            at, there, found = len(done), search if sweep.up else None, True
            done.append(search)
        else:
            return None
        if sweep.left is not None:
            distances.follow(sweep.left)
            distances.made.append(sweep.left)
            done.append(sweep.left)
    return tuple(done) if found else None


@dataclass(frozen=True)
class _Sweep:
    """The `body` for each node for which all of `when` hold, level by level, `up` or down; `left` sets a counter that
    outlives the loop."""

    node: typed.Symbol
    body: typed.Block
    when: tuple[typed.Expression, ...]
    up: bool
    left: typed.Assign | None

    def search(self, distances: Distances, s: typed.Statement) -> typed.IterateInBFS | None:
        """The loop as a search; None if its loops over neighbors would mean others there."""
        body = self.body if self.up else typed.Block((), span=s.span)
        if self.up and (condition := all_of(self.when)) is not None:
            body = typed.Block((typed.If(condition, body, span=body.span),), span=body.span)
        search = typed.IterateInBFS(self.node, distances.graph, distances.source, None, body, None, span=s.span)
        if any(pulling.pulls_from_parents(row, search) for row in _rows(body)):
            return None
        return search if self.up else self.after(search)

    def asks_for(self, symbols: set[typed.Symbol]) -> bool:
        """Whether body or conditions read any of the symbols."""
        return any(mentions(value, symbols) for value in (*walk.all_values(self.body), *self.when))

    def after(self, there: typed.IterateInBFS) -> typed.IterateInBFS:
        """The search `there`, with this as its reverse pass."""
        when, body = substituted((self.when, self.body), {self.node: there.iterator})
        return replace(there, reverse=typed.ReversePass(all_of(when), body, span=body.span))


def _sweep(loop: typed.Statement, distances: Distances) -> _Sweep | None:
    nodes = _nodes(loop)
    counted = None if nodes is None else read_counting(loop, distances)
    if nodes is None or counted is None or any(walk.calls(nodes)):
        return None
    conditions, counter = all_asked(nodes.filter), typed.Variable(counted.counter)
    mine = typed.Cell(distances.cells, typed.Variable(nodes.iterator))
    asking = {i: level for i, c in enumerate(conditions) if (level := above(asked_level(c, mine), counter)) is not None}
    if len(asking) != 1:
        return None
    ((place, offset),) = asking.items()
    when = tuple(c for i, c in enumerate(conditions) if i != place)
    body = _Asking(mine, counter, offset).unasked(nodes.body)
    if body is None or not _is_of_levels_only(nodes, body, when, counter.symbol, distances):
        return None
    first = counted.first + offset
    if not _fits(body, first, counted.last + offset, distances):
        return None
    if first == 1 and not _only_rows(body, typed.Direction.IN):
        own = typed.Variable(nodes.iterator, span=nodes.span)
        away = typed.Binary(typed.Operator.NOT_EQUAL, own, distances.source, types.Scalar.BOOL, span=nodes.span)
        when = (away, *when)
    return _Sweep(nodes.iterator, body, when, counted.up, counted.left)


def _is_of_levels_only(
    nodes: typed.ForEach,
    body: typed.Block,
    when: tuple[typed.Expression, ...],
    counter: typed.Symbol,
    distances: Distances,
) -> bool:
    """Whether a round depends on the counter by the level of its nodes only, and does not write levels or bounds."""
    written = written_or_declared((nodes,))
    kept = {counter, distances.cells, distances.source.symbol, *(s for s in distances.least if s is not None)}
    values = (*walk.all_values(body), *when)
    return (
        nodes.domain == typed.AllNodes(distances.graph)
        and not kept & written
        and not any(mentions(value, {counter, distances.cells}) for value in values)
        and not any(mentions(c, written - {nodes.iterator}) for c in when)
        and all(isinstance(s, _INSIDE) for s in walk.statements(body))
    )


def _fits(body: typed.Block, first: int, last: int, distances: Distances) -> bool:
    """Whether rounds from level `first` to at least the greatest distance plus `last` visit all levels of a search, the
    source's possibly excepted. The last level may be left out if only arcs to the next one matter: it has none."""
    if not distances.is_infinite and first == 0 and any(_way(row) is typed.Direction.IN for row in _rows(body)):
        return False  # the level before the first may be the number of nodes that are not reached
    return first in (0, 1) and last >= (-1 if _only_rows(body, typed.Direction.OUT) else 0)


def _only_rows(body: typed.Block, way: typed.Direction) -> bool:
    """Whether a body only has loops over neighbors of one direction."""
    return all(isinstance(s, typed.ForEach) and _way(s) is way for s in body.statements)


def _rows(body: typed.Block) -> list[typed.ForEach]:
    return [s for s in walk.statements(body) if isinstance(s, typed.ForEach)]


def _way(row: typed.ForEach) -> typed.Direction | None:
    return row.domain.direction if isinstance(row.domain, typed.Neighbors) else None


@dataclass(frozen=True)
class _Asking:
    """The level of a node: the cell `mine`, equal to the counter plus `offset`."""

    mine: typed.Cell
    counter: typed.Variable
    offset: int

    def unasked(self, body: typed.Block) -> typed.Block | None:
        """The body without the tests of the neighbors' levels, implied in a search; None if a loop over neighbors has
        none, or tests for another level."""
        left = {Same(row): self._left(row) for row in _rows(body)}
        if any(conditions is None for conditions in left.values()):
            return None

        def change(part: Any) -> Any:
            return replace(part, filter=all_of(left[Same(part)] or ())) if isinstance(part, typed.ForEach) else None

        return rebuilt(body, change)

    def _left(self, row: typed.ForEach) -> tuple[typed.Expression, ...] | None:
        wanted = {typed.Direction.OUT: 1, typed.Direction.IN: -1}
        match row.domain:
            case typed.Neighbors(node=node, direction=direction) if node == self.mine.index and direction in wanted:
                there = typed.Cell(self.mine.symbol, typed.Variable(row.iterator))
            case _:
                return None
        conditions = all_asked(row.filter)
        right = [c for c in conditions if self._further(asked_level(c, there)) == wanted[direction]]
        left = tuple(c for c in conditions if c not in right)
        return left if len(right) == 1 and not _rows(row.body) else None

    def _further(self, value: typed.Expression | None) -> int | None:
        """The constant difference of a value and the level of the node."""
        more = above(value, self.counter)
        return above(value, self.mine) if more is None else more - self.offset
