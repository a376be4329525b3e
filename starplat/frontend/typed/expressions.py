"""Typed tree: expressions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from starplat.frontend.typed.symbols import Node, Symbol
from starplat.frontend.types import ListType, Scalar, Several, Void


@dataclass(frozen=True, slots=True)
class Literal(Node):
    value: int | float | bool
    type: Scalar


TRUE, FALSE = Literal(True, Scalar.BOOL), Literal(False, Scalar.BOOL)


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
    type: ClassVar[Scalar] = Scalar.NODE


@dataclass(frozen=True, slots=True)
class ArcInHand(Node):
    """The arc that the loop of `iterator` (a neighbor loop) is at."""

    iterator: Symbol
    type: ClassVar[Scalar] = Scalar.EDGE


class Query(Enum):
    """What may be asked of a graph: its result's type beside."""

    NUM_NODES = "num_nodes"  # int
    NUM_EDGES = "num_edges"  # long: arcs
    OUT_DEGREE = "count_outNbrs"  # int
    IN_DEGREE = "count_inNbrs"  # int
    FIRST_EDGE = "first_edge"  # edge: where the node's row begins
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
    type: ClassVar[Scalar] = Scalar.INT


@dataclass(frozen=True, slots=True)
class SetContains(Node):
    symbol: Symbol
    member: Expression
    type: ClassVar[Scalar] = Scalar.BOOL


@dataclass(frozen=True, slots=True)
class MapValue(Node):
    """The sum of a key of a map, 0 where nothing was added to it."""

    symbol: Symbol
    key: Expression

    @property
    def type(self) -> Scalar:
        return self.symbol.map.value


@dataclass(frozen=True, slots=True)
class MapSize(Node):
    """How many keys a map has."""

    symbol: Symbol
    type: ClassVar[Scalar] = Scalar.INT


@dataclass(frozen=True, slots=True)
class MapBest(Node):
    """The key with the largest sum, the smallest of equals; -1 where there is none. A key that is a bool is 0 or 1."""

    symbol: Symbol

    @property
    def type(self) -> Scalar:
        key = self.symbol.map.key
        return Scalar.INT if key is Scalar.BOOL else key


@dataclass(frozen=True, slots=True)
class ListItem(Node):
    """The element of a list at `index`, an INT from 0 on. There must be one."""

    symbol: Symbol
    index: Expression

    @property
    def type(self) -> Scalar:
        return self.symbol.element


@dataclass(frozen=True, slots=True)
class ListSize(Node):
    """How many elements a list has."""

    symbol: Symbol
    type: ClassVar[Scalar] = Scalar.INT


@dataclass(frozen=True, slots=True)
class WholeList(Node):
    """All elements of a list; it stands in a `Return`, and in the copy of a list."""

    symbol: Symbol

    @property
    def type(self) -> ListType:
        return ListType(self.symbol.element)


class Operator(Enum):
    """Binary operators; both operands have one type, and so has the result unless it is a comparison."""

    __hash__ = object.__hash__  # faster than Enum's, which hashes the name

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    SHIFT_LEFT = "<<"  # of an INT by 0 to 31 bits, of a LONG by 0 to 63: the right side is an INT
    SHIFT_RIGHT = ">>"  # the same; keeps the sign
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
class Incremented(Node):
    """`place++` and the like: the place changes by `amount`, 1 or -1, once; the value is the one from before if
    `old`, else the new one. `sequence` makes a statement of it, so that no later stage sees one."""

    place: Place
    amount: int
    old: bool

    @property
    def type(self) -> Scalar:
        return self.place.type


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


@dataclass(frozen=True, slots=True)
class Cast(Node):
    """`int(x)` and the like, where the value or the type it computes in may differ: no stage looks through it as
    through a `Convert`."""

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
class Together(Node):
    """Two or more values that are returned together; it stands in a `Return` only."""

    values: tuple[Expression, ...]

    @property
    def type(self) -> Several:
        return Several(tuple(scalar_of(value) for value in self.values))


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
    | MapValue
    | MapSize
    | MapBest
    | ListItem
    | ListSize
    | WholeList
    | Unary
    | Binary
    | Conditional
    | Incremented
    | Convert
    | Cast
    | Apply
    | Aggregate
    | Call
    | Together
    | UnsupportedValue
)
Place = Variable | Cell | ListItem


def scalar_of(expression: Expression) -> Scalar:
    """The type of an expression that has a value, which all have but calls of functions without a result."""
    kind = expression.type
    assert isinstance(kind, Scalar), expression
    return kind
