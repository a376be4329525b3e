"""The checked tree: every name is a `Symbol`, every expression has a type, every shorthand is spelt out.

`check` makes it from the syntax tree; nothing unresolved can be said in it. What `check` has normalised:

* `x op= e`, `x++`, `x = x + e` (also with e first where the operator commutes) are all `Update`; `x -= e` is
  `Update(ADD, x, -e)`; `/=` and `%=`, which do not commute, are plain `Assign`.
* an implicit conversion is an explicit `Convert`; operands of arithmetic and comparisons have one type.
* `v.dist` and `dist[v]` are both `Cell`; `e.weight` is the `Cell` of the propEdge named `weight` where one is in
scope, else
  `GraphWeight`.
* a bare property in a loop's filter or a fixedPoint's condition is the `Cell` at the loop's own node.
* `get_edge(u, v)` that is the arc in hand of an enclosing neighbor loop is `ArcInHand`.
* `for (i = …; …; …)` and `loop` are `CountedLoop` where they are plain counting, else `While` in a `Block`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from starplat.diagnostics import Diagnostic
from starplat.frontend.types import PropertyType, Scalar, Type, Void
from starplat.source import NOWHERE, SourceFile, Span

# --- symbols -------------------------------------------------------------------------------------------------------


class Role(Enum):
    """How a name came to be."""

    PARAMETER = "parameter"
    REFERENCE = "reference parameter"  # a scalar parameter with `&`
    LOCAL = "local"
    ITERATOR = "iterator"
    FLAG = "fixed point flag"


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """A declared thing. Two symbols are the same only if they are one object.

    `parallel_depth` counts the `forall`s (and BFS bodies) around the declaration: a scalar declared at a smaller depth
    than it is updated at is shared by the iterations.
    """

    name: str
    type: Type
    role: Role
    span: Span = NOWHERE
    parallel_depth: int = 0

    @property
    def scalar(self) -> Scalar:
        """The type, of a symbol that is known to be a scalar."""
        assert isinstance(self.type, Scalar), self
        return self.type

    @property
    def property(self) -> PropertyType:
        """The type, of a symbol that is known to be a property."""
        assert isinstance(self.type, PropertyType), self
        return self.type


# --- expressions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Anything in the tree."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal(Node):
    value: int | float | bool
    type: Scalar


@dataclass(frozen=True, slots=True)
class Infinity(Node):
    """The largest value of `type` (IEEE infinity for reals); the smallest if `negative`."""

    type: Scalar
    negative: bool = False


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """The value of a scalar."""

    symbol: Symbol

    @property
    def type(self) -> Scalar:
        return self.symbol.scalar


@dataclass(frozen=True, slots=True)
class Cell(Node):
    """The value of a property at a node or an edge; `index` has type NODE or EDGE as the property's carrier says."""

    symbol: Symbol
    index: Expression

    @property
    def type(self) -> Scalar:
        return self.symbol.property.element


@dataclass(frozen=True, slots=True)
class GraphWeight(Node):
    """The weight that was loaded for an edge, 1 where there is none."""

    edge: Expression
    type: Scalar = Scalar.INT


class End(Enum):
    SOURCE = "source"
    DESTINATION = "destination"


@dataclass(frozen=True, slots=True)
class EdgeEnd(Node):
    edge: Expression
    end: End
    graph: Symbol

    @property
    def type(self) -> Scalar:
        return Scalar.NODE


@dataclass(frozen=True, slots=True)
class ArcInHand(Node):
    """The arc that the loop of `iterator` (a neighbor loop) is at."""

    iterator: Symbol

    @property
    def type(self) -> Scalar:
        return Scalar.EDGE


class Query(Enum):
    """What may be asked of a graph: its result's type beside."""

    NUM_NODES = "num_nodes"  # int
    NUM_EDGES = "num_edges"  # long: arcs
    OUT_DEGREE = "count_outNbrs"  # int
    IN_DEGREE = "count_inNbrs"  # int
    FIND_EDGE = "get_edge"  # edge: lowest arc u -> v or -1
    IS_EDGE = "is_an_edge"  # bool
    MIN_WEIGHT = "minWt"  # type of the weights in scope
    MAX_WEIGHT = "maxWt"


@dataclass(frozen=True, slots=True)
class GraphQuery(Node):
    graph: Symbol
    query: Query
    arguments: tuple[Expression, ...]
    type: Scalar
    weight: Symbol | None = None  # of MIN_WEIGHT and MAX_WEIGHT: the propEdge 'weight' in scope


@dataclass(frozen=True, slots=True)
class SetSize(Node):
    symbol: Symbol

    @property
    def type(self) -> Scalar:
        return Scalar.INT


@dataclass(frozen=True, slots=True)
class SetContains(Node):
    symbol: Symbol
    member: Expression

    @property
    def type(self) -> Scalar:
        return Scalar.BOOL


class Operator(Enum):
    """Binary operators; both operands have one type, and so has the result unless it is a comparison."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    AND = "&&"
    OR = "||"
    BIT_AND = "&"
    BIT_OR = "|"
    BIT_XOR = "^"
    EQUAL = "=="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="

    @property
    def is_comparison(self) -> bool:
        return self in _COMPARISONS


_COMPARISONS = frozenset(
    {
        Operator.EQUAL,
        Operator.NOT_EQUAL,
        Operator.LESS,
        Operator.LESS_EQUAL,
        Operator.GREATER,
        Operator.GREATER_EQUAL,
    }
)


class UnaryOperator(Enum):
    NOT = "!"
    NEGATE = "-"
    COMPLEMENT = "~"


@dataclass(frozen=True, slots=True)
class Unary(Node):
    operator: UnaryOperator
    operand: Expression

    @property
    def type(self) -> Scalar:
        return scalar_of(self.operand)


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`type` is BOOL for comparisons, else the operands' (`&& || & | ^` also on BOOL)."""

    operator: Operator
    left: Expression
    right: Expression
    type: Scalar


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    condition: Expression
    then: Expression
    otherwise: Expression

    @property
    def type(self) -> Scalar:
        return scalar_of(self.then)


@dataclass(frozen=True, slots=True)
class Convert(Node):
    """`operand` as `type`; INF of an integer type does not become INF of another by itself: that is lowering's job."""

    operand: Expression
    type: Scalar


class Function(Enum):
    """Mathematical functions. `min max abs` keep their operands' common type; the others give DOUBLE, or FLOAT where
    the operand is FLOAT."""

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
class Apply(Node):
    function: Function
    arguments: tuple[Expression, ...]
    type: Scalar


class Aggregation(Enum):
    """Of a whole property: `Sum(p) Product(p) Count(p) Min(p) Max(p)`; COUNT counts the cells that are true (or not
    0)."""

    SUM = "Sum"
    PRODUCT = "Product"
    COUNT = "Count"
    MIN = "Min"
    MAX = "Max"


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """`type` is the element's, LONG for COUNT and for SUM of ints."""

    aggregation: Aggregation
    property: Symbol
    type: Scalar


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A call of a function of the program. Arguments by reference (graphs, properties, sets, `&` scalars) are bare
    `Symbol`s, others are expressions converted to the parameter's type; defaults are filled in. `type` is VOID only
    in a CallStatement."""

    function: str
    arguments: tuple[Expression | Symbol, ...]
    type: Scalar | Void


@dataclass(frozen=True, slots=True)
class UnsupportedValue(Node):
    """The value of a collection's operation, which nothing runs yet; `construct` as in `Unsupported`."""

    construct: str
    type: Scalar


Expression = (
    Literal
    | Infinity
    | Variable
    | Cell
    | GraphWeight
    | EdgeEnd
    | ArcInHand
    | GraphQuery
    | SetSize
    | SetContains
    | Unary
    | Binary
    | Conditional
    | Convert
    | Apply
    | Aggregate
    | Call
    | UnsupportedValue
)
Place = Variable | Cell


def scalar_of(expression: Expression) -> Scalar:
    """The type of an expression that has a value, which all have but calls of functions without a result."""
    kind = expression.type
    assert isinstance(kind, Scalar), expression
    return kind


# --- statements ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Block(Node):
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Declare(Node):
    """A scalar, property or set comes to be. Without a `value` it is 0, False, -1 (node, edge), empty. A property may
    have a property (copy) as initial value only through a following `CopyProperty`."""

    symbol: Symbol
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Assign(Node):
    place: Place
    value: Expression


class Combine(Enum):
    """The commutative operators of reductions."""

    ADD = "+="
    MULTIPLY = "*="
    AND = "&&="
    OR = "||="
    BIT_AND = "&="
    BIT_OR = "|="
    BIT_XOR = "^="


@dataclass(frozen=True, slots=True)
class Update(Node):
    """`place op= value`."""

    combine: Combine
    place: Place
    value: Expression


class Extreme(Enum):
    MIN = "Min"
    MAX = "Max"


@dataclass(frozen=True, slots=True)
class Carried(Node):
    """A second assignment that happens if and only if the `Min` or `Max` wins."""

    place: Place
    value: Expression


@dataclass(frozen=True, slots=True)
class AssignExtreme(Node):
    """`<place, …> = <Min(place, candidate), …>`, also with one item only."""

    extreme: Extreme
    place: Place
    candidate: Expression
    carried: tuple[Carried, ...] = ()


@dataclass(frozen=True, slots=True)
class Attach(Node):
    """`attachNodeProperty(p = e, …)`. A value is the `Symbol` of a property (copy) or a scalar expression (fill)."""

    graph: Symbol
    items: tuple[tuple[Symbol, Expression | Symbol], ...]


@dataclass(frozen=True, slots=True)
class CopyProperty(Node):
    """`p = q`."""

    destination: Symbol
    source: Symbol


@dataclass(frozen=True, slots=True)
class AddToSet(Node):
    symbol: Symbol
    member: Expression


@dataclass(frozen=True, slots=True)
class CallStatement(Node):
    call: Call


@dataclass(frozen=True, slots=True)
class Return(Node):
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Break(Node):
    pass


@dataclass(frozen=True, slots=True)
class Continue(Node):
    pass


@dataclass(frozen=True, slots=True)
class If(Node):
    condition: Expression
    then: Block
    otherwise: Block | None = None


@dataclass(frozen=True, slots=True)
class While(Node):
    condition: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class DoWhile(Node):
    body: Block
    condition: Expression


@dataclass(frozen=True, slots=True)
class CountedLoop(Node):
    """`for (symbol = first; condition; <step>) body`: the step is an ordinary statement, run also after `continue`.

    `declares` tells whether the loop declares its symbol."""

    symbol: Symbol
    declares: bool
    first: Expression
    condition: Expression
    step: Statement
    body: Block


class Direction(Enum):
    OUT = "neighbors"
    IN = "nodes_to"
    BOTH = "inOutNbrs"


@dataclass(frozen=True, slots=True)
class AllNodes:
    graph: Symbol


@dataclass(frozen=True, slots=True)
class AllEdges:
    graph: Symbol


@dataclass(frozen=True, slots=True)
class Neighbors:
    graph: Symbol
    node: Expression
    direction: Direction


@dataclass(frozen=True, slots=True)
class Members:
    """The members of a SetN or SetE, ascending."""

    symbol: Symbol


Domain = AllNodes | AllEdges | Neighbors | Members


@dataclass(frozen=True, slots=True)
class ForEach(Node):
    """`forall` if `parallel`, else `for`; `filter` speaks of `iterator`."""

    parallel: bool
    iterator: Symbol
    domain: Domain
    filter: Expression | None
    body: Block


@dataclass(frozen=True, slots=True)
class FixedPoint(Node):
    """`do { flag = True; body; flag = flag && ALL(condition) } while (!flag)`, with `node` the hidden node of ALL.

    `flag` is the symbol declared before, or a FLAG symbol of its own where the name was not declared."""

    flag: Symbol
    node: Symbol
    graph: Symbol
    condition: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class ReversePass(Node):
    filter: Expression | None
    body: Block


@dataclass(frozen=True, slots=True)
class IterateInBFS(Node):
    """`iterator` is the node of both bodies."""

    iterator: Symbol
    graph: Symbol
    source: Expression
    filter: Expression | None
    body: Block
    reverse: ReversePass | None


@dataclass(frozen=True, slots=True)
class Unsupported(Node):
    """A dynamic construct or a collection's operation: type-checked, but nothing runs it yet.

    `construct` is its name in the language (`Batch`, `OnAdd`, `container`, `list.push` …), `parts` what is inside."""

    construct: str
    parts: tuple[Statement, ...] = ()


Statement = (
    Block
    | Declare
    | Assign
    | Update
    | AssignExtreme
    | Attach
    | CopyProperty
    | AddToSet
    | CallStatement
    | Return
    | Break
    | Continue
    | If
    | While
    | DoWhile
    | CountedLoop
    | ForEach
    | FixedPoint
    | IterateInBFS
    | Unsupported
)

# --- program -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FunctionDefinition(Node):
    """`defaults` holds a value for each parameter that has one. `kind` is the word it was declared with. `result` is
    VOID where it returns nothing."""

    name: str
    kind: str
    parameters: tuple[Symbol, ...]
    defaults: tuple[Literal | Infinity | None, ...]
    result: Scalar | Void
    body: Block


@dataclass(frozen=True, slots=True)
class Program(Node):
    """Functions in the order of the text, and the warnings and notes that checking gave."""

    source: SourceFile = field(compare=False, repr=False)
    functions: tuple[FunctionDefinition, ...]
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)

    def function(self, name: str) -> FunctionDefinition:
        """The function of that name.

        Raises:
            KeyError: there is none.
        """
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)
