"""A cell that never holds less than a number needs no `max` with it, and one that never holds more no `min`.

int next = max(v.level, 0) + 1;                  int next = v.level + 1;

What a property of the program's own, or one that it fills, can hold follows from all that is stored to it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.canonical.rebuilding import rebuilt


def within_range(body: typed.Block) -> typed.Block:
    """A function's body without such functions of one cell and a constant."""
    asked = {
        cell.symbol: (part.function, number)
        for s in walk.statements(body)
        for part in walk.own_parts(s)
        if isinstance(part, typed.Apply) and (found := _cell_and_number(part)) is not None
        for cell, number in [found]
    }
    if not asked:
        return body
    bounded = {symbol for symbol, (way, number) in asked.items() if _Stored(symbol, way, number, body).is_within()}

    def change(part: object) -> object:
        if not isinstance(part, typed.Apply) or (found := _cell_and_number(part)) is None:
            return None
        cell, number = found
        return cell if cell.symbol in bounded and asked[cell.symbol] == (part.function, number) else None

    return rebuilt(body, change) if bounded else body


def _cell_and_number(value: typed.Apply) -> tuple[typed.Cell, int] | None:
    if value.function not in (typed.Function.MIN, typed.Function.MAX):
        return None
    match value.arguments:
        case (typed.Cell() as cell, typed.Literal(number)) | (typed.Literal(number), typed.Cell() as cell):
            whole = isinstance(cell.symbol.type, types.PropertyType) and cell.symbol.type.element is types.Scalar.INT
            return (cell, number) if whole and isinstance(number, int) else None
    return None


@dataclass(frozen=True)
class _Stored:
    """What a function's body stores to a property of whole numbers, beside the least (greatest) that it may hold."""

    symbol: typed.Symbol
    way: typed.Function
    end: int
    body: typed.Block

    def is_within(self) -> bool:
        writers = walk.writers(self.symbol, self.body)
        fills = [s for s in self.body.statements if isinstance(s, typed.Attach) and s in writers]
        if not fills or fills[0] is not writers[0]:
            return False
        before = self.body.statements[: next(i for i, s in enumerate(self.body.statements) if s is fills[0])]
        given = any(self.symbol in walk.read(i) for s in before for i in walk.statements(s))  # what the caller stored
        return not given and all(self._keeps(s) for s in writers)

    def _keeps(self, s: typed.Statement) -> bool:
        match s:
            case typed.Attach(items=items):
                values = [value for symbol, value in items if symbol is self.symbol]
                return all(isinstance(v, typed.Expression) and self._is_inside(v, {}) for v in values)
            case typed.Assign(typed.Cell(), value):
                return self._is_inside(value, self._locals())
            case typed.AssignExtreme(place=typed.Cell(symbol), candidate=value, carried=carried):
                beside = all(c.place.symbol is not self.symbol for c in carried)
                return symbol is self.symbol and beside and self._is_inside(value, self._locals())
        return False

    def _locals(self) -> Mapping[typed.Symbol, typed.Expression]:
        """Scalars that are declared with a value and never given another."""
        inside: Sequence[typed.Statement] = list(walk.statements(self.body))
        declared = {s.symbol: s.value for s in inside if isinstance(s, typed.Declare) and s.value is not None}
        changed = {symbol for s in inside if not isinstance(s, typed.Declare) for symbol in walk.written(s)}
        return {symbol: value for symbol, value in declared.items() if symbol not in changed}

    def _is_inside(self, value: typed.Expression, values: Mapping[typed.Symbol, typed.Expression]) -> bool:
        lowest, highest = self._range(value, values)
        return lowest >= self.end if self.way is typed.Function.MAX else highest <= self.end

    def _range(self, value: typed.Expression, values: Mapping[typed.Symbol, typed.Expression]) -> tuple[float, float]:
        """The least and the greatest that a value may be, cells within their range; sums only grow to INF."""
        match value:
            case typed.Literal(number) if isinstance(number, int):
                return number, number
            case typed.Infinity(negative=negative):
                return (-math.inf, -math.inf) if negative else (math.inf, math.inf)
            case typed.Variable(symbol) if symbol in values:
                return self._range(values[symbol], values)
            case typed.Cell(symbol) if symbol is self.symbol:
                return (self.end, math.inf) if self.way is typed.Function.MAX else (-math.inf, self.end)
            case typed.Apply(typed.Function.MIN | typed.Function.MAX as function, (left, right)):
                one, other = self._range(left, values), self._range(right, values)
                best = min if function is typed.Function.MIN else max
                return best(one[0], other[0]), best(one[1], other[1])
            case typed.Binary(typed.Operator.ADD, left, typed.Literal(number)) if (
                isinstance(number, int) and 0 <= number <= 1
            ):
                lowest, highest = self._range(left, values)
                return lowest + number, highest + number
        return -math.inf, math.inf
