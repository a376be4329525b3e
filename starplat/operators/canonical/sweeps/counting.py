"""The range of the counter of a host loop over levels, and its direction."""

from dataclasses import dataclass, replace

from starplat.frontend import typed, types
from starplat.operators.canonical.searches.levels import above
from starplat.operators.canonical.sweeps.distances import Distances


@dataclass(frozen=True)
class Counting:
    """A `counter` that runs over numbers from `first` to at least the greatest distance plus `last`, `up` or down.

    `left` sets the final value of a counter that is declared before the loop.
    """

    counter: typed.Symbol
    up: bool
    first: int
    last: int
    left: typed.Assign | None


def read_counting(loop: typed.Statement, distances: Distances) -> Counting | None:
    """The counter of a loop whose body is one statement besides the counter's step; None for other loops."""
    match loop:
        case typed.CountedLoop(symbol=symbol, first=begin):
            if (step := _step(loop.step, symbol)) == 1:
                return _upwards(symbol, begin, loop.condition, distances)
            return _downwards(symbol, begin, loop.condition, distances) if step == -1 else None
        case typed.While(body=typed.Block((one, other))):
            steps_first = isinstance(other, typed.ForEach)
            end = _compared(loop.condition)
            counting = None if end is None else _downwards(end[0], typed.Variable(end[0]), loop.condition, distances)
            if counting is None or _step(one if steps_first else other, counting.counter) != -1:
                return None
            last = counting.first - 1
            if counting.last < last:
                return None
            counter = typed.Variable(counting.counter, span=loop.span)
            left = typed.Assign(counter, typed.Literal(last, types.Scalar.INT, span=loop.span), span=loop.span)
            first, greatest = counting.first - steps_first, counting.last - steps_first
            return replace(counting, first=first, last=greatest, left=left)
    return None


def _step(s: typed.Statement, counter: typed.Symbol) -> int | None:
    """The constant that a statement adds to a counter."""
    own = typed.Variable(counter)
    match s:
        case typed.Update(typed.Combine.ADD, place, typed.Literal(int() as number)):
            return number if place == own else None
        case typed.Assign(place, value) if place == own:
            return above(value, own)
    return None


def _compared(condition: typed.Expression) -> tuple[typed.Symbol, typed.Operator, typed.Expression] | None:
    """The parts of a comparison of a counter: it, the operator, the bound."""
    match condition:
        case typed.Binary(operator, typed.Variable(symbol), end):
            return symbol, operator, end
    return None


def _upwards(
    counter: typed.Symbol, begin: typed.Expression, condition: typed.Expression, distances: Distances
) -> Counting | None:
    less = {typed.Operator.LESS: 1, typed.Operator.LESS_EQUAL: 0}
    match _compared(condition), begin:
        case ((symbol, operator, end), typed.Literal(int() as first)) if symbol is counter and operator in less:
            most = distances.over(end)
            return None if most is None else Counting(counter, True, first, most - less[operator], None)
    return None


def _downwards(
    counter: typed.Symbol, begin: typed.Expression, condition: typed.Expression, distances: Distances
) -> Counting | None:
    more = {typed.Operator.GREATER: 1, typed.Operator.GREATER_EQUAL: 0}
    match _compared(condition):
        case symbol, operator, typed.Literal(int() as end) if symbol is counter and operator in more:
            most = distances.over(begin)
            return None if most is None else Counting(counter, False, end + more[operator], most, None)
    return None
