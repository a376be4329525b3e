"""Typed tree: lists of updates, taken apart, and what programs whose graph changes do with them."""

from dataclasses import dataclass, replace

from starplat.frontend.typed.expressions import Expression, Variable
from starplat.frontend.typed.symbols import Node, Symbol


@dataclass(frozen=True, slots=True)
class Updates:
    """A list of updates: those with the numbers `first` up to `end`, in the arrays of all of them.

    Attributes:
        adds: by number, whether an update is an addition.
        sources, destinations: by number, the ends of the arc.
        weights: by number, the weight of an added arc, a double.
        kind: which of them, an int: `DELETIONS`, `ADDITIONS` or `ALL`.
    """

    adds: Symbol
    sources: Symbol
    destinations: Symbol
    weights: Symbol
    first: Expression
    end: Expression
    kind: Expression

    @property
    def arrays(self) -> tuple[Symbol, ...]:
        """The arrays, in the order of a function's parameters."""
        return self.adds, self.sources, self.destinations, self.weights

    @property
    def numbers(self) -> tuple[Expression, ...]:
        """What tells which updates, in the order of the parameters that follow the arrays."""
        return self.first, self.end, self.kind

    @property
    def parts(self) -> tuple[Symbol, ...]:
        """Of a parameter, the parameters that stand for it."""
        return (*self.arrays, *(number.symbol for number in self.numbers if isinstance(number, Variable)))

    def ranged(self, first: Expression, end: Expression, kind: Expression) -> "Updates":
        """Those from `first` up to `end` of a kind."""
        return replace(self, first=first, end=end, kind=kind)


DELETIONS, ADDITIONS, ALL = 0, 1, 2
"""What `currentBatch` takes, and what it means without."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers from 0 up to `count`, an int."""

    count: Expression


@dataclass(frozen=True, slots=True)
class TakeBatch(Node):
    """`end`, an int, becomes the end of the batch of `size` updates that begins at `first`, at most `limit`. A size
    below 1 is an error of the program's run."""

    end: Symbol
    first: Expression
    size: Expression
    limit: Expression
    updates: Updates


@dataclass(frozen=True, slots=True)
class EndBatch(Node):
    """A batch is done: what properties hold now is the result for the graph as it is now."""


@dataclass(frozen=True, slots=True)
class ChangeGraph(Node):
    """The graph gets the arcs that `updates` add, or loses those that they delete; the cells of `properties`, which
    are all of edges in sight, stay with their arcs."""

    graph: Symbol
    updates: Updates
    adds: bool
    properties: tuple[Symbol, ...]
