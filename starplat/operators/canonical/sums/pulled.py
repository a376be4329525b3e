"""A sum that every node sends to its neighbors is made by the node that it is for.

forall (v in g.nodes()) {                             forall (w in g.nodes()) {
  double share = v.rank / g.count_outNbrs(v);           for (v in g.nodes_to(w)) {
  forall (w in g.neighbors(v)) {                          w.inflow += v.rank / g.count_outNbrs(v);
    w.inflow += share;                                  }
  }                                                   }
}

Additions are made in any order there, so the rewrite only replaces an atomic operation for each arc by a sum for each
node. It pays where every round of a loop visits all arcs. A loop over the nodes for which a property holds stays a
push, since it visits few arcs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, conjuncts, mentions
from starplat.frontend import typed
from starplat.frontend.walk import children
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, filters
from starplat.operators.canonical.rebuilding import rebuilt, substituted, with_statements
from starplat.operators.canonical.sums.degrees import asked_for_arcs


@dataclass(frozen=True)
class _Sum:
    """A row whose arcs add to the cells at their other ends: in words of the two nodes only."""

    row: typed.ForEach
    update: typed.Update
    when: tuple[typed.Expression, ...]


def pulled(body: typed.Block) -> typed.Block:
    """A function's body with such sums, where loops of the host make them again and again, turned round."""

    def change(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True) | typed.IterateInBFS():
                return part
            case typed.While() | typed.DoWhile() | typed.FixedPoint() | typed.CountedLoop() | typed.ForEach():
                inner = rebuilt(part.body, in_loop)
                return part if inner is part.body else replace(part, body=inner)
        return None

    def in_loop(part: Any) -> Any:
        match part:
            case typed.ForEach(parallel=True) | typed.IterateInBFS():
                return part
            case typed.Block(every):
                inner = (new for s in every for new in (_split(s) or (rebuilt(s, in_loop),)))
                return with_statements(part, tuple(inner))
        return None

    return rebuilt(body, change)


def _split(loop: typed.Statement) -> list[typed.Statement]:
    """What is left of a loop, and its sums, which nothing else in it has to do with; none if there is no such sum."""
    if not isinstance(loop, typed.ForEach) or not loop.parallel or not isinstance(loop.domain, typed.AllNodes):
        return []
    asked = all_asked(loop.filter)
    inside = list(walk.statements(loop.body))
    if walk.leaves(loop) or any(walk.calls(loop)):
        return []
    assigned = {p.symbol for s in inside for p in walk.written_places(s)}
    own = assigned | set(walk.declared(loop.body))
    sums = [
        found
        for found in _sums(loop.iterator, loop.body.statements, asked, {}, assigned)
        if not _is_touched(found, loop.body)
        and not any(mentions(value, own - {found.row.iterator}) for value in (found.update.value, *found.when))
    ]
    if not sums:
        return []
    rest = _without(loop.body, [found.row for found in sums])
    kept = [replace(loop, body=rest)] if rest.statements else []
    return [*kept, *(_pull(loop, found) for found in sums)]


def _sums(
    node: typed.Symbol,
    statements: Sequence[typed.Statement],
    when: tuple[typed.Expression, ...],
    values: dict[typed.Symbol, typed.Expression],
    assigned: set[typed.Symbol],
) -> Iterator[_Sum]:
    """The rows of a node that do nothing else, with the conditions of theirs and the values of locals put in."""
    for s in statements:
        match s:
            case typed.Declare(local, value) if value is not None and local not in assigned:
                values[local] = substituted(value, values)
            case typed.If(condition, then, otherwise):
                asked = tuple(substituted(c, values) for c in conjuncts(condition))
                yield from _sums(node, then.statements, (*when, *asked), dict(values), assigned)
                if otherwise is not None:
                    denied = tuple(substituted(c, values) for c in conjuncts(condition, holds=False))
                    yield from _sums(node, otherwise.statements, (*when, *denied), dict(values), assigned)
            case typed.ForEach(domain=typed.Neighbors(node=typed.Variable(own), direction=way)) if own is node:
                if way is not typed.Direction.BOTH and all(_is_steady(c) for c in when):
                    asked = all_asked(s.filter)
                    yield from _leaf(s, s.body.statements, (*when, *asked), dict(values))


def _is_steady(condition: typed.Expression) -> bool:
    """Whether a condition holds for the same nodes in every round, so that most of them should pass it."""
    return not any(isinstance(part, typed.Cell) for part in walk.within(condition))


def _leaf(
    row: typed.ForEach,
    statements: Sequence[typed.Statement],
    when: tuple[typed.Expression, ...],
    values: dict[typed.Symbol, typed.Expression],
) -> Iterator[_Sum]:
    """The one addition of a row, to the node at the other end."""
    for place, s in enumerate(statements):
        last = place == len(statements) - 1
        match s:
            case typed.Declare(local, value) if value is not None and not last:
                values[local] = substituted(value, values)
            case typed.If(_, then, None) if last:
                yield from _leaf(row, then.statements, (*when, *conjuncts(s.condition)), values)
            case typed.Update(typed.Combine.ADD, typed.Cell(index=index)) if last and index == typed.Variable(
                row.iterator
            ):
                asked = tuple(substituted(c, values) for c in when)
                if all(_asks_one_end(c, row.iterator) for c in asked):
                    yield _Sum(row, replace(s, value=substituted(s.value, values)), asked)
                return
            case _:
                return


def _asks_one_end(condition: typed.Expression, there: typed.Symbol) -> bool:
    """Whether a condition reads cells of the node that the sum is for only: others select active nodes, of
    which there may be few."""
    cells = [part for part in walk.within(condition) if isinstance(part, typed.Cell)]
    return all(children(cell) == (typed.Variable(there),) for cell in cells)


def _is_touched(found: _Sum, body: typed.Block) -> bool:
    """Whether anything but the addition itself reads or writes the cells."""
    symbol = found.update.place.symbol
    writes = sum(place.symbol is symbol for place in walk.places(body))
    return writes > 1 or any(mentions(value, {symbol}) for value in walk.all_values(body))


def _without(block: typed.Block, gone: Sequence[typed.Statement]) -> typed.Block:
    """The block without some statements, and without branches and locals that did nothing else."""

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        kept = tuple(rebuilt(s, change) for s in part.statements if not any(s is other for other in gone))
        return replace(part, statements=tuple(_shortened(s) for s in kept if not _does_nothing(s)))

    left = rebuilt(block, change)
    read = {p.symbol for p in walk.all_parts(left) if isinstance(p, typed.Variable)}
    used = read | {place.symbol for place in walk.places(left)}
    dead = [s for s in walk.statements(left) if isinstance(s, typed.Declare) and s.symbol not in used]
    return left if not dead else _without(left, dead)


def _shortened(s: typed.Statement) -> typed.Statement:
    return replace(s, otherwise=None) if isinstance(s, typed.If) and s.otherwise == typed.Block(()) else s


def _does_nothing(s: typed.Statement) -> bool:
    if isinstance(s, typed.Block):
        return not s.statements
    return isinstance(s, typed.If | typed.ForEach) and all(map(_does_nothing, walk.blocks(s)))


def _pull(loop: typed.ForEach, found: _Sum) -> typed.ForEach:
    """The loop in which each node looks at the arcs that lead to it."""
    row, here = found.row, replace(loop.iterator)
    assert isinstance(row.domain, typed.Neighbors)
    there = replace(row.iterator)

    def change(part: Any) -> Any:
        match part:
            case typed.ArcInHand(iterator) if iterator is row.iterator:
                return replace(part, iterator=here)
            case typed.Symbol() if part is loop.iterator or part is row.iterator:
                return here if part is loop.iterator else there
        return None

    way = effects.REVERSED[row.domain.direction]
    asked = [rebuilt(c, change) for c in found.when if not _is_sure(c, loop.iterator, row.domain.direction)]
    arcs = Builder(row.span).row(row.domain.graph, there, way)
    body = typed.Block((rebuilt(found.update, change),), span=row.body.span)
    inner = typed.ForEach(False, here, arcs, filters.all_of(asked), body, span=row.span)
    return typed.ForEach(True, there, loop.domain, None, typed.Block((inner,), span=loop.body.span), span=loop.span)


def _is_sure(condition: typed.Expression, node: typed.Symbol, way: typed.Direction) -> bool:
    """Whether a condition only asks whether a node has arcs, which one does whose arc is in hand."""
    query = typed.Query.OUT_DEGREE if way is typed.Direction.OUT else typed.Query.IN_DEGREE
    return asked_for_arcs(condition, node) is query
