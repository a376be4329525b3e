"""What cells hold when a loop begins: one value for all, and others for some that are set one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.operators.canonical.hosts import Known


@dataclass(frozen=True)
class Begun:
    """The value of all cells but of those that are set one by one."""

    fill: typed.Expression
    set: tuple[tuple[typed.Expression, typed.Expression], ...]


def begun_with(symbol: typed.Symbol, before: Sequence[typed.Statement]) -> Begun | None:
    """What cells hold after some statements; None where that is not all known, or an index has changed since."""
    found: Begun | None = None
    for s in before:
        written = {w for inner in walk.statements(s) for w in walk.written(inner)}
        match s:
            case typed.Attach(items=items) if symbol in written:
                (value,) = (value for target, value in items if target is symbol)
                found = None if isinstance(value, typed.Symbol) else Begun(value, ())
            case typed.Assign(place=typed.Cell(symbol=target, index=index), value=value) if target is symbol:
                found = None if found is None else Begun(found.fill, (*found.set, (index, value)))
            case _ if symbol in written:
                found = None
            case _ if found is not None:
                indices = {index.symbol for index, _ in found.set if isinstance(index, typed.Variable)}
                found = None if indices & written else found
            case _:
                pass
    return found


def worst(
    symbol: typed.Symbol, extreme: typed.Extreme, before: Sequence[typed.Statement], known: Known
) -> typed.Expression | None:
    """The value that all cells are filled with, if none is given a worse one before a loop that only makes them better
    by `Min` or `Max`."""
    begun = begun_with(symbol, before)
    fill = None if begun is None else order(begun.fill)
    if begun is None or fill is None:
        return None
    sign = 1 if extreme is typed.Extreme.MAX else -1
    given = [order(constant(value, known)) for _, value in begun.set]
    return begun.fill if all(value is not None and sign * value >= sign * fill for value in given) else None


def order(value: typed.Expression) -> float | None:
    """A constant as a number."""
    match value:
        case typed.Infinity(negative=negative):
            return -math.inf if negative else math.inf
        case typed.Literal(value=number):
            return number
        case _:
            return None


def constant(value: typed.Expression, known: Known) -> typed.Expression:
    """A variable as the number that it holds: the loop that counted it up is gone."""
    match value:
        case typed.Variable(symbol=symbol) if symbol in known:
            return typed.Literal(known[symbol], symbol.scalar, span=value.span)
        case _:
            return value
