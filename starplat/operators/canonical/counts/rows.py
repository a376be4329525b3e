"""The neighbors that a peeling counts, and the peeling of them in one loop."""

from dataclasses import dataclass, replace

from starplat.analysis.settling.monotone import MIRRORED
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, rebuilding
from starplat.operators.canonical.filters import all_of


@dataclass(frozen=True)
class Row:
    """The neighbors `there` in the row of a `node` that meet conditions."""

    node: typed.Symbol
    there: typed.Symbol
    domain: typed.Neighbors
    conditions: tuple[typed.Expression, ...]

    def over(self, statement: typed.Statement) -> typed.ForEach:
        build = Builder(self.domain.node.span)
        return build.over(self.there, self.domain, statement, condition=all_of(self.conditions))

    def turned(self) -> "Row":
        """The nodes in whose rows a neighbor is."""
        own = typed.Variable(self.there, span=self.domain.node.span)
        domain = replace(self.domain, node=own, direction=effects.REVERSED[self.domain.direction])
        return Row(self.there, self.node, domain, tuple(mirrored(c) for c in self.conditions))

    def named_as(self, other: "Row") -> tuple[typed.Neighbors, tuple[typed.Expression, ...]]:
        """The neighbors and their conditions, in the names of another row."""
        return rebuilding.substituted((self.domain, self.conditions), {self.node: other.node, self.there: other.there})


def mirrored(c: typed.Expression) -> typed.Expression:
    """A comparison with its sides exchanged."""
    match c:
        case typed.Binary(operator, left, right) if operator in MIRRORED:
            return replace(c, operator=MIRRORED[operator], left=right, right=left)
    return c


def peeling(core: typed.Symbol, row: Row, build: Builder) -> tuple[typed.Statement, ...]:
    """The declarations and the loop of a peeling that counts the neighbors of a row."""
    graph, node, turned = row.domain.graph, row.node, row.turned()
    degree, peeling = build.of_nodes("degree", types.Scalar.INT), build.of_nodes("peeling", types.Scalar.BOOL)
    left, k, peeled = (build.variable(build.local(name, types.Scalar.INT)) for name in ("left", "k", "peeled"))
    zero, every = build.number(0), typed.AllNodes(graph)
    counts = build.over(node, every, row.over(build.add(build.cell(degree, node), 1)))
    is_left = build.equal(build.cell(core, node), build.number(-1))
    has_few = build.compared(build.cell(degree, node), typed.Operator.LESS_EQUAL, k)
    leaves = build.over(
        node,
        every,
        build.assign(build.cell(core, node), k),
        build.assign(build.cell(peeling, node), True),
        build.add(peeled, 1),
        condition=build.both(is_left, has_few),
    )
    mark, falls = build.cell(peeling, turned.node), turned.over(build.add(build.cell(degree, turned.there), -1))
    told = build.over(turned.node, every, build.assign(mark, False), falls, condition=mark)
    counts, leaves, told = (rebuilding.with_fresh_symbols(s, (s,)) for s in (counts, leaves, told))
    fewer = typed.Unary(typed.UnaryOperator.NEGATE, peeled, span=build.span)
    rounds = build.block(
        build.declare(peeled.symbol, zero),
        leaves,
        told,
        typed.Update(typed.Combine.ADD, left, fewer, span=build.span),
        build.when(build.equal(peeled, zero), build.add(k, 1)),
    )
    size = typed.GraphQuery(graph, typed.Query.NUM_NODES, (), types.Scalar.INT, span=build.span)
    begun = ((core, build.number(-1)), (degree, zero), (peeling, build.truth(False)))
    return (
        build.declare(degree),
        build.declare(peeling),
        typed.Attach(graph, begun, span=build.span),
        counts,
        build.declare(left.symbol, size),
        build.declare(k.symbol, zero),
        typed.While(build.compared(left, typed.Operator.GREATER, zero), rounds, span=build.span),
    )
