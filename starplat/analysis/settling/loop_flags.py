"""The flags that keep a loop going, and whether a `Min` or `Max` sets one when it wins."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.convergence import convergence
from starplat.analysis.settling import monotone, snapshots
from starplat.frontend import typed, types

Loop = typed.FixedPoint | typed.While | typed.DoWhile


@dataclass(frozen=True, slots=True)
class _Heard:
    """How a flag reaches the loop's condition: `after` so many statements of its body the flag has become (part of)
    another."""

    flag: typed.Symbol
    by: typed.Symbol
    after: float


class Signals:
    """The flags of one loop. `changing` are all symbols that a round may write."""

    def __init__(self, loop: Loop, program: typed.Program) -> None:
        self.program = program
        self.inside = list(walk.statements(loop.body))
        self.asked = dict(_asked(loop))
        copies = list(_copies(loop, self.inside, program))
        self.copies = {heard.by: heard.flag for heard in copies}
        self.heard = [*copies, *_counted(self.inside, self.asked)]
        self.changing = {symbol for s in self.inside for symbol in walk.written(s)}

    def told_by(self, s: typed.AssignExtreme, beside: Sequence[typed.Statement], *, surely: bool = False) -> bool:
        """Whether the loop goes on when the Min or Max wins, or `surely` even if it does not; `beside` are the
        statements of its block."""
        here = self._place(s)
        told = [(place.symbol, value) for place, value in _stores(replace(s, carried=()) if surely else s, beside)]
        says = [(flag, truth) for flag, value in told for truth in (True, False) if _is_literal(value, truth)]
        return any(self._goes_on(flag, truth, here) for flag, truth in says)

    def told_by_comparing(self, compared: snapshots.Snapshot) -> bool:
        """Whether the loop goes on when a cell is no longer what it was."""
        told = [(s.place.symbol, _literal(s), self._place(s)) for s in compared.stores]
        return any(says is not None and self._goes_on(flag, says, here) for flag, says, here in told)

    def _place(self, s: typed.Statement) -> int:
        return next(place for place, inner in enumerate(self.inside) if inner is s)

    def _goes_on(self, flag: typed.Symbol, says: bool, here: float) -> bool:
        """Whether the loop goes on when statement `here` of its body makes a flag say so."""
        if self.asked.get(flag) is says and not self._is_taken_back(flag, says, here, math.inf):
            return True
        return any(
            not self._is_taken_back(flag, says, here, heard.after) and self._goes_on(heard.by, says, heard.after)
            for heard in self.heard
            if heard.flag is flag and heard.after > here
        )

    def _is_taken_back(self, flag: typed.Symbol, says: bool, after: float, before: float) -> bool:
        """Whether a flag may be reset between two places of the body."""
        between = (s for place, s in enumerate(self.inside) if after < place < before)
        return any(flag in walk.changed(s, self.program) and not _says_so_too(s, flag, says) for s in between)

    def marked_by(self, s: typed.AssignExtreme, beside: Sequence[typed.Statement]) -> set[typed.Symbol]:
        """The flags that are set for the very cell that the Min or Max changes, and those that become copies."""
        set_there = {
            place.symbol
            for place, value in _stores(s, beside)
            if _is_literal(value, True) and (not isinstance(place, typed.Cell) or _is_beside(place, s.place))
        }
        return set_there | {copy for copy, source in self.copies.items() if source in set_there}


def _asked(loop: Loop) -> Iterator[tuple[typed.Symbol, bool]]:
    """The flags, and their values if the loop goes on."""
    if isinstance(loop, typed.FixedPoint):
        yield loop.flag, False
        ends = monotone.conjuncts(loop.condition)
    else:
        ends = monotone.conjuncts(loop.condition, holds=False)
    for part in ends:
        if isinstance(loop, typed.FixedPoint) or not any(isinstance(p, typed.Cell) for p in walk.within(part)):
            yield from _flag(part)


def _flag(ends: typed.Expression) -> Iterator[tuple[typed.Symbol, bool]]:
    """A flag in a condition without which the loop does not end, and its value if it goes on."""
    match ends:
        case typed.Unary(typed.UnaryOperator.NOT, operand):
            yield from ((symbol, not says) for symbol, says in _flag(operand))
        case typed.Variable(symbol) | typed.Cell(symbol):
            yield symbol, False
        case typed.Binary(typed.Operator.EQUAL, left, typed.Literal(value)):
            yield from ((symbol, says is bool(value)) for symbol, says in _flag(left))
        case typed.Binary(typed.Operator.NOT_EQUAL, left, typed.Literal(value)) if (
            value == 0 or isinstance(value, bool)  # of other numbers, those that are not 0 say nothing
        ):
            yield from ((symbol, says is not bool(value)) for symbol, says in _flag(left))
        case typed.Binary(typed.Operator.LESS_EQUAL, left, typed.Literal(0)):
            yield from ((symbol, not says) for symbol, says in _flag(left))
        case typed.Aggregate(aggregation=typed.Aggregation.COUNT, property=symbol):
            yield symbol, False


def _counted(inside: Sequence[typed.Statement], asked: Mapping[typed.Symbol, bool]) -> Iterator[_Heard]:
    """The flags whose number, summed up over all nodes in the round, makes the loop go on."""
    for place, s in enumerate(inside):
        match s:
            case typed.ForEach(domain=typed.AllNodes()):
                yield from (_Heard(f, c, place) for f, c in _counted_by_nodes(s) if asked.get(c) is True)
            case typed.Assign(typed.Variable(counter), typed.Aggregate() as of_all):
                if asked.get(counter) is True and of_all.aggregation is typed.Aggregation.COUNT:
                    yield _Heard(of_all.property, counter, place)


def _counted_by_nodes(loop: typed.ForEach) -> Iterator[tuple[typed.Symbol, typed.Symbol]]:
    """The flags that every node with a flag adds to something, or sets it for."""
    leaves = (typed.Break, typed.Continue, typed.Return)
    if any(isinstance(i, leaves) for i in walk.statements(loop.body)):
        return
    if loop.filter is not None:
        yield from ((flag, told) for flag in _of_node(loop.filter, loop) for told in _told(loop.body))
        return
    for s in loop.body.statements:
        match s:
            case typed.Update(typed.Combine.ADD | typed.Combine.OR, typed.Variable(told)):
                yield from ((flag, told) for flag in _of_node(_as_number(s.value), loop))
            case typed.If(condition, then):
                yield from ((flag, told) for flag in _of_node(condition, loop) for told in _told(then))


def _of_node(condition: typed.Expression, loop: typed.ForEach) -> Iterator[typed.Symbol]:
    """The flag of the node in hand that is all that a condition asks."""
    match condition:
        case typed.Cell(symbol, typed.Variable(node)) if node is loop.iterator:
            yield symbol


def _told(block: typed.Block) -> Iterator[typed.Symbol]:
    """The scalars that a block sets or adds to, whatever else it does."""
    for s in block.statements:
        match s:
            case typed.Assign(typed.Variable(symbol), value) if _is_literal(value, True):
                yield symbol
            case typed.Update(typed.Combine.ADD | typed.Combine.OR, typed.Variable(symbol)):
                if isinstance(s.value, typed.Literal) and s.value.value > 0:
                    yield symbol


def _as_number(value: typed.Expression) -> typed.Expression:
    """The flag that is used as a number."""
    match value:
        case typed.Convert(operand):
            return _as_number(operand)
        case typed.Conditional(condition, typed.Literal(1), typed.Literal(0)):
            return condition
    return value


def _copies(loop: Loop, inside: Sequence[typed.Statement], program: typed.Program) -> Iterator[_Heard]:
    """The copies made in a round."""
    for place, s in enumerate(inside):
        match s:
            case typed.CopyProperty():
                yield _Heard(s.source, s.destination, place)
            case typed.Attach():
                yield from (_Heard(value, copy, place) for copy, value in s.items if isinstance(value, typed.Symbol))
    if isinstance(loop, typed.FixedPoint):
        found = convergence(loop, program)
        if found.frontier is not None and found.next_frontier is not None:
            yield _Heard(found.next_frontier, found.frontier, len(inside))


def _says_so_too(s: typed.Statement, flag: typed.Symbol, says: bool) -> bool:
    """Whether a statement that writes a flag keeps it set where it is set already."""
    match s:
        case typed.Update(typed.Combine.OR):
            return says
        case typed.Update(combine=typed.Combine.ADD, value=value):
            return says and _is_count(value)
        case typed.Update(typed.Combine.AND):
            return not says
        case typed.Assign():
            return _is_literal(s.value, says)
        case typed.AssignExtreme():
            told = [carried.value for carried in s.carried if carried.place.symbol is flag]
            return s.place.symbol is not flag and all(_is_literal(value, says) for value in told)
    return False


def _is_count(value: typed.Expression) -> bool:
    """Whether a value that is added is never below 0."""
    if isinstance(number := _as_number(value), typed.Literal):
        return number.value >= 0
    return typed.scalar_of(number) is types.Scalar.BOOL or isinstance(number, typed.GraphQuery)


def _stores(
    s: typed.AssignExtreme, beside: Sequence[typed.Statement]
) -> Iterator[tuple[typed.Place, typed.Expression]]:
    """What is stored whenever the Min or Max wins, but for symbols of which several values are stored."""
    stored: list[tuple[typed.Place, typed.Expression | None]] = [(c.place, c.value) for c in s.carried]
    for other in beside:
        match other:
            case typed.Assign() | typed.Update(typed.Combine.OR):
                stored.append((other.place, other.value))
            case typed.Update():
                stored.append((other.place, None))
    for place, value in stored:
        if value is not None and all(value == v for at, v in stored if at.symbol is place.symbol):
            yield place, value


def _literal(s: typed.Assign | typed.Update) -> bool | None:
    """The constant that a store writes; for `flag ||= x` that of x."""
    if isinstance(s, typed.Update) and s.combine is typed.Combine.OR:
        return True
    return next((truth for truth in (True, False) if _is_literal(s.value, truth)), None)


def _is_literal(value: typed.Expression, says: bool) -> bool:
    """Whether a constant says so: 0 does not, and what is above it does."""
    return isinstance(value, typed.Literal) and value.value >= 0 and bool(value.value) is says


def _is_beside(place: typed.Cell, changed: typed.Place) -> bool:
    return isinstance(changed, typed.Cell) and place.index == changed.index
