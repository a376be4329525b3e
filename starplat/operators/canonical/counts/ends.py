"""Replaces a flag of arcs, set when one of the ends leaves a set, by a test of that end.

while (left > 0) {                                    while (left > 0) {
  forall (e in g.edges()) {                             forall (a in g.nodes().filter(core == -1)) {
    node b = e.destination;                               forall (b in g.neighbors(a)) { b.degree += 1; }
    if (!e.cut) { b.degree += 1; }                      }
  }                                                     ... v.core = k; ...
  ... v.core = k; ...                                 }
  forall (e in g.edges()) {
    node a = e.source;
    if (a.core != -1) { e.cut = True; }
  }
}

All nodes are members at first, none is inserted again, and every round sets the flags of arcs. So until another node
leaves, an arc has its flag if its end has left or the flag was set from the start.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, conjuncts
from starplat.frontend import typed, types
from starplat.operators.canonical import filters, hosts
from starplat.operators.canonical.counts.members import Members, filled_with, member_of
from starplat.operators.canonical.rebuilding import rebuilt, substituted, without

_ARC_FLAG = types.PropertyType(types.Carrier.EDGE, types.Scalar.BOOL)
_FIRST, _LAST = (typed.Symbol(name, types.Scalar.NODE, typed.Role.ITERATOR) for name in ("source", "destination"))
Ends = tuple[typed.Expression, typed.Expression]


def asked_of_ends(body: typed.Block) -> typed.Block:
    """A function's body without such flags."""
    for s in list(walk.statements(body)):
        if isinstance(s, typed.Declare) and s.symbol.type == _ARC_FLAG and s.symbol.role is typed.Role.LOCAL:
            body = _without(body, s.symbol) or body
    return body


def _without(body: typed.Block, flag: typed.Symbol) -> typed.Block | None:
    around = hosts.surroundings(body)
    writers = walk.writers(flag, body)
    for loop in around.loops:
        rounds = list(walk.statements(loop.body))
        inside = [s for s in rounds if flag in walk.written(s)]
        asked_outside = any(flag in walk.read(s) and not any(s is i for i in rounds) for s in walk.statements(body))
        if inside and not asked_outside:
            outside = [s for s in writers if not any(s is i for i in inside)]
            return _Flag(flag, body, loop, around.before(loop)).made(inside, outside)
    return None


@dataclass(frozen=True)
class _Flag:
    """A flag of arcs that a loop of the host sets; `before` are the statements before the loop in its block."""

    flag: typed.Symbol
    body: typed.Block
    loop: hosts.HostLoop
    before: Sequence[typed.Statement]

    def made(self, inside: Sequence[typed.Statement], outside: Sequence[typed.Statement]) -> typed.Block | None:
        """The function's body without the flag; None if the flag does not follow from the ends."""
        every = self.loop.body.statements
        sets = [i for i, s in enumerate(every) if any(j is inside[0] for j in walk.statements(s))]
        stored = self._stored(every[sets[0]]) if len(inside) == len(sets) == 1 else None
        first = self._at_first(outside)
        if stored is None or first is None or hosts.may_leave(every):
            return None
        value, conditions = stored
        given = {c.symbol for condition in conditions for c in walk.within(condition) if isinstance(c, typed.Cell)}
        if not given or not all(self._only_leaves(c) for c in conditions) or not self._is_fresh(sets[0], given):
            return None
        begun, gone = first
        has = filters.all_of(conditions)
        assert has is not None
        if begun != typed.Literal(not value, types.Scalar.BOOL):
            had = begun if value else typed.Unary(typed.UnaryOperator.NOT, begun)
            has = typed.Binary(typed.Operator.OR, had, has, types.Scalar.BOOL)
        return self._asked(has if value else typed.Unary(typed.UnaryOperator.NOT, has), [every[sets[0]], *gone])

    def _stored(self, s: typed.Statement) -> tuple[bool, list[typed.Expression]] | None:
        """The value that a loop over all arcs stores and its conditions, as expressions of source and destination; None
        if the loop does anything else."""
        conditions: list[typed.Expression] = []
        domains: list[typed.Domain] = []
        nodes: list[typed.Symbol] = []
        statements: Sequence[typed.Statement] = (s,)
        while True:
            statements = [i for i in statements if not isinstance(i, typed.Declare)]
            match statements:
                case [typed.ForEach() as loop]:
                    conditions += all_asked(loop.filter)
                    domains.append(loop.domain)
                    nodes.append(loop.iterator)
                    statements = loop.body.statements
                case [typed.If(condition, then, None)]:
                    conditions += conjuncts(condition)
                    statements = then.statements
                case [typed.Assign(typed.Cell(index=arc), typed.Literal(bool() as value))]:
                    break
                case _:
                    return None
        if (ends := _ends(arc, self.body)) is None or not _are_all_arcs(domains, nodes):
            return None
        not_yet = typed.Cell(self.flag, arc), not value
        return value, [_said(c, ends, self.body) for c in conditions if member_of(c) != not_yet]

    def _at_first(
        self, outside: Sequence[typed.Statement]
    ) -> tuple[typed.Expression, Sequence[typed.Statement]] | None:
        """The flag of an arc before the loop, as an expression of its ends, and the statements that set it."""
        sets = [s for s in self.before if any(i is j for i in walk.statements(s) for j in outside)]
        if not outside:
            declared = any(isinstance(s, typed.Declare) and s.symbol is self.flag for s in self.before)
            return (typed.FALSE, ()) if declared else None
        if len(outside) != 1 or len(sets) != 1:
            return None
        match sets[0]:
            case typed.Attach(items=((_, typed.Literal() as value),)):
                return value, sets
            case typed.ForEach(
                parallel=True,
                domain=typed.AllEdges(),
                filter=None,
                iterator=arc,
                body=typed.Block((typed.Assign(place, value),)),
            ) if place == typed.Cell(self.flag, typed.Variable(arc)):
                index = typed.Variable(arc)
                ends = _ends(index, self.body)
                assert ends is not None
                said = _said(value, ends, self.body)
                return (said, sets) if _is_about_numbers(said) else None
        return None

    def _only_leaves(self, condition: typed.Expression) -> bool:
        """Whether a condition holds for good once it holds, and, if it reads cells, for no arc at first: an end has
        left a set."""
        return _is_about_numbers(condition) or all(
            found is not None and self._is_left(*found) for found in map(member_of, conjuncts(condition, holds=False))
        )

    def _is_left(self, cell: typed.Cell, value: bool | int) -> bool:
        """Whether all nodes are members before the loop, and the loop only removes members."""
        members = Members(cell.symbol, value)
        stores = walk.writers(cell.symbol, self.loop.body)
        leave = all(isinstance(s, typed.Assign) and members.joins(s.value, self.body) is False for s in stores)
        begun = filled_with(cell.symbol, self.before)
        are_members = begun is not None and members.joins(begun, self.body) is True
        return leave and are_members and cell.index in (typed.Variable(_FIRST), typed.Variable(_LAST))

    def _is_fresh(self, place: int, given: set[typed.Symbol]) -> bool:
        """Whether nothing that the conditions read changes between the flags' store and their last read in a round."""
        every = self.loop.body.statements
        round_ = (*every[place + 1 :], *every[:place])
        asks = [i for i, s in enumerate(round_) if any(self.flag in walk.read(i) for i in walk.statements(s))]
        last = max(asks, default=-1)
        return given.isdisjoint(walk.all_written(*round_[: last + 1]))

    def _asked(self, has: typed.Expression, gone: Sequence[typed.Statement]) -> typed.Block | None:
        """The body with the condition in place of the flag."""
        unknown: list[typed.Expression] = []

        def change(part: Any) -> Any:
            match part:
                case typed.Cell(symbol, arc) if symbol is self.flag:
                    if (ends := _ends(arc, self.body)) is None:
                        unknown.append(arc)
                        return part
                    return substituted(has, dict(zip((_FIRST, _LAST), ends, strict=True)))
            return None

        kept = without(self.body, lambda s: any(s is other for other in gone) or walk.declares(s, self.flag))
        changed = rebuilt(kept, change)
        return None if unknown or walk.touches(changed, self.flag) else changed


def _are_all_arcs(domains: Sequence[typed.Domain], iterators: Sequence[typed.Symbol]) -> bool:
    """Whether a nest of loops visits all arcs."""
    match domains:
        case [typed.AllEdges()]:
            return True
        case [typed.AllNodes(), typed.Neighbors(node=node)]:
            return node == typed.Variable(iterators[0])
    return False


def _ends(arc: typed.Expression, body: typed.Block) -> Ends | None:
    """Source and destination of the arc of an iteration."""
    match arc:
        case typed.ArcInHand(iterator):
            rows = [s for s in walk.statements(body) if isinstance(s, typed.ForEach) and s.iterator is iterator]
            domain = rows[0].domain if len(rows) == 1 else None
            if not isinstance(domain, typed.Neighbors) or domain.direction is typed.Direction.BOTH:
                return None
            ends = domain.node, typed.Variable(iterator)
            return ends if domain.direction is typed.Direction.OUT else ends[::-1]
        case typed.Variable(symbol):
            for s in walk.statements(body):
                match s:
                    case typed.ForEach(iterator=iterator, domain=typed.AllEdges(graph=graph)) if iterator is symbol:
                        first, last = (
                            typed.EdgeEnd(arc, end, graph) for end in (typed.End.SOURCE, typed.End.DESTINATION)
                        )
                        return first, last
                    case typed.Declare(local, typed.ArcInHand() as value) if local is symbol:
                        stored = local in walk.all_written(body)
                        return None if stored else _ends(value, body)
            return None
    return None


def _said(condition: typed.Expression, ends: Ends, body: typed.Block) -> typed.Expression:
    """A condition of a loop over arcs as an expression of source and destination."""
    named: dict[typed.Expression, typed.Variable] = dict(zip(ends, map(typed.Variable, (_FIRST, _LAST)), strict=True))
    for s in walk.statements(body):
        if isinstance(s, typed.Declare) and s.value in named and s.symbol not in walk.all_written(body):
            named[typed.Variable(s.symbol)] = named[s.value]
    return rebuilt(
        condition, lambda part: named.get(part) if isinstance(part, typed.Variable | typed.EdgeEnd) else None
    )


def _is_about_numbers(condition: typed.Expression) -> bool:
    """Whether a condition only compares the numbers of the ends."""
    plain = (typed.Variable, typed.Literal, typed.Binary, typed.Unary)
    known = (_FIRST, _LAST)
    parts = list(walk.within(condition))
    return all(isinstance(p, plain) and (not isinstance(p, typed.Variable) or p.symbol in known) for p in parts)
