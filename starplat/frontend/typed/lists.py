"""Typed tree: changes of lists, and loops over their elements. Lists are the host's: none of this is in a `forall`,
but a `forall` may go over a list."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from starplat.frontend.typed.expressions import Expression
from starplat.frontend.typed.symbols import Node, Symbol


class ListChange(Enum):
    """What changes the number of a list's elements, with its arguments."""

    PUSH = "push"  # a value, behind the last
    INSERT = "insert"  # an INT and a value, which stands there then: at most the number of elements
    RESIZE = "resize"  # an INT and the value of new elements: the last ones go, or new ones come behind them
    CLEAR = "clear"
    COPY = "="  # a `WholeList`


@dataclass(frozen=True, slots=True)
class ChangeList(Node):
    """`symbol.push(value)` and the like."""

    symbol: Symbol
    change: ListChange
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """The elements of a list in their order, as they are when the loop begins."""

    symbol: Symbol
