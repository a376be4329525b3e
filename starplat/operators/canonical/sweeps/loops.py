"""Loops over the levels of a search, one level after another, are the search itself, there and back.

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

`d` holds how many arcs a node is away from `s`, and no distance is above `far`. The rows must ask for the next level,
or for that before, since that is what a search means by neighbors. What found `d` goes where nobody else asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.pulling import pulls_from_parents
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.effects import asked
from starplat.operators.canonical.filters import all_of
from starplat.operators.canonical.hosts import Surroundings
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_block
from starplat.operators.canonical.searches.levels import above
from starplat.operators.canonical.searches.stores import compared
from starplat.operators.canonical.sweeps.distances import Distances, all_written, found_by, without_distances

_INSIDE = (typed.Block, typed.If, typed.Declare, typed.Assign, typed.Update, typed.AssignExtreme, typed.ForEach)


def as_searches(body: typed.Block, program: typed.Program, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with such loops as searches; `results` are the symbols that its caller sees."""
    if not any(_nodes(s) for s in walk.statements(body)):
        return body
    around = Surroundings(body)
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
    """The loop over nodes that is every round of a counted loop."""
    match s:
        case typed.CountedLoop(
            body=typed.Block(statements=(typed.ForEach(parallel=True, domain=typed.AllNodes()) as nodes,))
        ):
            return nodes
        case _:
            return None


def _swept(distances: Distances, after: Sequence[typed.Statement]) -> tuple[typed.Statement, ...] | None:
    """The statements behind a search with loops over its levels as searches; None if there are none."""
    done: list[typed.Statement] = []
    search: typed.IterateInBFS | None = None
    holds, found = True, False
    for s in after:
        sweep = _sweep(s, distances) if holds and isinstance(s, typed.CountedLoop) else None
        if sweep is None:
            holds = holds and distances.follow(s)
            done.append(s)
        elif not sweep.up and search is not None and done[-1] is search and search.reverse is None:
            search = sweep.after(search)
            done[-1] = search
        elif (search := sweep.search(distances, s)) is not None:
            done.append(search)
            found = True
        else:
            return None
    return tuple(done) if found else None


@dataclass(frozen=True)
class _Sweep:
    """What happens to each node at its level, where all of `when` hold, upwards or downwards."""

    node: typed.Symbol
    body: typed.Block
    when: tuple[typed.Expression, ...]
    up: bool

    def search(self, distances: Distances, s: typed.Statement) -> typed.IterateInBFS | None:
        """The search that does that; None where it would mean something else by neighbors."""
        body = self.body if self.up else typed.Block((), span=s.span)
        if self.up and (condition := all_of(self.when)) is not None:
            body = typed.Block((typed.If(condition, body, span=body.span),), span=body.span)
        search = typed.IterateInBFS(self.node, distances.graph, distances.source, None, body, None, span=s.span)
        if any(pulls_from_parents(row, search) for row in _rows(body)):
            return None
        return search if self.up else self.after(search)

    def after(self, there: typed.IterateInBFS) -> typed.IterateInBFS:
        """The search, with this on the way back."""
        when, body = substituted((self.when, self.body), {self.node: there.iterator})
        return replace(there, reverse=typed.ReversePass(all_of(when), body, span=body.span))


def _sweep(loop: typed.CountedLoop, distances: Distances) -> _Sweep | None:
    nodes, levels = _nodes(loop), _counted(loop, distances)
    if nodes is None or levels is None or not loop.declares or any(walk.calls(nodes)):
        return None
    conditions, counter = asked(nodes.filter), typed.Variable(loop.symbol)
    mine = typed.Cell(distances.cells, typed.Variable(nodes.iterator))
    asking = {i: level for i, c in enumerate(conditions) if (level := above(compared(c, mine), counter)) is not None}
    if len(asking) != 1:
        return None
    ((place, offset),) = asking.items()
    when = tuple(c for i, c in enumerate(conditions) if i != place)
    body = _Asking(mine, counter, offset).unasked(nodes.body)
    if body is None or not _is_of_levels_only(nodes, body, when, loop.symbol, distances):
        return None
    up, first, last = levels
    fits = _fits(body, first + offset, last + offset, distances)
    if not fits:
        return None
    if first + offset == 1 and not _only_rows(body, typed.Direction.IN):
        own = typed.Variable(nodes.iterator, span=nodes.span)
        away = typed.Binary(typed.Operator.NOT_EQUAL, own, distances.source, Scalar.BOOL, span=nodes.span)
        when = (away, *when)
    return _Sweep(nodes.iterator, body, when, up)


def _is_of_levels_only(
    nodes: typed.ForEach,
    body: typed.Block,
    when: tuple[typed.Expression, ...],
    counter: typed.Symbol,
    distances: Distances,
) -> bool:
    """Whether nothing but the level that it asks for changes what a round does, and it leaves alone what says that."""
    written = all_written((nodes,))
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
    """Whether rounds for levels from `first` on, to `last` above the greatest distance at least, are those of a search
    but for the source. Where nobody is behind the last level, rows of the next one are empty."""
    if not distances.is_infinite and first == 0 and any(_way(row) is typed.Direction.IN for row in _rows(body)):
        return False  # the level before the first may be the number of nodes that are not reached
    return first in (0, 1) and last >= (-1 if _only_rows(body, typed.Direction.OUT) else 0)


def _only_rows(body: typed.Block, way: typed.Direction) -> bool:
    """Whether a body does nothing but go through rows of one direction."""
    return all(isinstance(s, typed.ForEach) and _way(s) is way for s in body.statements)


def _rows(body: typed.Block) -> list[typed.ForEach]:
    return [s for s in walk.statements(body) if isinstance(s, typed.ForEach)]


def _way(row: typed.ForEach) -> typed.Direction | None:
    return row.domain.direction if isinstance(row.domain, typed.Neighbors) else None


def _counted(loop: typed.CountedLoop, distances: Distances) -> tuple[bool, int, int] | None:
    """Whether a loop counts upwards, its least number, and how much its greatest is at least above all distances."""
    match loop.step:
        case typed.Update(
            combine=typed.Combine.ADD, place=typed.Variable(symbol=symbol), value=typed.Literal(value=1 | -1 as step)
        ) if symbol is loop.symbol:
            pass
        case typed.Assign(
            place=typed.Variable(symbol=symbol),
            value=typed.Binary(operator=way, left=typed.Variable(symbol=counted), right=typed.Literal(value=1)),
        ) if symbol is loop.symbol and counted is symbol and way in (typed.Operator.ADD, typed.Operator.SUBTRACT):
            step = 1 if way is typed.Operator.ADD else -1
        case _:
            return None
    match loop.condition:
        case typed.Binary(operator=operator, left=typed.Variable(symbol=symbol), right=end) if symbol is loop.symbol:
            pass
        case _:
            return None
    if step > 0 and operator in (typed.Operator.LESS, typed.Operator.LESS_EQUAL):
        least, most = _number(loop.first), distances.over(end)
        shift = -(operator is typed.Operator.LESS)
        return None if least is None or most is None else (True, least, most + shift)
    if step < 0 and operator in (typed.Operator.GREATER, typed.Operator.GREATER_EQUAL):
        least, most = _number(end), distances.over(loop.first)
        shift = operator is typed.Operator.GREATER
        return None if least is None or most is None else (False, least + shift, most)
    return None


def _number(value: typed.Expression) -> int | None:
    is_number = isinstance(value, typed.Literal) and isinstance(value.value, int)
    return int(value.value) if is_number and isinstance(value, typed.Literal) else None


@dataclass(frozen=True)
class _Asking:
    """The level of a node, as its cell says and as `offset` more than a counter."""

    mine: typed.Cell
    counter: typed.Variable
    offset: int

    def unasked(self, body: typed.Block) -> typed.Block | None:
        """The body whose rows do not ask for the level of the neighbor, as a search does that; None where one does not
        ask, or asks for another."""
        left = {id(row): self._left(row) for row in _rows(body)}
        if any(conditions is None for conditions in left.values()):
            return None

        def change(part: Any) -> Any:
            return replace(part, filter=all_of(left[id(part)] or ())) if isinstance(part, typed.ForEach) else None

        return rebuilt(body, change)

    def _left(self, row: typed.ForEach) -> tuple[typed.Expression, ...] | None:
        wanted = {typed.Direction.OUT: 1, typed.Direction.IN: -1}
        match row.domain:
            case typed.Neighbors(node=node, direction=direction) if node == self.mine.index and direction in wanted:
                there = typed.Cell(self.mine.symbol, typed.Variable(row.iterator))
            case _:
                return None
        conditions = asked(row.filter)
        right = [c for c in conditions if self._further(compared(c, there)) == wanted[direction]]
        left = tuple(c for c in conditions if c not in right)
        return left if len(right) == 1 and not _rows(row.body) else None

    def _further(self, value: typed.Expression | None) -> int | None:
        """How much more than the level of the node a value is."""
        more = above(value, self.counter)
        return above(value, self.mine) if more is None else more - self.offset
