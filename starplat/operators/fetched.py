"""What goes with the winner of a Min is found after the loop, where the loop ends with every value explained by an arc.

    fixedPoint until (done : !active) {              propNode<int> start;
      forall (v in g.nodes().filter(active)) {       g.attachNodeProperty(start = dist);
        forall (w in g.neighbors(v)) {               fixedPoint until (done : !active) { … without parent … }
          <w.dist, w.parent, w.active>               forall (v in g.nodes()) { v.known = v.dist == v.start; }
            = <Min(w.dist, v.dist + e.weight),       forall (v in g.nodes()) {
               v, True>;                               forall (w in g.neighbors(v)) {
        }                                                if (v.dist < w.dist
      }                                                      && w.dist == v.dist + e.weight) {
    }                                                      w.parent = v; w.known = True;
                                                     }}} …

After the loop a lowered cell equals the offer of the last arc that lowered it: the source has not been lowered since,
or it would have offered less. Such an arc is called tight; tight arcs lead from cells that were not lowered to all that
were. The source of a tight arc with a smaller cell is a parent at once. Nodes with tight arcs that add 0 only are found
by a search from nodes with parents, so that no two are each other's parents; if an arc adds less than 0, all nodes are.
Every node must have been visited: one that never was offers nothing and is no parent, though its cell may fit.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar, SetType
from starplat.operators.answers.components import begin_or_offer_nothing
from starplat.operators.canonical.hosts import surroundings
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.operators.canonical.rounds import edge_effects
from starplat.operators.records import EdgeEffect, How
from starplat.same import Same


def values_fetched_late(program: typed.Program) -> typed.Program:
    """The program, in canonical form, whose loops over a frontier carry nothing where that can be found after them."""
    functions = tuple(_of_function(function, program) for function in program.functions)
    same = all(new is old for new, old in zip(functions, program.functions, strict=True))
    return program if same else replace(program, functions=functions)


def _of_function(function: typed.FunctionDefinition, program: typed.Program) -> typed.FunctionDefinition:
    results = frozenset(
        p for p in function.parameters if isinstance(p.type, PropertyType | SetType) or p.role is typed.Role.REFERENCE
    )
    around = surroundings(function.body)
    found = {
        Same(loop): effects[0]
        for loop in around.loops
        if isinstance(loop, typed.FixedPoint)
        and len(effects := edge_effects(loop, around, program, results)) == 1
        and _is_explained_by_arcs(effects[0], loop)
        and begin_or_offer_nothing(effects[0], around.before(loop))
    }
    if not found:
        return function

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        inner = tuple(
            new
            for s in part.statements
            for new in (_Late(s, found[Same(s)]).statements() if Same(s) in found else (rebuilt(s, change),))
        )
        return part if inner == part.statements else replace(part, statements=inner)

    return replace(function, body=rebuilt(function.body, change))


def _is_explained_by_arcs(effect: EdgeEffect, loop: typed.FixedPoint) -> bool:
    """Whether an effect adds to the source's cell what the arc says, and one value, of one word, goes with it."""
    match effect:
        case EdgeEffect(how=How.LEAST, value=typed.Binary(operator=typed.Operator.ADD, left=left), carried=(_,)):
            own = typed.Cell(effect.symbol, typed.Variable(effect.source))
            says = sum(isinstance(s, typed.AssignExtreme) for s in walk.statements(loop))
            return left == own and effect.frontier is not None and says == 1 and not _is_constant(effect)
        case _:
            return False


def _is_constant(effect: EdgeEffect) -> bool:
    """Whether all arcs add the same: a search by levels, whose rounds carry any sender."""
    assert isinstance(effect.value, typed.Binary)
    return not any(isinstance(part, typed.Cell) for part in walk.within(effect.value.right))


class _Late:
    """The statements that take the place of a loop."""

    def __init__(self, loop: typed.Statement, effect: EdgeEffect) -> None:
        assert isinstance(loop, typed.FixedPoint)
        assert isinstance(effect.value, typed.Binary)
        self.loop, self.effect, self.span = loop, effect, effect.span
        self.addition = effect.value.right
        self.start = self.of("start", effect.symbol.property.element)
        self.known, self.fresh = self.of("known", Scalar.BOOL), self.of("fresh", Scalar.BOOL)
        self.less = typed.Symbol("adds_less", Scalar.BOOL, typed.Role.LOCAL, self.span)
        self.more = typed.Symbol("more", Scalar.BOOL, typed.Role.LOCAL, self.span)

    def of(self, name: str, element: Scalar) -> typed.Symbol:
        """A property of nodes, to be declared."""
        return typed.Symbol(name, PropertyType(Carrier.NODE, element), typed.Role.LOCAL, self.span)

    def statements(self) -> tuple[typed.Statement, ...]:
        """The loop without what is carried, between a copy of its values and what finds that."""
        (data,) = self.effect.carried

        def without(part: object) -> object:
            if isinstance(part, typed.AssignExtreme):
                return replace(part, carried=tuple(c for c in part.carried if c.place.symbol is not data.place.symbol))
            return None

        return (
            self.declare(self.start),
            typed.Attach(self.loop.graph, ((self.start, self.effect.symbol),), span=self.span),
            rebuilt(self.loop, without),
            *self.nearer(),
            *self.searched(),
        )

    def nearer(self) -> tuple[typed.Statement, ...]:
        """Nodes whose value comes from a nearer one, beside those that were not lowered."""
        node, there = self.effect.source, self.effect.destination
        was = self.binary(typed.Operator.EQUAL, self.cell(self.effect.symbol, node), self.cell(self.start, node))
        closer = self.binary(
            typed.Operator.LESS, self.cell(self.effect.symbol, node), self.cell(self.effect.symbol, there)
        )
        assert isinstance(self.addition.type, Scalar)
        real = self.addition.type in (Scalar.FLOAT, Scalar.DOUBLE)
        zero = typed.Literal(0.0 if real else 0, self.addition.type, span=self.span)
        taken = (self.taken(), self.assign(self.cell(self.known, there), True))
        lessens = self.both(*self.effect.when, self.binary(typed.Operator.LESS, self.addition, zero))
        row = (
            self.when(lessens, self.assign(self.variable(self.less), True)),
            self.when(self.both(closer, self.tight(), self.unknown(there)), *taken),
        )
        as_begun = self.each(typed.Assign(self.cell(self.known, node), was, span=self.span))
        greatest = typed.Infinity(self.effect.symbol.property.element, span=self.span)
        reached = self.binary(typed.Operator.NOT_EQUAL, self.cell(self.effect.symbol, node), greatest)
        return (
            self.declare(self.known),
            as_begun,
            typed.Declare(self.less, self.truth(False), span=self.span),
            self.each(self.row(*row), reached),
            self.when(self.variable(self.less), as_begun),
        )

    def searched(self) -> tuple[typed.Statement, ...]:
        """A search for all others, if there are any."""
        node, there = self.effect.source, self.effect.destination
        marks = (self.assign(self.cell(symbol, there), True) for symbol in (self.known, self.fresh))
        offered = self.when(self.both(self.unknown(there), self.tight()), self.taken(), *marks)
        begun = self.binary(typed.Operator.EQUAL, self.cell(self.fresh, node), self.truth(True))
        done = typed.Symbol("done", Scalar.BOOL, typed.Role.FLAG, self.span)
        some = typed.Symbol("node", Scalar.NODE, typed.Role.ITERATOR, self.span)
        quiet = typed.Unary(typed.UnaryOperator.NOT, self.cell(self.fresh, some), span=self.span)
        rounds = self.block(self.each(self.row(offered), begun))
        return (
            typed.Declare(self.more, self.truth(False), span=self.span),
            self.each(self.when(self.unknown(node), self.assign(self.variable(self.more), True))),
            self.when(
                self.variable(self.more),
                self.declare(self.fresh),
                typed.Attach(self.loop.graph, ((self.fresh, self.known),), span=self.span),
                typed.FixedPoint(done, some, self.loop.graph, quiet, rounds, span=self.span),
            ),
        )

    # --- parts of them

    def taken(self) -> typed.Statement:
        """What the winner brings."""
        (data,) = self.effect.carried
        return typed.Assign(data.place, data.value, span=self.span)

    def tight(self) -> typed.Expression:
        """Whether an arc offers what its destination holds."""
        held = self.cell(self.effect.symbol, self.effect.destination)
        return self.both(*self.effect.when, self.binary(typed.Operator.EQUAL, held, self.effect.value))

    def unknown(self, node: typed.Symbol) -> typed.Expression:
        return typed.Unary(typed.UnaryOperator.NOT, self.cell(self.known, node), span=self.span)

    def each(self, s: typed.Statement, condition: typed.Expression | None = None) -> typed.ForEach:
        domain = typed.AllNodes(self.loop.graph)
        return typed.ForEach(True, self.effect.source, domain, condition, self.block(s), span=self.span)

    def row(self, *statements: typed.Statement) -> typed.ForEach:
        node = typed.Variable(self.effect.source, span=self.span)
        row = typed.Neighbors(self.loop.graph, node, self.effect.direction)
        return typed.ForEach(True, self.effect.destination, row, None, self.block(*statements), span=self.span)

    def when(self, condition: typed.Expression, *statements: typed.Statement) -> typed.If:
        return typed.If(condition, self.block(*statements), span=self.span)

    def both(self, *conditions: typed.Expression) -> typed.Expression:
        return reduce(lambda left, right: self.binary(typed.Operator.AND, left, right), conditions)

    def binary(self, operator: typed.Operator, left: typed.Expression, right: typed.Expression) -> typed.Binary:
        return typed.Binary(operator, left, right, Scalar.BOOL, span=self.span)

    def assign(self, place: typed.Place, truth: bool) -> typed.Assign:
        return typed.Assign(place, self.truth(truth), span=self.span)

    def truth(self, value: bool) -> typed.Literal:
        return typed.Literal(value, Scalar.BOOL, span=self.span)

    def cell(self, symbol: typed.Symbol, node: typed.Symbol) -> typed.Cell:
        return typed.Cell(symbol, typed.Variable(node, span=self.span), span=self.span)

    def variable(self, symbol: typed.Symbol) -> typed.Variable:
        return typed.Variable(symbol, span=self.span)

    def declare(self, symbol: typed.Symbol) -> typed.Declare:
        return typed.Declare(symbol, span=self.span)

    def block(self, *statements: typed.Statement) -> typed.Block:
        return typed.Block(statements, span=self.span)
