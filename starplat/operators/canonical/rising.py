"""Finds the lower bound of a scalar that only increases, whether a property is filled at once, and which symbols are
linked.

Integers are assumed not to overflow; `run --checked` reports it if they do.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import PropertyType


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
    """Whether a property is filled, in the block that declares it, before anything else is done with it."""
    blocks = (b.statements for b in walk.statements(body) if isinstance(b, typed.Block))
    block = next(statements for statements in blocks if any(i is s for i in statements))
    place = next(i for i, other in enumerate(block) if other is s)
    first = next((other for other in block[place + 1 :] if walk.touches(other, s.symbol)), None)
    return isinstance(first, typed.Attach) and all(value is not s.symbol for _, value in first.items)


def element(symbol: typed.Symbol) -> Any:
    """The type of a scalar, or of a property's cells."""
    return symbol.type.element if isinstance(symbol.type, PropertyType) else symbol.type


def connected(
    symbols: Iterable[typed.Symbol], linked: Mapping[typed.Symbol, Set[typed.Symbol]]
) -> Iterator[set[typed.Symbol]]:
    """The groups of symbols that are linked with each other, directly or through others."""
    found: set[typed.Symbol] = set()
    for first in symbols:
        group, waiting = set[typed.Symbol](), [] if first in found else [first]
        while waiting:
            if (symbol := waiting.pop()) not in group:
                group.add(symbol)
                waiting += linked.get(symbol, ())
        if group:
            yield group
        found |= group
