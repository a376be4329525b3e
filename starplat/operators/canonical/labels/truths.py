"""Numbers that only say one of two things are flags.

propNode<int> seen;                                   propNode<bool> seen;
g.attachNodeProperty(seen = 0);                       g.attachNodeProperty(seen = False);
... if (w.seen == 0) { w.seen = 1; } ...              ... if (!w.seen) { w.seen = True; } ...

propNode<node> parent;                                propNode<bool> parent;
g.attachNodeProperty(parent = -1);                    g.attachNodeProperty(parent = False);
... if (w.parent == -1) { w.parent = v; } ...         ... if (!w.parent) { w.parent = True; } ...

found += v.seen;                                      if (v.seen) { found += 1; }

if (v.parent) { v.r = True; }                         v.r = v.parent;
else { v.r = False; }
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical.labels.numbers import Truth, constant, plain, question, summed, truths
from starplat.operators.canonical.rebuilding import rebuilt


def as_truths(body: typed.Block) -> typed.Block:
    """A function's body with flags in the place of such numbers."""
    if not (found := truths(body)):
        return body
    flags = {symbol: replace(symbol, type=_flag(symbol.type)) for symbol in found}
    return rebuilt(rebuilt(body, _Change(found, flags).of), _chosen)


@dataclass(frozen=True)
class _Change:
    """Takes flags for numbers."""

    truths: Mapping[typed.Symbol, Truth]
    flags: Mapping[typed.Symbol, typed.Symbol]

    def of(self, part: Any) -> Any:
        match part:
            case typed.Symbol():
                return self.flags.get(part)
            case typed.Declare(symbol, value) if symbol in self.flags:
                given = None if value is None else self._value(symbol, value)
                return replace(part, symbol=self.flags[symbol], value=given)
            case typed.AssignExtreme(place=place) if place.symbol in self.flags:
                return self._offer(part)
            case typed.Assign(place, value) if place.symbol in self.flags:
                return replace(part, place=rebuilt(place, self.of), value=self._value(place.symbol, value))
            case typed.Carried(place, value) if place.symbol in self.flags:
                return replace(part, place=rebuilt(place, self.of), value=self._value(place.symbol, value))
            case typed.Update(typed.Combine.ADD, place, value) if (
                added := summed(value)
            ) is not None and added.symbol in self.flags:
                build, kind = Builder(part.span), typed.scalar_of(value)
                one = replace(part, place=rebuilt(place, self.of), value=build.number(1, kind))
                return build.when(rebuilt(added, self.of), one)
            case typed.Aggregate(typed.Aggregation.SUM, symbol) if symbol in self.flags:
                return replace(part, aggregation=typed.Aggregation.COUNT, property=self.flags[symbol])
            case typed.Attach(items=items):
                return replace(part, items=tuple(self._item(*item) for item in items))
            case typed.Convert() | typed.Binary():
                found = question(part)
                return None if found is None or found[0].symbol not in self.flags else self._answer(*found)
        return None

    def _item(self, symbol: typed.Symbol, value: Any) -> tuple[typed.Symbol, Any]:
        if symbol not in self.flags or isinstance(value, typed.Symbol):
            return self.flags.get(symbol, symbol), rebuilt(value, self.of)
        return self.flags[symbol], self._value(symbol, value)

    def _value(self, symbol: typed.Symbol, value: typed.Expression) -> typed.Expression:
        """A value that is stored, as what it says."""
        none = self.truths[symbol].none
        match plain(value):
            case typed.Conditional(condition, then, otherwise):
                one, other = (self._value(symbol, v) for v in (then, otherwise))
                return typed.Conditional(rebuilt(condition, self.of), one, other, span=value.span)
            case typed.Variable(of) | typed.Cell(of) if of in self.flags:
                return rebuilt(plain(value), self.of)
            case _ if (known := constant(value)) is not None:
                return _literal(known != none, value)
            case typed.Convert(operand) if operand.type is types.Scalar.BOOL:
                converted = rebuilt(operand, self.of)
                return converted if none == 0 else _not(converted)
        return _literal(True, value)

    def _answer(self, place: typed.Place, operator: typed.Operator, other: float) -> typed.Expression:
        """A comparison, as what it says of the flag."""
        says = self.truths[place.symbol].says(operator, other)
        assert says is not None
        of_none, of_others = says
        flag = rebuilt(place, self.of)
        return _literal(of_none, place) if of_none == of_others else flag if of_others else _not(flag)

    def _offer(self, s: typed.AssignExtreme) -> typed.Statement:
        """What a `Min` or `Max` does to a flag: one truth wins over the other."""
        truth = self.truths[s.place.symbol]
        winner = (s.extreme is typed.Extreme.MAX) == (truth.others[0] > truth.none)
        place, value = rebuilt(s.place, self.of), self._value(s.place.symbol, s.candidate)
        offered, lacks = (value, _not(place)) if winner else (_not(value), place)
        build = Builder(s.span)
        carried = (typed.Assign(c.place, c.value, span=c.span) for c in rebuilt(s.carried, self.of))
        condition = lacks if value == _literal(winner, value) else build.both(offered, lacks)
        return build.when(condition, build.assign(place, _literal(winner, s.candidate)), *carried)


def _chosen(part: Any) -> Any:
    """A truth that decides which truth is stored is stored itself."""
    match part:
        case typed.If(
            condition,
            typed.Block((typed.Assign(place, typed.Literal(bool() as one)) as s,)),
            typed.Block((typed.Assign(same, typed.Literal(bool() as other)),)),
        ) if place == same and one is not other:
            return replace(s, value=condition if one else _not(condition))
        case typed.Conditional(condition, typed.Literal(bool() as one), typed.Literal(bool() as other)) if (
            one is not other
        ):
            return condition if one else _not(condition)
    return None


def _flag(kind: Any) -> Any:
    return replace(kind, element=types.Scalar.BOOL) if isinstance(kind, types.PropertyType) else types.Scalar.BOOL


def _not(value: typed.Expression) -> typed.Expression:
    return Builder(value.span).negated(value)


def _literal(value: bool, at: typed.Expression) -> typed.Literal:
    return typed.Literal(value, types.Scalar.BOOL, span=at.span)
