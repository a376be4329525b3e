"""Counters that are only asked whether they are 0 become flags.

long changes = 1;                                bool changes = True;
while (changes > 0) {                            while (changes) {
  changes = 0; ... changes += 1; ...               changes = False; ... changes = True; ...

So do those that they are copied to.
"""

from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.frontend.walk import children
from starplat.operators.canonical.rebuilding import rebuilt

_COMPARED = typed.Operator
_SAYS = {
    (_COMPARED.GREATER, 0): True,
    (_COMPARED.NOT_EQUAL, 0): True,
    (_COMPARED.GREATER_EQUAL, 1): True,
    (_COMPARED.EQUAL, 0): False,
    (_COMPARED.LESS_EQUAL, 0): False,
    (_COMPARED.LESS, 1): False,
}
"""What a comparison with a number says of a counter that never falls below 0: that it has counted, or has not."""


def as_flags(body: typed.Block) -> typed.Block:
    """A function's body with such counters as flags."""
    flags = {s: replace(s, type=types.Scalar.BOOL) for s in _counters(body)}
    if not flags:
        return body

    def said(value: typed.Expression) -> typed.Expression:
        copied, number = _copied(value), _number(value)
        if copied is not None:
            return typed.Variable(flags[copied], span=value.span)
        assert number is not None
        return typed.Literal(number > 0, types.Scalar.BOOL, span=value.span)

    def change(part: Any) -> Any:
        match part:
            case typed.Declare(symbol, value) if symbol in flags:
                return replace(part, symbol=flags[symbol], value=None if value is None else said(value))
            case typed.Assign(typed.Variable(symbol), value) if symbol in flags:
                return replace(part, place=typed.Variable(flags[symbol], span=part.place.span), value=said(value))
            case typed.Update(place=typed.Variable(symbol), value=value) if symbol in flags:
                return typed.Assign(typed.Variable(flags[symbol], span=part.place.span), said(value), span=part.span)
            case typed.Binary(left=typed.Variable(symbol)) if symbol in flags:
                flag = typed.Variable(flags[symbol], span=part.span)
                return flag if says_that_some(part) else typed.Unary(typed.UnaryOperator.NOT, flag, span=part.span)
        return None

    return rebuilt(body, change)


def _counters(body: typed.Block) -> set[typed.Symbol]:
    """Integer locals that are set to numbers from 0 on, counted up by numbers, copied to each other, and only compared
    as `_SAYS` says."""
    found = {
        s.symbol
        for s in walk.statements(body)
        if isinstance(s, typed.Declare) and isinstance(s.symbol.type, types.Scalar) and s.symbol.type.is_integer
    }
    counted: set[typed.Symbol] = set()
    copies: list[set[typed.Symbol]] = []
    for s in walk.statements(body):
        match s:
            case typed.Declare(to, value) | typed.Assign(typed.Variable(to), value) if (
                value is not None and (of := _copied(value)) is not None
            ):
                copies.append({to, of})
                continue
            case typed.Declare(symbol, value) if symbol in found:
                found -= set() if value is None or _number(value) is not None else {symbol}
            case typed.Assign(typed.Variable(symbol), value):
                found -= set() if _number(value) is not None else {symbol}
            case typed.Update(typed.Combine.ADD, typed.Variable(symbol), value):
                found -= set() if (_number(value) or 0) > 0 else {symbol}
                counted.add(symbol)
            case _:
                found -= set(walk.written(s))
        for value in walk.expressions(s):
            found -= _read_otherwise(value)
    while lost := {s for pair in copies if not pair <= found for s in pair & found}:
        found -= lost
    while more := {s for pair in copies if pair & counted for s in pair - counted}:
        counted |= more
    return found & counted


def _copied(value: typed.Expression) -> typed.Symbol | None:
    """The variable that a value is, as a whole number of 64 bits if it is one of 32."""
    while isinstance(value, typed.Convert) and value.type is types.Scalar.LONG:
        value = value.operand
    return value.symbol if isinstance(value, typed.Variable) else None


def _read_otherwise(value: typed.Expression) -> set[typed.Symbol]:
    """The variables in an expression but those that are only compared so."""
    match value:
        case typed.Variable(symbol):
            return {symbol}
        case typed.Binary(left=typed.Variable()) if says_that_some(value) is not None:
            return set()
        case _:
            called = value.arguments if isinstance(value, typed.Call) else ()
            lent = {a for a in called if isinstance(a, typed.Symbol)}
            return lent.union(*(_read_otherwise(part) for part in children(value)))


def says_that_some(value: typed.Binary) -> bool | None:
    """Whether a comparison of what never falls below 0 says that it is above, or that it is 0; None for others."""
    number = _number(value.right)
    return None if number is None else _SAYS.get((value.operator, number))


def _number(value: typed.Expression) -> int | None:
    """A whole number from 0 on."""
    while isinstance(value, typed.Convert):
        value = value.operand
    is_number = isinstance(value, typed.Literal) and isinstance(value.value, int) and value.value >= 0
    return int(value.value) if is_number and isinstance(value, typed.Literal) else None
