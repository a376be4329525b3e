"""Tests whether a scalar of the host only rises, and from which number on.

Whole numbers are taken not to wrap: that is for `--checked` to find.
"""

from __future__ import annotations

from starplat.analysis import walk
from starplat.frontend import typed


def only_rises(symbol: typed.Symbol, s: typed.Statement) -> bool:
    """Whether a statement does nothing to a scalar but to add numbers above 0."""
    return all(added(i) is not None for i in walk.statements(s) if symbol in walk.written(i))


def added(s: typed.Statement) -> int | None:
    """The number above 0 that a statement adds to its place; None if it does anything else."""
    match s:
        case typed.Update(combine=typed.Combine.ADD, value=value):
            amount = number(value)
            return amount if amount is not None and amount > 0 else None
        case _:
            return None


def number(value: typed.Expression | None) -> int | None:
    """The whole number that a value is, if it is a constant."""
    match value:
        case typed.Literal(value=bool()):
            return None
        case typed.Literal(value=int() as constant):
            return constant
        case typed.Convert(operand=operand):
            return number(operand)
        case typed.Unary(operator=typed.UnaryOperator.NEGATE, operand=operand):
            constant_ = number(operand)
            return None if constant_ is None else -constant_
        case _:
            return None


def least(symbol: typed.Symbol, body: typed.Statement) -> int | None:
    """The least that a local scalar ever holds, if it is given constants and only rises from there."""
    given: list[int | None] = []
    for s in walk.statements(body):
        match s:
            case typed.Declare(symbol=declared, value=value) if declared is symbol:
                given.append(0 if value is None else number(value))
            case typed.CountedLoop(symbol=counter, first=value) if counter is symbol:
                given.append(number(value))
            case typed.Assign(place=place, value=value) if place == typed.Variable(symbol):
                given.append(number(value))
            case _ if symbol in walk.written(s) and added(s) is None:
                return None
            case _:
                pass
    numbers = [first for first in given if first is not None]
    is_local = symbol.role is typed.Role.LOCAL
    return min(numbers, default=None) if is_local and len(numbers) == len(given) else None
