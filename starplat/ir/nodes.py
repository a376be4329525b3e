"""The intermediate form: one host program, its kernels, and nothing of any target.

Host operations and kernel operations are separate types. Host operations are few enough that two readers of them exist:
the printer of an artifact's C++ and the executor that walks them from Python. Names of variables and arrays are unique
inside one host function or kernel (lowering sees to that), so a reader needs no scopes. Expressions are shared by
both worlds.

Memory. An `Array` lives on the device. The host reads and writes single cells of it with `ReadCell` and `WriteCell`
only; the graph's own arrays are also present on the host, where expressions may `Load` from them. A `Variable` is a
host scalar, a kernel's scalar parameter (the host variable of that name, by value) or a kernel's local.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from starplat.frontend.types import Type
from starplat.source import NOWHERE, SourceFile, Span


class Element(Enum):
    """What a cell or a variable holds. BOOL is a byte that is 0 or 1; NODE is a 32-bit integer; ARC is an integer
    wide enough for the graph's arcs: 32 bits where m < 2^31, else 64."""

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


class Extent(Enum):
    """How many cells an array has."""

    ONE = "1"
    NODES = "n"
    NODES_AND_ONE = "n + 1"
    ARCS = "m"
    BITS = "n / 32 + 1"  # words of 32 bits, a bit for every node


class Origin(Enum):
    """Where an array comes from."""

    GRAPH = "graph"  # the CSR; uploaded once, never down, never written
    WEIGHT = "weight"  # a propEdge parameter named weight: starts as the graph's weights
    PARAMETER = "parameter"  # a property or set of the caller
    LOCAL = "local"  # a property or set declared in the program
    TEMPORARY = "temporary"  # made by the compiler
    HOST = "host"  # the same, for the host alone: only ReadCell and WriteCell touch it, and it is not on the device


@dataclass(frozen=True, slots=True)
class Array:
    """Cells on the device. `is_set` for a SetN or SetE, which is a BOOL for every node or arc.

    `packed` asks for a bit in place of a byte for every cell of a BOOL array that only `OnDevice` operations touch.
    """

    name: str
    element: Element
    extent: Extent
    origin: Origin
    is_set: bool = False
    packed: bool = False


ROW_OFFSETS = Array("row_offsets", Element.ARC, Extent.NODES_AND_ONE, Origin.GRAPH)
"""Arcs v -> … have the ids row_offsets[v] up to row_offsets[v + 1]."""
COLUMNS = Array("columns", Element.NODE, Extent.ARCS, Origin.GRAPH)
"""The destination of every arc; ascending within a row."""
WEIGHTS = Array("weights", Element.INT, Extent.ARCS, Origin.GRAPH)
"""The weight that was loaded, 1 where there is none. Only programs without a propEdge named weight use it."""
SOURCES = Array("arc_sources", Element.NODE, Extent.ARCS, Origin.GRAPH)
"""The source of every arc."""
IN_ROW_OFFSETS = Array("in_row_offsets", Element.ARC, Extent.NODES_AND_ONE, Origin.GRAPH)
"""The in-arcs of v stand at positions in_row_offsets[v] up to in_row_offsets[v + 1]."""
IN_COLUMNS = Array("in_columns", Element.NODE, Extent.ARCS, Origin.GRAPH)
"""The source of the arc at every position; ascending within a row."""
IN_ARCS = Array("in_arcs", Element.ARC, Extent.ARCS, Origin.GRAPH)
"""The forward id of the arc at every position."""

GRAPH_ARRAYS = (ROW_OFFSETS, COLUMNS, WEIGHTS, SOURCES, IN_ROW_OFFSETS, IN_COLUMNS, IN_ARCS)


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar."""

    name: str
    element: Element


# --- expressions, on both sides ------------------------------------------------------------------------------------


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
    ADD). `&&` and `||` stop early. `<<` is by 0 to 31 bits."""

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
    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="


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
    """The lowest id of an arc source -> destination, or -1: binary search in the row (uses ROW_OFFSETS and COLUMNS)."""

    source: Expression
    destination: Expression
    element: Element = Element.ARC


@dataclass(frozen=True, slots=True)
class CallFunction:
    """A call of a `Function` (in kernels). Arguments match its parameters: expressions, arrays, and for a parameter
    by reference a Variable."""

    function: str
    arguments: tuple[Expression | Array | Variable, ...]
    element: Element


Expression = Const | Ref | Load | Unary | Binary | Select | Cast | Apply | NumNodes | NumArcs | FindArc | CallFunction

# --- kernel operations ---------------------------------------------------------------------------------------------


class Combine(Enum):
    """Commutative, associative, with an identity."""

    ADD = "+"
    MULTIPLY = "*"
    AND = "&&"
    OR = "||"
    BIT_AND = "&"
    BIT_OR = "|"
    BIT_XOR = "^"
    MIN = "min"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Let:
    """Declares a local of the kernel (or function) with its first value."""

    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class SetLocal:
    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class Store:
    """`array[index] = value`. `shared`: other iterations may write the cell too (all the same value, or a race that
    the program has)."""

    array: Array
    index: Expression
    value: Expression
    shared: bool = False


@dataclass(frozen=True, slots=True)
class UpdateCell:
    """`array[index] = array[index] combine value`, in one piece if `shared` with other iterations."""

    combine: Combine
    array: Array
    index: Expression
    value: Expression
    shared: bool


@dataclass(frozen=True, slots=True)
class Carry:
    """`array[index] = value`, if the extreme wins."""

    array: Array
    index: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class ExtremeCell:
    """If `candidate` is beyond `array[index]` (less for MIN, greater for MAX) and is not INF (for MIN), store it and
    what it carries, as one unit if `shared`. On ties the first stays. `candidate` and all carried values are
    evaluated once, before.

    `lock` (an INT for every cell of `array`, 0 when free) is given where carried values are data that must stay
    consistent with the cell; a target that has a better way to make it one unit need not use it. Carried constants
    need none: whoever wins stores the same. `also` is done by the winner too: what concerns only itself, the kernel's
    reductions, or cells that are the winner's own.
    """

    extreme: Combine  # MIN or MAX
    array: Array
    index: Expression
    candidate: Expression
    carried: tuple[Carry, ...]
    shared: bool
    lock: Array | None = None
    also: tuple[KernelOp, ...] = ()


@dataclass(frozen=True, slots=True)
class FetchAdd:
    """`variable = array[index]; array[index] += value`, in one piece. The array holds integers, the local `variable`,
    declared before, is of their type; so it is for FetchOr and CompareSwap."""

    variable: Variable
    array: Array
    index: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class FetchOr:
    """`variable = array[index]; array[index] |= value`, in one piece."""

    variable: Variable
    array: Array
    index: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class CompareSwap:
    """`variable = array[index]; if (variable == expected) array[index] = value`, in one piece."""

    variable: Variable
    array: Array
    index: Expression
    expected: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Contribute:
    """Adds a value to one of the kernel's reductions; `reduction` is the host variable that receives it."""

    reduction: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class KernelIf:
    condition: Expression
    then: tuple[KernelOp, ...]
    otherwise: tuple[KernelOp, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelWhile:
    """`while (condition) body`, or `do body while (condition)` if `test_last`."""

    condition: Expression
    body: tuple[KernelOp, ...]
    test_last: bool = False


@dataclass(frozen=True, slots=True)
class KernelFor:
    """`for (; condition; step) body`: `step` runs also after a `Continue`. The variable is declared before."""

    condition: Expression
    step: tuple[KernelOp, ...]
    body: tuple[KernelOp, ...]


@dataclass(frozen=True, slots=True)
class ForRange:
    """`for (variable = first; variable < end; variable += 1) body`; declares `variable`."""

    variable: Variable
    first: Expression
    end: Expression
    body: tuple[KernelOp, ...]


class Direction(Enum):
    OUT = "out"
    IN = "in"


@dataclass(frozen=True, slots=True)
class ForNeighbors:
    """Over the arcs out of (into) `node`: declares `position` (an ARC: the arc's id for OUT, its place in the reverse
    CSR for IN) and `neighbor` (what stands at the other end). Uses (IN_)ROW_OFFSETS and (IN_)COLUMNS. `parallel`
    tells that the program said `forall`."""

    direction: Direction
    node: Expression
    neighbor: Variable
    position: Variable
    body: tuple[KernelOp, ...]
    parallel: bool


@dataclass(frozen=True, slots=True)
class KernelBreak:
    pass


@dataclass(frozen=True, slots=True)
class KernelContinue:
    """Of the innermost loop; outside any, it ends this iteration of the kernel."""


@dataclass(frozen=True, slots=True)
class KernelReturn:
    """In a `Function` only."""

    value: Expression | None


@dataclass(frozen=True, slots=True)
class KernelCall:
    """A call for its effect."""

    call: CallFunction


KernelOp = (
    Let
    | SetLocal
    | Store
    | UpdateCell
    | ExtremeCell
    | FetchAdd
    | FetchOr
    | CompareSwap
    | Contribute
    | KernelIf
    | KernelWhile
    | KernelFor
    | ForRange
    | ForNeighbors
    | KernelBreak
    | KernelContinue
    | KernelReturn
    | KernelCall
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """Of a `Function` or `HostFunction`. A scalar is by value unless `by_reference`; arrays are always by reference."""

    what: Variable | Array
    by_reference: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A helper that kernels call. Everything it touches is a parameter, the graph's arrays included."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Element | None
    body: tuple[KernelOp, ...]
    span: Span = field(default=NOWHERE, compare=False)
    comment: str = ""  # what the function is for, where no program text says it


@dataclass(frozen=True, slots=True)
class AllNodes:
    """Every node; the iterator is a NODE."""


@dataclass(frozen=True, slots=True)
class AllArcs:
    """Every arc; the iterator is an ARC."""


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
class Listed:
    """The nodes array[first], …, array[last - 1], which are all different and which the kernel leaves as they are; the
    iterator is a NODE.

    `first` <= `last` are made of constants and the kernel's scalars; either may also be the cell of an array of one
    cell that the kernel does not write: then the host starts a launch without knowing how many nodes there are.
    """

    array: Array  # a NODE for every node
    first: Expression
    last: Expression


Domain = AllNodes | AllArcs | NodeNeighbors | Listed | Once


@dataclass(frozen=True, slots=True)
class Reduction:
    """A host variable that a launch combines with what its iterations contribute: `variable = variable combine
    contributions`."""

    variable: Variable
    combine: Combine


@dataclass(frozen=True, slots=True)
class Kernel:
    """One parallel loop. Every iteration runs `body` with its own `iterator` if `filter` holds for it.

    `arrays` and `scalars` are exactly what it uses, in parameter order: graph arrays first, then the others by first
    use. What `filter` says does not change while the kernel runs, whatever the body writes. `span` is the loop in the
    program. `shares_arcs` asks that threads share the arcs of all iterations evenly: the body's last operation is a
    ForNeighbors of the iterator then, and what stands before it may be done again for every arc; or the kernel gathers
    (see `gathering`), or it looks for any one arc (see `searching`).
    """

    name: str
    domain: Domain
    iterator: Variable | None  # None for Once
    filter: Expression | None
    body: tuple[KernelOp, ...]
    arrays: tuple[Array, ...]
    scalars: tuple[Variable, ...]
    reductions: tuple[Reduction, ...]
    span: Span = field(default=NOWHERE, compare=False)
    comment: str = ""  # what the kernel is for, where no program text says it
    shares_arcs: bool = False


# --- host operations -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeclareVariable:
    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class SetVariable:
    variable: Variable
    value: Expression


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
    """Runs a kernel to its end; then every reduction's variable is combined with what came back (one word each)."""

    kernel: str


@dataclass(frozen=True, slots=True)
class ReadCell:
    """`variable = array[index]`, from the device. The variable is declared before."""

    variable: Variable
    array: Array
    index: Expression


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
class HostIf:
    condition: Expression
    then: tuple[HostOp, ...]
    otherwise: tuple[HostOp, ...] = ()


@dataclass(frozen=True, slots=True)
class HostWhile:
    """`while (true) { before; if (!condition) break; body }`, or `do { body; before } while (condition)` if
    `test_last`.

    `before` computes what the condition needs from the device (cells, reductions); it is empty for most loops.
    `Continue` goes on with `before`."""

    before: tuple[HostOp, ...]
    condition: Expression
    body: tuple[HostOp, ...]
    test_last: bool = False


@dataclass(frozen=True, slots=True)
class HostFor:
    """`for (; condition; step) body`, with `before` as in HostWhile; `step` runs also after a `Continue`."""

    before: tuple[HostOp, ...]
    condition: Expression
    step: tuple[HostOp, ...]
    body: tuple[HostOp, ...]


@dataclass(frozen=True, slots=True)
class HostForRange:
    """`for (variable = first; variable < end; variable += 1) body`; declares `variable`; `end` is evaluated once."""

    variable: Variable
    first: Expression
    end: Expression
    body: tuple[HostOp, ...]


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
    caller gave and no kernel or host operation has changed is at hand on the host already)."""

    variable: Variable
    members: Array
    body: tuple[HostOp, ...]


@dataclass(frozen=True, slots=True)
class HostBreak:
    pass


@dataclass(frozen=True, slots=True)
class HostContinue:
    pass


@dataclass(frozen=True, slots=True)
class HostReturn:
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class HostCall:
    """Calls a host function; arguments match its parameters: expressions, arrays, Variables for scalars by reference.
    `result`, declared before, receives what it returns."""

    function: str
    arguments: tuple[Expression | Array | Variable, ...]
    result: Variable | None


@dataclass(frozen=True, slots=True)
class HostBlock:
    """Operations that stem from one place of the program, for readers: `span` is its text."""

    body: tuple[HostOp, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class OnDevice:
    """`body`, all of it in one launch, whose threads wait for each other between one operation and the next.

    A schedule asks for it where a target has a grid barrier; it means what its body means. `arrays` and `scalars` are
    exactly what the body uses of the function's, in parameter order (the graph's arrays first), `outcomes` the
    variables declared outside that it changes. `traced` asks that the launch tells of its rounds (see `points`).
    """

    name: str
    body: tuple[HostOp, ...]
    arrays: tuple[Array, ...]
    scalars: tuple[Variable, ...]
    outcomes: tuple[Variable, ...]
    span: Span = field(default=NOWHERE, compare=False)
    traced: bool = False


@dataclass(frozen=True, slots=True)
class NearestFirst:
    """`body`, a loop whose rounds walk the set `now`, lower cells of `values` and put the nodes of lowered cells into
    the set `following`, until none is lowered: in any order it comes to the same end.

    A schedule asks that nodes with low values go first: they wait in `later`, which nothing else uses, until all below
    a limit are done, and the limit rises by `step`. `walk` is the kernel that walks; when the loop is over, `done` is
    what ends it.
    """

    body: tuple[HostOp, ...]
    walk: str
    now: Array
    following: Array
    later: Array
    values: Array
    step: Variable
    done: SetVariable


@dataclass(frozen=True, slots=True)
class PushOrPull:
    """`push`, which walks the set `members`, or `pull`, which looks for members: both do the same, and with many
    members the second looks at fewer arcs."""

    members: Array
    push: tuple[HostOp, ...]
    pull: tuple[HostOp, ...]


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
    | HostIf
    | HostWhile
    | HostFor
    | HostForRange
    | HostForNeighbors
    | HostForMembers
    | HostBreak
    | HostContinue
    | HostReturn
    | HostCall
    | HostBlock
    | OnDevice
    | NearestFirst
    | PushOrPull
)


@dataclass(frozen=True, slots=True)
class HostFunction:
    """`arrays` are allocated on entry, with undefined contents, and freed on return."""

    name: str
    parameters: tuple[Parameter, ...]
    arrays: tuple[Array, ...]
    result: Element | None
    body: tuple[HostOp, ...]
    span: Span = field(default=NOWHERE, compare=False)


# --- module --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of the entry, in the program's own words: what a caller must or may give."""

    name: str
    type: Type
    default: Const | None = None


@dataclass(frozen=True, slots=True)
class Module:
    """A program, ready to be scheduled, legalised, printed or interpreted.

    `inputs` are the entry's arrays whose first contents matter (uploaded if the caller gives them, else zeros; the
    WEIGHT array from the graph); `results` the entry's properties in order: the caller may ask for each.
    `result_type` is the language's type of what the entry returns. `graph_arrays` are those of GRAPH_ARRAYS that any
    kernel uses.
    """

    source: SourceFile = field(compare=False, repr=False)
    entry: str
    functions: tuple[HostFunction, ...]
    kernels: tuple[Kernel, ...]
    helpers: tuple[Function, ...]
    arguments: tuple[Argument, ...]
    inputs: tuple[Array, ...]
    results: tuple[Array, ...]
    result_type: Type | None
    graph_arrays: tuple[Array, ...]

    def function(self, name: str) -> HostFunction:
        return next(function for function in self.functions if function.name == name)

    def kernel(self, name: str) -> Kernel:
        return next(kernel for kernel in self.kernels if kernel.name == name)

    def helper(self, name: str) -> Function:
        return next(helper for helper in self.helpers if helper.name == name)


def limits(element: Element, *, wide_arcs: bool = True) -> tuple[int, int]:
    """The smallest and largest value of an integer element type."""
    bits = {Element.BOOL: 1, Element.LONG: 63, Element.ARC: 63 if wide_arcs else 31}.get(element, 31)
    return (0, 1) if element is Element.BOOL else (-(1 << bits), (1 << bits) - 1)


def infinity(element: Element) -> Const:
    """INF of a type."""
    return Const(float("inf") if element.is_real else limits(element)[1], element)


def nested(op: KernelOp) -> Iterator[tuple[KernelOp, ...]]:
    """The blocks inside a kernel operation."""
    match op:
        case ExtremeCell():
            yield op.also
        case KernelIf():
            yield op.then
            yield op.otherwise
        case KernelFor():
            yield op.body
            yield op.step
        case KernelWhile() | ForRange() | ForNeighbors():
            yield op.body
        case _:
            return
