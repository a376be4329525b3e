"""Finds the whole numbers of a function's own that only say one of two things, by what is stored to them and asked.

Two constants are all that is stored, or one below 0 and numbers that never are. What is copied from one symbol to the
other says the same.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.frontend.walk import children
from starplat.operators.canonical.rising import connected, element, is_filled, least, number

_WHOLE = (Scalar.INT, Scalar.LONG, Scalar.NODE)
_HOLDS = {
    typed.Operator.LESS: float.__lt__,
    typed.Operator.LESS_EQUAL: float.__le__,
    typed.Operator.GREATER: float.__gt__,
    typed.Operator.GREATER_EQUAL: float.__ge__,
    typed.Operator.EQUAL: float.__eq__,
    typed.Operator.NOT_EQUAL: float.__ne__,
}
_FROM_0_ON = 0.0, float("inf")
"""The least and the greatest of all numbers from 0 on: a comparison must say the same of all."""
_LARGE = 2**31 - 1
"""Numbers that may be INF."""
Question = tuple[typed.Variable | typed.Cell, typed.Operator, float]
"""How a place compares to a number."""


@dataclass(frozen=True)
class Truth:
    """What a flag stands for: that the number is not `none`, but one from the first to the last of `others`."""

    none: float
    others: tuple[float, ...]

    def says(self, operator: typed.Operator, other: float) -> tuple[bool, bool] | None:
        """What a comparison says of `none`, and of the others if of all the same."""
        least, greatest = self.others[0], self.others[-1]
        says = {_HOLDS[operator](value, other) for value in (least, min(max(other, least), greatest), greatest)}
        return (_HOLDS[operator](self.none, other), says.pop()) if len(says) == 1 else None


GIVEN = Truth(-1.0, (0.0, float("inf")))
"""Of a node: that there is one."""


def truths(body: typed.Block) -> dict[typed.Symbol, Truth]:
    """What the numbers of a function's body say that flags could say as well."""
    if any(isinstance(s, typed.Unsupported) for s in walk.statements(body)):
        return {}
    found = _Numbers(body)
    return {symbol: truth for group in found.groups() if (truth := found.truth(group)) for symbol in group}


def copies_of(symbol: typed.Symbol, body: typed.Block) -> set[typed.Symbol]:
    """A number of a function's body, and those that it is copied to or from."""
    return next((group for group in _Numbers(body).groups() if symbol in group), {symbol})


@dataclass
class _Numbers:
    """The whole numbers that a function's body declares."""

    body: typed.Block
    constants: dict[typed.Symbol, list[float]] = field(default_factory=lambda: defaultdict(list))
    asked: dict[typed.Symbol, list[tuple[typed.Operator, float]]] = field(default_factory=lambda: defaultdict(list))
    copies: dict[typed.Symbol, set[typed.Symbol]] = field(default_factory=lambda: defaultdict(set))
    many: set[typed.Symbol] = field(default_factory=set)
    lowered: set[typed.Symbol] = field(default_factory=set)
    counted: set[typed.Symbol] = field(default_factory=set)
    summed: set[typed.Symbol] = field(default_factory=set)
    barred: set[typed.Symbol] = field(default_factory=set)

    def __post_init__(self) -> None:
        for s in walk.statements(self.body):
            self._enter(s)

    @cached_property
    def own(self) -> set[typed.Symbol]:
        declared = {s.symbol for s in walk.statements(self.body) if isinstance(s, typed.Declare)}
        return {s for s in declared if s.role is typed.Role.LOCAL and element(s) in _WHOLE}

    @cached_property
    def listed(self) -> set[typed.Symbol]:
        """The iterators of loops over lists, whose elements may be below 0."""
        loops = (s for s in walk.statements(self.body) if isinstance(s, typed.ForEach))
        return {s.iterator for s in loops if isinstance(s.domain, typed.Items)}

    @cached_property
    def counters(self) -> set[typed.Symbol]:
        """The symbols that anything is added to."""
        updates = (s for s in walk.statements(self.body) if isinstance(s, typed.Update))
        return {s.place.symbol for s in updates}

    def groups(self) -> Iterator[set[typed.Symbol]]:
        """Those that are copied to each other."""
        return connected(sorted(self.own, key=lambda symbol: symbol.name), self.copies)

    def truth(self, group: set[typed.Symbol]) -> Truth | None:
        """What their flags stand for, if flags are enough. What spreads by `Min` is the lower of two numbers."""
        if group & self.barred or not group <= self.own:
            return None
        values = sorted({value for symbol in group for value in self.constants[symbol]})
        if group & self.many:
            truth = Truth(values[0], _FROM_0_ON) if len(values) == 1 and values[0] < 0 else None
        elif len(values) == 2:
            low, high = values
            none = high if group & self.lowered else low if values == [0, 1] else self._first(group, values)
            truth = Truth(none, (low if none == high else high,))
        else:
            truth = None
        if truth is None or (group & self.counted and truth.says(typed.Operator.NOT_EQUAL, 0.0) != (False, True)):
            return None
        if group & self.summed and truth != Truth(0.0, (1.0,)):
            return None
        asked = [question for symbol in group for question in self.asked[symbol]]
        answered = all(truth.says(*question) is not None for question in asked)
        return truth if (asked or group & self.summed) and answered else None

    def _first(self, group: set[typed.Symbol], values: list[float]) -> float:
        """What all cells are filled with; the lower number where that is not one of two."""
        items = (item for s in walk.statements(self.body) if isinstance(s, typed.Attach) for item in s.items)
        fills = {constant(value) for symbol, value in items if symbol in group and not isinstance(value, typed.Symbol)}
        return next((fill for fill in fills if fill is not None and len(fills) == 1), values[0])

    def _enter(self, s: typed.Statement) -> None:
        match s:
            case typed.Declare(symbol, value):
                if value is not None:
                    self._stored(symbol, value)
                elif symbol in self.own and not is_filled(s, self.body):
                    self.constants[symbol].append(-1.0 if element(symbol) is Scalar.NODE else 0.0)
            case typed.Assign(place, value):
                at = [plain(index) for index in self._indices(place)]
                self._stored(place.symbol, value, is_node=plain(value) in at)
            case typed.AssignExtreme(extreme=extreme, place=place, candidate=value, carried=carried):
                self._indices(place)
                self._stored(place.symbol, value)
                (self.lowered if extreme is typed.Extreme.MIN else set()).add(place.symbol)
                if not all(isinstance(c.value, typed.Literal) for c in carried):
                    self.barred.add(place.symbol)
                for c in carried:
                    self._indices(c.place)
                    self._stored(c.place.symbol, c.value)
            case typed.Attach(items=items):
                for symbol, filled in items:
                    if isinstance(filled, typed.Symbol):
                        self._copied(symbol, filled)
                    else:
                        self._stored(symbol, filled)
            case typed.CopyProperty(to, of):
                self._copied(to, of)
            case typed.Update(typed.Combine.ADD, place, value) if (added := summed(value)) is not None:
                self.barred.add(place.symbol)
                self.summed.add(added.symbol)
                self._indices(place)
                self._indices(added)
            case typed.FixedPoint(condition=condition):  # flags are read there as they were before the round
                self.barred |= {
                    s.flag,
                    *(part.symbol for part in walk.within(condition) if isinstance(part, typed.Cell)),
                }
            case _:
                self.barred |= set(walk.written(s))
                for value in walk.expressions(s):
                    self._read(value)

    def _indices(self, place: typed.Place) -> tuple[typed.Expression, ...]:
        for index in children(place):
            self._read(index)
        return children(place)

    def _copied(self, to: typed.Symbol, of: typed.Symbol) -> None:
        self.copies[to].add(of)
        self.copies[of].add(to)

    def _stored(self, symbol: typed.Symbol, value: typed.Expression, *, is_node: bool = False) -> None:
        """Takes in that a value is stored; a node's cell has been found by it if it `is_node`."""
        stored = plain(value)
        if symbol not in self.own:
            self._read(value)
        elif (known := constant(value)) is not None:
            self.constants[symbol].append(known)
        elif isinstance(value, typed.Conditional):
            self._read(value.condition)
            self._stored(symbol, value.then)
            self._stored(symbol, value.otherwise)
        elif isinstance(value, typed.Convert) and value.operand.type is Scalar.BOOL:
            self.constants[symbol] += (0.0, 1.0)
            self._read(value.operand)
        elif is_node or self._is_not_below(stored):
            self.many.add(symbol)
            self._read(value)
        elif isinstance(stored, typed.Variable | typed.Cell):
            self._copied(symbol, stored.symbol)
            self._indices(stored)
        else:
            self.barred.add(symbol)
            self._read(value)

    def _is_not_below(self, value: typed.Expression) -> bool:
        """Whether a number is never below 0: that of a node in hand, or a count of rounds."""
        match value:
            case typed.Variable(symbol) if symbol.role is typed.Role.ITERATOR:
                return symbol not in self.listed
            case typed.Variable(symbol) if symbol in self.counters:
                first = least(symbol, self.body)
                return first is not None and first >= 0
        return False

    def _read(self, value: typed.Expression) -> None:
        """Takes in what is asked in an expression."""
        if (found := question(value)) is not None and found[0].symbol in self.own:
            place, operator, other = found
            self.asked[place.symbol].append((operator, other))
            self._indices(place)
            return
        match value:
            case typed.Variable(symbol) | typed.Cell(symbol):
                self.barred.add(symbol)
            case typed.Aggregate(aggregation=typed.Aggregation.COUNT, property=symbol):
                self.counted.add(symbol)
            case typed.Aggregate(aggregation=typed.Aggregation.SUM, property=symbol):
                self.summed.add(symbol)
            case typed.Aggregate(property=symbol):
                self.barred.add(symbol)
            case typed.Call(arguments=arguments):
                self.barred |= {a for a in arguments if isinstance(a, typed.Symbol)}
        for part in children(value):
            self._read(part)


def plain(value: typed.Expression) -> typed.Expression:
    """A whole number without conversions to wider ones, and between `int` and `node`."""
    while isinstance(value, typed.Convert) and value.type in _WHOLE and value.operand.type in (Scalar.INT, Scalar.NODE):
        value = value.operand
    return value


def summed(value: typed.Expression) -> typed.Cell | None:
    """The cell that a sum adds up as it is."""
    added = plain(value)
    return added if isinstance(added, typed.Cell) and typed.scalar_of(value) is not Scalar.NODE else None


def constant(value: typed.Expression) -> float | None:
    """The constant that a value is; INF is above all numbers."""
    match value:
        case typed.Infinity(negative=negative):
            return float("-inf" if negative else "inf")
        case typed.Literal(bool() as truth) | typed.Convert(typed.Literal(bool() as truth)):
            return float(truth)
        case _:
            found = number(value)
            return float(found) if found is not None and abs(found) < _LARGE else None


def question(value: typed.Expression) -> Question | None:
    """What is asked of a place in a condition."""
    match value:
        case typed.Convert(operand, Scalar.BOOL):
            place = plain(operand)
            asks = isinstance(place, typed.Variable | typed.Cell)
            return (place, typed.Operator.NOT_EQUAL, 0.0) if asks else None  # type: ignore[return-value]
        case typed.Binary(operator, left, right) if operator in _HOLDS:
            for one, against, way in ((left, right, operator), (right, left, MIRRORED[operator])):
                place, other = plain(one), constant(against)
                if isinstance(place, typed.Variable | typed.Cell) and other is not None:
                    return place, way, other
            return None
    return None
