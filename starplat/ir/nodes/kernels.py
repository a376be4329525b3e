"""Kernels: domains, helper functions, reductions."""

from dataclasses import KW_ONLY, dataclass, field
from enum import Enum

from starplat.ir.nodes.layouts import Layout
from starplat.ir.nodes.operations import Combine, Direction, KernelOp, PerTriangle
from starplat.ir.nodes.values import Array, Element, Expression, Ref, Variable
from starplat.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Parameter:
    """Of a `Function` or `HostFunction`. A scalar is by value unless `by_reference`; arrays are always by reference."""

    what: Variable | Array
    by_reference: bool = False


class MapPart(Enum):
    """What a helper does to a local map."""

    ADD = "adds to the sum of a key"
    SUM = "what was added to a key"
    SIZE = "how many keys a map has"
    BEST = "the key with the largest sum, the smallest of equals"
    SORT = "sorts a map's keys (Shell's method); how many there are"


class WithParameters:
    """What host functions and helpers of kernels tell of their parameters."""

    __slots__ = ()
    parameters: tuple[Parameter, ...]

    @property
    def given_arrays(self) -> tuple[Array, ...]:
        return tuple(p.what for p in self.parameters if isinstance(p.what, Array))

    @property
    def given_scalars(self) -> tuple[Variable, ...]:
        return tuple(p.what for p in self.parameters if isinstance(p.what, Variable))

    @property
    def references(self) -> tuple[Variable, ...]:
        """The scalars that it takes by reference."""
        return tuple(p.what for p in self.parameters if p.by_reference and isinstance(p.what, Variable))


@dataclass(frozen=True, slots=True)
class Function(WithParameters):
    """A helper that kernels call. Everything it touches is a parameter, the graph's arrays included. `of_map` tells
    that it is one of the functions of maps: the map's arrays, first slot and end are its first arguments. `alone`
    is the function that does the same without atomic operations, where no other thread runs."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Element | None
    body: tuple[KernelOp, ...]
    span: Span = field(default=NOWHERE, compare=False)
    comment: str = ""  # what the function is for, where no program text says it
    of_map: MapPart | None = None
    alone: str | None = None


@dataclass(frozen=True, slots=True)
class AllNodes:
    """Every node, or, in a part of a run, those from `first` up to `end`; the iterator is a NODE. The bounds are of the
    kernel's scalars."""

    first: Expression | None = None
    end: Expression | None = None


@dataclass(frozen=True, slots=True)
class AllArcs:
    """Every arc, or, in a part of a run, those from `first` up to `end`; the iterator is an ARC."""

    first: Expression | None = None
    end: Expression | None = None


@dataclass(frozen=True, slots=True)
class NodeNeighbors:
    """The neighbors of one node; the iterator is the neighbor, `position` as in ForNeighbors. `node` is one of the
    kernel's scalars or a constant."""

    direction: Direction
    node: Expression
    position: Variable


@dataclass(frozen=True, slots=True)
class Once:
    """One iteration, on one thread: a piece of sequential code that works on device memory."""


@dataclass(frozen=True, slots=True)
class Workers:
    """A share of the work for each of the WORKERS, by number; the iterator is an INT. One worker has all of its share
    on one thread, so that memory kept by its number is its own."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The nodes array[first], …, array[last - 1], which are all different, unless the array is a copy of a host's list
    (its extent is ITEMS), and which the kernel leaves as they are; the iterator is a NODE.

    `first` <= `last` are made of constants and the kernel's scalars; either may also be the cell of an array of one
    cell that the kernel does not write: then the host starts a launch without knowing how many nodes there are.
    """

    array: Array  # a NODE for every node, or for every element of a list
    first: Expression
    last: Expression


@dataclass(frozen=True, slots=True)
class InWords:
    """The nodes of words of BITS, 32 of each word, as many of them as there are; array[0], …, array[count - 1] are the
    first nodes of the words, which are all different and which the kernel leaves as they are. The iterator is a NODE.

    `count` is made of constants and the kernel's scalars.
    """

    array: Array  # a NODE for every word of BITS
    count: Expression


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers 0, …, count - 1; the iterator is an INT. `count` is made of constants, the graph's sizes and the
    kernel's scalars."""

    count: Expression


@dataclass(frozen=True, slots=True)
class WordsOfNodes(Numbers):
    """The numbers of words of bits, or of a few words at a time, as many for each node: nodes look for bits that they
    lack. No loop of a program goes over them (see `schedule.sources`)."""


@dataclass(frozen=True, slots=True)
class Triangles:
    """The triangles among the arcs that nodes keep: of a node `v`, those to the nodes of kept[row_offsets[v]] and as
    many cells from there as sizes[v] says, in any order and no node twice. Of the two arcs between two nodes one is
    kept, and none that are kept make a circle.

    An iteration brings a node, the iterator, and a `number` of triangles. Together they bring every triangle once, with
    one of its nodes; `of_each`, once with each of the three. A node may come often and at the same time, and what is
    true of its triangles only in sum.
    """

    kept: Array  # a NODE for every arc
    sizes: Array  # an INT for every node
    number: Variable  # a LONG, above 0
    of_each: bool


Domain = AllNodes | AllArcs | NodeNeighbors | Listed | InWords | Numbers | Triangles | Workers | Once


@dataclass(frozen=True, slots=True)
class Reduction:
    """A host variable that a launch combines with what its iterations contribute: `variable = variable combine
    contributions`; or, where `into` is given, one cell on the device, which then is what `variable` stands for (a BOOL
    is an INT there, 0 or 1)."""

    variable: Variable
    combine: Combine
    into: Array | None = None


CopiedCells = tuple[tuple[Array, Array, Array | None], ...]
"""What has copies of its cells by slot, and which; the third holds its index by slot, None where that is the slot."""


@dataclass(frozen=True, slots=True)
class CopiedRows:
    """Rows of which the host puts copies on the device.

    Attributes:
        offsets: where they begin on the host.
        copies: the layout of the copies.
        cells: those of the arcs in them.
    """

    offsets: Array
    copies: Layout
    cells: CopiedCells


@dataclass(frozen=True, slots=True)
class Chunks:
    """How a kernel is launched whose arcs lie on the host alone: for the nodes from `first` up to `end`, as many as
    have room for copies of their `rows`, again and again.

    Attributes:
        asking: the kernel that says which nodes it is for, in `wanted`; None where it is for all.
    """

    asking: str | None
    wanted: Array
    rows: tuple[CopiedRows, ...]
    first: Variable
    end: Variable

    @property
    def cells(self) -> CopiedCells:
        return tuple(cells for rows in self.rows for cells in rows.cells)


@dataclass(frozen=True, slots=True)
class ChunksOfArcs:
    """The same of a kernel for the arcs from `first` up to `end`, as many as have room for copies of their cells."""

    cells: CopiedCells
    first: Variable
    end: Variable


@dataclass(frozen=True, slots=True)
class Kernel:
    """One parallel loop. Every iteration runs `body` with its own `iterator` if `filter` holds for it.

    `arrays` and `scalars` are exactly what it uses, in parameter order: graph arrays first, then the others by first
    use. What `filter` says does not change while the kernel runs, whatever the body writes. `span` is the loop in the
    program. `shares_arcs` asks that threads share the arcs of all iterations evenly: the body's last operation is a
    ForNeighbors of the iterator then, and what stands before it may be done again for every arc or is apart from them
    (see `visiting`); or the kernel gathers (see `gathering`), looks for any one arc (see `searching`), asks whether any
    passes a test (see `asking`), goes over rows that arcs lead to (see `rows_of_arcs`), or threads share loops in its
    body where they can (see `shared_rows`); or it goes over triangles, which are shared in any case. `in_pieces` asks
    that a thread takes iterations that follow each other, for itself. Where the one cell of `guard` holds false, a
    launch does nothing. `counts` tells that the kernel does no more than count triangles: the graph's in a reduction,
    or for every node those that it is part of, in its cell. Where it `follows`, iterations also begin while it runs,
    for nodes whose filter becomes true (see `following`), as many as there is room for, and it tells whether it left
    any out. `short_rows` tells that nodes are known to have few arcs, so that a thread takes all arcs of a node,
    `long_rows` that some nodes of a set or list are known to have many; `streams` that warps gather those of all nodes,
    more than a cache holds, and look at each once; then it may ask that each takes one of equal `in_pieces_of_rows`,
    since few nodes have many arcs.
    `chunks` tells that a launch is several, one for each. All arcs that a `near` kernel reads are on the device when
    it is launched, whatever the module has mapped.
    """

    name: str
    domain: Domain
    iterator: Variable | None  # None for Once
    filter: Expression | None = field(default=None, kw_only=True)
    body: tuple[KernelOp, ...]
    _: KW_ONLY
    arrays: tuple[Array, ...] = ()
    scalars: tuple[Variable, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    comment: str = ""  # what the kernel is for, where no program text says it
    shares_arcs: bool = False
    in_pieces: bool = False
    guard: Array | None = None  # one BOOL; among `arrays`
    counts: PerTriangle | None = None
    follows: bool = False
    short_rows: bool = False
    long_rows: bool = False
    streams: bool = False
    in_pieces_of_rows: bool = False
    chunks: Chunks | ChunksOfArcs | None = None
    near: bool = False

    @property
    def index(self) -> Variable:
        """The iterator, which all kernels have but those of one iteration."""
        assert self.iterator is not None
        return self.iterator

    @property
    def own(self) -> Ref:
        """The node, arc or number that an iteration is for."""
        return Ref(self.index)

    @property
    def works_apart(self) -> bool:
        """Whether threads work independently of adjacent ones: each has a piece of the domain, or a share."""
        return self.in_pieces or isinstance(self.domain, Workers)

    def threads_follow(self, node: Expression) -> bool:
        """Whether this is a thread's own node, and that of the next thread the next one, from 0 on."""
        in_turn = self.filter is None and not self.in_pieces and not self.shares_arcs
        return in_turn and self.domain == AllNodes() and node == self.own

    @property
    def is_of_part(self) -> bool:
        """Whether it goes over the nodes of a part of a run, not over all."""
        return isinstance(self.domain, AllNodes) and self.domain.first is not None

    @property
    def brought_back(self) -> tuple[Reduction, ...]:
        """The reductions that a launch ends for the host."""
        return tuple(reduction for reduction in self.reductions if reduction.into is None)
