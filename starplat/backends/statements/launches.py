"""Statements of a whole launch: barriers, swaps of arrays, sets of nodes, records."""

from dataclasses import dataclass

from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class NearNodes:
    """A set that nothing is put into before it is walked. A thread that lowers one of the nodes' `values` puts the node
    into the set, or into another that is sorted into this one."""

    members: ir.Array
    values: ir.Array


@dataclass(frozen=True, slots=True)
class GridBarrier:
    """A grid barrier; if a set is given, only in case its list lacks some of its members. The threads of a group are
    `together` where they have met since they wrote. Behind the barrier, if it is known, nearest nodes come `next`."""

    lacking: ir.Array | None = None
    together: bool = False
    next: NearNodes | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """A `function` that sets `offered` to the `candidate` of the arc at a `position` of a `node`, by the `cell` of the
    node as it is `now`, though other groups may be at work on it."""

    function: ir.Variable
    offered: ir.Variable
    node: ir.Variable
    position: ir.Variable
    now: ir.Variable
    cell: ir.Load
    candidate: ir.Expression


@dataclass(frozen=True, slots=True)
class LookAhead:
    """A grid barrier of a cluster whose groups read meanwhile `rows` of the nodes that they have put into a set, and
    neighbors from `columns`; what they find is kept as `found`, which the first of them `declares`. Where `sums` stand
    beside the walk, half of a group's threads read rows and neighbors of these. What an arc offers may be known. Of
    `many` nodes twice as many are read."""

    members: ir.Array
    rows: ir.Array
    columns: ir.Array
    found: ir.Variable
    declares: bool = False
    sums: tuple[ir.Array, ir.Array] | None = None
    offer: Offer | None = None
    many: bool = False


@dataclass(frozen=True, slots=True)
class SwapPointers:
    """Swaps two arrays."""

    first: ir.Array
    second: ir.Array


@dataclass(frozen=True, slots=True)
class Insert:
    """Adds a node to a set; `alone` where only one thread does so, between barriers, `new` where only one thread adds
    the node, ever, or where it does no harm to list it twice, `own` where threads that follow each other add nodes that
    do, each its own once."""

    members: ir.Array
    node: ir.Expression
    alone: bool = False
    new: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class AskBeside:
    """Asks the memory for the cells beside those of an arc and of its node, and for the bits of sets beside the node's.
    One arc in 32 does."""

    node: ir.Variable
    position: ir.Variable
    of_arcs: tuple[ir.Array, ...]
    of_nodes: tuple[ir.Array, ...]
    sets: tuple[ir.Array, ...]
    num_arcs: ir.Expression


@dataclass(frozen=True, slots=True)
class NoteReached:
    """Sets the bits of `IfReaches` for cells that are not INF."""

    cells: ir.Array


@dataclass(frozen=True, slots=True)
class AskEmpty:
    """`variable` becomes whether a set has no members, as all threads see it; the opposite unless `when_empty`."""

    variable: ir.Variable
    members: ir.Array
    when_empty: bool


@dataclass(frozen=True, slots=True)
class AskSize:
    """`variable` becomes how many members a set has, as all threads see it."""

    variable: ir.Variable
    members: ir.Array


@dataclass(frozen=True, slots=True)
class NoteMembers:
    """The members of a set become array[first], array[first + 1], …, in any order."""

    members: ir.Array
    array: ir.Array
    first: ir.Expression


@dataclass(frozen=True, slots=True)
class Inserted:
    """Ends the inserting into a set: after the next barrier all threads see its members. With `rows` the arcs of the
    new members are estimated. The threads of a group are `together` where they have left a walk so."""

    members: ir.Array
    rows: ir.Array | None = None
    together: bool = False


@dataclass(frozen=True, slots=True)
class Clear:
    """Removes all members of a set, and leaves a node as its only one where there is a `first`."""

    members: ir.Array
    first: ir.Expression | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Notes when a traced launch comes to a point, and the number of active nodes there, if it is not known before: the
    `node` of a set, of a list, or of all nodes, for which `keep` holds; and their arcs by `rows`."""

    point: int
    new_round: bool = False
    members: ir.Array | None = None
    listed: tuple[ir.Array, ir.Expression, ir.Expression] | None = None
    node: ir.Variable | None = None
    keep: ir.Expression | None = None
    rows: ir.Array | None = None


@dataclass(frozen=True, slots=True)
class MeetPeers:
    """The threads of a launch on several devices wait for those of the others: a grid barrier for all of them. Parts
    tell each other how many arcs the `members` of a set may have."""

    members: ir.Array | None = None


@dataclass(frozen=True, slots=True)
class GiveCells:
    """Cells of this part become those of all parts: of its own nodes, from `first` up to `end`, or of the `members` of
    a set; `by` a Min or Max, the best of all. After the next meeting all have them; a value that is `common` to all
    members is told once, and `TakeValue` stores it."""

    array: ir.Array
    members: ir.Array | None
    by: ir.Combine | None
    first: ir.Expression
    end: ir.Expression
    common: bool = False


@dataclass(frozen=True, slots=True)
class TakeValue:
    """The cells of a set's members become the value that parts have told each other, but for those of nodes from
    `first` up to `end`, which this part has found itself."""

    array: ir.Array
    members: ir.Array
    first: ir.Expression
    end: ir.Expression


@dataclass(frozen=True, slots=True)
class GiveSet:
    """A set gets, on all parts, the members that it has on this one, of nodes from `first` up to `end` where a part
    only puts in its own. After the next meeting all have them; it is `CountAnew` that counts them."""

    members: ir.Array
    first: ir.Expression | None = None
    end: ir.Expression | None = None


@dataclass(frozen=True, slots=True)
class CountAnew:
    """Counts the members of a set, between a meeting and a barrier."""

    members: ir.Array


@dataclass(frozen=True, slots=True)
class AgreeOn:
    """All parts judge alike how many arcs the members of a set have; where rows are about equally long, `even`, few
    members have few."""

    members: ir.Array
    even: bool


@dataclass(frozen=True, slots=True)
class HearOf:
    """`variable` becomes `before`, combined with what it is on each part in turn, for which `of_part` stands; that of
    part 0, if nothing combines it."""

    variable: ir.Variable
    combine: ir.Combine | None
    before: ir.Expression
    of_part: ir.Variable


OfPeers = MeetPeers | GiveCells | TakeValue | GiveSet | CountAnew | AgreeOn | HearOf

LaunchStatement = (
    AskBeside
    | Insert
    | NoteReached
    | AskEmpty
    | AskSize
    | NoteMembers
    | Inserted
    | Clear
    | Record
    | GridBarrier
    | LookAhead
    | SwapPointers
    | OfPeers
)
