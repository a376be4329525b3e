"""Does a loop count triangles, however it is spelled: the graph's, in one sum, or those of every node or of the node in
hand?

Takes a loop of the checked program, gives what a triangle adds to which place. All of it holds for graphs in which
every arc has its reverse and no other beside it, so the program's own loop is still needed for others.

A sum that is divided by what each triangle adds, and not looked at otherwise, is one of which each triangle adds one:

forall (u in g.nodes()) { ... sum += 1; ... }         intersect u -> w when u < w: common x > w
return sum / 6;                                         sum <- sum 1
                                                      return sum
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators import records as op
from starplat.operators.answers import triples
from starplat.operators.answers.triples import NotCounted, Triples, bare, closes_no_pair
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.same import Same

_SUMS = (Scalar.INT, Scalar.LONG)


@dataclass(frozen=True, slots=True)
class PerTriangle:
    """`symbol` grows by `value` for every triangle, or the cell of each of its nodes if it is a property; `loops_count`
    if an arc from a node to itself may make one."""

    symbol: typed.Symbol
    value: int
    loops_count: bool


def counted_in(loop: typed.ForEach, program: typed.Program) -> PerTriangle | None:
    """What a parallel loop counts, if it counts triangles and does nothing else."""
    inside = set(walk.declared(loop.body))
    updates = [s for s in walk.statements(loop.body) if isinstance(s, typed.Update) and s.place.symbol not in inside]
    if not isinstance(loop.domain, typed.AllNodes | typed.AllEdges):
        return None
    with suppress(NotCounted):
        match tuple({s.place.symbol for s in updates}):
            case [typed.Symbol(type=kind)] if kind in _SUMS:
                total = updates[0].place
                triples, value = _triangles(loop, Triples(program), total)
                return PerTriangle(total.symbol, value * triples.times(), triples.loops_count())
            case [typed.Symbol(type=PropertyType(carrier=Carrier.NODE, element=kind)) as cells] if kind in _SUMS:
                return _counted_for_each(loop, program, cells, updates)
    return None


def _triangles(loop: typed.ForEach, triples: Triples, total: typed.Place) -> tuple[Triples, int]:
    """What a loop over all nodes or arcs does for triangles, and what it adds to `total` each time."""
    if isinstance(loop.domain, typed.AllEdges):
        graph = loop.domain.graph
        triples.nodes += (typed.EdgeEnd(typed.Variable(loop.iterator), end, graph) for end in typed.End)
        triples.arcs.add(frozenset(triples.nodes))
    else:
        triples.nodes.append(typed.Variable(loop.iterator))
    if loop.filter is not None:
        triples.condition(loop.filter)
    value = triples.value(loop.body.statements, total)
    if not triples.are_triangles():
        raise NotCounted
    return triples, value


def _counted_for_each(
    loop: typed.ForEach, program: typed.Program, cells: typed.Symbol, updates: list[typed.Update]
) -> PerTriangle | None:
    """What the cell of each node of a triangle grows by, be it by one statement or by one for each corner."""
    sums: list[list[int]] = []
    loops_count = False
    for update in updates:
        triples = Triples(program, left_out=tuple(s for s in updates if s is not update))
        triples, value = _triangles(loop, triples, update.place)
        assert isinstance(update.place, typed.Cell)
        shares = triples.shares(triples.term(update.place.index))
        sums.append([value * share for of_degrees in shares for share in of_degrees])
        loops_count |= triples.loops_count()
    grown = {sum(parts) for parts in zip(*sums, strict=True)}
    return PerTriangle(cells, grown.pop(), loops_count) if len(grown) == 1 and grown != {0} else None


@dataclass(frozen=True, slots=True)
class CountedRow:
    """What a loop over a node's neighbors counts of the node's triangles, whatever it does besides; `one_way` if it
    only does something for neighbors without an arc the other way."""

    counts: tuple[PerTriangle, ...]
    one_way: bool


def counted_of_nodes(loop: typed.ForEach, program: typed.Program) -> dict[Same, CountedRow]:
    """What the loops over neighbors in a loop over nodes count, by their `id`s."""
    node = loop.iterator
    rows = ((row, closes_no_pair(row, node)) for row in _rows(loop))
    return {Same(row): CountedRow(() if idle else tuple(_counted_of(node, row, program)), idle) for row, idle in rows}


def _rows(loop: typed.ForEach) -> Iterator[typed.ForEach]:
    """The loops over neighbors of a loop's own node that no other loop is around, and that are gone through to the
    end."""
    waiting: list[typed.Statement] = [loop.body]
    while waiting and isinstance(loop.domain, typed.AllNodes):
        match waiting.pop():
            case typed.Block() | typed.If() as s:
                waiting += reversed(walk.blocks(s))
            case typed.ForEach(domain=typed.Neighbors(node=node)) as row if bare(node) == typed.Variable(loop.iterator):
                if not _may_leave(row):
                    yield row


def _counted_of(node: typed.Symbol, row: typed.ForEach, program: typed.Program) -> Iterator[PerTriangle]:
    changed = walk.all_written(row)
    for place, parts in _growing(row, node):
        triples = Triples(program, parts, changed, [typed.Variable(node)])
        with suppress(NotCounted):
            value = triples.value((row,), place)
            if triples.are_triangles():
                yield PerTriangle(place.symbol, value * triples.times(0, 1, 2), triples.loops_count())


def _growing(row: typed.ForEach, node: typed.Symbol) -> Iterator[tuple[typed.Place, frozenset[typed.Symbol]]]:
    """The whole numbers from outside that a loop only ever adds to, in one place each, with the local inside that is
    added."""
    inside = list(walk.statements(row.body))
    declared = set(walk.declared(row.body))
    written = Counter(symbol for s in inside for symbol in walk.written(s))
    parts = (part for s in inside for part in walk.own_parts(s))
    read = Counter(part.symbol for part in parts if isinstance(part, typed.Variable | typed.Cell))
    for s in inside:
        if isinstance(s, typed.Update) and _is_own(s.place, node) and s.place.symbol not in declared:
            local = {added.symbol} & declared if isinstance(added := bare(s.value), typed.Variable) else set()
            alone = written[s.place.symbol] == 1 and not read[s.place.symbol]
            if alone and all(written[symbol] == read[symbol] == 1 for symbol in local):
                yield s.place, frozenset({s.place.symbol, *local})


def _is_own(place: typed.Place, node: typed.Symbol) -> bool:
    """Whether a place is a whole number of one iteration: a local, or a cell of its node."""
    match place:
        case typed.Variable(symbol):
            return symbol.type in _SUMS
        case typed.Cell(typed.Symbol(type=PropertyType(element=element)), index):
            return element in _SUMS and index == typed.Variable(node)
    return False


def _may_leave(row: typed.ForEach) -> bool:
    """Whether a round may be cut short, or a function changes a scalar that it is given."""
    given = (a for call in walk.calls(row) for a in call.arguments if isinstance(a, typed.Symbol))
    return walk.leaves(row) or any(isinstance(a.type, Scalar) for a in given)


def with_intersections(body: typed.Block, program: typed.Program) -> tuple[typed.Block, dict[Same, op.Intersect]]:
    """A function's body with such sums, and what its loops over all triangles are, by their `id`s."""
    found: dict[Same, op.Intersect] = {}
    for s in walk.statements(body):
        if isinstance(s, typed.ForEach) and s.parallel and (counted := counted_in(s, program)) is not None:
            found[Same(s)] = op.Intersect(counted.symbol, counted.value, s)
    for place, meeting in found.items():
        if isinstance(meeting.total.type, types.Scalar) and _is_asked_for_in_shares(meeting, body):
            body = _with_whole_sum(meeting, body)
            found[place] = op.Intersect(meeting.total, 1, meeting.loop)
    return body, found


def _is_asked_for_in_shares(meeting: op.Intersect, body: typed.Block) -> bool:
    """Whether a sum begins with nothing, only triangles are added, and all that is asked for is how many."""
    inside = list(walk.statements(body))
    begins = [s.value for s in inside if isinstance(s, typed.Declare) and s.symbol is meeting.total]
    writes = sum(meeting.total in walk.written(s) for s in inside)
    parts = [part for s in inside for part in walk.own_parts(s)]
    shares = sum(_is_share(part, meeting) for part in parts)
    whole = parts.count(typed.Variable(meeting.total))
    return begins == [typed.Literal(0, meeting.total.scalar)] and writes == 1 and shares == whole


def _with_whole_sum(meeting: op.Intersect, body: typed.Block) -> typed.Block:
    return rebuilt(body, lambda part: typed.Variable(meeting.total) if _is_share(part, meeting) else None)


def _is_share(value: object, meeting: op.Intersect) -> bool:
    match value:
        case typed.Binary(typed.Operator.DIVIDE, left, right):
            return triples.bare(left) == typed.Variable(meeting.total) and triples.constant(right) == meeting.value
    return False
