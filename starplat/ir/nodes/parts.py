"""Host operations of a run that is divided into parts: which part has which nodes, and what parts exchange.

Every part runs the same host program with the same scalars, over arrays of the same sizes, and does the iterations of
the nodes and arcs that it has. A node's arcs belong to the part that has the node.
"""

from dataclasses import dataclass

from starplat.ir.nodes.operations import Combine
from starplat.ir.nodes.values import Array, Const, Variable


@dataclass(frozen=True, slots=True)
class TakePart:
    """Declares `first` and `end`: this part has the nodes from `first` on, up to `end` without it."""

    first: Variable
    end: Variable


@dataclass(frozen=True, slots=True)
class TakeNumber:
    """Declares `number`, which this part has, and `parts`, how many there are."""

    number: Variable
    parts: Variable


@dataclass(frozen=True, slots=True)
class TakeMembers:
    """Of the members of a set those remain whose turn is this part's: the parts have one each, again and again."""

    array: Array


@dataclass(frozen=True, slots=True)
class KeepOwn:
    """The cells of nodes (arcs) that other parts have become `value`. Part 0 has the cells of other arrays.
    With `among` only those of nodes that are in this set on the part that has them: for tests."""

    array: Array
    value: Const
    among: Array | None = None


@dataclass(frozen=True, slots=True)
class CombineParts:
    """Every cell becomes, on all parts, what `combine` makes of the cells of all. Where it is MIN or MAX, `carried`
    cells become those of a part that has the extreme, of several the one with the least number. With `among` each part
    has changed only cells of the nodes in this set, which has afterwards, on all parts, what it has on any."""

    array: Array
    combine: Combine
    carried: tuple[Array, ...] = ()
    among: Array | None = None


@dataclass(frozen=True, slots=True)
class CombineChanged:
    """A cell that some parts have changed since the array was copied to `before` becomes, on all parts, what these made
    of it: the same value."""

    array: Array
    before: Array


@dataclass(frozen=True, slots=True)
class ShareParts:
    """Every cell becomes, on all parts, that of the part that has its node (arc). With `among` only cells of the nodes
    in this set, which is the same on all parts, can be others there."""

    array: Array
    among: Array | None = None


@dataclass(frozen=True, slots=True)
class Together:
    """`variable` becomes `before`, combined with the `variable` of every part in the order of their numbers."""

    variable: Variable
    combine: Combine
    before: Variable


@dataclass(frozen=True, slots=True)
class ExchangeCells:
    """Inside of a persistent launch: all parts get what others have changed of `arrays`. A cell becomes that of the
    part which has its node, from `first` up to `end`; or, `by` a Min or Max, the best of all parts. With `among` only
    cells of the nodes in this set have changed, to one value if that is `common`, and the set has on all parts what it
    has on any."""

    arrays: tuple[Array, ...]
    among: Array | None
    by: Combine | None
    first: Variable
    end: Variable
    common: bool = False


@dataclass(frozen=True, slots=True)
class TakeFirst:
    """`variable` becomes, on all parts, that of part 0: what they sum up alike may differ in its last bits."""

    variable: Variable


Exchange = (
    TakePart
    | TakeNumber
    | TakeMembers
    | KeepOwn
    | CombineParts
    | CombineChanged
    | ShareParts
    | Together
    | ExchangeCells
    | TakeFirst
)
"""What only a run in parts has."""
