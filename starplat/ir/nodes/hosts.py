"""Host operations: on whole arrays, launches, control flow."""

from __future__ import annotations

from dataclasses import dataclass, field

from starplat.ir.nodes.lists import HostList, ListOp
from starplat.ir.nodes.operations import Combine, Direction, KernelOp
from starplat.ir.nodes.parts import (
    CombineChanged,
    CombineParts,
    ExchangeCells,
    KeepOwn,
    ShareParts,
    TakeFirst,
    TakeMembers,
    TakeNumber,
    TakePart,
    Together,
)
from starplat.ir.nodes.values import Array, Expression, Variable
from starplat.operators.records import Start
from starplat.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class DeclareVariable:
    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class SetVariable:
    """`for_many` where the program may take it for false: it says that more is done ahead, which pays with many
    nodes."""

    variable: Variable
    value: Expression
    for_many: bool = False


@dataclass(frozen=True, slots=True)
class Fill:
    """Every cell of `array` becomes `value`."""

    array: Array
    value: Expression


@dataclass(frozen=True, slots=True)
class CopyArray:
    """Device to device; both have one element type and extent."""

    destination: Array
    source: Array


@dataclass(frozen=True, slots=True)
class Swap:
    """The two names change what they stand for (a parameter's caller sees the cells that the parameter's name stands
    for at the end)."""

    first: Array
    second: Array


@dataclass(frozen=True, slots=True)
class Launch:
    """Runs a kernel to its end; then every reduction's variable is combined with what came back (one word each).

    A kernel that pushes from the members of a set may `pull` in its place where `members` has many: these operations
    look for members, come to the same and look at fewer arcs then. It is `dear` if pushing along an arc takes so long
    that pulling pays from few members on, unless nodes have few arcs. In all rounds of the loop around it, it lowers a
    cell of `reaches` once at most, which was INF, and adds its node to a set then; nothing else does either."""

    kernel: str
    members: Array | None = None
    pull: tuple[HostOp, ...] = ()
    dear: bool = False
    reaches: Array | None = None


@dataclass(frozen=True, slots=True)
class ReadCell:
    """`variable = array[index]`, from the device. The variable is declared before. Where the cell holds the number of
    nodes in the set `counts`, a host that knows the set need not wait for it."""

    variable: Variable
    array: Array
    index: Expression
    counts: Array | None = None


@dataclass(frozen=True, slots=True)
class WriteCell:
    """`array[index] = value`, to the device. An index of -1 (no node) is an error of the program's run."""

    array: Array
    index: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class ReadEmpty:
    """`variable = !flags[0] && !flags[1] && …`, or the opposite unless `when_empty`."""

    variable: Variable
    flags: Array
    when_empty: bool = True


@dataclass(frozen=True, slots=True)
class ReadSize:
    """`variable` becomes how many of the flags are set."""

    variable: Variable
    flags: Array


@dataclass(frozen=True, slots=True)
class ListMembers:
    """The nodes whose flag is set become array[first], array[first + 1], …, in any order."""

    flags: Array
    array: Array  # a NODE for every node
    first: Expression


@dataclass(frozen=True, slots=True)
class CheckCell:
    """An error of the program's run if `array` has no cell `index`."""

    array: Array
    index: Expression


@dataclass(frozen=True, slots=True)
class Tell:
    """What a checked run has to tell of a place of the module's `sites`: of a fault, which ends the run, or a line.
    `nodes` are the iterators of the host's loops around."""

    site: int
    values: tuple[Expression, ...]
    nodes: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class TellRecorded:
    """The same for what the iterations of the last launch have recorded (see `lowering.checking`); `iterator` is their
    name in the program."""

    faulted: Array
    faults: Array
    iterator: str
    nodes: tuple[Variable, ...]
    lines: tuple[Array, ...] = ()


@dataclass(frozen=True, slots=True)
class HostIf:
    condition: Expression
    then: tuple[HostOp, ...]
    otherwise: tuple[HostOp, ...] = ()


@dataclass(frozen=True, slots=True)
class Ahead:
    """The host launches rounds without waiting: it tests the condition, a cell on the device, after one round, then
    after two more, and so on up to `most` at a time.

    The kernels of the body do nothing where the cell holds false, so rounds after the last one change no cell. The
    host's own work is done in those too: counters, swaps of arrays.
    """

    goes_on: Array  # one BOOL, the loop's condition
    most: int


@dataclass(frozen=True, slots=True)
class HandOver:
    """When a launch leaves rounds to another one: a cluster when more than `nodes` are active, the grid when fewer are,
    which is not `few`. It sets `goes_on` then, and the other begins with the `limit` of near nodes."""

    goes_on: Variable
    few: bool
    nodes: int
    limit: Variable


@dataclass(frozen=True, slots=True)
class NearestFirst:
    """Rounds that walk a set (see `shapes.set_rounds`) and lower cells of `values`, in any order to the same end, take
    nodes with low values first: others wait in `later`, which nothing else uses, until all below a limit are done, and
    the limit rises by `step`. Where there is a `least` step, steps begin with it, double up to `step` while fewer and
    fewer nodes wait, and are the least again when more do; the limit rises while fewer than `enough` nodes are near.
    Two launches that take turns `hand_over` their rounds. Where parts divide what is near, each may walk few near nodes
    `alone`, all of them, until none is below the limit."""

    later: Array
    values: Array
    step: Variable
    least: Variable | None = None
    enough: Variable | None = None
    hand_over: HandOver | None = None
    alone: Variable | None = None

    @property
    def first(self) -> Variable:
        """The step that the limit begins with."""
        return self.least or self.step


Driver = Ahead | NearestFirst


@dataclass(frozen=True, slots=True)
class Spreading:
    """What a loop leaves in `labels`, and nothing else that is looked at later: the least (MIN) or greatest (MAX) label
    of those that reach a node along arcs, or of its component where labels go `both_ways`; `mutual` ones only go along
    arcs that have their reverse."""

    labels: Array
    extreme: Combine
    both_ways: bool
    start: Start
    mutual: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """`while (true) { before; if (!condition) break; body; step }`; if `test_last`, the first round runs untested.

    `before` computes what the condition needs from the device (cells, reductions); it is empty for most loops.
    `Continue` goes on with `step`. A schedule gives a loop a `driver`; without one each round is begun on its own, by
    the host or by the threads of the launch that the loop stands in. It `settles` if its rounds only
    lower (raise) cells by what arcs offer, until none offers anything, and nothing else that it leaves is looked at;
    `spreading` is what comes of labels that spread."""

    before: tuple[HostOp, ...]
    condition: Expression
    step: tuple[HostOp, ...] = field(default=(), kw_only=True)
    body: tuple[HostOp, ...]
    test_last: bool = False
    driver: Driver | None = None
    settles: bool = False
    spreading: Spreading | None = None


@dataclass(frozen=True, slots=True)
class Searches:
    """What a loop over sources comes to: a breadth-first search from each, along arcs in a `direction`. `reached` is
    done to each `node` that `count` of the sources come to after `level` steps, once for each such level, in any order
    of levels and sources. `why_not`, if any, says why the order of sources may not be changed all the same. `kept` are
    arrays of nodes that nothing else uses, `begin` what their cells hold at first; `behind` is done to each `node` at
    the end."""

    direction: Direction
    node: Variable
    level: Variable
    count: Variable
    reached: tuple[KernelOp, ...]
    why_not: str | None = None
    kept: tuple[Array, ...] = ()
    begin: tuple[Expression, ...] = ()
    behind: tuple[KernelOp, ...] = ()


@dataclass(frozen=True, slots=True)
class HostForRange:
    """`for (variable = first; variable < end; variable += 1) body`; declares `variable`; `end` is evaluated once.
    `searches` is what a loop over all nodes comes to, if it searches from each. `by_host` asks that the host begins
    every round, which takes long, so that the program can be stopped between two. `apart` says that threads may share
    the iterations, as parts of a run may."""

    variable: Variable
    first: Expression
    end: Expression
    body: tuple[HostOp, ...]
    searches: Searches | None = None
    by_host: bool = False
    apart: bool = False


@dataclass(frozen=True, slots=True)
class HostForNeighbors:
    """As ForNeighbors, from the host's copy of the graph, in order."""

    direction: Direction
    node: Expression
    neighbor: Variable
    position: Variable
    body: tuple[HostOp, ...]


@dataclass(frozen=True, slots=True)
class HostForMembers:
    """Over the members of a set, ascending, as they are on entry; reads the set back from the device (a set the
    caller gave and no kernel or host operation has changed is at hand on the host already). `apart` says that threads
    may share the iterations."""

    variable: Variable
    members: Array
    body: tuple[HostOp, ...]
    searches: Searches | None = None
    apart: bool = False


@dataclass(frozen=True, slots=True)
class HostForItems:
    """Over the elements of a list in their order, as they are on entry."""

    variable: Variable
    items: HostList
    body: tuple[HostOp, ...]


HostLoop = Loop | HostForRange | HostForNeighbors | HostForMembers | HostForItems
"""The loops that a program writes, each with a `body`."""


@dataclass(frozen=True, slots=True)
class HostBreak:
    pass


@dataclass(frozen=True, slots=True)
class HostContinue:
    pass


@dataclass(frozen=True, slots=True)
class HostReturn:
    """`more` are the values after the first of a function that returns several; a list is returned alone."""

    value: Expression | HostList | None = None
    more: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class HostCall:
    """Calls a host function; arguments match its parameters: expressions, arrays, Variables for scalars by reference;
    `lists` its lists.
    `result`, declared before, receives what it returns."""

    function: str
    arguments: tuple[Expression | Array | Variable, ...]
    result: Variable | None
    lists: tuple[HostList, ...] = ()


@dataclass(frozen=True, slots=True)
class HostBlock:
    """Operations that stem from one place of the program, for readers: `span` is its text. With `placed` arrays, parts
    exchange in it all that they must, and leave these the same on all of them."""

    body: tuple[HostOp, ...]
    span: Span = field(default=NOWHERE, compare=False)
    placed: tuple[Array, ...] = ()


@dataclass(frozen=True, slots=True)
class Crossing:
    """Sets of nodes that launches leave to later ones: two of the `cells` for each of `sets` say where it is. A launch
    begins with those that are `resumed` as they were left, unless it is the `first`."""

    cells: Array
    sets: tuple[Array, ...]
    resumed: tuple[Array, ...]
    first: Variable | None = None


@dataclass(frozen=True, slots=True)
class OnDevice:
    """A persistent kernel: `body` in one launch, with a grid barrier between operations.

    A schedule asks for it where a target has a grid barrier; it means what its body means. `arrays` and `scalars` are
    exactly what the body uses of the function's, in parameter order (the graph's arrays first), `outcomes` the
    variables declared outside that it changes. `traced` asks that the launch tells of its rounds (see `points`).
    `one_group` asks for a launch of a single group of threads, which needs the group's barrier alone; what changes
    places in it is back in its place at the end. `cluster` asks for a launch of a single cluster of groups, which have
    a barrier of their own and reach each other's memory, `wide` one of twice as many threads as other launches have for
    each group; launches that share sets have a `crossing`. `in_parts` asks
    for a launch on each of several devices that reach each other's memory, which runs alike on all of them but for what
    is divided; it may rely on it that no row is much longer than the mean where the graph has `even_rows`.
    """

    name: str
    body: tuple[HostOp, ...]
    arrays: tuple[Array, ...] = ()
    scalars: tuple[Variable, ...] = ()
    outcomes: tuple[Variable, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    traced: bool = False
    one_group: bool = False
    cluster: bool = False
    wide: bool = False
    in_parts: bool = False
    even_rows: bool = False
    crossing: Crossing | None = None


@dataclass(frozen=True, slots=True)
class TakeBatch:
    """`variable` becomes the end of the batch of `size` updates that begins at `first`, at most `limit`; an update of
    an undirected graph is two arcs. `adds` belongs to the list. A size below 1 is an error of the program's run."""

    variable: Variable
    first: Expression
    size: Expression
    limit: Expression
    adds: Array


@dataclass(frozen=True, slots=True)
class EndBatch:
    """A batch is done: the results are those for the graph as it is now."""


@dataclass(frozen=True, slots=True)
class ChangeGraph:
    """The graph of the run becomes one less the deletions, or with the additions, or both at once, as `kinds` says, of
    the list that `adds_of` belongs to, from `first` up to `end`, if its `kind` has them (see `typed.Updates`). All
    arrays of the function with cells of arcs follow; `properties` are those that the program named."""

    adds_of: Array
    first: Expression
    end: Expression
    kind: Expression
    kinds: tuple[int, ...]
    properties: tuple[Array, ...]


HostOp = (
    DeclareVariable
    | SetVariable
    | Fill
    | CopyArray
    | Swap
    | Launch
    | ReadCell
    | WriteCell
    | CheckCell
    | ReadEmpty
    | ReadSize
    | ListMembers
    | Tell
    | TellRecorded
    | HostIf
    | Loop
    | HostForRange
    | HostForNeighbors
    | HostForMembers
    | HostForItems
    | ListOp
    | HostBreak
    | HostContinue
    | HostReturn
    | HostCall
    | HostBlock
    | OnDevice
    | TakeBatch
    | EndBatch
    | ChangeGraph
    | TakePart
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
