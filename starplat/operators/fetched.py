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

from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.answers.components import begin_or_offer_nothing
from starplat.operators.build import Builder, cell
from starplat.operators.canonical import hosts, rebuilding
from starplat.operators.canonical.rounds import edge_effects
from starplat.operators.records import EdgeEffect, How
from starplat.same import Same


def values_fetched_late(program: typed.Program) -> typed.Program:
    """The program, in canonical form, whose loops over a frontier carry nothing where that can be found after them."""
    functions = tuple(_of_function(function, program) for function in program.functions)
    same = all(new is old for new, old in zip(functions, program.functions, strict=True))
    return program if same else replace(program, functions=functions)


def _of_function(function: typed.FunctionDefinition, program: typed.Program) -> typed.FunctionDefinition:
    results = function.results
    around = hosts.surroundings(function.body)
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

    def late(s: typed.Statement) -> tuple[typed.Statement, ...] | None:
        return _Late(s, found[Same(s)]).statements() if Same(s) in found else None

    return replace(function, body=rebuilding.with_each_statement(function.body, late))


def _is_explained_by_arcs(effect: EdgeEffect, loop: typed.FixedPoint) -> bool:
    """Whether an effect adds to the source's cell what the arc says, and one value, of one word, goes with it."""
    match effect:
        case EdgeEffect(how=How.LEAST, value=typed.Binary(typed.Operator.ADD, left), carried=(_,)):
            own = cell(effect.symbol, effect.source)
            says = sum(isinstance(s, typed.AssignExtreme) for s in walk.statements(loop))
            return left == own and effect.frontier is not None and says == 1 and not _is_constant(effect)
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
        self.loop, self.effect, self.build = loop, effect, Builder(effect.span)
        self.addition = effect.value.right
        self.start = self.build.of_nodes("start", effect.symbol.property.element)
        self.known, self.fresh = (self.build.of_nodes(name, types.Scalar.BOOL) for name in ("known", "fresh"))
        self.less, self.more = (self.build.local(name, types.Scalar.BOOL) for name in ("adds_less", "more"))

    def statements(self) -> tuple[typed.Statement, ...]:
        """The loop without what is carried, between a copy of its values and what finds that."""
        (data,) = self.effect.carried

        def without(part: object) -> object:
            if isinstance(part, typed.AssignExtreme):
                return replace(part, carried=tuple(c for c in part.carried if c.place.symbol is not data.place.symbol))
            return None

        return (
            self.build.declare(self.start),
            self.copied(self.start, self.effect.symbol),
            rebuilding.rebuilt(self.loop, without),
            *self.nearer(),
            *self.searched(),
        )

    def nearer(self) -> tuple[typed.Statement, ...]:
        """Nodes whose value comes from a nearer one, beside those that were not lowered."""
        build, node, there = self.build, self.effect.source, self.effect.destination
        here, less = build.cell(self.effect.symbol, node), build.variable(self.less)
        closer = build.compared(here, typed.Operator.LESS, build.cell(self.effect.symbol, there))
        assert isinstance(self.addition.type, types.Scalar)
        negative = build.compared(self.addition, typed.Operator.LESS, build.number(0, self.addition.type))
        row = (
            build.when(build.both(*self.effect.when, negative), build.assign(less, True)),
            build.when(
                build.both(closer, self.tight(), self.unknown(there)),
                self.taken(),
                build.assign(build.cell(self.known, there), True),
            ),
        )
        was = build.equal(here, build.cell(self.start, node))
        as_begun = self.each(build.assign(build.cell(self.known, node), was))
        reached = build.differs(here, build.infinity(self.effect.symbol.property.element))
        return (
            build.declare(self.known),
            as_begun,
            build.declare(self.less, build.truth(False)),
            self.each(self.row(*row), reached),
            build.when(less, as_begun),
        )

    def searched(self) -> tuple[typed.Statement, ...]:
        """A search for all others, if there are any."""
        build, node, there = self.build, self.effect.source, self.effect.destination
        more = build.variable(self.more)
        marks = (build.assign(build.cell(symbol, there), True) for symbol in (self.known, self.fresh))
        offered = build.when(build.both(self.unknown(there), self.tight()), self.taken(), *marks)
        begun = build.cell(self.fresh, node)
        return (
            build.declare(self.more, build.truth(False)),
            self.each(build.when(self.unknown(node), build.assign(more, True))),
            build.when(
                more,
                build.declare(self.fresh),
                self.copied(self.fresh, self.known),
                build.until_none(self.fresh, self.loop.graph, self.each(self.row(offered), begun)),
            ),
        )

    # --- parts of them

    def taken(self) -> typed.Statement:
        """What the winner brings."""
        (data,) = self.effect.carried
        return self.build.assign(data.place, data.value)

    def tight(self) -> typed.Expression:
        """Whether an arc offers what its destination holds."""
        held = self.build.cell(self.effect.symbol, self.effect.destination)
        return self.build.both(*self.effect.when, self.build.equal(held, self.effect.value))

    def unknown(self, node: typed.Symbol) -> typed.Expression:
        return self.build.negated(self.build.cell(self.known, node))

    def copied(self, to: typed.Symbol, of: typed.Symbol) -> typed.Attach:
        return typed.Attach(self.loop.graph, ((to, of),), span=self.build.span)

    def each(self, s: typed.Statement, condition: typed.Expression | None = None) -> typed.ForEach:
        return self.build.over(self.effect.source, typed.AllNodes(self.loop.graph), s, condition=condition)

    def row(self, *statements: typed.Statement) -> typed.ForEach:
        row = self.build.row(self.loop.graph, self.effect.source, self.effect.direction)
        return self.build.over(self.effect.destination, row, *statements)
