"""Typed tree: changes of lists, and loops over their elements. Lists are the host's: none of this is in a `forall`,
but a `forall` may go over a list."""

from dataclasses import dataclass
from enum import Enum

from starplat.frontend.typed import expressions, symbols


class ListChange(Enum):
    """What changes the number of a list's elements, with its arguments."""

    PUSH = "push"  # a value, behind the last
    INSERT = "insert"  # an INT and a value, which stands there then: at most the number of elements
    RESIZE = "resize"  # an INT and the value of new elements: the last ones go, or new ones come behind them
    CLEAR = "clear"
    COPY = "="  # a `WholeList`


@dataclass(frozen=True, slots=True)
class ChangeList(symbols.Node):
    """`symbol.push(value)` and the like."""

    symbol: symbols.Symbol
    change: ListChange
    arguments: tuple[expressions.Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """The elements of a list in their order, as they are when the loop begins."""

    symbol: symbols.Symbol
