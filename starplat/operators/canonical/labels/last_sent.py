"""Values that nodes keep as the last that they sent are flags of nodes whose value is better by now.

if (v.dist < v.sent) {                                if (v.unsent) {
  v.sent = v.dist;                                      v.unsent = False;
  forall (w in g.neighbors(v)) {                        forall (w in g.neighbors(v)) {
    w.dist = Min(w.dist, v.dist + 1);                     <w.dist, w.unsent> = <Min(w.dist, v.dist + 1), True>;
  }                                                     }
}                                                     }

Both begin with one constant, cells are set to better ones, and then only lowered by Min, or only raised by Max: so no
cell is worse than what was sent, and better from when it wins to when it is sent. A node that keeps what it sends in a
local reads it after its flag is cleared, so that a value which comes in between is sent in another turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED, mentions
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, rebuilding
from starplat.operators.canonical.extremes import as_extremes
from starplat.operators.canonical.rising import is_filled
from starplat.operators.canonical.searches.initial_values import order
from starplat.same import Same

_BETTER = {typed.Operator.LESS: typed.Extreme.MIN, typed.Operator.GREATER: typed.Extreme.MAX}


def with_flags_for_sent(body: typed.Block) -> typed.Block:
    """A function's body with such flags."""
    for s in walk.statements(body):
        match s:
            case typed.Declare(sent) if _is_kept(sent) and is_filled(s, body) and (found := _read(sent, body)):
                return with_flags_for_sent(found)
    return body


def _is_kept(symbol: typed.Symbol) -> bool:
    kind = symbol.type
    return isinstance(kind, PropertyType) and kind.carrier is Carrier.NODE and kind.element in (Scalar.INT, Scalar.LONG)


def _read(sent: typed.Symbol, body: typed.Block) -> typed.Block | None:
    """The body with a flag in place of what was sent, if that is what a property holds."""
    body = _stored_first(body, sent)
    parts = walk.all_parts(body)
    values = {found[0].symbol for part in parts if (found := _compared(part, sent)) is not None}
    if len(values) != 1:
        return None
    (value,) = values
    compared = as_extremes(body)
    writers = list(walk.writers(value, compared))
    extremes = {s.extreme for s in writers if isinstance(s, typed.AssignExtreme) and s.place.symbol is value}
    carried = {c.place.symbol for s in writers if isinstance(s, typed.AssignExtreme) for c in s.carried}
    lent = any(value in call.arguments for call in walk.calls(body))
    if len(extremes) != 1 or value.type != sent.type or value in carried or lent:
        return None
    made = _Flags(sent, value, extremes.pop())
    changed = rebuilding.rebuilt(compared, made.of)
    inside = list(walk.statements(changed))
    left = any(sent in (*walk.read(s), *walk.written(s), *walk.declared(s)) for s in inside)
    return None if left or any(Same(s) not in made.followed for s in writers) else changed


def _compared(part: Any, sent: typed.Symbol) -> tuple[typed.Cell, typed.Operator] | None:
    """The cell that a comparison has on the left of what its node sent last."""
    match part:
        case typed.Binary(how, typed.Cell() as value, typed.Cell(symbol) as last) if (
            symbol is sent and value.index == last.index and value.symbol is not sent
        ):
            return value, how
        case typed.Binary(how, typed.Cell(symbol) as last, typed.Cell() as value) if (
            symbol is sent and how in MIRRORED and value.index == last.index and value.symbol is not sent
        ):
            return value, MIRRORED[how]
    return None


def _stored_first(body: typed.Block, sent: typed.Symbol) -> typed.Block:
    """The body with locals that hold what is sent read behind the store of it:

    int mine = v.dist;                                if (v.dist < v.sent) {
    if (mine < v.sent) { ... v.sent = mine; }           v.sent = v.dist; int mine = v.dist; ...
                                                      }
    """

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        statements = list(part.statements)
        for place in reversed(range(len(statements))):
            match statements[place]:
                case typed.Declare(local, typed.Cell(index=typed.Variable())) as declared:
                    statements[place:] = _behind_store(declared, local, statements[place + 1 :], sent)
        return replace(part, statements=tuple(rebuilding.rebuilt(s, change) for s in statements))

    return rebuilding.rebuilt(body, change)


def _behind_store(
    declared: typed.Declare, local: typed.Symbol, rest: list[typed.Statement], sent: typed.Symbol
) -> list[typed.Statement]:
    """The declaration of a local and what follows in its block, with the store of what was sent in front of it."""
    assert isinstance(declared.value, typed.Cell)
    value = declared.value
    match rest:
        case [typed.If(otherwise=None) as branch] if any(
            mentions(part, {local}) and mentions(part, {sent}) for part in walk.within(branch.condition)
        ):
            condition = effects.forwarded(branch.condition, {local: value})
            then = replace(branch.then, statements=(declared, *branch.then.statements))
            return [replace(branch, condition=condition, then=then)]
    touching = [s for s in rest if walk.touches(s, sent)]
    match touching:
        case [typed.Assign(place, typed.Variable(of)) as store] if (
            of is local
            and place == typed.Cell(sent, value.index)
            and not walk.all_written(*rest) & {local, value.index}
        ) and not any(walk.leaves(s) for s in rest):
            return [replace(store, value=value), declared, *(s for s in rest if s is not store)]
    return [declared, *rest]


@dataclass
class _Flags:
    """Puts a flag in place of what nodes `sent` last of their `value`; `followed` are the writers of values for which
    the flag says as before whether the value is better."""

    sent: typed.Symbol
    value: typed.Symbol
    extreme: typed.Extreme
    followed: set[Same] = field(default_factory=set)
    flag: typed.Symbol = field(init=False)

    def __post_init__(self) -> None:
        kind = PropertyType(Carrier.NODE, Scalar.BOOL)
        self.flag = replace(self.sent, name=f"un{self.sent.name}", type=kind)

    def of(self, part: Any) -> Any:
        match part:
            case typed.Declare(symbol) if symbol is self.sent:
                return replace(part, symbol=self.flag)
            case typed.Binary() if (found := _compared(part, self.sent)) is not None and self._asks(*found):
                return typed.Cell(self.flag, found[0].index, span=part.span)
            case typed.Assign(typed.Cell(symbol, index), value) if symbol is self.sent:
                is_sent = value == typed.Cell(self.value, index)
                return Builder(part.span).assign(replace(part.place, symbol=self.flag), False) if is_sent else None
            case typed.AssignExtreme(place=typed.Cell(symbol, index), carried=carried) if (
                symbol is self.value and part.extreme is self.extreme
            ):
                self.followed.add(Same(part))
                unsent = Builder(part.span).carried(typed.Cell(self.flag, index, span=part.span), True)
                return replace(part, carried=(*carried, unsent))
            case typed.Block(statements):
                return replace(part, statements=tuple(self._block(statements)))
        return None

    def _asks(self, value: typed.Cell, how: typed.Operator) -> bool:
        return value.symbol is self.value and (how is typed.Operator.NOT_EQUAL or _BETTER.get(how) is self.extreme)

    def _block(self, statements: tuple[typed.Statement, ...]) -> Iterator[typed.Statement]:
        """The statements of a block, the flag filled with what it compares, and set with better values."""
        filled: float | None = None
        begun: dict[typed.Symbol, typed.Expression | typed.Symbol] = {}
        fills: list[Same] = []
        for s in statements:
            match s:
                case typed.Attach(items=items) if {self.sent, self.value} & {symbol for symbol, _ in items}:
                    begun |= {symbol: value for symbol, value in items if symbol in (self.sent, self.value)}
                    fills.append(Same(s))
                    filled = self._filled(begun)
                    self.followed |= set() if filled is None else set(fills)
                    none = Builder(s.span).truth(False)
                    kept = tuple((self.flag, none) if i[0] is self.sent else i for i in items)
                    yield s if filled is None else replace(s, items=kept)
                case typed.Assign(typed.Cell(symbol, index), value) if (
                    symbol is self.value and filled is not None and self._is_better(value, filled)
                ):
                    self.followed.add(Same(s))
                    yield from (s, Builder(s.span).assign(typed.Cell(self.flag, index, span=s.span), True))
                    begun, fills = {}, []
                case _:
                    if walk.touches(s, self.sent) or walk.touches(s, self.value):
                        filled, begun, fills = None, {}, []
                    yield rebuilding.rebuilt(s, self.of)

    def _filled(self, begun: dict[typed.Symbol, typed.Expression | typed.Symbol]) -> float | None:
        """The constant that both begin with."""
        value, sent = begun.get(self.value), begun.get(self.sent)
        return order(value) if isinstance(value, typed.Expression) and value == sent else None

    def _is_better(self, value: typed.Expression, filled: float) -> bool:
        given = order(value)
        return given is not None and (given < filled if self.extreme is typed.Extreme.MIN else given > filled)
