"""Follows a round of a peeling: what scalars hold, and what the cells of a node hold by when it leaves.

Nodes are members, leave in the round, left in the last round, or earlier. All nodes of a class hold the same: a sum of
what scalars hold when the round begins, of how many nodes leave, and of how many neighbors a node has in each class. So
it does not matter whether flags, numbers, states or copies tell which nodes are left, in how many loops they leave, and
whether degrees are counted anew, told to neighbors, or asked of them.

A round is followed twice, once where some node leaves and once where none does. A node leaves where a bound is compared
with its count of members. Where others leave in the same loop, that count may lag behind, but it is never below that of
the members left in the end; so such a comparison may read what they change, and nothing else may.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from starplat.analysis import convergence, walk
from starplat.analysis.settling.monotone import conjuncts
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, rising
from starplat.operators.canonical.arcs import by_rows
from starplat.operators.canonical.counts.rows import Row, mirrored
from starplat.operators.canonical.hosts import HostLoop
from starplat.operators.canonical.rebuilding import rebuilt, substituted


class When(Enum):
    """When a node leaves: not yet, in this round, in the last one, or earlier."""

    MEMBER = auto()
    LEAVING = auto()
    LAST = auto()
    EARLIER = auto()


class Of(Enum):
    """What numbers are sums of, besides what scalars hold when a round begins."""

    ONE = auto()
    NODES = auto()
    LEFT = auto()  # the members when a round begins
    GONE = auto()  # those of them that leave in it
    LEAST = auto()  # the least degree of a member
    RAISED = auto()  # a scalar that was raised to that, if it was less
    INFINITY = auto()
    ARCS = auto()  # to a node
    LOOPS = auto()  # at a node
    BOUND = auto()  # the bound at which a node left, or the one to come, of members that survived those before


@dataclass(frozen=True)
class Past:
    """What a scalar that rises from round to round held in a round before."""

    scalar: typed.Symbol


Atom = typed.Symbol | Of | When | Past
"""`When`: the neighbors of a node that leave then."""
Sum = Mapping[Atom, int]
"""How often each is added; as a truth, that the sum is above 0."""
Cells = dict[typed.Symbol, dict[When, Any]]
"""A sum, or of arcs an expression of their ends; None if it is unknown."""
NONE: Sum = {}
ONE: Sum = {Of.ONE: 1}
_ANY = float("inf")
_At = Mapping[typed.Symbol, Any]
_NOWHERE: _At = {}
_AT_LEAST: dict[Atom, float] = {Of.GONE: 1, Of.INFINITY: 1} | dict.fromkeys((Of.NODES, Of.LEFT, Of.BOUND, *When), 0)


class NotFollowed(Exception):  # noqa: N818 - it says what the loop is
    """The loop does something besides."""


def plus(*sums: Sum, times: int = 1) -> Sum:
    """The sum of sums, so many times."""
    made: dict[Atom, int] = {}
    for part, count in (item for one in sums for item in one.items()):
        made[part] = made.get(part, 0) + times * count
    return {part: count for part, count in made.items() if count}


def minus(left: Sum, right: Sum) -> Sum:
    return plus(left, plus(right, times=-1))


@dataclass
class Rows:
    """The neighbors that a peeling counts, in the names of the loop that does so first."""

    counted: Row | None = None

    def has(self, row: Row, *, loops: bool) -> bool:
        """Whether a row is that of the neighbors that count, with or without loops at the node itself, as they do."""
        if self.counted is None:
            self.counted = row if loops else None
            return loops
        domain, asked = row.named_as(self.counted)
        own, there = typed.Variable(self.counted.node), self.counted.there

        def kept(conditions: Sequence[typed.Expression]) -> set[frozenset[typed.Expression]]:
            of_loops = (c for c in conditions if loops or not effects.no_loop(c, own, there))
            return {frozenset((c, mirrored(c))) for c in of_loops}

        return domain == self.counted.domain and kept(asked) == kept(self.counted.conditions)


@dataclass
class Followed:
    """What scalars and cells hold in a round in which some member `leaves`, or none; before the first round, nodes may
    not leave yet. `gone` are the classes that there are besides members."""

    body: typed.Block
    rows: Rows
    leaves: bool = False
    may_leave: bool = True
    cells: Cells = field(default_factory=dict)
    gone: frozenset[When] = frozenset()
    values: dict[Atom, Sum] = field(default_factory=dict)
    bound: Sum | None = None
    raised: typed.Symbol | None = None

    # --- what holds

    def now(self, part: Atom) -> Sum:
        return self.values.get(part, {part: 1})

    def later(self, sum_: Sum) -> Sum:
        """What a sum of things that hold when the round begins is now."""
        return plus(*(plus(self.now(part), times=count) for part, count in sum_.items()))

    @property
    def classes(self) -> list[When]:
        """The classes that may have nodes now."""
        some = self.bound is not None and self.leaves
        return [When.MEMBER, *([When.LEAVING] if some else []), *(when for when in When if when in self.gone)]

    def size(self, when: When) -> Sum | None:
        """The number of nodes of a class, if it is known."""
        return self.now(Of.LEFT) if when is When.MEMBER else {Of.GONE: 1} if when is When.LEAVING else None

    def least(self, part: Atom) -> float:
        if isinstance(part, typed.Symbol):
            found = rising.least(part, self.body)
            return -_ANY if found is None else found
        return _AT_LEAST.get(part, -_ANY)

    def is_positive(self, sum_: Sum) -> bool | None:
        """Whether a sum is above 0, if that is known."""
        rest = {part: count for part, count in sum_.items() if part is not Of.ONE}
        least = most = float(sum_.get(Of.ONE, 0))
        for part in [p for p in rest if isinstance(p, Past)]:
            if rest.get(part.scalar) == -rest[part]:  # the scalar has risen since by 1 or more
                by = -rest.pop(part)
                del rest[part.scalar]
                least, most = (least + by, _ANY) if by > 0 else (-_ANY, most + by)
        least += sum(count * self.least(p) if count > 0 else -_ANY for p, count in rest.items())
        most += sum(count * self.least(p) if count < 0 else _ANY for p, count in rest.items())
        return True if least > 0 else False if most <= 0 else None

    def truth(self, condition: typed.Expression) -> bool:
        """Whether a condition of the host holds."""
        found = self.value(condition)
        known = None if found is None else self.is_positive(found)
        if known is None:
            raise NotFollowed
        return known

    def number(self, value: typed.Expression) -> Sum:
        """What the host evaluates."""
        if (found := self.value(value)) is None:
            raise NotFollowed
        return found

    def value(self, value: typed.Expression, at: _At = _NOWHERE) -> Sum | None:
        """A whole number or a truth; None if it is unknown. `at` are nodes with their classes, and locals."""
        match value:
            case typed.Literal(int() as literal):
                return plus(ONE, times=int(literal))
            case typed.Infinity(negative=False):
                return {Of.INFINITY: 1}
            case typed.Variable(symbol):
                held = at.get(symbol, self)
                return self.now(symbol) if held is self else None if isinstance(held, When) else held
            case typed.Cell(symbol, typed.Variable(node)) if isinstance(when := at.get(node), When):
                return self.cells.get(symbol, {}).get(when)
            case typed.Convert(operand):
                found = self.value(operand, at)
                if found is None or (operand.type is types.Scalar.BOOL) is (value.type is types.Scalar.BOOL):
                    return found
                return found if found in (NONE, ONE) else None
            case typed.GraphQuery(query=typed.Query.IN_DEGREE, arguments=(typed.Variable(node),)) if node in at:
                return {Of.ARCS: 1}
            case typed.GraphQuery(query=typed.Query.NUM_NODES):
                return {Of.NODES: 1}
            case typed.Aggregate(typed.Aggregation.COUNT | typed.Aggregation.SUM, symbol):
                return self._counted(symbol)
            case typed.Unary(operator, operand):
                found = self.value(operand, at)
                return None if found is None else _UNARY[operator](found)
            case typed.Binary(typed.Operator.AND | typed.Operator.OR as operator, left, right):
                return self._joined(operator, self.value(left, at), self.value(right, at))
            case typed.Binary(typed.Operator.EQUAL | typed.Operator.NOT_EQUAL as operator, left, right):
                compare = self._differ_as_truths if left.type is types.Scalar.BOOL else self._differ
                differs = compare(self.value(left, at), self.value(right, at))
                return differs if differs is None or operator is typed.Operator.NOT_EQUAL else minus(ONE, differs)
            case typed.Binary(operator, left, right) if operator in _SUMS and left.type is not types.Scalar.BOOL:
                one, other = self.value(left, at), self.value(right, at)
                return None if one is None or other is None else _SUMS[operator](one, other)
            case typed.Conditional(condition, then, otherwise):
                found = self.value(condition, at)
                holds = None if found is None else self.is_positive(found)
                return None if holds is None else self.value(then if holds else otherwise, at)
        return None

    def _counted(self, symbol: typed.Symbol) -> Sum | None:
        total: Sum = NONE
        for when in self.classes:
            held, size = self.cells.get(symbol, {}).get(when), self.size(when)
            if held is None or not held.keys() <= {Of.ONE} or (held and size is None):
                return None
            total = plus(total, plus(size or NONE, times=held.get(Of.ONE, 0)))
        return total

    def _joined(self, operator: typed.Operator, *sums: Sum | None) -> Sum | None:
        """Two truths joined, one of which is known."""
        known = [None if s is None else self.is_positive(s) for s in sums]
        strong = operator is typed.Operator.OR
        if strong in known:
            return ONE if strong else NONE
        left = [s for s, k in zip(sums, known, strict=True) if k is None]
        return left[0] if len(left) == 1 else (NONE if strong else ONE) if not left else None

    def _differ_as_truths(self, left: Sum | None, right: Sum | None) -> Sum | None:
        """A truth that holds where two differ, one of which is known."""
        for one, other in ((left, right), (right, left)):
            known = None if one is None else self.is_positive(one)
            if known is not None and other is not None:
                return minus(ONE, other) if known else other
        return None

    def _differ(self, left: Sum | None, right: Sum | None) -> Sum | None:
        """What is above 0 where two numbers differ. Of scalars of the host, it is asked elsewhere whether it is ever
        below."""
        if left is None or right is None:
            return None
        difference = minus(left, right)
        if self.is_positive(plus(difference, ONE)) is True:
            return difference
        turned = plus(difference, times=-1)
        if self.is_positive(plus(turned, ONE)) is True or all(count < 0 for count in difference.values()):
            return turned
        return None if difference.keys() <= {Of.ONE, Of.GONE} or difference.keys() & {*When} else difference

    # --- statements of the host

    def begin(self, before: Sequence[typed.Statement]) -> None:
        """Follows what stands before the loop, as far as it can be followed."""
        self.values[Of.LEFT], self.may_leave = {Of.NODES: 1}, False
        for s in before:
            try:
                self.run((s,))
            except NotFollowed:
                self.values.update({symbol: {symbol: 1} for symbol in walk.all_written(s)})
                self.cells.update({symbol: dict.fromkeys(When) for symbol in walk.all_written(s)})

    def run(self, statements: Sequence[typed.Statement]) -> None:
        for s in statements:
            match s:
                case typed.Declare(symbol, None):
                    self.values[symbol] = {symbol: 1}
                    own = isinstance(symbol.type, types.PropertyType) and symbol.role is typed.Role.LOCAL
                    self.cells[symbol] = dict.fromkeys(When, NONE if own else None)
                case typed.Declare(symbol, value) | typed.Assign(typed.Variable(symbol), value) if value is not None:
                    self.values[symbol] = self.number(value)
                case typed.Update(typed.Combine.ADD, typed.Variable(symbol), value):
                    self.values[symbol] = plus(self.now(symbol), self.number(value))
                case typed.AssignExtreme(typed.Extreme.MAX, typed.Variable(symbol), candidate, ()) if (
                    self.number(candidate) == {Of.LEAST: 1} and self.raised is None and symbol not in self.values
                ):
                    self.raised, self.values[symbol] = symbol, {Of.RAISED: 1}
                case typed.Attach(items=items):
                    held = {to: self.cells.get(v, {}) for to, v in items if isinstance(v, typed.Symbol)}
                    for to, given in items:
                        of_all = None if isinstance(given, typed.Symbol) else self.value(given)
                        self.cells[to] = dict(held[to]) if to in held else dict.fromkeys(When, of_all)
                case typed.CopyProperty(to, of):
                    self.cells[to] = dict(self.cells.get(of, {}))
                case typed.If():
                    branch = s.then if self.truth(s.condition) else s.otherwise
                    self.run(() if branch is None else branch.statements)
                case typed.ForEach(domain=typed.AllNodes()):
                    _Nodes(self, s).run()
                case typed.ForEach() if (by_nodes := by_rows(s, of_arcs=True)) is not None:
                    _Nodes(self, by_nodes).run()
                case _:
                    raise NotFollowed

    def members_left(self, loop: HostLoop) -> Sum:
        """What is above 0 where a loop goes on, and the nodes that left."""
        return plus(self._goes_on(loop), {Of.GONE: 1 if self.leaves else 0})

    def goes_on(self, loop: HostLoop) -> bool:
        """Whether a loop has another round."""
        known = self.is_positive(self._goes_on(loop))
        if known is None:
            raise NotFollowed
        return known

    def _goes_on(self, loop: HostLoop) -> Sum:
        if not isinstance(loop, typed.FixedPoint):
            return self.number(loop.condition)
        asked = convergence.negated_property(loop)
        found = None if asked is None else self._counted(asked)
        if found is None:
            raise NotFollowed
        return found

    # --- between rounds

    def next_cells(self, paths: Sequence[Followed]) -> Cells:
        """What cells hold when the next round begins, in words of that; `paths` are all ways in which rounds go."""
        bound = self.bound
        assert bound is not None
        rises = {
            symbol
            for symbol in self.values
            if isinstance(symbol, typed.Symbol) and (self.is_positive(minus(self.now(symbol), {symbol: 1})) is True)
        }
        falls = {
            symbol
            for path in paths
            for symbol in path.values
            if not path.is_positive(plus(minus(path.now(symbol), {symbol: 1}), ONE))
        }

        def kept(sum_: Sum | None, when: When) -> Sum | None:
            if sum_ is None or not isinstance(sum_, dict) or sum_.keys() <= {Of.ONE}:
                return sum_
            if when is When.MEMBER and not self.leaves and sum_ == plus(bound, ONE):
                return {Of.BOUND: 1}
            if when is When.LEAVING and sum_ == bound:
                return {Of.BOUND: 1}
            match [*sum_.items()]:
                case [(typed.Symbol() as symbol, 1)] if when is When.LEAVING and symbol in rises - falls:
                    return {Past(symbol): 1}
                case [(Past(symbol), 1)]:
                    return None if symbol in falls else sum_
                case [(Of.BOUND, 1)]:
                    return sum_
            if when is not When.MEMBER or not sum_.keys() <= {Of.ONE, *When}:
                return None
            turned: dict[Atom, Atom] = {p: p for p in sum_} | {When.LEAVING: When.LAST, When.LAST: When.EARLIER}
            return plus(*({turned[p]: count} for p, count in sum_.items()))

        made: Cells = {}
        for symbol, held in self.cells.items():
            of = {when: kept(held.get(when), when) for when in self.classes}
            made[symbol] = {When.MEMBER: of[When.MEMBER]}
            if When.LEAVING in of:
                made[symbol][When.LAST] = of[When.LEAVING]
            before = [of[when] for when in (When.LAST, When.EARLIER) if when in of]
            if before:
                made[symbol][When.EARLIER] = before[0] if all(b == before[0] for b in before) else None
        return made


def joined(one: Cells, other: Cells, *, begins: bool) -> Cells:
    """What cells hold that hold one thing or another; where rounds `begin`, 0 is the bound of members."""
    made: Cells = {}
    for symbol, b in other.items():
        a = one.get(symbol, {When.MEMBER: None})
        made[symbol] = {when: a.get(when, b.get(when)) for when in a.keys() | b.keys()}
        for when in a.keys() & b.keys():
            if a[when] != b[when]:
                first = begins and when is When.MEMBER and a[when] == NONE and b[when] == {Of.BOUND: 1}
                made[symbol][when] = b[when] if first else None
    return made


_UNARY: dict[typed.UnaryOperator, Callable[[Sum], Sum]] = {
    typed.UnaryOperator.NEGATE: lambda held: plus(held, times=-1),
    typed.UnaryOperator.NOT: lambda held: minus(ONE, held),
}
_SUMS: dict[typed.Operator, Callable[[Sum, Sum], Sum]] = {
    typed.Operator.ADD: plus,
    typed.Operator.SUBTRACT: minus,
    typed.Operator.GREATER: minus,
    typed.Operator.LESS: lambda left, right: minus(right, left),
    typed.Operator.GREATER_EQUAL: lambda left, right: plus(minus(left, right), ONE),
    typed.Operator.LESS_EQUAL: lambda left, right: plus(minus(right, left), ONE),
}
"""A whole number; of comparisons, one that is above 0 where they hold."""


@dataclass(frozen=True)
class _Leaves:
    """A member leaves by a comparison, if it holds or if it does not, whose count is at most a bound."""

    if_it_holds: bool
    bound: Sum


@dataclass
class _Nodes:
    """A loop over all nodes, in any order, followed once for each class."""

    round: Followed
    loop: typed.ForEach
    _loops: Row | None = None

    def run(self) -> None:
        if walk.leaves(self.loop) or any(walk.calls(self.loop)):
            raise NotFollowed
        shared = self._shared()
        before = {symbol: dict(self.round.cells.get(symbol, {})) for symbol in shared}
        left = self.round.bound is not None
        asked = (*conjuncts(self.loop.filter),) if self.loop.filter is not None else ()
        for when in self.round.classes:
            taken = self._holds(asked, {self.loop.iterator: when})
            if taken is not False:
                inner: Sequence[typed.Statement] = self.loop.body.statements
                if taken is not True:
                    inner = (typed.If(asked[0], self.loop.body, span=self.loop.span),)
                self._node(inner, when, {self.loop.iterator: when}, taken if isinstance(taken, _Leaves) else None)
        for symbol, held in before.items():
            now = self.round.cells.get(symbol, {})
            for when in self.round.classes if left else [w for w in self.round.classes if w is not When.LEAVING]:
                if held.get(when) != now.get(when):
                    raise NotFollowed  # others may see what it was, or what it is

    def _shared(self) -> set[typed.Symbol]:
        """The properties that nodes read of each other and store themselves. Counts of these are only for comparisons,
        and so are numbers that neighbors change."""
        own = typed.Variable(self.loop.iterator)
        inside = list(walk.statements(self.loop.body))
        cells = [(s, part) for s in inside for part in walk.own_parts(s) if isinstance(part, typed.Cell)]
        places = [p for s in inside for p in walk.written_places(s) if isinstance(p, typed.Cell)]
        stored = {p.symbol for p in places if p.index == own}
        told = {p.symbol for p in places if p.index != own}
        of_others = {part.symbol for _, part in cells if part.index != own}
        changed = {p.symbol for s in inside for p in walk.written_places(s) if isinstance(p, typed.Variable)}
        begun = {symbol for s in inside for symbol in walk.declared(s)}
        counts = {
            s.place.symbol
            for row in inside
            if isinstance(row, typed.ForEach)
            for s in walk.statements(row)
            if isinstance(s, typed.Update)
            and any(isinstance(p, typed.Cell) and p.symbol in stored and p.index != own for p in walk.all_parts(row))
        }
        if told & (stored | of_others) or counts & (stored | (changed - begun)):
            raise NotFollowed
        for s in inside:
            read = set(walk.read(s))
            if isinstance(s, typed.If | typed.ForEach):
                read &= changed - begun
            elif isinstance(s, typed.Update | typed.AssignExtreme):
                value = s.value if isinstance(s, typed.Update) else s.candidate
                read = {p.symbol for p in walk.within(value) if isinstance(p, typed.Variable | typed.Cell)}
            if read & (told | counts | (changed - begun)):
                raise NotFollowed
        return stored & of_others

    def _holds(self, conditions: Sequence[typed.Expression], at: _At) -> bool | _Leaves:
        """Whether conditions hold; otherwise the one comparison by which a member leaves."""
        open_: list[Sum | None] = []
        for c in conditions:
            found = self.round.value(c, at)
            known = None if found is None else self.round.is_positive(found)
            if known is False:
                return False
            open_ += [found] if known is None else []
        if not open_:
            return True
        found = open_[0]
        own = at.get(self.loop.iterator)
        if len(open_) > 1 or found is None or own is not When.MEMBER or self.round.bound is not None:
            raise NotFollowed
        rest: Sum = {part: count for part, count in found.items() if part is not When.MEMBER}
        scalars = all(isinstance(part, typed.Symbol) or part in (Of.ONE, Of.RAISED) for part in rest)
        if abs(found.get(When.MEMBER, 0)) != 1 or not scalars or not self.round.may_leave:
            raise NotFollowed
        if_it_holds = found[When.MEMBER] < 0
        return _Leaves(if_it_holds, minus(rest, ONE) if if_it_holds else plus(rest, times=-1))

    def _node(
        self,
        statements: Sequence[typed.Statement],
        when: When,
        at: dict[typed.Symbol, Any],
        asked: _Leaves | None = None,
    ) -> None:
        """Follows what a node of a class does; the first branch is `asked` by the filter already."""
        own, round_ = typed.Variable(self.loop.iterator), self.round
        for place, s in enumerate(statements):
            rest = statements[place + 1 :]
            match s:
                case typed.Declare(local, value):
                    at[local] = NONE if value is None else round_.value(value, at)
                case typed.Assign(typed.Cell(index=index), value) if index == own and self._is_open(value, at):
                    then, otherwise = (replace(s, value=truth) for truth in (typed.TRUE, typed.FALSE))
                    branch = typed.If(value, typed.Block((then,)), typed.Block((otherwise,)), span=s.span)
                    return self._node((branch, *rest), when, at)
                case typed.Assign(typed.Cell(symbol, index), value) if index == own:
                    round_.cells.setdefault(symbol, {})[when] = self._without_loops(value, at)
                case typed.Update(typed.Combine.ADD, typed.Cell(symbol, index), value) if index == own:
                    held, more = round_.cells.get(symbol, {}).get(when), round_.value(value, at)
                    known = held is not None and more is not None
                    round_.cells.setdefault(symbol, {})[when] = plus(held or NONE, more or NONE) if known else None
                case typed.Assign(typed.Variable(local), value) if local in at:
                    at[local] = round_.value(value, at)
                case typed.Update(typed.Combine.ADD, typed.Variable(local), value) if local in at:
                    held, more = at[local], round_.value(value, at)
                    at[local] = None if held is None or more is None else plus(held, more)
                case typed.Assign() | typed.Update() | typed.AssignExtreme():
                    self._scalar(s, when, at)
                case typed.If(condition, then, other):
                    branches = then.statements, () if other is None else other.statements
                    taken = asked or self._holds([*conjuncts(condition)], at)
                    if isinstance(taken, bool):
                        return self._node((*branches[not taken], *rest), when, at)
                    leaving, staying = branches if taken.if_it_holds else branches[::-1]
                    round_.bound = taken.bound
                    if round_.leaves:
                        self._leave(at)
                        theirs = {**at, self.loop.iterator: When.LEAVING}
                        self._node((*leaving, *rest), When.LEAVING, theirs)
                    return self._node((*staying, *rest), when, at)
                case typed.Block(inner):
                    return self._node((*inner, *rest), when, at)
                case typed.ForEach(domain=typed.Neighbors(node=node)) if node == own:
                    self._row(s, when, at)
                case _:
                    raise NotFollowed
        return None

    def _is_open(self, value: typed.Expression, at: _At) -> bool:
        """Whether a truth is not known yet: a member leaves by it."""
        if value.type is not types.Scalar.BOOL or self.round.bound is not None or not self.round.may_leave:
            return False
        found = self.round.value(value, at)
        return found is not None and self.round.is_positive(found) is None and When.MEMBER in found

    def _leave(self, at: dict[typed.Symbol, Any]) -> None:
        """Some members leave: each node counts them apart."""
        both: Sum = {When.MEMBER: 1, When.LEAVING: 1}

        def apart(held: Sum | None) -> Sum | None:
            if not isinstance(held, dict) or When.MEMBER not in held:
                return held
            return plus(*(plus(both, times=n) if p is When.MEMBER else {p: n} for p, n in held.items()))

        for cells in self.round.cells.values():
            cells.update({when: apart(held) for when, held in cells.items()})
            cells[When.LEAVING] = cells.get(When.MEMBER)
        at.update({local: apart(held) for local, held in at.items() if isinstance(held, dict)})
        self.round.values[Of.LEFT] = plus(self.round.now(Of.LEFT), {Of.GONE: -1})

    def _scalar(self, s: typed.Assign | typed.Update | typed.AssignExtreme, when: When, at: _At) -> None:
        """Follows what all nodes of a class do to a scalar."""
        round_, size = self.round, self.round.size(when)
        match s:
            case typed.AssignExtreme(typed.Extreme.MIN, typed.Variable(least), value, ()) if when is When.MEMBER:
                counts = round_.value(value, at) == {When.MEMBER: 1} and round_.bound is None
                if not counts or round_.now(least) != {Of.INFINITY: 1}:
                    raise NotFollowed
                round_.values[least] = {Of.LEAST: 1}
            case typed.Update(typed.Combine.ADD, typed.Variable(symbol), value) if (
                size is not None and (by := rising.number(value)) is not None
            ):
                round_.values[symbol] = plus(round_.now(symbol), plus(size, times=by))
            case typed.Assign(typed.Variable(symbol), typed.Literal(bool() as value)) if when is When.LEAVING:
                round_.values[symbol] = plus(ONE, times=int(value))
            case typed.Assign(typed.Variable(symbol), typed.Literal(True)) if (
                size is not None and round_.now(symbol) == NONE
            ):
                round_.values[symbol] = size
            case _:
                raise NotFollowed

    def _row(self, loop: typed.ForEach, when: When, at: dict[typed.Symbol, Any]) -> None:
        """Follows a loop in which a node counts its neighbors of some classes, or tells them."""
        node, there, domain = self.loop.iterator, loop.iterator, loop.domain
        assert isinstance(domain, typed.Neighbors)
        if self.loop.domain != typed.AllNodes(domain.graph):
            raise NotFollowed
        asked, inner = effects.asked_by_loop(loop)
        asked = tuple(c for a in asked for c in conjuncts(rebuilt(a, lambda part: self._of_arc(part, loop, when))))
        conditions = [c for c in asked if walk.variables(c) or self.round.value(c) != ONE]
        match inner:
            case (typed.Assign(typed.Cell(flag, typed.ArcInHand(arc)), value),) if arc is there:
                self._of_arcs(flag, value, conditions, when, at, there)
                return
            case (typed.Update(typed.Combine.ADD, place, value),) if domain.direction is not typed.Direction.BOTH:
                pass
            case _:
                raise NotFollowed
        if any(self.round.value(c) == NONE for c in conditions if not walk.variables(c)):
            return
        of_ends = [c for c in conditions if not any(isinstance(p, typed.Cell) for p in walk.within(c))]
        plain = all(isinstance(p, _PLAIN) for c in of_ends for p in walk.within(c))
        if not plain or not walk.variables(*of_ends) <= {node, there}:
            raise NotFollowed
        row, cells = Row(node, there, domain, tuple(of_ends)), [c for c in conditions if c not in of_ends]
        if not cells and of_ends == [Builder().equal(*map(typed.Variable, pair)) for pair in ((there, node),)]:
            self._loops = row
        held: dict[When, Sum | None] = {}
        for of in self.round.classes:
            both = {**at, there: of}
            known = [None if (f := self.round.value(c, both)) is None else self.round.is_positive(f) for c in cells]
            amount = self.round.value(value, both)
            fits = amount is not None and amount.keys() <= {Of.ONE}
            held[of] = NONE if False in known else amount if None not in known and fits else None
        if isinstance(place, typed.Cell) and place.index == typed.Variable(there):
            self._told(place.symbol, row.turned(), when, held)
            return
        if self._loops is row and held == {When.MEMBER: ONE} and isinstance(place, typed.Variable):
            at[place.symbol] = {Of.LOOPS: 1} if at.get(place.symbol) == NONE else None
            return
        some = [of for of, amount in held.items() if amount != NONE]
        if None in held.values() or not self.round.rows.has(row, loops=when in some):
            raise NotFollowed
        more = plus(*(plus({of: 1}, times=(amount or NONE).get(Of.ONE, 0)) for of, amount in held.items()))
        if isinstance(place, typed.Variable) and at.get(place.symbol) is not None:
            at[place.symbol] = plus(at[place.symbol], more)
        elif isinstance(place, typed.Cell) and place.index == typed.Variable(node):
            before = self.round.cells.get(place.symbol, {}).get(when)
            self.round.cells.setdefault(place.symbol, {})[when] = None if before is None else plus(before, more)
        else:
            raise NotFollowed

    def _of_arcs(
        self,
        flag: typed.Symbol,
        value: typed.Expression,
        conditions: Sequence[typed.Expression],
        when: When,
        at: _At,
        there: typed.Symbol,
    ) -> None:
        """Arcs from the nodes of a class hold what is said of their ends."""
        ends = {self.loop.iterator: _SOURCE, there: _DESTINATION}
        held = substituted(value, ends)
        if not all(isinstance(p, _PLAIN) for p in walk.within(held)) or not walk.variables(held) <= {*ends.values()}:
            raise NotFollowed
        taken = self._holds(conditions, {**at})
        if not isinstance(taken, bool):
            raise NotFollowed
        if taken:
            self.round.cells.setdefault(flag, {})[when] = held

    def _of_arc(self, part: object, row: typed.ForEach, when: When) -> typed.Expression | None:
        """What an arc from a node of a class holds, where it is asked."""
        match part, row.domain:
            case typed.Cell(flag, typed.ArcInHand(there)), typed.Neighbors(direction=typed.Direction.OUT) if (
                there is row.iterator
            ):
                held = self.round.cells.get(flag, {}).get(when)
                if held is None:
                    raise NotFollowed
                if isinstance(held, dict):
                    return typed.FALSE if held == NONE else typed.TRUE
                said: typed.Expression = substituted(held, {_SOURCE: self.loop.iterator, _DESTINATION: there})
                return said
        return None

    def _without_loops(self, value: typed.Expression, at: _At) -> Sum | None:
        """What is stored; a degree without the loops at a node is the number of its neighbors but itself."""
        held = self.round.value(value, at)
        if held != {Of.ARCS: 1, Of.LOOPS: -1} or (row := self._loops) is None:
            return held
        others = replace(row, conditions=(Builder().differs(typed.Variable(row.there), typed.Variable(row.node)),))
        asked = [p.graph for p in walk.within(value) if isinstance(p, typed.GraphQuery)]
        known = row.domain.direction is typed.Direction.IN and asked == [row.domain.graph]
        return {When.MEMBER: 1} if known and self.round.rows.has(others, loops=True) else None

    def _told(self, symbol: typed.Symbol, row: Row, when: When, amounts: Mapping[When, Sum | None]) -> None:
        """Every neighbor adds a number for each node of a class whose row it is in."""
        if not self.round.rows.has(row, loops=amounts.get(when) != NONE and when is When.MEMBER):
            raise NotFollowed
        for of, amount in amounts.items():
            before = self.round.cells.get(symbol, {}).get(of)
            known = before is not None and amount is not None and (of is not when or when is When.MEMBER)
            more = plus({when: 1}, times=(amount or NONE).get(Of.ONE, 0))
            if amount != NONE:
                self.round.cells.setdefault(symbol, {})[of] = plus(before or NONE, more) if known else None


_SOURCE, _DESTINATION = (
    typed.Symbol(name, types.Scalar.NODE, typed.Role.ITERATOR) for name in ("source", "destination")
)
_PLAIN = (typed.Variable, typed.Literal, typed.Binary, typed.Unary)
