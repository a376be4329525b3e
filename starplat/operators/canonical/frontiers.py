"""Rounds over all arcs that go on until nothing changes become rounds over a frontier.

    bool more = True;                                propNode<bool> active;
    while (more) {                                   g.attachNodeProperty(active = False); src.active = True;
      more = False;                                  fixedPoint until (done : !active) {
      forall (v in g.nodes()) {                        forall (v in g.nodes().filter(active)) {
        forall (w in g.neighbors(v)) {                   forall (w in g.neighbors(v)) {
          if (v.d + 1 < w.d) {                             <w.d, w.active> = <Min(w.d, v.d + 1), True>;
            w.d = v.d + 1; more = True;                  }
          }                                            }
        }                                            }
      }
    }

Both end in the one fixed point of `d[w] <- Min(d[w], d[v] + 1)`, which `analysis.settling` proves of the loop: what it
lowers only falls, what a cell offers falls with it, and the loop ends only when no arc offers a lower value. Nothing
else that the loop writes may be read later.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical import counted, hosts, rebuilding, rounds, unread
from starplat.operators.canonical.effects import asked_by_loop, is_bounded, is_end, no_loop
from starplat.operators.canonical.labels.spreading import both_ways, is_spread_out
from starplat.operators.canonical.searches import offers, unreached
from starplat.operators.canonical.searches.discovered_values import Discovered, levels_and_values
from starplat.operators.canonical.searches.initial_values import constant, initial_values, opened, order
from starplat.operators.canonical.searches.stores import Nest
from starplat.operators.records import EdgeEffect
from starplat.same import Same


def over_frontiers(body: typed.Block, program: typed.Program, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with such loops over frontiers; `results` are the symbols that its caller sees."""
    around = hosts.surroundings(body)
    tried: dict[Same, hosts.HostLoop] = {}
    while (loop := next((other for other in around.loops if Same(other) not in tried), None)) is not None:
        tried[Same(loop)] = loop
        asks = any(offers.asks_for_own_truth(s) for s in loop.body.statements)
        if (in_form := _is_in_form(loop)) and not asks and not is_spread_out(loop):
            continue
        effects = rounds.edge_effects(loop, around, program, results)
        if not effects and (trial := unreached.with_infinity(loop, around)) is not None:
            effects = rounds.edge_effects(trial.loop, trial.around, program, results)
            if effects:
                body, around, loop = trial.around.body, trial.around, trial.loop
        if not effects:
            continue
        replacement = _Replacement(body, loop, effects, around)
        made: typed.Block | None = None
        if any(e.carried and e.symbol.property.element is Scalar.BOOL for e in effects):
            made = replacement.searched()
        elif (
            replacement.labels or (asks and replacement.members_hold()) or not (in_form or replacement.spreads_labels())
        ):
            made = replacement.made()
        if made is not None:
            body = unread.without_unread(made, results)
            around = hosts.surroundings(body)
    return body


def _is_in_form(loop: hosts.HostLoop) -> bool:
    """Whether a loop asks one flag of all nodes, and its rounds do nothing but loop over nodes, without values that a
    node holds for its neighbors: these are offered as they are. Nodes do not ask neighbors for that flag."""
    return isinstance(loop, typed.FixedPoint) and all(
        isinstance(s, typed.ForEach)
        and s.parallel
        and not any(isinstance(inner, typed.Declare) for inner in asked_by_loop(s)[1])
        and not _asks_neighbors(s, loop)
        for s in loop.body.statements
    )


def _asks_neighbors(s: typed.ForEach, loop: typed.FixedPoint) -> bool:
    """Whether a loop over nodes asks their neighbors for the flag that the rounds go on for."""
    flags = {part.symbol for part in walk.within(loop.condition) if isinstance(part, typed.Cell)}
    asked = [
        part
        for inner in walk.statements(s)
        if isinstance(inner, typed.If | typed.ForEach)
        for part in walk.own_parts(inner)
    ]
    return any(isinstance(a, typed.Cell) and a.symbol in flags and a.index != typed.Variable(s.iterator) for a in asked)


@dataclass(frozen=True)
class _Replacement:
    """A loop, the function's body that it stands in, and the effects of its rounds."""

    body: typed.Block
    loop: hosts.HostLoop
    effects: tuple[EdgeEffect, ...]
    around: hosts.Surroundings

    @cached_property
    def labels(self) -> tuple[EdgeEffect, ...]:
        """What arcs offer to both of their ends, if that is what spreads labels as they are."""
        begun = self.effects[0].frontier is None and self.begun_beside() is not None
        return () if begun else both_ways(self.effects, self.around.before(self.loop))

    def spreads_labels(self) -> bool:
        """Whether all nodes pass on what they hold as it is: that is for union-find, which knows more of rounds."""
        unchanged = all(e.value == e.own for e in self.effects)
        return unchanged and self.effects[0].frontier is None and self.begun_beside() is None

    @property
    def active(self) -> typed.Symbol:
        """A flag for each node, to be declared."""
        return typed.Symbol("active", PropertyType(Carrier.NODE, Scalar.BOOL), typed.Role.LOCAL, self.loop.span)

    def made(self) -> typed.Block:
        """The function's body with the rounds over a frontier."""
        block, place = self.around.block_of(self.loop)
        active, first = self.effects[0].frontier, block.statements[:place]
        if active is None:
            active = self.active
            first = self.begun_beside(active) or (*first, *self._everywhere(active))
        new: tuple[typed.Statement, ...] = (self._fixed_point(active),)
        if rounds.is_counted(self.loop, self.around):
            new = self._where_enough(*new)
        changed = replace(block, statements=(*first, *new, *block.statements[place + 1 :]))
        return rebuilding.with_block(self.body, block, changed)

    def searched(self) -> typed.Block | None:
        """The function's body with a search by levels, which may carry what a truth cannot: the nodes that begin in the
        frontier are those for which it holds. None where that is not so."""
        effect, before = self.effects[0], self.around.before(self.loop)
        held = initial_values(effect.symbol, before)
        if len(self.effects) > 1 or held is None or not _given(effect).value or not self.members_hold():
            return None
        begin = [index for index, _ in held.set]
        members = initial_values(effect.frontier, before) if effect.frontier else held
        if members is None or {index for index, _ in members.set} != set(begin):
            return None
        domain = typed.AllNodes(self._graph)
        arcs = Nest(effect.source, effect.destination, domain, effect.direction, (), (), False, self.loop.span)
        stores = tuple(typed.Assign(c.place, c.value, span=c.span) for c in effect.carried)
        found = Discovered(stores, (), ())
        search = levels_and_values(arcs, effect.when, effect.symbol, found, begin, copies_begin=False)
        return self.around.with_in_place(self.loop, search)

    def _where_enough(self, fixed_point: typed.Statement) -> tuple[typed.Statement, ...]:
        """The fixed point, where the loop has rounds enough to come to it."""
        new: tuple[typed.Statement, ...] = (fixed_point,)
        for added in dict.fromkeys(counted.added_by_arcs(e) for e in self.effects if not counted.never_better(e)):
            assert added is not None
            *known, inner = new
            new = (*known, *counted.where_none_is_negative(added, self._graph, inner, self.loop))
        return new

    def _everywhere(self, active: typed.Symbol) -> tuple[typed.Statement, ...]:
        """All nodes in the frontier."""
        all_of = typed.Literal(True, Scalar.BOOL, span=self.loop.span)
        everywhere = typed.Attach(self._graph, ((active, all_of),), span=self.loop.span)
        return typed.Declare(active, span=self.loop.span), everywhere

    def begun_beside(self, active: typed.Symbol | None = None) -> tuple[typed.Statement, ...] | None:
        """What stands before the loop, with the frontier filled where the cells are filled, and nodes that join it
        where their cells are set; None unless the cells begin so, and those that are not set offer nothing."""
        active = active or self.active
        target = self.effects[0].symbol
        if not all(is_end(e.value, e.own, e.extreme) for e in self.effects):
            return None
        known = self.around.known_before(self.loop)
        block, place = self.around.block_of(self.loop)
        if initial_values(target, opened(block.statements[:place])) is None:
            return None
        done: list[typed.Statement] = []
        filled: typed.Expression | None = None
        for outer in block.statements[:place]:
            made: list[typed.Statement] = []
            for s in opened((outer,)):
                made.append(s)
                match s:
                    case typed.Attach(items=items) if any(symbol is target for symbol, _ in items):
                        (value,) = (value for symbol, value in items if symbol is target)
                        if filled is not None or isinstance(value, typed.Symbol) or not self._offers_nothing(value):
                            return None
                        build = Builder(s.span)
                        made[-1:] = [build.declare(active), replace(s, items=(*items, (active, build.truth(False))))]
                        filled = value
                    case typed.Assign(typed.Cell(symbol, index), value) as store if (
                        symbol is target and filled is not None
                    ):
                        if not self._is_better(constant(value, known), filled):
                            return None
                        made[-1] = replace(store, value=constant(value, known))
                        made.append(Builder(s.span).assign(typed.Cell(active, index, span=s.span), True))
                    case _ if target in walk.all_written(s):
                        return None
            if isinstance(outer, typed.If) and outer is not made[0]:
                made = [replace(outer, then=rebuilding.with_statements(outer.then, made))]
            done += made
        return tuple(done) if filled is not None else None

    def _offers_nothing(self, value: typed.Expression) -> bool:
        """Whether cells that hold a value offer nothing to each other, nor to what is better."""
        greatest = self.effects[0].extreme is typed.Extreme.MAX
        match value:
            case typed.Infinity(negative=negative):
                at_end = negative is greatest
            case typed.Literal(bool() as flag):
                at_end = flag is not greatest
            case _:
                at_end = False
        return all(
            (at_end and is_end(e.value, e.own, e.extreme)) or is_bounded(e.value, e.own, e.extreme)
            for e in self.effects
        )

    def _is_better(self, value: typed.Expression, than: typed.Expression) -> bool:
        """Whether a cell is surely no worse than another."""
        one, other = order(value), order(than)
        at_end = isinstance(than, typed.Infinity) or isinstance(getattr(than, "value", None), bool)
        if one is None or other is None:
            return at_end
        return one >= other if self.effects[0].extreme is typed.Extreme.MAX else one <= other

    def members_hold(self) -> bool:
        """Whether the members of the frontier have the truth that they give: those that join it do, so it is asked of
        those that begin in it."""
        effect = self.effects[0]
        before, known = opened(self.around.before(self.loop)), self.around.known_before(self.loop)
        truth = _given(effect)
        held = initial_values(effect.symbol, before)
        if held is None or not all(constant(value, known) == truth for _, value in held.set):
            return False
        if effect.frontier is None:
            return self.begun_beside() is not None
        members = initial_values(effect.frontier, before)
        true, false = (typed.Literal(value, Scalar.BOOL) for value in (True, False))
        holding = [index for index, _ in held.set]
        return (
            members is not None
            and members.fill == false
            and all(value == false or (value == true and index in holding) for index, value in members.set)
        )

    @property
    def _graph(self) -> typed.Symbol:
        domains = (s.domain for s in walk.statements(self.loop) if isinstance(s, typed.ForEach))
        return next(d.graph for d in domains if isinstance(d, typed.AllNodes | typed.AllEdges))

    def _fixed_point(self, active: typed.Symbol) -> typed.FixedPoint:
        build = Builder(self.loop.span)
        groups = [self.labels] if self.labels else [(effect,) for effect in self.effects]
        return build.until_none(active, self._graph, *(self._advance(group, active) for group in groups))

    def _advance(self, effects: tuple[EdgeEffect, ...], active: typed.Symbol) -> typed.ForEach:
        """The loop in which members of the frontier offer what they have along their arcs."""
        source, build = effects[0].source, Builder(effects[0].span)
        arcs = (self._arcs(effect, active) for effect in effects)
        return build.over(source, typed.AllNodes(self._graph), *arcs, condition=build.cell(active, source))

    def _arcs(self, effect: EdgeEffect, active: typed.Symbol) -> typed.ForEach:
        """The loop over one node's arcs."""
        inner, build = _offer(effect, active), Builder(effect.span)
        own = build.cell(effect.symbol, effect.source)
        is_truth = effect.symbol.property.element is Scalar.BOOL
        held = is_truth and self.members_hold()
        truths = (_is(own, _given(effect)),) if is_truth and effect.value == own and not held else ()
        when = (c for c in effect.when if not (held and no_loop(c, own.index, effect.destination)))
        for condition in reversed((*truths, *when)):
            inner = build.when(condition, inner)
        return build.over(effect.destination, build.row(self._graph, effect.source, effect.direction), inner)


def _offer(effect: EdgeEffect, active: typed.Symbol) -> typed.Statement:
    """A destination takes the value if it is better, and joins the frontier then."""
    build = Builder(effect.span)
    there, joins = (build.cell(symbol, effect.destination) for symbol in (effect.symbol, active))
    if effect.symbol.property.element is not Scalar.BOOL:
        return build.extreme(effect.extreme, there, effect.value, *effect.carried, build.carried(joins, True))
    given = _given(effect)
    other = replace(given, value=not given.value)
    return build.when(_is(there, other), build.assign(there, given), build.assign(joins, True))


def _given(effect: EdgeEffect) -> typed.Literal:
    """The truth that nodes give each other."""
    return typed.Literal(effect.extreme is typed.Extreme.MAX, Scalar.BOOL, span=effect.span)


def _is(cell: typed.Cell, truth: typed.Literal) -> typed.Expression:
    return cell if truth.value else Builder(truth.span).negated(cell)
