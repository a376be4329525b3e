"""Levels are counted from 0 on: whole numbers of a function's own that are only counted, copied and compared with each
other and with constants say the same if all are less by one number.

  ring = 0; s.ring = 1; int last = 1;                ring = -1; s.ring = 0; int last = 0;
  while (grew) {                                     while (grew) {
    ... if (w.ring == 0) w.ring = last + 1; ...        ... if (w.ring == -1) w.ring = last + 1; ...
    last++;                                            last++;
  }                                                  }
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED
from starplat.frontend import typed
from starplat.frontend.types import PropertyType, Scalar
from starplat.frontend.walk import children
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.operators.canonical.rising import connected, element, is_filled, number
from starplat.operators.canonical.searches.levels import counted_up

_WHOLE = (Scalar.INT, Scalar.LONG)
_MOST = 1 << 20
"""The greatest constant that is moved; below it nothing reaches the end of a type."""


def from_zero(body: typed.Block) -> typed.Block:
    """A function's body whose levels are counted so."""
    less = _Numbers(body).less()
    if not less:
        return body

    def stored(symbol: typed.Symbol | None, value: typed.Expression) -> typed.Expression:
        """What is stored to a symbol, or compared with it."""
        if symbol not in less or (constant := number(value)) is None:
            return rebuilt(value, change)
        return _less(value, constant - less[symbol])

    def change(part: Any) -> Any:
        match part:
            case typed.Binary(operator, left, right) if operator in MIRRORED:
                return replace(part, left=stored(_counted(right), left), right=stored(_counted(left), right))
            case typed.Declare(symbol, value) if value is not None:
                return replace(part, value=stored(symbol, value))
            case typed.Assign(place, value) | typed.Carried(place, value):
                return replace(part, place=rebuilt(place, change), value=stored(place.symbol, value))
            case typed.AssignExtreme(place=place, candidate=value, carried=carried):
                cell, others = rebuilt(place, change), rebuilt(carried, change)
                return replace(part, place=cell, candidate=stored(place.symbol, value), carried=others)
            case typed.Attach(items=items):
                given = (v if isinstance(v, typed.Symbol) else stored(s, v) for s, v in items)
                return replace(part, items=tuple((s, value) for (s, _), value in zip(items, given, strict=True)))
            case typed.CountedLoop(symbol=symbol, first=first):
                rest = {name: rebuilt(getattr(part, name), change) for name in ("condition", "step", "body")}
                return replace(part, first=stored(symbol, first), **rest)
        return None

    return rebuilt(body, change)


def _counted(value: typed.Expression | typed.Symbol) -> typed.Symbol | None:
    """The number that a value is, or is above or below by a constant."""
    match value:
        case typed.Symbol():
            return value
        case typed.Variable(symbol) | typed.Cell(symbol):
            return symbol
        case typed.Convert(operand) if value.type in _WHOLE:
            return _counted(operand)
        case typed.Binary(typed.Operator.ADD | typed.Operator.SUBTRACT, left, typed.Literal()):
            return _counted(left)
        case typed.Binary(typed.Operator.ADD, typed.Literal(), right):
            return _counted(right)
    return None


def _is_constant(value: typed.Expression | typed.Symbol) -> bool:
    if isinstance(value, typed.Infinity):
        return not value.negative
    constant = None if isinstance(value, typed.Symbol) else number(value)
    return constant is not None and abs(constant) < _MOST


def _less(value: typed.Expression, constant: int) -> typed.Expression:
    """A constant in place of another."""
    assert isinstance(value.type, Scalar)
    return typed.Literal(constant, value.type, span=value.span)


@dataclass
class _Numbers:
    """The whole numbers that a function's body declares: what they meet, and those of which anything else is asked."""

    body: typed.Block
    own: set[typed.Symbol] = field(default_factory=set)
    meets: dict[typed.Symbol, set[typed.Symbol]] = field(default_factory=lambda: defaultdict(set))
    barred: set[typed.Symbol] = field(default_factory=set)

    def less(self) -> dict[typed.Symbol, int]:
        """By how much each number is less: the first value of the counter that it meets."""
        inside = list(walk.statements(self.body))
        counters = {symbol for s in inside if (symbol := counted_up(s)) is not None}
        declared = (s for s in inside if isinstance(s, typed.Declare) and s.symbol in counters)
        firsts = {s.symbol: number(s.value) for s in declared}
        if not any(first is not None and 0 < first < _MOST for first in firsts.values()):
            return {}
        for s in inside:
            self._enter(s)
        found: dict[typed.Symbol, int] = {}
        for group in connected(self.meets, self.meets):
            first = {firsts.get(symbol) for symbol in group & counters}
            properties = any(isinstance(symbol.type, PropertyType) for symbol in group)
            if properties and group <= self.own - self.barred and len(first) == 1 and (less := first.pop()):
                found |= dict.fromkeys(group, less) if 0 < less < _MOST else {}
        return found

    def _enter(self, s: typed.Statement) -> None:
        match s:
            case typed.Declare(symbol, None):
                self.own |= {symbol} if element(symbol) in _WHOLE and is_filled(s, self.body) else set()
            case typed.Declare(symbol, value) | typed.CountedLoop(symbol=symbol, first=value):
                self.own |= {symbol} if symbol.type in _WHOLE and symbol.role is typed.Role.LOCAL else set()
                assert value is not None
                self._meet(symbol, value)
                if isinstance(s, typed.CountedLoop):
                    self._read(s.condition)
            case typed.Assign(place, value):
                self._store(place, value)
            case typed.Update(typed.Combine.ADD, typed.Variable(), typed.Literal()):
                pass
            case typed.AssignExtreme(place=place, candidate=value, carried=carried):
                self._store(place, value)
                for c in carried:
                    self._store(c.place, c.value)
            case typed.Attach(items=items):
                for symbol, filled in items:
                    self._meet(symbol, filled)
            case typed.CopyProperty(to, of):
                self._meet(to, of)
            case _:
                self.barred |= set(walk.written(s))
                for value in walk.expressions(s):
                    self._read(value)

    def _store(self, place: typed.Place, value: typed.Expression) -> None:
        for index in children(place):
            self._read(index)
        self._meet(place.symbol, value)

    def _meet(self, one: typed.Expression | typed.Symbol, other: typed.Expression | typed.Symbol) -> None:
        """Takes in that one value is stored to a symbol, or compared with another."""
        ours, theirs = _counted(one), _counted(other)
        if ours is not None and theirs is not None:
            self.meets[ours].add(theirs)
            self.meets[theirs].add(ours)
            rest = [part for value in (one, other) for part in _indices(value)]
        elif ours is not None and _is_constant(other):
            self.meets[ours] |= set()
            rest = list(_indices(one))
        elif theirs is not None and _is_constant(one):
            self.meets[theirs] |= set()
            rest = list(_indices(other))
        else:
            self.barred |= {value for value in (one, other) if isinstance(value, typed.Symbol)}
            rest = [value for value in (one, other) if not isinstance(value, typed.Symbol)]
        for value in rest:
            self._read(value)

    def _read(self, value: typed.Expression) -> None:
        """Takes in what is asked in an expression."""
        match value:
            case typed.Binary(operator, left, right) if operator in MIRRORED:
                self._meet(left, right)
                return
            case typed.Variable(symbol) | typed.Cell(symbol) | typed.Aggregate(property=symbol):
                self.barred.add(symbol)
            case typed.Incremented(place=place):
                self.barred.add(place.symbol)
            case typed.Call(arguments=arguments):
                self.barred |= {a for a in arguments if isinstance(a, typed.Symbol)}
        for part in children(value):
            self._read(part)


def _indices(value: typed.Expression | typed.Symbol) -> tuple[typed.Expression, ...]:
    """Where the cell lies that a value counts from."""
    if isinstance(value, typed.Symbol):
        return ()
    cells = (part for part in walk.within(value) if isinstance(part, typed.Cell))
    return next((children(cell) for cell in cells), ())
