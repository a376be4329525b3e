"""Builds what rewrites put in the place of statements: cells, conditions, stores, loops over nodes and their rows."""

from dataclasses import dataclass
from functools import reduce

from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar, Type
from starplat.source import NOWHERE, Span


def cell(symbol: typed.Symbol, node: typed.Symbol) -> typed.Cell:
    """What a property holds at a node, to be compared with parts of a tree."""
    return Builder().cell(symbol, node)


@dataclass(frozen=True)
class Builder:
    """Builds parts of a tree that all have one place in the text."""

    span: Span = NOWHERE

    # --- symbols

    def local(self, name: str, kind: Type) -> typed.Symbol:
        """A scalar or a property of the function's own, to be declared."""
        return typed.Symbol(name, kind, typed.Role.LOCAL, self.span)

    def of_nodes(self, name: str, element: Scalar) -> typed.Symbol:
        """A property of nodes, to be declared."""
        return self.local(name, PropertyType(Carrier.NODE, element))

    def iterator(self, name: str = "node", kind: Scalar = Scalar.NODE, parallel_depth: int = 0) -> typed.Symbol:
        """What a loop goes over."""
        return typed.Symbol(name, kind, typed.Role.ITERATOR, self.span, parallel_depth)

    # --- expressions

    def truth(self, value: bool) -> typed.Literal:
        return typed.Literal(value, Scalar.BOOL, span=self.span)

    def number(self, value: int, kind: Scalar = Scalar.INT) -> typed.Literal:
        """A whole number, as a value of a type of numbers."""
        real = kind in (Scalar.FLOAT, Scalar.DOUBLE)
        return typed.Literal(float(value) if real else value, kind, span=self.span)

    def infinity(self, kind: Scalar = Scalar.INT) -> typed.Infinity:
        return typed.Infinity(kind, span=self.span)

    def variable(self, symbol: typed.Symbol) -> typed.Variable:
        return typed.Variable(symbol, span=self.span)

    def cell(self, symbol: typed.Symbol, node: typed.Symbol) -> typed.Cell:
        """What a property holds at the node (the edge) that a loop is at."""
        return typed.Cell(symbol, self.variable(node), span=self.span)

    def compared(self, left: typed.Expression, how: typed.Operator, right: typed.Expression) -> typed.Binary:
        """A comparison, or two conditions joined."""
        return typed.Binary(how, left, right, Scalar.BOOL, span=self.span)

    def equal(self, left: typed.Expression, right: typed.Expression) -> typed.Binary:
        return self.compared(left, typed.Operator.EQUAL, right)

    def differs(self, left: typed.Expression, right: typed.Expression) -> typed.Binary:
        return self.compared(left, typed.Operator.NOT_EQUAL, right)

    def plus(self, value: typed.Expression, number: int) -> typed.Binary:
        """A whole number more."""
        return typed.Binary(typed.Operator.ADD, value, self.number(number), Scalar.INT, span=self.span)

    def negated(self, condition: typed.Expression) -> typed.Unary:
        return typed.Unary(typed.UnaryOperator.NOT, condition, span=self.span)

    def both(self, *conditions: typed.Expression) -> typed.Expression:
        """`a && b`, of any number of conditions but none, in their order."""
        return reduce(lambda left, right: self.compared(left, typed.Operator.AND, right), conditions)

    # --- statements

    def block(self, *statements: typed.Statement) -> typed.Block:
        return typed.Block(statements, span=self.span)

    def declare(self, symbol: typed.Symbol, value: typed.Expression | None = None) -> typed.Declare:
        return typed.Declare(symbol, value, span=self.span)

    def assign(self, place: typed.Place, value: typed.Expression | bool) -> typed.Assign:
        """A store of an expression, or of a truth."""
        return typed.Assign(place, self.truth(value) if isinstance(value, bool) else value, span=self.span)

    def add(self, place: typed.Place, number: int) -> typed.Update:
        """`place += number`, of whole numbers."""
        return typed.Update(typed.Combine.ADD, place, self.number(number), span=self.span)

    def carried(self, place: typed.Place, value: bool) -> typed.Carried:
        """A truth that goes with the winner."""
        return typed.Carried(place, self.truth(value), span=self.span)

    def when(self, condition: typed.Expression, *statements: typed.Statement) -> typed.If:
        return typed.If(condition, self.block(*statements), span=self.span)

    def if_a_node(self, node: typed.Symbol, *statements: typed.Statement) -> tuple[typed.Statement, ...]:
        """Statements for a node that is there: as a parameter it may be -1."""
        if node.role is typed.Role.ITERATOR:
            return statements
        number = typed.Convert(self.variable(node), Scalar.INT, span=self.span)
        return (self.when(self.compared(number, typed.Operator.GREATER_EQUAL, self.number(0)), *statements),)

    def extreme(
        self, way: typed.Extreme, place: typed.Place, candidate: typed.Expression, *carried: typed.Carried
    ) -> typed.AssignExtreme:
        """`<place, ...> = <Min(place, candidate), ...>`."""
        return typed.AssignExtreme(way, place, candidate, carried, span=self.span)

    def over(
        self,
        iterator: typed.Symbol,
        domain: typed.Domain,
        *statements: typed.Statement,
        condition: typed.Expression | None = None,
    ) -> typed.ForEach:
        """A parallel loop over a domain, or over what in it meets a condition."""
        return typed.ForEach(True, iterator, domain, condition, self.block(*statements), span=self.span)

    def until_none(self, members: typed.Symbol, graph: typed.Symbol, *statements: typed.Statement) -> typed.FixedPoint:
        """Rounds until no node has a flag."""
        flag, node = typed.Symbol("done", Scalar.BOOL, typed.Role.FLAG, self.span), self.iterator()
        none = self.negated(self.cell(members, node))
        return typed.FixedPoint(flag, node, graph, none, self.block(*statements), span=self.span)

    def row(self, graph: typed.Symbol, node: typed.Symbol, way: typed.Direction) -> typed.Neighbors:
        return typed.Neighbors(graph, self.variable(node), way)
