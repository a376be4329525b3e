"""Typed tree: statements and the domains of loops.

Lists are the host's: none of what changes them is in a `forall`, but a `forall` may go over a list.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from starplat.frontend.typed import dynamic
from starplat.frontend.typed.expressions import Call, Expression, Place
from starplat.frontend.typed.symbols import Node, Symbol


class ListChange(Enum):
    """What changes the number of a list's elements, with its arguments."""

    PUSH = "push"  # a value, behind the last
    INSERT = "insert"  # an INT and a value, which stands there then: at most the number of elements
    RESIZE = "resize"  # an INT and the value of new elements: the last ones go, or new ones come behind them
    CLEAR = "clear"
    COPY = "="  # a `WholeList`


@dataclass(frozen=True, slots=True)
class ChangeList(Node):
    """`symbol.push(value)` and the like."""

    symbol: Symbol
    change: ListChange
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """The elements of a list in their order, as they are when the loop begins."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Block(Node):
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Declare(Node):
    """A scalar, property, set or list comes to be. Without a `value` it is 0, False, -1 (node, edge), empty. A property
    may have a property (copy) as initial value only through a following `CopyProperty`."""

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
class AddToMap(Node):
    """`symbol[key] += value`; nothing where the key is negative. It stands in one loop over the neighbors of the node
    whose iteration the map belongs to, in no other loop in that."""

    symbol: Symbol
    key: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class CallStatement(Node):
    call: Call


@dataclass(frozen=True, slots=True)
class Print(Node):
    """`print(…)`: a line of texts and values. Only checked runs and `reference` do it; so it is with `Assert`."""

    parts: tuple[Expression | str, ...]


@dataclass(frozen=True, slots=True)
class Assert(Node):
    """`assert(condition, message)`: a checked run stops where the condition is False."""

    condition: Expression
    message: str | None = None


Remark = Print | Assert


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


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a map, ascending."""

    symbol: Symbol


Domain = AllNodes | AllEdges | Neighbors | Members | Keys | Items | dynamic.Numbers


@dataclass(frozen=True, slots=True)
class ForEach(Node):
    """`forall` if `parallel`, else `for`; `filter` speaks of `iterator`. `any_order`: it was a `forall`, of which the
    canonical form takes one iteration after another, since the host has a part in each."""

    parallel: bool
    iterator: Symbol
    domain: Domain
    filter: Expression | None
    body: Block
    any_order: bool = False


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
    """A collection's operation: type-checked, but nothing runs it yet.

    `construct` is its name in the language (`container`, `list.push` …), `parts` what is inside."""

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
    | AddToMap
    | ChangeList
    | CallStatement
    | Print
    | Assert
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
    | dynamic.TakeBatch
    | dynamic.EndBatch
    | dynamic.ChangeGraph
    | Unsupported
)
