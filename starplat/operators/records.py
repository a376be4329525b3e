"""The records of a graph program: what happens to nodes and arcs, and nothing about threads, flags or kernels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from starplat.frontend import typed
from starplat.source import Span


class How(Enum):
    """How a value comes together with what the target holds."""

    LEAST = "min"
    GREATEST = "max"
    SUM = "sum"
    PRODUCT = "product"
    ALL = "and"
    ANY = "or"
    BITS = "bits"
    STORE = "store"  # one of the values that are stored, all alike in a program without a race


@dataclass(frozen=True, slots=True, eq=False)
class EdgeEffect:
    """What an arc between a `source` and a `destination` does: `target` takes `value`, and what is `carried` goes with
    the winner of a least or greatest.

    `direction` is where the destination lies, seen from the source. `when` are the conditions, without that on the
    `frontier`: the flag of active sources, None if all are active.
    """

    source: typed.Symbol
    destination: typed.Symbol
    direction: typed.Direction
    when: tuple[typed.Expression, ...]
    target: typed.Place
    how: How
    value: typed.Expression
    carried: tuple[typed.Carried, ...]
    frontier: typed.Symbol | None
    span: Span

    @property
    def symbol(self) -> typed.Symbol:
        """What the target is a cell of."""
        return self.target.symbol

    @property
    def own(self) -> typed.Cell:
        """The source's cell of the same."""
        return typed.Cell(self.symbol, typed.Variable(self.source))

    @property
    def extreme(self) -> typed.Extreme:
        """The `Min` or `Max`, of an effect that is one."""
        return {How.LEAST: typed.Extreme.MIN, How.GREATEST: typed.Extreme.MAX}[self.how]


class Start(Enum):
    """The labels of nodes when a loop begins that lets them spread."""

    NODES = "every node itself"
    EACH = "a value for each node"
    FEW = "one value for all, but for a few"


@dataclass(frozen=True, slots=True)
class Spreading:
    """What a loop leaves in `labels`: the least (greatest) of those that reach a node along arcs, or of its component
    where labels go `both_ways`. Where they are `mutual`, only arcs that have their reverse lead anywhere."""

    labels: typed.Symbol
    extreme: typed.Extreme
    both_ways: bool
    start: Start
    mutual: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """A `local` of a loop over sources as a property, with what it begins with; None is 0 or False."""

    symbol: typed.Symbol
    local: typed.Symbol
    value: typed.Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Searches:
    """What a loop over sources comes to: a breadth-first search from each, along arcs in a `direction`, of which only
    the distance of nodes is asked. `reached` is done to each `node` that `count` of the sources come to after `level`
    steps, once for each such level; none of it depends on which sources these are. `why_not`, if any, is why this order
    of sources may not be changed all the same, with the remedy. `kept` are locals of the loop; `behind` is done to each
    `node` at the end."""

    direction: typed.Direction
    node: typed.Symbol
    level: typed.Symbol
    count: typed.Symbol
    reached: tuple[typed.Statement, ...]
    why_not: str | None = None
    kept: tuple[Kept, ...] = ()
    behind: tuple[typed.Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """Why the answer of a program may depend on the numbers of nodes, where, and what to write instead."""

    why: str
    span: Span
    remedy: str


@dataclass(frozen=True, slots=True)
class NodeNumbers:
    """Whether the answer of a program may depend on the numbers of nodes: where they are `shown`, if anywhere, and if
    it only does not on simple graphs, in which every arc has its reverse and no other beside it."""

    shown: Shown | None
    if_simple: bool = False


@dataclass(frozen=True, slots=True)
class VertexMap:
    """Every node (edge, member) of a domain for which all of `when` hold, by itself: its own cells and reductions, then
    its `rows`. The conditions are asked before any of it."""

    iterator: typed.Symbol
    domain: typed.Domain
    when: tuple[typed.Expression, ...]
    body: tuple[typed.Statement, ...]
    rows: tuple[Advance, ...] = ()


@dataclass(frozen=True, slots=True)
class Advance:
    """Every arc of the nodes of a domain, or of a frontier, for which all of `when` hold; without a domain every arc of
    the node of the `VertexMap` that it is a row of."""

    source: typed.Symbol
    destination: typed.Symbol
    direction: typed.Direction
    domain: typed.Domain | None
    frontier: typed.Symbol | None
    when: tuple[typed.Expression, ...]
    effects: tuple[EdgeEffect, ...]


@dataclass(frozen=True, slots=True)
class Intersect:
    """The common neighbors x > w of the ends of each arc u -> w with u < w, which are the graph's triangles: `total`
    grows by `value` for each; or, if it is a property, the cells of all three nodes do. Any order of the three may be
    taken instead. This holds for graphs in which every arc has its reverse and no other beside it; on others the `loop`
    runs."""

    total: typed.Symbol
    value: int
    loop: typed.ForEach


@dataclass(frozen=True, slots=True)
class Foreach:
    """A parallel loop that is none of these: correct, with its effects known, and never recognised."""

    loop: typed.ForEach


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of the host that `ends` where its condition holds, or goes on there; `tested_last` where a first round
    surely runs. With a `frontier` it goes on until that is empty. `spreading` is what it comes to where labels
    spread."""

    condition: typed.Expression
    ends: bool
    tested_last: bool
    frontier: typed.Symbol | None
    body: tuple[Operator, ...]
    spreading: Spreading | None


@dataclass(frozen=True, slots=True)
class Counted:
    """A loop of the host that counts its rounds, each with operators of its own."""

    loop: typed.CountedLoop
    body: tuple[Operator, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """A breadth-first search from a node: what happens at each level, and on the way back."""

    search: typed.IterateInBFS
    forward: tuple[Operator, ...]
    back: tuple[Operator, ...]


@dataclass(frozen=True, slots=True)
class Each:
    """A loop whose iterations run one after another, each with operators of its own."""

    iterator: typed.Symbol
    domain: typed.Domain
    filter: typed.Expression | None
    body: tuple[Operator, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A branch of the host."""

    condition: typed.Expression
    then: tuple[Operator, ...]
    otherwise: tuple[Operator, ...]


Operator = VertexMap | Advance | Intersect | Foreach | Loop | Counted | Search | Each | Choice | typed.Statement


@dataclass(frozen=True, slots=True)
class GraphProgram:
    """A function in operators; `frontiers` are the flags that only say which nodes are active."""

    function: typed.FunctionDefinition
    frontiers: frozenset[typed.Symbol]
    operators: tuple[Operator, ...]
