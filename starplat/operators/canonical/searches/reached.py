"""A flag that holds exactly where a cell is no longer INF gives way to that question.

if (!w.seen) {                                   if (w.level == INF) {
  w.seen = True;                                   w.level = depth + 1;
  w.level = depth + 1;                           }
}

Both begin together, the flag with False and the cell with INF, and wherever one is stored, so is the other beside it:
True, and a number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.guards import guarded
from starplat.analysis.settling.monotone import leaves_out_end, mentions
from starplat.frontend import typed, types
from starplat.frontend.walk import children
from starplat.operators.canonical import rebuilding, unread
from starplat.operators.canonical.searches.levels import above
from starplat.operators.canonical.searches.stores import compared, says
from starplat.same import Same

_FAR = 1 << 20
_FLAGS = types.PropertyType(types.Carrier.NODE, types.Scalar.BOOL)


def without_reached(body: typed.Block) -> typed.Block:
    """A function's body without such flags, of those that it declares."""
    declared = [s.symbol for s in walk.statements(body) if isinstance(s, typed.Declare) and s.symbol.type == _FLAGS]
    for flag in declared:
        for level in _beside(body, flag):
            if _Pair(body, flag, level).is_kept():
                return without_reached(_replaced(body, flag, level))
    return body


def _beside(body: typed.Block, flag: typed.Symbol) -> list[typed.Symbol]:
    """The properties of integers that are stored in a block in which the flag is."""
    blocks = [s.statements for s in walk.statements(body) if isinstance(s, typed.Block)]
    given = [stores for stores in blocks if any(_stored(s) is flag for s in stores)]
    levels = (_stored(s) for stores in given for s in stores)
    return list(dict.fromkeys(at for at in levels if at is not None and at.property.element is types.Scalar.INT))


def _stored(s: typed.Statement) -> typed.Symbol | None:
    """The property of nodes in a cell of which a statement stores a value."""
    if not isinstance(s, typed.Assign) or not isinstance(s.place, typed.Cell):
        return None
    kind = s.place.symbol.type
    return s.place.symbol if isinstance(kind, types.PropertyType) and kind.carrier is types.Carrier.NODE else None


@dataclass(frozen=True)
class _Pair:
    """A flag and a property that may say the same in a function's body."""

    body: typed.Block
    flag: typed.Symbol
    level: typed.Symbol

    def is_kept(self) -> bool:
        """Whether the flag holds where the cell is not INF, wherever it is asked."""
        for block in (s for s in walk.statements(self.body) if isinstance(s, typed.Block)):
            at = [place for place, s in enumerate(block.statements) if self._fills(s)]
            if at:
                return self._begin_together(block, at) and self._go_together()
        return False

    def _fills(self, s: typed.Statement) -> bool:
        return isinstance(s, typed.Attach) and any(symbol in (self.flag, self.level) for symbol, _ in s.items)

    def _begin_together(self, block: typed.Block, at: Sequence[int]) -> bool:
        """Whether a block fills both, nothing touches them between, nor any of them elsewhere but behind that."""
        fills = block.statements[at[0] : at[-1] + 1]
        items = [item for s in fills if isinstance(s, typed.Attach) for item in s.items]
        begun = {symbol: value for symbol, value in items if symbol in (self.flag, self.level)}
        both = begun.get(self.flag) == typed.FALSE and begun.get(self.level) == typed.Infinity(types.Scalar.INT)
        once = sum(symbol in begun for symbol, _ in items) == 2
        behind = {Same(i) for s in block.statements[at[0] :] for i in walk.statements(s)}
        ahead = (s for s in walk.statements(self.body) if Same(s) not in behind)
        touched = any(self.flag in walk.read(s) or self._writes(s) for s in ahead if not self._declares(s))
        between = any(self._touches(i) for s in fills if not self._fills(s) for i in walk.statements(s))
        copied = any(value in (self.flag, self.level) for _, value in items)
        return both and once and not touched and not between and not copied

    def _go_together(self) -> bool:
        """Whether all stores but the fills are of both of a node's cells, one beside the other."""
        paired: set[Same] = set()
        for found in guarded(self.body):
            s = found.statement
            if isinstance(s, typed.Assign) and _stored(s) is self.level and Same(s) not in paired:
                other = self._other(s, found.beside)
                if other is None or not self._is_number(s.value, found.conditions):
                    return False
                paired |= {Same(s), Same(other)}
        writers = [s for s in walk.statements(self.body) if self._writes(s) and not self._declares(s)]
        whole = [s for s in walk.statements(self.body) if self._asks_whole(s)]
        return not whole and all(Same(s) in paired or self._fills(s) for s in writers)

    def _other(self, s: typed.Assign, beside: Sequence[typed.Statement]) -> typed.Statement | None:
        """The store of the flag that goes with a store of the level: nothing between them asks for either."""
        at = next(place for place, other in enumerate(beside) if other is s)
        for way in (beside[at + 1 :], beside[:at][::-1]):
            for other in way:
                if isinstance(other, typed.Assign) and _stored(other) is self.flag:
                    place = other.place
                    same = isinstance(place, typed.Cell) and typed.Cell(self.level, place.index) == s.place
                    if same and other.value == typed.TRUE:
                        return other
                if not isinstance(other, typed.Assign | typed.Declare) or self._touches(other) or _calls(other):
                    break
                if any(mentions(index, {*walk.written(other)}) for index in children(s.place)):
                    break
        return None

    def _is_number(self, value: typed.Expression, conditions: Sequence[typed.Expression]) -> bool:
        """Whether a value that is stored is not INF: numbers are taken not to come near it by counting."""
        while isinstance(value, typed.Binary) and value.operator is typed.Operator.ADD:
            if not isinstance(value.right, typed.Literal):
                value = replace(value, left=value.right, right=value.left)
            if not _is_small(value.right):
                return False
            value = value.left
        match value:
            case typed.Literal():
                return _is_small(value)
            case typed.Variable(symbol):
                return self._is_counter(symbol)
            case typed.Cell(symbol, index) if symbol is self.level:
                return any(self._says_reached(c, value, typed.Cell(self.flag, index)) for c in conditions)
        return False

    def _says_reached(self, condition: typed.Expression, level: typed.Cell, flag: typed.Cell) -> bool:
        other = compared(condition, level)
        number = other is not None and not isinstance(other, typed.Cell) and self._is_number(other, ())
        return number or says(condition, flag, True) or leaves_out_end(condition, level, typed.Extreme.MIN)

    def _is_counter(self, symbol: typed.Symbol) -> bool:
        """Whether a local is only ever given a number, or counts from it."""
        own = typed.Variable(symbol)
        writers = [s for s in walk.statements(self.body) if symbol in walk.written(s) or walk.declares(s, symbol)]

        def counts(s: typed.Statement) -> bool:
            match s:
                case typed.Declare(value=value) | typed.Assign(typed.Variable(), value):
                    return _is_small(value) or (value is not None and abs(above(value, own) or _FAR) < _FAR)
                case typed.Update(combine=typed.Combine.ADD, value=value):
                    return _is_small(value)
            return False

        return symbol.role is typed.Role.LOCAL and bool(writers) and all(counts(s) for s in writers)

    def _touches(self, s: typed.Statement) -> bool:
        return self._writes(s) or any(mentions(value, {self.flag, self.level}) for value in walk.expressions(s))

    def _writes(self, s: typed.Statement) -> bool:
        return any(symbol in (self.flag, self.level) for symbol in walk.written(s))

    def _declares(self, s: typed.Statement) -> bool:
        return isinstance(s, typed.Declare) and s.symbol in (self.flag, self.level)

    def _asks_whole(self, s: typed.Statement) -> bool:
        """Whether a statement takes the flag as a whole, and not a node's, or is about when to end by it."""
        cells = sum(isinstance(part, typed.Cell) and part.symbol is self.flag for part in walk.own_parts(s))
        filled = sum(value is self.flag for _, value in s.items) if isinstance(s, typed.Attach) else 0
        asked = [symbol for symbol in walk.read(s) if symbol is self.flag]
        if isinstance(s, typed.FixedPoint) and cells:
            return True
        return filled > 0 or len(asked) > cells


def _is_small(value: typed.Expression | None) -> bool:
    """Whether a value is a number from which counting does not come to INF."""
    return isinstance(value, typed.Literal) and abs(value.value) < _FAR


def _calls(s: typed.Statement) -> bool:
    parts = walk.own_parts(s)
    return any(isinstance(part, typed.Call | typed.Incremented) for part in parts)


def _replaced(body: typed.Block, flag: typed.Symbol, level: typed.Symbol) -> typed.Block:
    """The body with the question in place of the flag, which nothing stores any more."""

    def change(part: Any) -> Any:
        match part:
            case typed.Unary() | typed.Binary() | typed.Cell():
                return _asked(part, flag, level)
        return None

    return rebuilding.rebuilt(unread.without_stores(body, {flag}), change)


def _asked(part: typed.Expression, flag: typed.Symbol, level: typed.Symbol) -> typed.Expression | None:
    """What asks whether a cell is INF, of a part that asks one flag; None for any other."""
    cells = [inner for inner in walk.within(part) if isinstance(inner, typed.Cell) and inner.symbol is flag]
    truth = next((t for t in (True, False) if len(cells) == 1 and says(part, cells[0], t)), None)
    if truth is None:
        return None
    operator = typed.Operator.NOT_EQUAL if truth else typed.Operator.EQUAL
    own, none = typed.Cell(level, cells[0].index, span=part.span), typed.Infinity(types.Scalar.INT, span=part.span)
    return typed.Binary(operator, own, none, types.Scalar.BOOL, span=part.span)
