"""Writes peelings in one loop, whose rounds raise the bound where no node leaves; `core` tells which nodes are left.

int k = 1;                                            int k = 0;
while (left > 0) {                                    while (left > 0) {
  bool again = True;                                    int peeled = 0;
  while (again) {                                       forall (v in g.nodes().filter(core == -1 && d <= k)) {
    again = False;                                        v.core = k; v.peeling = True; peeled += 1;
    forall (v in g.nodes().filter(alive && d < k)) {    }
      v.alive = False; v.gone = True;                   forall (v in g.nodes().filter(peeling)) {
      v.core = k - 1; left -= 1; again = True;            v.peeling = False;
    }                                                     forall (u in g.neighbors(v)) { u.d -= 1; }
    forall (v in g.nodes().filter(gone)) { ... }        }
  }                                                     left -= peeled;
  k += 1;                                               if (peeled == 0) { k += 1; }
}                                                     }

The same nodes leave at the same bounds. A round is followed in what scalars hold, as sums of what they hold when it
begins and of the number of nodes that leave in it: once where some do, once where none does. The loop runs as long as
nodes are left; the bound rises by one after rounds in which none leaves, or to the least degree of those left. `core`
may be stored for those that survive a bound in place of those that leave.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from starplat.analysis import convergence, walk
from starplat.analysis.settling.monotone import all_asked, mentions
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, hosts, rebuilding, rising
from starplat.operators.canonical.counts import falling_bounds
from starplat.operators.canonical.counts.falling_bounds import Row, mirrored
from starplat.operators.canonical.counts.members import NUMBER, Members, filled_with, is_over_nodes, member_of


class _Of(Enum):
    """What numbers are sums of, besides what scalars hold when a round begins."""

    ONE = auto()
    NODES = auto()
    LEFT = auto()  # the members of the set when a round begins
    GONE = auto()  # those of them that leave in it
    LEAST = auto()  # the least degree of a member
    INFINITY = auto()


_Sum = Mapping[typed.Symbol | _Of, int]
"""How often each is added; as a truth, that the sum is above 0."""
_NONE: _Sum = {}
_ONE: _Sum = {_Of.ONE: 1}


class _NotFollowed(Exception):  # noqa: N818 - it says what the loop is
    """The loop does something besides."""


def in_one_loop(body: typed.Block) -> typed.Block:
    """A function's body with such peelings in one loop."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        block, place = around.block_of(loop)
        if (found := _in_one_loop(loop, around, body)) is not None:
            statements = (*found, *block.statements[place + 1 :])
            return in_one_loop(rebuilding.with_block(body, block, rebuilding.with_statements(block, statements)))
    return body


def _in_one_loop(
    loop: hosts.HostLoop, around: hosts.Surroundings, body: typed.Block
) -> tuple[typed.Statement, ...] | None:
    """What stands before a loop, without what it alone needs, and the loop in its new form."""
    before = around.before(loop)
    try:
        read = _read(loop, body)
        if not _is_peeling(loop, read, before):
            return None
    except _NotFollowed:
        return None
    own = {*walk.all_written(loop.body), *([loop.flag] if isinstance(loop, typed.FixedPoint) else [])} - {read.core}
    known = all(symbol.role is not typed.Role.PARAMETER and not around.is_seen(symbol, loop) for symbol in own)
    counted = falling_bounds.without_count(read.degree, before)
    if not known or counted is None or not read.tells_those_that(counted[1]):
        return None
    kept, row = counted
    place = max(i for i, s in enumerate(before) if walk.touches(s, read.degree))
    if any(mentions(c, walk.all_written(loop.body, *before[place + 1 :])) for c in row.conditions):
        return None
    for symbol in (read.core, read.members.symbol, read.mark):
        kept = falling_bounds.without_fill(symbol, kept)
    return *kept, *falling_bounds.peeling(read.core, row, Builder(loop.span))


@dataclass(frozen=True)
class _Read:
    """The loops over nodes in the rounds of a peeling. In `visits` the members leave whose degree is at most a `bound`,
    or below it if it `is_strict`; in `told` the nodes with a `mark` count down the degrees in their rows."""

    visits: typed.ForEach
    members: Members
    degree: typed.Symbol
    bound: typed.Expression
    is_strict: bool
    done: tuple[typed.Statement, ...]
    core: typed.Symbol
    told: typed.ForEach
    mark: typed.Symbol
    row: Row
    clears: bool

    @property
    def for_survivors(self) -> bool:
        """Whether `core` is stored for members that survive a bound."""
        return self.core not in walk.all_written(self.visits)

    def tells_those_that(self, counted: Row) -> bool:
        """Whether the neighbors that are counted down are those that counted the node, as far as members go."""
        turned = self.row.turned()
        domain, asked = turned.named_as(counted)
        own = typed.Variable(counted.node)

        def matters(c: typed.Expression) -> bool:
            return not self.members.asked(c, counted.node) and not effects.no_loop(c, own, counted.there)

        told, first = (
            {frozenset((c, mirrored(c))) for c in conditions if matters(c)}
            for conditions in (asked, counted.conditions)
        )
        return domain == counted.domain and told == first


def _read(loop: hosts.HostLoop, body: typed.Block) -> _Read:
    """The loops over nodes; what they do to scalars is found by following a round."""
    over = [s for s in walk.statements(loop.body) if isinstance(s, typed.ForEach) and is_over_nodes(s)]
    found = [(told, *read) for told in over if (read := _told(told)) is not None]
    if len(found) != 1:
        raise _NotFollowed
    told, mark, degree, row, clears = found[0]
    others = [s for s in over if s is not told]
    visits = [(s, *visited) for s in others if (visited := _visited(s, degree, body)) is not None]
    if len(visits) != 1:
        raise _NotFollowed
    visit, members, bound, is_strict, done = visits[0]
    stored = {symbol for s in others for symbol in walk.all_written(s) if isinstance(symbol.type, types.PropertyType)}
    core = stored - {members.symbol, mark} or {members.symbol}
    if len(core) != 1 or {symbol.type for symbol in core} != {NUMBER} or {degree, mark} & {*core, members.symbol}:
        raise _NotFollowed
    return _Read(visit, members, degree, bound, is_strict, done, core.pop(), told, mark, row, clears)


def _told(loop: typed.ForEach) -> tuple[typed.Symbol, typed.Symbol, Row, bool] | None:
    """The mark of the nodes that a loop visits, the degrees that it counts down, their rows, and whether it clears the
    marks."""
    own = typed.Variable(loop.iterator)
    inner = [s for s in loop.body.statements if isinstance(s, typed.ForEach)]
    match loop.filter, inner:
        case typed.Cell(mark, index) as cell, [row_loop] if index == own:
            degrees = walk.all_written(row_loop)
        case _:
            return None
    rest = [s for s in loop.body.statements if s is not row_loop]
    if len(degrees) != 1 or any(s != Builder().assign(cell, False) for s in rest):
        return None
    (degree,) = degrees
    row = falling_bounds.row_of(row_loop, typed.Cell(degree, typed.Variable(row_loop.iterator)), own, -1)
    return None if row is None else (mark, degree, row, bool(rest))


def _visited(
    loop: typed.ForEach, degree: typed.Symbol, body: typed.Block
) -> tuple[Members, typed.Expression, bool, tuple[typed.Statement, ...]] | None:
    """The members that a loop lets leave, the bound of their degrees, whether it is above these, and what is done."""
    own, cell = typed.Variable(loop.iterator), typed.Cell(degree, typed.Variable(loop.iterator))
    kept = [s for s in loop.body.statements if isinstance(s, typed.Declare) and s.value == cell]
    rest = tuple(s for s in loop.body.statements if s not in kept)
    inner = rebuilding.substituted(replace(loop.body, statements=rest), {s.symbol: cell for s in kept})
    conditions, done = effects.asked_by_loop(replace(loop, body=inner))
    sets = [found for c in conditions if (found := member_of(c)) is not None and found[0].index == own]
    match [Members(found[0].symbol, found[1]) for found in sets], [c for c in conditions if member_of(c) is None]:
        case [of], [typed.Binary(left=left, right=right) as c]:
            asked = mirrored(c) if right == cell else c
        case _:
            return None
    leaves = [s.value for s in done if isinstance(s, typed.Assign) and s.place == typed.Cell(of.symbol, own)]
    changed = walk.all_written(inner) & {s.symbol for s in kept}
    if len(conditions) != 2 or len(leaves) != 1 or of.joins(leaves[0], body) is not False or changed:
        return None
    match asked:
        case typed.Binary(typed.Operator.LESS | typed.Operator.LESS_EQUAL as operator, left, bound) if left == cell:
            return of, bound, operator is typed.Operator.LESS, done
    return None


def _is_peeling(loop: hosts.HostLoop, read: _Read, before: Sequence[typed.Statement]) -> bool:
    """Whether all nodes are members at first, and leave as in a peeling that is not in one loop with one set yet."""
    every = loop.body.statements
    inner = next((s for s in every if isinstance(s, hosts.HostLoop)), None)
    if not (_counts_for_itself(loop) and (inner is None or _counts_for_itself(inner))):
        return False
    begun, some, none = (_Followed(read, leaves=leaves) for leaves in (False, True, False))
    begun.begin(before)
    begins = not isinstance(loop, typed.While) or begun.number(loop.condition) in ({_Of.NODES: 1}, _ONE)
    if inner is None:
        some.run(every)
        rounds: tuple[_Followed, ...] = (some,)
        if some.raised is None:
            none.run(every)
            rounds = (some, none)
        left = rounds[-1].members_left(loop)
        begins = begins and all(s.members_left(loop) == left or s.goes_on_as_before(loop) for s in rounds)
    else:
        place = every.index(inner)
        begun.run(every[:place])
        rounds = (some, none)
        for followed in rounds:
            followed.run(inner.body.statements)
            begins = begins and followed.goes_on(inner) is followed.leaves
        none.run(every[place + 1 :])
        left = none.members_left(loop)
        none.run(every[:place])
        begins = begins and (isinstance(inner, typed.DoWhile) or (begun.goes_on(inner) and none.goes_on(inner)))
    counts = all(s.later(left) == _plus(left, {_Of.GONE: -1 if s.leaves else 0}) for s in rounds)
    is_one = inner is None and some.raised is None and read.core is read.members.symbol and len(some.bound) == 1
    are_all, is_marked = filled_with(read.members.symbol, before), _begins_with(read.mark, before)
    return (
        begins
        and counts
        and not is_one
        and begun.later(left) == {_Of.NODES: 1}
        and not some.is_open
        and all(s.survivors_are_told or s.leaves for s in rounds)
        and (none in rounds or not read.for_survivors)
        and _rises(begun, some, none if none in rounds else None)
        and (not read.for_survivors or rising.number(filled_with(read.core, before)) == 0)
        and are_all is not None
        and read.members.joins(are_all, loop.body) is True
        and (some.begins_clear or (some.clears and is_marked == typed.FALSE))
    )


def _counts_for_itself(loop: hosts.HostLoop) -> bool:
    """Whether a loop changes no number of others where it begins or between its rounds."""
    return not isinstance(loop, typed.CountedLoop) or (
        loop.declares and {*walk.all_written(loop.step)} <= {loop.symbol}
    )


def _begins_with(flag: typed.Symbol, before: Sequence[typed.Statement]) -> typed.Expression | None:
    """What all cells of a flag hold behind some statements; one of the function's own is False where none writes it."""
    declared = any(isinstance(s, typed.Declare) and s.symbol is flag for s in before)
    return typed.FALSE if declared and flag not in walk.all_written(*before) else filled_with(flag, before)


def _rises(begun: "_Followed", some: "_Followed", none: "_Followed | None" = None) -> bool:
    """Whether the bound is 0 at first and rises by one after rounds in which no node leaves, or to the least degree."""
    if none is None:
        assert some.raised is not None
        k: _Sum = {some.raised: 1}
        return begun.later(k) == _NONE and some.bound == some.later(k) == {_Of.LEAST: 1}
    stays = some.bound == none.bound == some.later(some.bound)
    rises = none.later(none.bound) == _plus(none.bound, _ONE) and begun.later(none.bound) == _NONE
    return stays and rises and none.raised is some.raised is None


class _Followed:
    """What scalars hold in a round in which some member `leaves`, or none."""

    def __init__(self, read: _Read, *, leaves: bool) -> None:
        self.read, self.leaves = read, leaves
        self.values: dict[typed.Symbol | _Of, _Sum] = {}
        self.bound: _Sum = {_Of.INFINITY: 1}
        self.raised: typed.Symbol | None = None
        self.clears, self.begins_clear = read.clears, False
        self.survivors_are_told = not read.for_survivors
        self._open = [read.visits, read.told]

    @property
    def is_open(self) -> bool:
        """Whether nodes have not left, or told their neighbors, yet."""
        return bool(self._open)

    def begin(self, before: Sequence[typed.Statement]) -> None:
        """Follows what stands before the loop, as far as it can be followed."""
        for s in before:
            try:
                self.run((s,))
            except _NotFollowed:
                self.values.update({symbol: {symbol: 1} for symbol in walk.all_written(s)})
        self.values[_Of.LEFT] = {_Of.NODES: 1}

    def later(self, sum_: _Sum) -> _Sum:
        """What a sum of things that hold when the round begins is now."""
        return _plus(*(_plus(self._now(part), times=count) for part, count in sum_.items()))

    def _now(self, part: typed.Symbol | _Of) -> _Sum:
        return self.values.get(part, {part: 1})

    def members_left(self, loop: hosts.HostLoop) -> _Sum:
        """What is above 0 where a loop goes on, and the nodes that left."""
        if isinstance(loop, typed.FixedPoint):
            asks = convergence.negated_property(loop) is self.read.members.symbol and self.read.members.value is True
            now = self._now(_Of.LEFT) if asks else {}
        else:
            now = self.number(loop.condition)
        return _plus(now, {_Of.GONE: 1 if self.leaves else 0})

    def goes_on_as_before(self, loop: hosts.HostLoop) -> bool:
        """Whether a round changes nothing about a condition that held before it."""
        begun = _Followed(self.read, leaves=self.leaves)
        return isinstance(loop, typed.While) and self.number(loop.condition) == begun.number(loop.condition)

    def goes_on(self, loop: hosts.HostLoop) -> bool:
        """Whether a loop has another round."""
        if isinstance(loop, typed.FixedPoint):
            raise _NotFollowed
        return self.truth(loop.condition)

    def truth(self, condition: typed.Expression) -> bool:
        """Whether a condition holds, whatever the number of nodes that leave."""
        found = self.number(condition)
        fixed, moves = found.get(_Of.ONE, 0), found.get(_Of.GONE, 0)
        if not found.keys() <= {_Of.ONE, _Of.GONE} or (moves > 0 >= fixed + moves) or (moves < 0 < fixed + moves):
            raise _NotFollowed
        return fixed + moves > 0

    def number(self, value: typed.Expression) -> _Sum:
        """A whole number or a truth."""
        match value:
            case typed.Literal(int() as literal):
                return _plus(_ONE, times=int(literal))
            case typed.Infinity():
                return {_Of.INFINITY: 1}
            case typed.Variable(symbol):
                return self._now(symbol)
            case typed.Convert(operand) if (operand.type is types.Scalar.BOOL) is (value.type is types.Scalar.BOOL):
                return self.number(operand)
            case typed.GraphQuery(query=typed.Query.NUM_NODES):
                return {_Of.NODES: 1}
            case typed.Aggregate(typed.Aggregation.COUNT, symbol) if (
                symbol is self.read.members.symbol and self.read.members.value is True
            ):
                return self._now(_Of.LEFT)
            case typed.Unary(typed.UnaryOperator.NEGATE, operand):
                return _plus(self.number(operand), times=-1)
            case typed.Unary(typed.UnaryOperator.NOT, operand):
                return _plus(_ONE, _plus(self.number(operand), times=-1))
            case typed.Binary(operator, left, right) if operator in _SUMS and left.type is not types.Scalar.BOOL:
                return _SUMS[operator](self.number(left), self.number(right))
        raise _NotFollowed

    def run(self, statements: Sequence[typed.Statement]) -> None:
        for s in statements:
            match s:
                case typed.Declare(symbol, None):
                    self.values[symbol] = {symbol: 1}
                case typed.Declare(symbol, value) | typed.Assign(typed.Variable(symbol), value) if value is not None:
                    self.values[symbol] = self.number(value)
                case typed.Update(typed.Combine.ADD, typed.Variable(symbol), value):
                    self.values[symbol] = _plus(self._now(symbol), self.number(value))
                case typed.AssignExtreme(typed.Extreme.MAX, typed.Variable(symbol), candidate, ()) if (
                    self.number(candidate) == {_Of.LEAST: 1} and self.raised is None and symbol not in self.values
                ):
                    self.raised, self.values[symbol] = symbol, {_Of.LEAST: 1}
                case typed.Attach(items=((symbol, value),)) if (
                    symbol is self.read.mark and value == typed.FALSE and self._open[:1] != [self.read.told]
                ):
                    self.clears, self.begins_clear = True, self.begins_clear or self._open[:1] == [self.read.visits]
                case typed.If():
                    branch = s.then if self.truth(s.condition) else s.otherwise
                    self.run(() if branch is None else branch.statements)
                case typed.ForEach():
                    self._over_nodes(s)
                case _:
                    raise _NotFollowed

    def _over_nodes(self, loop: typed.ForEach) -> None:
        """Follows one of the loops over nodes; `_open` are those to come."""
        if self._open and loop is self._open[0]:
            self._open.pop(0)
            if loop is self.read.visits:
                self._visit()
        elif is_over_nodes(loop) and [self.read.members.asked(c, loop.iterator) for c in all_asked(loop.filter)] == [
            True
        ]:
            for s in loop.body.statements:
                self._by_members(s, typed.Variable(loop.iterator))
        else:
            raise _NotFollowed

    def _by_members(self, s: typed.Statement, own: typed.Variable) -> None:
        """Follows what all members do: they look for their least degree, are counted, or have survived a bound."""
        are_to_leave, left = self.read.visits in self._open, self._now(_Of.LEFT)
        match s:
            case typed.AssignExtreme(typed.Extreme.MIN, typed.Variable(least), cell, ()) if are_to_leave:
                if cell != typed.Cell(self.read.degree, own) or self._now(least) != {_Of.INFINITY: 1}:
                    raise _NotFollowed
                self.values[least] = {_Of.LEAST: 1}
            case typed.Assign(typed.Cell(core, index), value) if core is self.read.core and index == own:
                if (
                    core is self.read.members.symbol
                    or self.leaves
                    or are_to_leave
                    or self.number(value) != _plus(self.bound, _ONE)
                ):
                    raise _NotFollowed
                self.survivors_are_told = True
            case typed.Assign(typed.Variable(symbol), value) if value == typed.TRUE and self._now(symbol) == _NONE:
                self.values[symbol] = left
            case typed.Update(typed.Combine.ADD, typed.Variable(symbol), value) if rising.number(value) == 1:
                self.values[symbol] = _plus(self._now(symbol), left)
            case _:
                raise _NotFollowed

    def _visit(self) -> None:
        """Members leave: their own cells are stored, and they count."""
        read, own = self.read, typed.Variable(self.read.visits.iterator)
        self.bound = _plus(self.number(read.bound), _plus(_ONE, times=-1 if read.is_strict else 0))
        marks = 0
        for s in read.done:
            match s:
                case typed.Assign(typed.Cell(symbol, index), value) if index == own:
                    if symbol is read.core and self.number(value) != self.bound:
                        raise _NotFollowed
                    marks += symbol is read.mark and value == typed.TRUE
                case typed.Update(typed.Combine.ADD, typed.Variable(symbol), value) if rising.number(value) is not None:
                    if self.leaves:
                        self.values[symbol] = _plus(self._now(symbol), {_Of.GONE: rising.number(value) or 0})
                case typed.Assign(typed.Variable(symbol), typed.Literal(bool() as value)):
                    if self.leaves:
                        self.values[symbol] = _plus(_ONE, times=int(value))
                case _:
                    raise _NotFollowed
        stores = [s for s in read.done if isinstance(s, typed.Assign) and isinstance(s.place, typed.Cell)]
        if marks != 1 or len({s.place.symbol for s in stores}) != len(stores):
            raise _NotFollowed
        if self.leaves:
            self.values[_Of.LEFT] = _plus(self._now(_Of.LEFT), {_Of.GONE: -1})


def _plus(*sums: _Sum, times: int = 1) -> _Sum:
    """The sum of sums, so many times."""
    made: dict[typed.Symbol | _Of, int] = {}
    for part, count in (item for one in sums for item in one.items()):
        made[part] = made.get(part, 0) + times * count
    return {part: count for part, count in made.items() if count}


def _minus(left: _Sum, right: _Sum) -> _Sum:
    return _plus(left, _plus(right, times=-1))


def _differ(left: _Sum, right: _Sum) -> _Sum:
    """The difference of two numbers, if that is never below 0, or never above."""
    difference = _minus(left, right)
    if all(count < 0 for count in difference.values()):
        return _plus(difference, times=-1)
    if difference.keys() <= {_Of.ONE, _Of.GONE} and any(count < 0 for count in difference.values()):
        raise _NotFollowed
    return difference


_SUMS: dict[typed.Operator, Callable[[_Sum, _Sum], _Sum]] = {
    typed.Operator.ADD: _plus,
    typed.Operator.SUBTRACT: _minus,
    typed.Operator.GREATER: _minus,
    typed.Operator.LESS: lambda left, right: _minus(right, left),
    typed.Operator.GREATER_EQUAL: lambda left, right: _plus(_minus(left, right), _ONE),
    typed.Operator.LESS_EQUAL: lambda left, right: _plus(_minus(right, left), _ONE),
    typed.Operator.NOT_EQUAL: _differ,
    typed.Operator.EQUAL: lambda left, right: _minus(_ONE, _differ(left, right)),
}
"""A whole number; of comparisons, one that is above 0 where they hold. Whether a sum that may be below 0 is one that
differs is asked where it counts the nodes left."""
