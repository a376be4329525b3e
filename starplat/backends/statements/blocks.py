"""Compound statements: branches, loops, and loops that threads share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from enum import Enum

from starplat.backends.statements import cells, launches, plain
from starplat.ir import nodes as ir


class Stride(Enum):
    """The step of a counting loop."""

    ONE = "one"
    GRID = "grid"  # the threads of the launch share the range


@dataclass(frozen=True, slots=True)
class If:
    condition: ir.Expression
    then: Body
    otherwise: Body = ()


@dataclass(frozen=True, slots=True)
class While:
    """`while (condition) body`, or `do body while (condition)` if `test_last`."""

    condition: ir.Expression
    body: Body
    test_last: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """`for (first; condition; step) body`."""

    condition: ir.Expression
    step: tuple[plain.Assign, ...]
    body: Body
    first: plain.Declare | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """`for (variable = first; variable < end; variable += stride) body`; `end` may be evaluated more than once."""

    variable: ir.Variable
    first: ir.Expression
    end: ir.Expression
    stride: Stride
    body: Body


@dataclass(frozen=True, slots=True)
class IfBeyond:
    """If `candidate` is less (MIN) or greater (MAX) than the cell, `body`.

    With a `method`, the cell then takes the candidate atomically and `body` runs only if the cell still was behind it;
    `at_once` without a test before, which spares a trip to memory.
    In a cell that is a pair the key is compared, and `partner` is stored with the candidate.
    """

    extreme: ir.Combine
    array: ir.Array
    index: ir.Expression
    candidate: ir.Expression
    method: cells.Method | None
    body: Body
    partner: ir.Expression | None = None
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class IfReaches:
    """If no thread has lowered the cell yet, it takes `value`, and `body`. All that would lower it have one value; bits
    in the memory of a cluster tell which cells were lowered."""

    cells: ir.Array
    index: ir.Expression
    value: ir.Expression
    body: Body


@dataclass(frozen=True, slots=True)
class WhileBeyondLocked:
    """As IfBeyond, tried until the cell's lock was free; `body`, which also stores the candidate, runs under the lock.

    The lock is taken and released in one pass of the loop, so that threads in lockstep cannot wait for each other.
    """

    extreme: ir.Combine
    array: ir.Array
    index: ir.Expression
    candidate: ir.Expression
    lock: ir.Array
    done: ir.Variable
    body: Body


@dataclass(frozen=True, slots=True)
class SharedLoop:
    """A loop that the target shares out among its threads; it combines their results in the locals of `reductions`.

    `uneven` where some iterations may have far more to do than others; `arrays` is all device memory that it reaches;
    `length` the number of iterations where that may be far below what the graph has; `by_teams` where a few threads
    together take an iteration, since it has loops of its own that they share; `long` where there are a few iterations
    and each has much to do; `by_gangs` where an iteration is for all teams of a gang; `ahead` where the host does not
    wait for its end. `rows` are the offsets of the rows that its iterations walk, one for each of all nodes, if any;
    `own` the arrays that each thread has for itself, `lists` what each gathers for lists. `steps` where iterations
    over all nodes or arcs are uneven only by the paths that they follow.
    """

    loop: Count
    reductions: tuple[tuple[ir.Combine, ir.Variable], ...]
    arrays: tuple[ir.Array, ...]
    uneven: bool
    length: ir.Expression | None = None
    by_teams: bool = False
    long: bool = False
    by_gangs: bool = False
    ahead: bool = False
    rows: ir.Array | None = None
    own: tuple[ir.Array, ...] = ()
    lists: tuple[cells.Gathered, ...] = ()
    steps: bool = False


@dataclass(frozen=True, slots=True)
class TeamLoop:
    """A loop inside a SharedLoop that the threads of a team share, or, `among_teams`, the teams of a gang; their
    results in the locals of `reductions` are combined."""

    loop: Count | For
    reductions: tuple[tuple[ir.Combine, ir.Variable], ...]
    among_teams: bool = False


@dataclass(frozen=True, slots=True)
class VectorLoop:
    """A loop whose iterations one thread does side by side; what they add to the locals of `reductions` is combined."""

    loop: Count
    reductions: tuple[tuple[ir.Combine, ir.Variable], ...]


@dataclass(frozen=True, slots=True)
class Alone:
    """A block that one thread of the target runs; `results` are the locals around it that it changes; `ahead` where the
    host does not wait for its end."""

    body: Body
    results: tuple[ir.Variable, ...]
    arrays: tuple[ir.Array, ...]
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """A block whose locals are its own, under lines of comment."""

    comments: tuple[str, ...]
    body: Body


@dataclass(frozen=True, slots=True)
class OnFirst:
    """What one thread of the launch does."""

    body: Body


@dataclass(frozen=True, slots=True)
class IfMany:
    """`then` if a set has so many members that most arcs lead to one, as all threads see it; `rows` of the graph are
    given if looking for members pays earlier (see `ir.Launch`)."""

    members: ir.Array
    then: Body
    otherwise: Body
    rows: ir.Array | None = None


@dataclass(frozen=True, slots=True)
class IfEmpty:
    """`then` if a set has no members, as all threads see it."""

    members: ir.Array
    then: Body
    otherwise: Body = ()


@dataclass(frozen=True, slots=True)
class EachMember:
    """`body` for every `node` in a set, a thread for each; the set is empty afterwards if it `takes` them."""

    members: ir.Array
    takes: bool
    node: ir.Variable
    body: Body


@dataclass(frozen=True, slots=True)
class EachKept:
    """`body` for every `number` below `end` that is to `keep`, a thread for each; it tests several before the first. If
    `keep` is one of `flags`, they are read by words, and a thread has the numbers of a word."""

    number: ir.Variable
    end: ir.Expression
    keep: ir.Expression
    body: Body
    flags: ir.Array | None = None


@dataclass(frozen=True, slots=True)
class EachTriangle:
    """`body` for every `node` and number that the triangles bring, threads sharing the work."""

    triangles: ir.Triangles
    node: ir.Variable
    body: Body


@dataclass(frozen=True, slots=True)
class Ahead:
    """What a cluster has read of a walk's rows at the barrier before, by a LookAhead that `found` it: the `neighbor` of
    an arc, from `columns`, and perhaps what it offers."""

    found: ir.Variable
    neighbor: ir.Variable
    columns: ir.Array
    offer: launches.Offer | None = None


@dataclass(frozen=True, slots=True)
class Advance:
    """`body` for every arc at a `node` for which `keep` holds (None: for all), threads sharing the arcs evenly.

    The nodes are all, those that are `listed`, by themselves or by words, or the `members` of a set, which is empty
    afterwards if it `takes` them. `rows` are the offsets of the nodes' arcs; `body` declares what it needs of the
    nodes. `visit` is done with every node as well: once where the nodes are all, else once or more often. Of a `part`
    of all nodes, `node` counts from its first. `test`, if there is one, is the body of a function that returns a BOOL:
    only arcs that pass have `body`, and several may be asked before the first has it. Where it `follows`, `visit`
    returns whether the node is to be taken, and `body` a node that is to be taken now as well, or -1; the variable
    becomes true if there was no room for all of them. Some rows were read `ahead`; `body` is given the neighbor then.
    Of `short_rows` a thread takes whole ones; both bodies begin with the neighbor, and use nothing else of the arc.
    The set often has `few` members, some with long rows.
    Where bodies are `dear`, all threads share the rows of few members that have long ones.
    """

    members: ir.Array | None
    takes: bool
    node: ir.Variable
    keep: ir.Expression | None
    rows: ir.Array
    position: ir.Variable
    body: Body
    listed: ir.Listed | ir.InWords | None = None
    visit: Body = ()
    part: ir.AllNodes | None = None
    test: Body = ()
    follows: ir.Variable | None = None
    ahead: Ahead | None = None
    few: bool = False
    short_rows: bool = False
    dear: bool = False


@dataclass(frozen=True, slots=True)
class AdvanceRows:
    """`body` for every `position` in the row of each `arc` to `keep`, from `first` up to `end`, threads sharing the
    rows. `row` is the body of a function that returns the node whose row it is, -1 for none; both bodies declare what
    they need of the arc."""

    first: ir.Expression
    end: ir.Expression
    arc: ir.Variable
    keep: ir.Expression
    row: Body
    rows: ir.Array
    position: ir.Variable
    body: Body


@dataclass(frozen=True, slots=True)
class Behind:
    """What a sum of a cluster reads before its value and before it waits for other groups: the `neighbor` of an arc,
    and with `known` cells of it and of the node that the launch does not change."""

    neighbor: plain.Declare
    known: Body = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """What a thread of a cluster keeps of a `row` that it sums up alone and goes through again behind the sum: `cells`,
    by which the value and these loops know those of a neighbor, one of each of the arrays. `kind` and `reader` name the
    type of the cells, and the function that reads them."""

    row: ir.Variable
    cells: ir.Variable
    kind: ir.Variable
    reader: ir.Variable
    arrays: tuple[ir.Array, ...]


@dataclass(frozen=True, slots=True)
class Gather:
    """For every `node` to keep: `value` of each of its arcs, which threads share evenly, joined by `combine` from
    `start` on; then `finish`, which knows the result as `total`. The nodes as for Advance.

    `noted` is the operation that has listed all members of the set before, where that is known. Of rows in parts,
    those of other parts lie `ahead`, so many. Of `short_rows` a thread takes whole ones; it `streams` arcs that are not
    kept in caches. Where all rows are `in_pieces`, each warp takes one with as many arcs as any other.

    `value` is the body of a function that returns the value; both bodies declare what they need of the node. Arcs that
    do not pass a `test`, as for Advance, have no value. In a cluster `early` are declarations of `finish`, of cells
    that are read with the values; there it may wait for all groups `behind` declarations of `value`, or a thread has
    `kept` what these read.
    """

    members: ir.Array | None
    takes: bool
    node: ir.Variable
    keep: ir.Expression | None
    rows: ir.Array
    position: ir.Variable
    _: KW_ONLY
    combine: ir.Combine
    start: ir.Const
    value: Body
    total: ir.Variable
    finish: Body
    listed: ir.Listed | None = None
    noted: ir.ListMembers | None = None
    ahead: ir.Expression | None = None
    short_rows: bool = False
    streams: bool = False
    in_pieces: bool = False
    part: ir.AllNodes | None = None
    test: Body = ()
    early: Body | None = None
    behind: Behind | None = None
    kept: Kept | None = None


@dataclass(frozen=True, slots=True)
class EachAtOnce:
    """`body` for each `position` from `first` up to `end`, one after another, which sets the locals in `sets` and does
    nothing else. `known` are declarations for it, of cells that are read for several positions at once, or that a sum
    has `kept`."""

    position: ir.Variable
    first: ir.Expression
    end: ir.Expression
    known: Body
    body: Body
    sets: tuple[ir.Variable, ...]
    kept: Kept | None = None


@dataclass(frozen=True, slots=True)
class AdvanceAndGather:
    """Both over one set of a cluster, side by side: half of a group's threads each. The sum takes the members."""

    advance: Advance
    gather: Gather


@dataclass(frozen=True, slots=True)
class Search:
    """For every `node` to keep: `reach` with one of its arcs for which `test` holds, whichever is found, if any is.

    `test` is the body of a function that returns a BOOL; both declare what they need of the arc. `part` as for Advance.
    """

    node: ir.Variable
    keep: ir.Expression | None
    rows: ir.Array
    position: ir.Variable
    test: Body
    reach: Body
    part: ir.AllNodes | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """For every `node` to keep: `finish`, which knows as `answer` whether `test` holds for any of its arcs.

    `test` is the body of a function that returns a BOOL; both declare what they need of the node. Of a `part` of all
    nodes, `node` counts from its first. `short_rows` as for Advance.
    """

    node: ir.Variable
    keep: ir.Expression | None
    rows: ir.Array
    position: ir.Variable
    test: Body
    answer: ir.Variable
    finish: Body
    part: ir.AllNodes | None = None
    short_rows: bool = False


@dataclass(frozen=True, slots=True)
class CountRows:
    """For every `node` to keep: `body` for each `place` of its row, which returns what that adds to which key; then
    `finish`, for which `best` is the key with the largest sum, or -1. Threads share long rows evenly.

    `first` is where the row of `node` begins, in arcs of all rows laid end to end; a long row has its map in `keys` and
    `sums`. Both bodies declare what they need of the node.
    """

    node: ir.Variable
    keep: ir.Expression | None
    keys: ir.Array
    sums: ir.Array
    _: KW_ONLY
    first: ir.Expression
    place: ir.Variable
    body: Body
    best: ir.Variable
    finish: Body


@dataclass(frozen=True, slots=True)
class Collect:
    """For every `word` of all nodes, of which each has `lanes`, the bits that `wanted` asks for and that any neighbor
    has in the same word. If there are some, `take`, which knows them as `found`.

    `arrays` are where rows begin, the neighbors in them, and the words; `wanted` is the body of a function that returns
    a LONG.
    """

    lanes: int
    word: ir.Variable
    arrays: tuple[ir.Array, ir.Array, ir.Array]
    wanted: Body
    found: ir.Variable
    take: Body


@dataclass(frozen=True, slots=True)
class GroupAdvance:
    """As Advance: `visit` is done with every node brought, `body` with every arc, by all threads of a group in turn."""

    nodes: plain.RowExpansion
    node: ir.Variable
    position: ir.Variable
    visit: Body
    body: Body


@dataclass(frozen=True, slots=True)
class GroupGather:
    """As Gather: `body` gives an arc's `value`. A group keeps some of them in the memory `values` at a time, those of
    the places from `first` to `end`; of a long row, a thread has those that it came by in `joined`."""

    nodes: plain.RowExpansion
    node: ir.Variable
    position: ir.Variable
    _: KW_ONLY
    combine: ir.Combine
    start: ir.Const
    value: ir.Variable
    body: Body
    values: ir.Variable
    first: ir.Variable
    end: ir.Variable
    joined: ir.Variable
    total: ir.Variable
    finish: Body


@dataclass(frozen=True, slots=True)
class Stretch:
    """The names of the arcs of a row that a group looks at next: from `arc` to `stop`, of those to `end`, at `most` so
    many."""

    arc: ir.Variable
    end: ir.Variable
    most: ir.Variable
    stop: ir.Variable


@dataclass(frozen=True, slots=True)
class GroupAsk:
    """As Ask: `condition`, behind `body`, tests an arc. Groups look at few arcs of each row at first, then at more; the
    array `passing` in their memory tells of which rows one has passed."""

    nodes: plain.RowExpansion
    node: ir.Variable
    position: ir.Variable
    _: KW_ONLY
    body: Body
    condition: ir.Expression
    stretch: Stretch
    passing: ir.Variable
    answer: ir.Variable
    finish: Body


@dataclass(frozen=True, slots=True)
class GroupCollect:
    """As Collect, for several words of a node at a time: the rows are `size` numbers, each a few words of the node that
    `row` is behind `ahead`. Of the bits `wanted` the array `lacking` in a group's memory holds those that no arc has
    offered yet; `offered`, behind `body`, counts where `condition` holds. Groups look at few arcs of each row at first,
    as for GroupAsk, until all of its bits are there (`complete`). `finish` knows what was `found`."""

    nodes: plain.RowExpansion
    node: ir.Variable
    position: ir.Variable
    _: KW_ONLY
    size: ir.Expression
    ahead: Body
    row: ir.Expression
    wanted: tuple[ir.Expression, ...]
    body: Body
    condition: ir.Expression
    offered: tuple[tuple[ir.Variable, ir.Expression], ...]
    stretch: Stretch
    lacking: ir.Variable
    complete: ir.Variable
    found: tuple[ir.Variable, ...]
    finish: Body


@dataclass(frozen=True, slots=True)
class GroupMaps:
    """The names of the maps of a group's rows. They lie in the group's memory `maps`, for rows that are counted
    together: from the place `start` to `stop`. That of a `longer` row lies in `keys` and `sums`, behind `window`."""

    nodes: plain.RowExpansion
    keys: ir.Array
    sums: ir.Array
    _: KW_ONLY
    maps: ir.Variable
    start: ir.Variable
    stop: ir.Variable
    longer: ir.Variable
    window: ir.Variable


@dataclass(frozen=True, slots=True)
class CountKey:
    """Adds a value to a key in the map of an arc's row."""

    maps: GroupMaps
    key: ir.Expression
    value: ir.Expression


@dataclass(frozen=True, slots=True)
class KeepKey:
    """Notes what a place of a short row adds to which key, in arrays of the thread."""

    keys: ir.Variable
    sums: ir.Variable
    place: ir.Variable
    key: ir.Expression
    value: ir.Expression


@dataclass(frozen=True, slots=True)
class GroupCount:
    """As CountRows, for maps that groups share: `body`, for each `place` of a row, ends with CountKey. `first` is where
    the row of `maps.longer` begins, in arcs of all rows laid end to end; `length` is that of a row. A thread counts a
    short row by itself: `of_few` is `body` with KeepKey, for arrays with the keys and what is added to each."""

    maps: GroupMaps
    node: ir.Variable
    place: ir.Variable
    _: KW_ONLY
    first: ir.Expression
    length: plain.Declare
    body: Body
    few_keys: ir.Variable
    few_sums: ir.Variable
    of_few: Body
    best: ir.Variable
    finish: Body

    @property
    def nodes(self) -> plain.RowExpansion:
        return self.maps.nodes

    @property
    def position(self) -> ir.Variable:
        """What the loop over a row counts."""
        return self.place


@dataclass(frozen=True, slots=True)
class GroupTriangles:
    """As EachTriangle, for tables that groups share. They lie in the group's memory `tables`, for rows that are looked
    at together: from the place `start` to `stop`. The `arc` is the first of those that a group looks at next, -1 behind
    the last; after each turn a thread tells several nodes what was found, `which` counts them."""

    nodes: plain.RowExpansion
    node: ir.Variable
    triangles: ir.Triangles
    _: KW_ONLY
    tables: ir.Variable
    start: ir.Variable
    stop: ir.Variable
    arc: ir.Variable
    which: ir.Variable
    body: Body


Statement = (
    plain.PlainStatement
    | cells.CellStatement
    | launches.LaunchStatement
    | If
    | While
    | For
    | Count
    | IfBeyond
    | IfReaches
    | WhileBeyondLocked
    | SharedLoop
    | TeamLoop
    | VectorLoop
    | Alone
    | Scope
    | OnFirst
    | IfMany
    | IfEmpty
    | EachMember
    | EachKept
    | EachTriangle
    | Advance
    | AdvanceAndGather
    | EachAtOnce
    | AdvanceRows
    | Ask
    | Gather
    | Search
    | CountRows
    | Collect
    | GroupAdvance
    | GroupAsk
    | GroupCollect
    | GroupCount
    | GroupTriangles
    | GroupGather
    | CountKey
    | KeepKey
)

Body = tuple[Statement, ...]

_Around = Advance | Count | EachMember | GroupAdvance | Scope | While


def with_blocks(statement: Statement, change: Callable[[Body], Body], *kinds: type[_Around]) -> Statement:
    """The statement with its blocks changed, if it is a branch or of one of the `kinds`."""
    if isinstance(statement, If):
        return If(statement.condition, change(statement.then), change(statement.otherwise))
    return replace(statement, body=change(statement.body)) if isinstance(statement, kinds) else statement
