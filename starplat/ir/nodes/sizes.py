"""Sizes of arrays: expressions over the number of nodes, of arcs and of shares of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import ClassVar, NamedTuple, TypeVar

WORKERS = 64
"""Shares of work that needs memory of its own: enough for the cores of a CPU, a few for each."""

Made = TypeVar("Made")


class Count(Enum):
    """What sizes are made of."""

    NODES = "n"
    ARCS = "m"
    SLOTS = "s"  # as many as arcs; a slot is no arc's id
    HEADS = "h"  # of the arcs that lie on the device as heads of rows
    WORKERS = "k"
    UPDATES = "u"
    ITEMS = "l"  # of a list of the host, when it was last put on the device; before that, none


class Arithmetic(Enum):
    """How parts of a size are combined; a quotient is rounded down."""

    SUM = "+"
    PRODUCT = "*"
    QUOTIENT = "/"


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """The number of cells of an array, and by what they are indexed. Equal expressions are one object.

    >>> print((Extent.NODES + 31) // 32)
    (n + 31) / 32
    >>> (Extent.NODES // 32 + 1).cells(num_nodes=100, num_arcs=0)
    4
    """

    value: Count | int | tuple[Arithmetic, Extent, Extent]

    ONE: ClassVar[Extent]
    NODES: ClassVar[Extent]
    NODES_AND_ONE: ClassVar[Extent]
    ARCS: ClassVar[Extent]
    """A cell for every arc, by its id."""
    SLOTS: ClassVar[Extent]
    """A cell for every arc, by its slot in the rows of a layout."""
    HEADS: ClassVar[Extent]
    """A cell for every arc in the heads of rows, in one direction or the other: those of which there are more."""
    BITS: ClassVar[Extent]
    """Words of 32 bits, a bit for every node."""
    LAYER: ClassVar[Extent]
    """Words of 32 bits, a bit for every word of BITS."""
    WORKERS_BITS: ClassVar[Extent]
    """As many as BITS for each of the WORKERS."""
    UPDATES: ClassVar[Extent]
    """A cell for every update of a list, by its number."""
    ITEMS: ClassVar[Extent]
    """A cell for every element of a list of the host, by its place."""

    def __add__(self, more: Extent | int) -> Extent:
        return _extent((Arithmetic.SUM, self, more if isinstance(more, Extent) else _extent(more)))

    @property
    def cells_of_a_node(self) -> int:
        """How many cells each node has of an array that has several, indexed by 32-bit numbers; else 1."""
        match self.value:
            case (Arithmetic.PRODUCT, Extent(value=Count.NODES), Extent(value=int(cells))):
                return cells
        return 1

    @property
    def grows_with_arcs(self) -> bool:
        """Whether the number depends on that of the arcs."""
        return self.folded(
            lambda leaf: leaf in (Count.ARCS, Count.SLOTS, Count.HEADS), lambda _, left, right: left or right
        )

    def __floordiv__(self, share: int) -> Extent:
        return _extent((Arithmetic.QUOTIENT, self, _extent(share)))

    def __mul__(self, times: Extent | int) -> Extent:
        if isinstance(times, Extent):
            return _extent((Arithmetic.PRODUCT, self, times))
        if isinstance(self.value, int):
            return _extent(self.value * times)
        return self if times == 1 else self * _extent(times)

    def times(self, number: int) -> Extent:
        """So many times as many cells.

        >>> print(Extent.ARCS.times(2))
        2 * m
        """
        return self if number == 1 else _extent(number) * self

    def __str__(self) -> str:
        """As in C, with n, m and k."""
        return self.text({count: count.value for count in Count})

    def folded(self, leaf: Callable[[Count | int], Made], combine: Callable[[Arithmetic, Made, Made], Made]) -> Made:
        """What `leaf` makes of counts and numbers, combined from the inside out."""
        if isinstance(self.value, tuple):
            operator, left, right = self.value
            return combine(operator, left.folded(leaf, combine), right.folded(leaf, combine))
        return leaf(self.value)

    @lru_cache(1024)  # noqa: B019  extents live as long as the process
    def cells(self, num_nodes: int, num_arcs: int, num_updates: int = 0, num_heads: int = 0) -> int:
        """The number for a graph, for lists of so many updates, and so many arcs in heads of rows."""
        counts = {
            Count.NODES: num_nodes,
            Count.ARCS: num_arcs,
            Count.SLOTS: num_arcs,
            Count.HEADS: num_heads,
            Count.WORKERS: WORKERS,
            Count.UPDATES: num_updates,
            Count.ITEMS: 0,
        }
        return self.folded(lambda leaf: leaf if isinstance(leaf, int) else counts[leaf], _combined)

    def text(self, counts: Mapping[Count, str], quotient: str = "/", wide: str = "") -> str:
        """As text with those words for counts. `wide` stands behind numbers that are multiplied or added to what is,
        so that a product does not overflow."""

        def leaf(value: Count | int) -> _Text:
            word = str(value) if isinstance(value, int) else counts[value]
            return _Text(word, f"{word}{wide}" if word.isdecimal() else word)

        def combine(operator: Arithmetic, left: _Text, right: _Text) -> _Text:
            match operator:
                case Arithmetic.SUM:
                    return _Text(f"{left.plain} + {right.plain}", f"{left.wide} + {right.wide}", operator)
                case Arithmetic.PRODUCT:
                    factor = left.wide if right.wide == right.plain else left.plain
                    product = f"{left.first(factor)} * {right.second(right.wide)}"
                    return _Text(product, product, operator)
                case Arithmetic.QUOTIENT:
                    share = f"{left.first(left.plain)} {quotient} {right.second(right.plain)}"
                    return _Text(share, share, operator)

        return self.folded(leaf, combine).plain


class _Text(NamedTuple):
    """A part of a size as text, also with wide numbers, and what it is at its top."""

    plain: str
    wide: str
    operator: Arithmetic | None = None

    def first(self, text: str) -> str:
        return f"({text})" if self.operator is Arithmetic.SUM else text

    def second(self, text: str) -> str:
        return text if self.operator is None else f"({text})"


def _combined(operator: Arithmetic, left: int, right: int) -> int:
    match operator:
        case Arithmetic.SUM:
            return left + right
        case Arithmetic.PRODUCT:
            return left * right
        case Arithmetic.QUOTIENT:
            return left // right


@cache
def _extent(value: Count | int | tuple[Arithmetic, Extent, Extent]) -> Extent:
    return Extent(value)


Extent.ONE = _extent(1)
Extent.NODES = _extent(Count.NODES)
Extent.NODES_AND_ONE = Extent.NODES + 1
Extent.ARCS = _extent(Count.ARCS)
Extent.SLOTS = _extent(Count.SLOTS)
Extent.HEADS = _extent(Count.HEADS)
Extent.UPDATES = _extent(Count.UPDATES)
Extent.ITEMS = _extent(Count.ITEMS)
Extent.BITS = Extent.NODES // 32 + 1
Extent.LAYER = Extent.NODES // 1024 + 1
Extent.WORKERS_BITS = _extent(Count.WORKERS) * Extent.BITS
