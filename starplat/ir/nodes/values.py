"""Values on both sides: element types, arrays, variables and expressions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from starplat.ir.nodes.sizes import Extent


class Element(Enum):
    """The type of a cell or a variable. BOOL is a byte that is 0 or 1; NODE is a 32-bit integer; ARC is an integer wide
    enough for the graph's arcs: 32 bits where m < 2^31, else 64."""

    __hash__ = object.__hash__  # faster than Enum's, which hashes the name

    BOOL = "bool"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    NODE = "node"
    ARC = "arc"

    @property
    def is_real(self) -> bool:
        return self in (Element.FLOAT, Element.DOUBLE)

    @property
    def is_integer(self) -> bool:
        """Whether the value is a whole number, indices included, BOOL not."""
        return not self.is_real and self is not Element.BOOL


class Origin(Enum):
    """Where an array comes from."""

    GRAPH = "graph"  # the CSR; uploaded once, never down, never written
    WEIGHT = "weight"  # a propEdge parameter named weight: starts as the graph's weights
    PARAMETER = "parameter"  # a property or set of the caller
    LOCAL = "local"  # a property or set declared in the program
    TEMPORARY = "temporary"  # made by the compiler
    THREAD = "thread"  # the same, of each thread for itself: 0 at first, and again at the end of each iteration
    HOST = "host"  # the same, for the host alone: only ReadCell and WriteCell touch it, and it is not on the device


class Placement(Enum):
    """Where the cells of an array lie."""

    __hash__ = object.__hash__

    DEVICE = "device memory"
    MAPPED = "page-locked host memory"  # which kernels read over the link to the host
    MANAGED = "managed memory"  # whose pages the driver moves to where they are used
    SPLIT = "one range of addresses, its first cells in device memory, the rest in page-locked host memory"


class Packing(Enum):
    """How a set of nodes is stored in place of flags. Each has a bit for every node, by which a node joins once."""

    SWITCHED = "bits, and a list while the members are few"
    SHARED = "bits, and lists in the memory that the groups of a cluster share while the members are few"
    LIST = "bits, and a list of the members"
    BITS = "bits"
    LAYERS = "bits, and a bit for every word of these that is not zero"


@dataclass(frozen=True, slots=True)
class Array:
    """Cells on the device. `is_set` for a SetN or SetE, which is a BOOL for every node or arc.

    `packed` says how a BOOL array that only `OnDevice` operations touch is kept in place of a byte for every cell. Each
    cell of an array of `pairs`, which is a LONG, holds a key in its low half and what goes with it in its high half;
    these are whole numbers of 32 bits of the two types.
    """

    name: str
    element: Element
    extent: Extent
    origin: Origin
    is_set: bool = False
    packed: Packing | None = None
    pairs: tuple[Element, Element] | None = None

    def __hash__(self) -> int:
        """By the name, which mostly tells: arrays are looked up far more often than anything else is."""
        return hash(self.name)

    @property
    def compared(self) -> Element:
        """The type of what ExtremeCell compares: the cell, or its key."""
        return self.element if self.pairs is None else self.pairs[0]


ROW_OFFSETS = Array("row_offsets", Element.ARC, Extent.NODES_AND_ONE, Origin.GRAPH)
"""Arcs v -> … have the ids row_offsets[v] up to row_offsets[v + 1]."""

ROW_ENDS = Array("row_ends", Element.ARC, Extent.NODES, Origin.GRAPH)
"""Where the arcs of v end: before row_offsets[v + 1] if the row has room. Only programs with room in rows use it."""

COLUMNS = Array("columns", Element.NODE, Extent.ARCS, Origin.GRAPH)
"""The destination of every arc; ascending within a row."""

WEIGHTS = Array("weights", Element.INT, Extent.ARCS, Origin.GRAPH)
"""The weight that was loaded, 1 where there is none. Only programs without a propEdge named weight use it."""

SOURCES = Array("arc_sources", Element.NODE, Extent.ARCS, Origin.GRAPH)
"""The source of every arc."""

IN_ROW_OFFSETS = Array("in_row_offsets", Element.ARC, Extent.NODES_AND_ONE, Origin.GRAPH)
"""The in-arcs of v stand in slots in_row_offsets[v] up to in_row_offsets[v + 1]."""

IN_ROW_ENDS = Array("in_row_ends", Element.ARC, Extent.NODES, Origin.GRAPH)
"""The same of the in-arcs."""

IN_COLUMNS = Array("in_columns", Element.NODE, Extent.SLOTS, Origin.GRAPH)
"""The source of the arc in every slot; ascending within a row."""

IN_ARCS = Array("in_arcs", Element.ARC, Extent.SLOTS, Origin.GRAPH)
"""The id of the arc in every slot."""

COLUMNS_BY_DEGREE = Array("columns_by_degree", Element.NODE, Extent.SLOTS, Origin.GRAPH)
"""The destinations of a node's arcs, those of high degree first."""

ARCS_BY_DEGREE = Array("arcs_by_degree", Element.ARC, Extent.SLOTS, Origin.GRAPH)
"""The ids of these arcs."""

IN_COLUMNS_BY_DEGREE = Array("in_columns_by_degree", Element.NODE, Extent.SLOTS, Origin.GRAPH)
"""The sources of the arcs into a node, those of high degree first."""

IN_ARCS_BY_DEGREE = Array("in_arcs_by_degree", Element.ARC, Extent.SLOTS, Origin.GRAPH)
"""The ids of these arcs."""

BY_DEGREE_ARRAYS = (COLUMNS_BY_DEGREE, ARCS_BY_DEGREE, IN_COLUMNS_BY_DEGREE, IN_ARCS_BY_DEGREE)

PARTS = (2, 4, 8, 16)
"""Into how many parts the rows of a graph may be cut (see `layouts.in_parts`)."""


def _part_arrays(parts: int, way: str) -> tuple[Array, Array]:
    rows = Array(f"{way}rows_in_{parts}_parts", Element.ARC, Extent.NODES.times(parts) + 1, Origin.GRAPH)
    return rows, Array(f"{way}columns_in_{parts}_parts", Element.NODE, Extent.SLOTS, Origin.GRAPH)


PART_ARRAYS = {(parts, way): _part_arrays(parts, way) for way in ("", "in_") for parts in PARTS}
"""For a number of parts, and "in_" for the arcs that enter a node: where rows begin, and their neighbors."""

KEPT_ARRAYS = (
    Array("passing_rows", Element.ARC, Extent.NODES_AND_ONE, Origin.GRAPH),
    Array("passing_columns", Element.NODE, Extent.SLOTS, Origin.GRAPH),
)
"""Rows of the arcs that pass a test of the graph alone (see `Prepared.kept`): where they begin, and their neighbors."""

HEAD_OFFSETS = Array("head_offsets", Element.INT, Extent.NODES_AND_ONE, Origin.GRAPH)
"""The first of a node's arcs have their destinations in head_columns[head_offsets[v]] up to head_columns[head_offsets[v
+ 1]]; the runtime decides how many."""

HEAD_COLUMNS = Array("head_columns", Element.NODE, Extent.HEADS, Origin.GRAPH)
"""The destinations of these arcs, once more."""

IN_HEAD_OFFSETS = Array("in_head_offsets", Element.INT, Extent.NODES_AND_ONE, Origin.GRAPH)
"""The same of the arcs into a node."""

IN_HEAD_COLUMNS = Array("in_head_columns", Element.NODE, Extent.HEADS, Origin.GRAPH)
"""The sources of these arcs, once more."""

HEAD_WEIGHTS = {
    element: Array("head_weights", element, Extent.HEADS, Origin.GRAPH)
    for element in (Element.INT, Element.LONG, Element.FLOAT, Element.DOUBLE)
}
"""The weights of the arcs in HEAD_COLUMNS, once more, in any type that a program may ask for."""

HEAD_ARRAYS = (HEAD_OFFSETS, HEAD_COLUMNS, *HEAD_WEIGHTS.values(), IN_HEAD_OFFSETS, IN_HEAD_COLUMNS)
"""Copies on the device of what otherwise lies in the host's memory; only runs have them (`schedule.memory.heads`)."""

MADE_ARRAYS = (*BY_DEGREE_ARRAYS, *(array for arrays in PART_ARRAYS.values() for array in arrays), *KEPT_ARRAYS)
"""Arrays of the graph that a program makes on the device (see `Prepared`)."""

GRAPH_ARRAYS = dict.fromkeys(
    (
        *(ROW_OFFSETS, ROW_ENDS, COLUMNS, WEIGHTS, SOURCES, IN_ROW_OFFSETS, IN_ROW_ENDS, IN_COLUMNS, IN_ARCS),
        *(*HEAD_ARRAYS, *MADE_ARRAYS),
    )
)
"""The keys are the graph's arrays in their own order; it is asked of most arrays whether they are among them."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar."""

    name: str
    element: Element

    def __hash__(self) -> int:
        """By the name, as an array's."""
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class Const:
    """INF is the largest value of its element type (infinity for reals); printers may spell it so."""

    value: int | float | bool
    element: Element


@dataclass(frozen=True, slots=True)
class Ref:
    variable: Variable

    @property
    def element(self) -> Element:
        return self.variable.element


@dataclass(frozen=True, slots=True)
class Load:
    """`array[index]`. On the host only of graph arrays."""

    array: Array
    index: Expression

    @property
    def element(self) -> Element:
        return self.array.element


class UnaryOperator(Enum):
    NOT = "!"
    NEGATE = "-"
    COMPLEMENT = "~"


@dataclass(frozen=True, slots=True)
class Unary:
    operator: UnaryOperator
    operand: Expression

    @property
    def element(self) -> Element:
        return self.operand.element


class BinaryOperator(Enum):
    """Arithmetic on 32- and 64-bit integers wraps around; `/` and `%` truncate. ADD_INF is addition in which INF plus
    anything is INF (it is printed as `a == INF || b == INF ? INF : a + b`; only integers need it: reals have a plain
    ADD). `&&` and `||` stop early. `<<` and `>>` are by 0 to 31 bits, of a LONG by 0 to
    63; `>>` keeps the sign."""

    ADD = "+"
    ADD_INF = "+inf"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    AND = "&&"
    OR = "||"
    BIT_AND = "&"
    BIT_OR = "|"
    BIT_XOR = "^"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="

    @property
    def divides(self) -> bool:
        """Whether it is a quotient or a remainder, which there is none of for a whole number and 0."""
        return self in (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)


@dataclass(frozen=True, slots=True)
class Binary:
    """Operands have the same width: both reals of one kind, or both integers (NODE, ARC and INT may meet; the result
    says which width), or both BOOL. `element` is BOOL for comparisons."""

    operator: BinaryOperator
    left: Expression
    right: Expression
    element: Element


@dataclass(frozen=True, slots=True)
class Select:
    """`condition ? then : otherwise`; only the chosen side is evaluated."""

    condition: Expression
    then: Expression
    otherwise: Expression

    @property
    def element(self) -> Element:
        return self.then.element


@dataclass(frozen=True, slots=True)
class Cast:
    """Conversion as in C; real to integer truncates, saturates at the ends of the range, and NaN gives 0.
    `keeps_inf`: INF of the operand's type becomes INF of the new one."""

    operand: Expression
    element: Element
    keeps_inf: bool = False


class MathFunction(Enum):
    MIN = "min"
    MAX = "max"
    ABS = "abs"
    SQRT = "sqrt"
    EXP = "exp"
    LOG = "log"
    POW = "pow"
    FLOOR = "floor"
    CEIL = "ceil"
    POPCOUNT = "popcount"  # how many bits of a LONG are set


@dataclass(frozen=True, slots=True)
class Apply:
    """Arguments have the element type of the result."""

    function: MathFunction
    arguments: tuple[Expression, ...]
    element: Element


@dataclass(frozen=True, slots=True)
class NumNodes:
    element: Element = Element.INT


@dataclass(frozen=True, slots=True)
class NumArcs:
    element: Element = Element.LONG


@dataclass(frozen=True, slots=True)
class FindArc:
    """The lowest id of an arc source -> destination, or -1: binary search in the row (uses the arrays of CSR).
    `among_gaps` tells that slots of the row may hold no arc."""

    source: Expression
    destination: Expression
    element: Element = Element.ARC
    among_gaps: bool = False


@dataclass(frozen=True, slots=True)
class CallFunction:
    """A call of a `Function` (in kernels). Arguments match its parameters: expressions, arrays, and for a parameter
    by reference a Variable."""

    function: str
    arguments: tuple[Expression | Array | Variable, ...]
    element: Element


Expression = Const | Ref | Load | Unary | Binary | Select | Cast | Apply | NumNodes | NumArcs | FindArc | CallFunction


def limits(element: Element) -> tuple[int, int]:
    """The smallest and largest value of an integer element type."""
    bits = {Element.BOOL: 1, Element.LONG: 63, Element.ARC: 63}.get(element, 31)
    return (0, 1) if element is Element.BOOL else (-(1 << bits), (1 << bits) - 1)


def infinity(element: Element) -> Const:
    """INF of a type."""
    return Const(float("inf") if element.is_real else limits(element)[1], element)
