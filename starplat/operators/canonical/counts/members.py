"""Sets of nodes represented by the values of a property: tests of membership, and statements that change it."""

from collections.abc import Sequence
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators.canonical.rising import least, number

FLAG = PropertyType(Carrier.NODE, Scalar.BOOL)
NUMBER = PropertyType(Carrier.NODE, Scalar.INT)


@dataclass(frozen=True)
class Members:
    """The nodes whose cell holds a constant: True or False in a flag, an integer in another property."""

    symbol: typed.Symbol
    value: bool | int

    def joins(self, stored: typed.Expression, body: typed.Statement) -> bool | None:
        """True if a node is a member after this value is stored, False if it is not; None if that is unknown."""
        if self.symbol.type == FLAG:
            return stored.value == self.value if isinstance(stored, typed.Literal) else None
        if (held := number(stored)) is not None:
            return held == self.value
        lowest = least(stored.symbol, body) if isinstance(stored, typed.Variable) else None
        return False if lowest is not None and lowest > self.value else None


def member_of(condition: typed.Expression) -> tuple[typed.Cell, bool | int] | None:
    """The cell that a condition compares with a constant, and the constant."""
    match condition:
        case typed.Cell() if condition.type is Scalar.BOOL:
            return condition, True
        case typed.Unary(typed.UnaryOperator.NOT, typed.Cell() as cell) if cell.type is Scalar.BOOL:
            return cell, False
        case typed.Binary(typed.Operator.EQUAL, typed.Cell() as cell, right) if (
            cell.type is Scalar.INT and (held := number(right)) is not None
        ):
            return cell, held
    return None


def is_over_nodes(loop: typed.ForEach) -> bool:
    """Whether a loop is parallel over all nodes."""
    return loop.parallel and isinstance(loop.domain, typed.AllNodes)


def empties(s: typed.Statement, members: typed.Symbol) -> bool:
    """Whether a statement clears a flag of all nodes."""
    return isinstance(s, typed.Attach) and (members, typed.FALSE) in s.items


def filled_with(symbol: typed.Symbol, before: Sequence[typed.Statement]) -> typed.Expression | None:
    """The value of all cells of a property after some statements, if the last of them to write it is a fill."""
    last = [s for s in before if symbol in walk.all_written(s)][-1:]
    values = (value for s in last if isinstance(s, typed.Attach) for to, value in s.items if to is symbol)
    return next((value for value in values if isinstance(value, typed.Expression)), None)
