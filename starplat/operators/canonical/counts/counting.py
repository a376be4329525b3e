"""Finds loops in which nodes count their neighbors in a set: each in a local, or all together in a property.

int d = 0;                                            g.attachNodeProperty(d = 0);
for (u in g.nodes_to(v).filter(alive)) { d++; }       forall (u in g.nodes().filter(alive)) {
                                                        forall (v in g.neighbors(u)) { v.d += 1; }
                                                      }
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked
from starplat.frontend import typed, types
from starplat.operators.canonical import effects, hosts, rebuilding, rising
from starplat.operators.canonical.counts.members import FLAG, NUMBER, Members, filled_with, is_over_nodes, member_of

_PLAIN = (typed.Variable, typed.Literal, typed.Binary, typed.Unary)
_ONE_WAY = (typed.Direction.IN, typed.Direction.OUT)


@dataclass(frozen=True)
class Count:
    """A `node` counts the neighbors `there` in its row that are members and satisfy the `others`.

    `loop` is the loop over nodes that counts. `target` is the declaration of a local, or the filled property; `parts`
    are the statements that a maintained count replaces. With `for_members`, the count of other nodes is 0.
    """

    node: typed.Symbol
    there: typed.Symbol
    row: typed.Neighbors
    others: tuple[typed.Expression, ...]
    members: Members
    loop: typed.ForEach
    target: typed.Declare | typed.Symbol
    parts: tuple[typed.Statement, ...]
    for_members: bool = False

    def alike(self, other: "Count") -> bool:
        """Whether the other count is of the same neighbors."""
        names = {other.node: self.node, other.there: self.there}
        same = rebuilding.substituted((other.row, other.others), names) == (self.row, self.others)
        return same and other.members == self.members

    @property
    def property(self) -> typed.Symbol | None:
        """The property that holds the count; None if a local does."""
        return self.target if isinstance(self.target, typed.Symbol) else None


def counts_in_locals(loop: typed.ForEach) -> Iterator[Count]:
    """The counts in locals of a loop over nodes."""
    yield from _in_locals(loop, loop.body.statements)


def counts_in_property(loop: typed.ForEach, before: Sequence[typed.Statement]) -> Iterator[Count]:
    """The count in a property, if the loop does nothing else; `before` are the statements before it in its block."""
    yield from _stored(loop)
    match loop.body.statements:
        case (typed.ForEach() as row,):
            yield from _in_property(loop, row, before)


def all_counts(body: typed.Statement, *, in_locals: bool) -> Iterator[Count]:
    """The counts of all loops over nodes that the host runs, in locals or in properties."""
    if isinstance(body, typed.Block):
        for place, s in enumerate(body.statements):
            if isinstance(s, typed.ForEach) and is_over_nodes(s):
                yield from counts_in_locals(s) if in_locals else counts_in_property(s, body.statements[:place])
            else:
                yield from all_counts(s, in_locals=in_locals)
    elif not isinstance(body, typed.IterateInBFS) and not (isinstance(body, typed.ForEach) and body.parallel):
        for inner in walk.blocks(body):
            yield from all_counts(inner, in_locals=in_locals)


def loops_around(body: typed.Statement, s: typed.Statement) -> list[hosts.HostLoop]:
    """The loops of the host around a statement, outermost first."""
    loops = [i for i in walk.statements(body) if isinstance(i, hosts.HostLoop)]
    return [loop for loop in loops if any(i is s for i in walk.statements(loop))]


def _in_locals(loop: typed.ForEach, statements: Sequence[typed.Statement]) -> Iterator[Count]:
    for place, s in enumerate(statements):
        match s:
            case typed.Declare(local, value) if place + 1 < len(statements) and rising.number(value) == 0:
                row = statements[place + 1]
                if isinstance(row, typed.ForEach) and local.type is types.Scalar.INT:
                    yield from _in_row(loop, row, typed.Variable(local), s, (s, row))
            case typed.If():
                for block in walk.blocks(s):
                    assert isinstance(block, typed.Block)
                    yield from _in_locals(loop, block.statements)


def _stored(loop: typed.ForEach) -> Iterator[Count]:
    """The count of a loop whose nodes count in a local and store that in a property, and do nothing else."""
    match loop.body.statements:
        case (typed.Declare(local), typed.ForEach(), typed.Assign(typed.Cell(symbol, index), value)) if (
            index == typed.Variable(loop.iterator) and value == typed.Variable(local) and symbol.type == NUMBER
        ):
            for count in _in_locals(loop, loop.body.statements):
                yield from _for_all_or_members(replace(count, target=symbol, parts=(loop,)))


def _for_all_or_members(count: Count) -> Iterator[Count]:
    """The count, if its loop is over all nodes or over all members."""
    if not (asked_for := all_asked(count.loop.filter)):
        yield count
    elif len(asked_for) == 1 and count.members.asked(asked_for[0], count.node):
        yield replace(count, for_members=True)


def _in_row(
    loop: typed.ForEach,
    row: typed.ForEach,
    place: typed.Place,
    target: typed.Declare | typed.Symbol,
    parts: tuple[typed.Statement, ...],
) -> Iterator[Count]:
    """The count of a loop over the neighbors of the node, if it does nothing else."""
    own = typed.Variable(loop.iterator)
    if not isinstance(row.domain, typed.Neighbors) or row.domain.node != own or not _counts_one(row, place):
        return
    for members, others in _asked(all_asked(row.filter), row.iterator, {loop.iterator, row.iterator}):
        if row.domain.direction in _ONE_WAY:
            yield Count(loop.iterator, row.iterator, row.domain, others, members, loop, target, parts)


def _in_property(loop: typed.ForEach, row: typed.ForEach, before: Sequence[typed.Statement]) -> Iterator[Count]:
    """The count in a property that was filled with 0 right before, by a pull from neighbors or a push to them."""
    match row:
        case typed.ForEach(
            domain=typed.Neighbors(node=typed.Variable(own), direction=direction) as domain,
            body=typed.Block((typed.Update(place=typed.Cell(counted) as cell),)),
        ) if own is loop.iterator and counted.type == NUMBER and direction in _ONE_WAY:
            begun = filled_with(counted, before)
        case _:
            return
    if rising.number(begun) != 0 or not _counts_one(row, cell):
        return
    if cell.index == typed.Variable(loop.iterator):
        for count in _in_row(loop, row, cell, counted, (loop,)):
            yield from _for_all_or_members(count)
    elif cell.index == typed.Variable(row.iterator):
        turned = replace(domain, node=typed.Variable(row.iterator), direction=effects.REVERSED[direction])
        conditions = (*all_asked(loop.filter), *all_asked(row.filter))
        for members, others in _asked(conditions, loop.iterator, {loop.iterator, row.iterator}, row.iterator):
            left = tuple(c for c in others if not members.asked(c, row.iterator))
            yield Count(
                row.iterator, loop.iterator, turned, left, members, loop, counted, (loop,), len(left) < len(others)
            )


def _counts_one(row: typed.ForEach, place: typed.Place) -> bool:
    """Whether a loop over neighbors adds 1 to a place for each, and does nothing else."""
    match row.body.statements:
        case (typed.Update(typed.Combine.ADD, counted, value),):
            return counted == place and rising.number(value) == 1
    return False


def _asked(
    conditions: Sequence[typed.Expression],
    node: typed.Symbol,
    known: set[typed.Symbol],
    other: typed.Symbol | None = None,
) -> Iterator[tuple[Members, tuple[typed.Expression, ...]]]:
    """Each set of which `node` must be a member, with the other conditions: those may only compare the two nodes, or
    require the `other` to be a member too."""
    for condition in conditions:
        found = member_of(condition)
        if found is None or found[0].index != typed.Variable(node) or found[0].symbol.type not in (FLAG, NUMBER):
            continue
        others = tuple(c for c in conditions if c is not condition)
        members = Members(found[0].symbol, found[1])
        plain = [c for c in others if other is None or not members.asked(c, other)]
        parts = [part for c in plain for part in walk.within(c)]
        named = all(not isinstance(part, typed.Variable) or part.symbol in known for part in parts)
        if named and all(isinstance(part, _PLAIN) for part in parts):
            yield members, others
