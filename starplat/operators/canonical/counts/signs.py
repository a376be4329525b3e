"""Replaces a comparison with 0 by one with -1, for properties whose cells are never below -1.

if (v.core < 0) { ... }                               if (v.core == -1) { ... }
"""

from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED
from starplat.frontend import typed, types
from starplat.operators.canonical import rebuilding, rising
from starplat.operators.canonical.counts.members import NUMBER

_SAYS = {
    (typed.Operator.LESS, 0): typed.Operator.EQUAL,
    (typed.Operator.LESS_EQUAL, -1): typed.Operator.EQUAL,
    (typed.Operator.GREATER_EQUAL, 0): typed.Operator.NOT_EQUAL,
    (typed.Operator.GREATER, -1): typed.Operator.NOT_EQUAL,
}
"""The comparison with -1 that is equivalent to a comparison with a number."""


def compared_with_none(body: typed.Block) -> typed.Block:
    """A function's body with such comparisons replaced."""
    values = [value for s in walk.statements(body) for value in walk.expressions(s)]
    found = [_compared(part) for value in values for part in walk.within(value)]
    signed = {cell.symbol for known in found if known is not None for cell in known[:1]}
    signed = {symbol for symbol in signed if symbol.type == NUMBER and _is_none_or_more(symbol, body)}

    def change(part: Any) -> Any:
        if (known := _compared(part)) is None or known[0].symbol not in signed:
            return None
        cell, operator = known
        none = typed.Literal(-1, types.Scalar.INT, span=part.span)
        return typed.Binary(operator, rebuilding.rebuilt(cell, change), none, types.Scalar.BOOL, span=part.span)

    return rebuilding.rebuilt(body, change) if signed else body


def _compared(part: Any) -> tuple[typed.Cell, typed.Operator] | None:
    match part:
        case typed.Binary(operator, typed.Cell() as cell, right) if operator in MIRRORED:
            found = _SAYS.get((operator, _number(right)))
        case typed.Binary(operator, left, typed.Cell() as cell) if operator in MIRRORED:
            found = _SAYS.get((MIRRORED[operator], _number(left)))
        case _:
            return None
    return None if found is None else (cell, found)


def _number(value: typed.Expression) -> int:
    """The value of a constant; 1, which is in no row of `_SAYS`, for others."""
    constant = rising.number(value)
    return 1 if constant is None else constant


def _is_none_or_more(symbol: typed.Symbol, body: typed.Block) -> bool:
    """Whether the cells of an integer property are never below -1, from the first statement that touches it."""
    touched = [s for s in body.statements if walk.touches(s, symbol)]
    filled = symbol.role is typed.Role.LOCAL or isinstance(touched[0], typed.Attach)
    return filled and all(_keeps(s, symbol, body) for s in walk.statements(body) if symbol in walk.written(s))


def _keeps(s: typed.Statement, symbol: typed.Symbol, body: typed.Block) -> bool:
    match s:
        case typed.Attach(items=items):
            values = [value for filled, value in items if filled is symbol]
        case typed.Assign(typed.Cell(), value):
            values = [value]
        case _:
            return False
    lowest = [
        rising.least(v.symbol, body)
        if isinstance(v, typed.Variable)
        else rising.number(v)
        if isinstance(v, typed.Expression)
        else None
        for v in values
    ]
    return all(at_least is not None and at_least >= -1 for at_least in lowest)
