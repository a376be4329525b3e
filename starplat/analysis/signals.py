"""What makes a loop go on: the flags that its condition asks, and whether a `Min` or `Max` sets one when it wins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from starplat.analysis import walk
from starplat.analysis.convergence import convergence
from starplat.analysis.monotone import conjuncts, denied
from starplat.frontend import typed

Loop = typed.FixedPoint | typed.While | typed.DoWhile


class Signals:
    """The flags of one loop. `changing` are all symbols that a round may write."""

    def __init__(self, loop: Loop) -> None:
        self.asked = dict(_asked(loop))
        self.asked |= dict.fromkeys(_counted(loop, self.asked), True)
        self.copies = dict(_copies(loop))
        self.changing = {symbol for s in walk.statements(loop.body) for symbol in walk.written(s)}

    def told_by(self, s: typed.AssignExtreme, beside: Sequence[typed.Statement]) -> bool:
        """Whether the loop goes on when the Min or Max wins; `beside` are the statements of its block."""
        return any(self._goes_on(place, value) for place, value in _stores(s, beside))

    def marked_by(self, s: typed.AssignExtreme, beside: Sequence[typed.Statement]) -> set[typed.Symbol]:
        """The flags that are set for the very cell that the Min or Max changes, and those that become copies."""
        set_there = {
            place.symbol
            for place, value in _stores(s, beside)
            if _is_true(value) and (not isinstance(place, typed.Cell) or _is_beside(place, s.place))
        }
        return set_there | {copy for copy, source in self.copies.items() if source in set_there}

    def _goes_on(self, place: typed.Place, value: typed.Expression) -> bool:
        symbol = place.symbol
        asked = self.asked.get(symbol)
        if asked is None and symbol in self.copies.values():
            asked = next((self.asked.get(copy) for copy, source in self.copies.items() if source is symbol), None)
        return asked is not None and isinstance(value, typed.Literal) and bool(value.value) is asked


def _asked(loop: Loop) -> Iterator[tuple[typed.Symbol, bool]]:
    """The flags, and what they say if the loop goes on."""
    if isinstance(loop, typed.FixedPoint):
        yield loop.flag, False
        ends = conjuncts(loop.condition)
    else:
        ends = denied(loop.condition)
    for part in ends:
        yield from _flag(part)


def _flag(ends: typed.Expression) -> Iterator[tuple[typed.Symbol, bool]]:
    """A flag in a condition without which the loop does not end, and what it says if it goes on."""
    match ends:
        case typed.Unary(operator=typed.UnaryOperator.NOT, operand=operand):
            yield from ((symbol, not says) for symbol, says in _flag(operand))
        case typed.Variable(symbol=symbol) | typed.Cell(symbol=symbol):
            yield symbol, False
        case typed.Binary(operator=typed.Operator.EQUAL, left=left, right=typed.Literal(value=value)):
            yield from ((symbol, says is bool(value)) for symbol, says in _flag(left))
        case typed.Binary(operator=typed.Operator.NOT_EQUAL, left=left, right=typed.Literal(value=value)):
            yield from ((symbol, says is not bool(value)) for symbol, says in _flag(left))
        case typed.Binary(operator=typed.Operator.LESS_EQUAL, left=left, right=typed.Literal(value=0)):
            yield from ((symbol, not says) for symbol, says in _flag(left))
        case typed.Aggregate(aggregation=typed.Aggregation.COUNT, property=symbol):
            yield symbol, False
        case _:
            pass


def _counted(loop: Loop, asked: Mapping[typed.Symbol, bool]) -> Iterator[typed.Symbol]:
    """The flags whose number, summed up in the round, makes the loop go on."""
    for s in walk.statements(loop.body):
        match s:
            case typed.Update(combine=typed.Combine.ADD | typed.Combine.OR, place=place, value=value):
                flag = _as_number(value)
                if asked.get(place.symbol) is True and isinstance(flag, typed.Cell):
                    yield flag.symbol
            case _:
                pass


def _as_number(value: typed.Expression) -> typed.Expression:
    """The flag that is taken as a number."""
    match value:
        case typed.Convert(operand=operand):
            return _as_number(operand)
        case typed.Conditional(condition=condition, then=typed.Literal(value=1), otherwise=typed.Literal(value=0)):
            return condition
        case _:
            return value


def _copies(loop: Loop) -> Iterator[tuple[typed.Symbol, typed.Symbol]]:
    """What becomes a copy of what in a round: (copy, source)."""
    for s in walk.statements(loop.body):
        match s:
            case typed.CopyProperty():
                yield s.destination, s.source
            case typed.Attach():
                yield from ((target, value) for target, value in s.items if isinstance(value, typed.Symbol))
            case _:
                pass
    if isinstance(loop, typed.FixedPoint):
        found = convergence(loop)
        if found.frontier is not None and found.next_frontier is not None:
            yield found.frontier, found.next_frontier


def _stores(
    s: typed.AssignExtreme, beside: Sequence[typed.Statement]
) -> Iterator[tuple[typed.Place, typed.Expression]]:
    """What is stored whenever the Min or Max wins."""
    yield from ((carried.place, carried.value) for carried in s.carried)
    for other in beside:
        match other:
            case typed.Assign() | typed.Update(combine=typed.Combine.OR):
                yield other.place, other.value
            case _:
                pass


def _is_true(value: typed.Expression) -> bool:
    return isinstance(value, typed.Literal) and bool(value.value)


def _is_beside(place: typed.Cell, changed: typed.Place) -> bool:
    return isinstance(changed, typed.Cell) and place.index == changed.index
