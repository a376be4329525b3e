"""Tests whether a scalar of the host only increases, finds its lower bound, and whether a property is filled at once.

Integers are assumed not to overflow; `run --checked` reports it if they do.
"""

from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import PropertyType


def only_rises(symbol: typed.Symbol, s: typed.Statement) -> bool:
    """Whether a statement only adds positive constants to a scalar."""
    return all(added(i) is not None for i in walk.statements(s) if symbol in walk.written(i))


def added(s: typed.Statement) -> int | None:
    """The positive constant that a statement adds to its place; None if it does anything else."""
    match s:
        case typed.Update(combine=typed.Combine.ADD, value=value):
            amount = number(value)
            return amount if amount is not None and amount > 0 else None
    return None


def number(value: typed.Expression | None) -> int | None:
    """The value of an integer constant; None for others."""
    match value:
        case typed.Literal(bool()):
            return None
        case typed.Literal(int() as constant):
            return constant
        case typed.Convert(operand):
            return number(operand)
        case typed.Unary(typed.UnaryOperator.NEGATE, operand):
            constant_ = number(operand)
            return None if constant_ is None else -constant_
    return None


def least(symbol: typed.Symbol, body: typed.Statement) -> int | None:
    """The lower bound of a local scalar that is set to constants and otherwise only increases; None for others."""
    given: list[int | None] = []
    for s in walk.statements(body):
        match s:
            case typed.Declare(declared, value) if declared is symbol:
                given.append(0 if value is None else number(value))
            case typed.CountedLoop(symbol=counter, first=value) if counter is symbol:
                given.append(number(value))
            case typed.Assign(place, value) if place == typed.Variable(symbol):
                given.append(number(value))
            case _ if symbol in walk.written(s) and added(s) is None:
                return None
    numbers = [first for first in given if first is not None]
    is_local = symbol.role is typed.Role.LOCAL
    return min(numbers, default=None) if is_local and len(numbers) == len(given) else None


def is_filled(s: typed.Declare, body: typed.Block) -> bool:
    """Whether a property is filled before anything else is done."""
    blocks = (b for b in walk.statements(body) if isinstance(b, typed.Block))
    block = next(b for b in blocks if any(i is s for i in b.statements))
    place = next(i for i, other in enumerate(block.statements) if other is s)
    for other in block.statements[place + 1 :]:
        match other:
            case typed.Attach(items=items) if any(symbol is s.symbol for symbol, _ in items):
                return all(value is not s.symbol for _, value in items)
            case typed.Attach(items=items):
                if any(value is s.symbol for _, value in items):
                    return False
            case typed.Declare():
                pass
            case _:
                return False
    return False


def element(symbol: typed.Symbol) -> Any:
    """The type of a scalar, or of a property's cells."""
    return symbol.type.element if isinstance(symbol.type, PropertyType) else symbol.type
