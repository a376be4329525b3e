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

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from starplat.analysis import walk
from starplat.analysis.settling.loops import settles
from starplat.analysis.settling.lost_updates import loses_no_update
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators.canonical.arcs import by_rows
from starplat.operators.canonical.counted import (
    added_by_arcs,
    never_better,
    until_nothing_changes,
    where_none_is_negative,
)
from starplat.operators.canonical.effects import EffectReader, is_bounded, is_end
from starplat.operators.canonical.extremes import as_extremes
from starplat.operators.canonical.gathers import as_scatters
from starplat.operators.canonical.hosts import HostLoop, Loop, Surroundings, at_once, surely_begins, until_quiet
from starplat.operators.canonical.labels.buffers import in_one_buffer
from starplat.operators.canonical.labels.findings import without_findings
from starplat.operators.canonical.labels.guards import without_idle_guards
from starplat.operators.canonical.labels.spreading import both_ways, filled_apart, is_spread_out
from starplat.operators.canonical.rebuilding import rebuilt, with_block
from starplat.operators.canonical.searches.initial_values import constant, initial_values, order, worst
from starplat.operators.canonical.searches.offers import as_offers, asks_for_own_truth
from starplat.operators.canonical.searches.unreached import with_infinity
from starplat.operators.canonical.unread import without_unread
from starplat.operators.records import EdgeEffect
from starplat.same import Same


def over_frontiers(body: typed.Block, program: typed.Program, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with such loops over frontiers; `results` are the symbols that its caller sees."""
    around = Surroundings(body)
    tried: dict[Same, HostLoop] = {}
    while (loop := next((other for other in around.loops if Same(other) not in tried), None)) is not None:
        tried[Same(loop)] = loop
        asks = any(asks_for_own_truth(s) for s in loop.body.statements)
        if (in_form := _is_in_form(loop)) and not asks and not is_spread_out(loop):
            continue
        effects = edge_effects(loop, around, program, results)
        if not effects and (trial := with_infinity(loop, around)) is not None:
            effects = edge_effects(trial.loop, trial.around, program, results)
            if effects:
                body, around, loop = trial.around.body, trial.around, trial.loop
        if not effects or any(e.carried and e.symbol.property.element is Scalar.BOOL for e in effects):
            continue  # a truth is marked, with which nothing goes
        replacement = _Replacement(body, loop, effects, around)
        shorter = asks and replacement.members_hold()
        if replacement.labels or shorter or not (in_form or replacement.spreads_labels()):
            body = without_unread(replacement.made(), results)
            around = Surroundings(body)
    return body


def _is_in_form(loop: HostLoop) -> bool:
    """Whether a loop asks one flag of all nodes, and its rounds do nothing but loop over nodes, without values that a
    node holds for its neighbors: these are offered as they are. Nodes do not ask neighbors for that flag."""
    return isinstance(loop, typed.FixedPoint) and all(
        isinstance(s, typed.ForEach)
        and s.parallel
        and not any(isinstance(inner, typed.Declare) for inner in s.body.statements)
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
        for condition in walk.expressions(inner)
        for part in walk.within(condition)
    ]
    return any(isinstance(a, typed.Cell) and a.symbol in flags and a.index != typed.Variable(s.iterator) for a in asked)


def edge_effects(
    written: HostLoop,
    around: Surroundings,
    program: typed.Program,
    results: frozenset[typed.Symbol],
    *,
    frontier_is_kept: bool = False,
) -> tuple[EdgeEffect, ...]:
    """What arcs offer in every round of a loop, if that is all it does, and it ends only when they offer nothing. That
    its frontier is empty then may be seen later if it `is_kept`."""
    known, before = dict(around.known_before(written)), around.before(written)
    if not isinstance(written, typed.CountedLoop) and not surely_begins(written, known, before):
        return ()
    freed = at_once(written.body)
    loop = in_one_buffer(replace(written, body=_plain(freed)), before)
    if isinstance(loop, typed.CountedLoop):
        quiet = until_quiet(loop) or until_nothing_changes(loop, before)
        if quiet is None:
            return ()
        known[loop.symbol] = 0
        loop = quiet
    loop = as_offers(loop, before, known)
    lowered = {
        (s.place.symbol, s.extreme)
        for s in walk.statements(loop.body)
        if isinstance(s, typed.AssignExtreme) and isinstance(s.place, typed.Cell)
    }
    if len(lowered) != 1:
        return ()
    ((symbol, extreme),) = lowered
    if not settles(loop, symbol, extreme, program):
        return ()
    written_by = {s for inner in walk.statements(loop) for s in (*walk.written(inner), *walk.declared(inner))}
    in_order = freed is not written.body
    reader = EffectReader(symbol, extreme, written_by, worst(symbol, extreme, before, known), in_order=in_order)
    effects = reader.effects(loop.body.statements)
    if in_order and not _carries_the_same(effects):
        return ()
    if isinstance(written, typed.CountedLoop) and not all(never_better(e) or added_by_arcs(e) for e in effects):
        return ()
    if not any(e.frontier is not None or mentions(e.value, {symbol}) for e in effects):
        return ()  # one round is enough
    carried = {c.place.symbol for effect in effects for c in effect.carried}
    others = [s for s in walk.statements(loop) if not _lowers(s, symbol)]
    if any(carried & {*walk.written(s), *walk.declared(s)} for s in others):
        return ()  # what goes with the winners is changed besides, or begins anew
    frontiers = {e.frontier for e in effects if e.frontier is not None}
    if not all(_joins_by_winning(frontier, symbol, loop, written, around) for frontier in frontiers):
        return ()
    if not all(loses_no_update(frontier, symbol, loop) for frontier in frontiers):
        return ()
    kept = {symbol} | carried
    kept |= frontiers if frontier_is_kept else set()
    left = {s for inner in walk.statements(written) for s in walk.written(inner)} - kept
    if (
        len(reader.graphs) != 1
        or len({effect.frontier for effect in effects}) != 1
        or any(s in results or around.is_seen(s, written) for s in left)
    ):
        return ()
    return effects


def _carries_the_same(effects: tuple[EdgeEffect, ...]) -> bool:
    """Whether what goes with the winners does not tell which of them came last."""
    carried = {frozenset((c.place.symbol, c.value) for c in effect.carried) for effect in effects}
    return len(carried) <= 1 and all(isinstance(value, typed.Literal) for of in carried for _, value in of)


def _joins_by_winning(
    frontier: typed.Symbol, target: typed.Symbol, loop: Loop, written: HostLoop, around: Surroundings
) -> bool:
    """Whether no node joins a frontier but those that begin in it, and those that win the target."""
    marks = {frontier}
    inside = list(walk.statements(loop.body))
    while more := {of for s in inside for to, of in _copied(s) if to in marks} - marks:
        marks |= more
    outside = {Same(s) for s in walk.statements(written)}
    waiting = marks - {frontier}
    before = [s for s in walk.statements(around.body) if Same(s) not in outside and waiting & set(walk.written(s))]
    return all(_only_fills(s, waiting, set()) for s in before) and all(
        _lowers(s, target) or _only_fills(s, marks, marks) for s in inside if marks & set(walk.written(s))
    )


def _lowers(s: typed.Statement, target: typed.Symbol) -> bool:
    return isinstance(s, typed.AssignExtreme) and s.place.symbol is target


def _copied(s: typed.Statement) -> Iterator[tuple[typed.Symbol, typed.Symbol]]:
    """What becomes a copy of what."""
    match s:
        case typed.CopyProperty(destination=destination, source=source):
            yield destination, source
        case typed.Attach(items=items):
            yield from ((symbol, value) for symbol, value in items if isinstance(value, typed.Symbol))
        case _:
            pass


def _only_fills(s: typed.Statement, marks: set[typed.Symbol], sources: set[typed.Symbol]) -> bool:
    """Whether a statement takes nodes out of flags only, or copies some of the sources."""
    false = typed.Literal(False, Scalar.BOOL)
    match s:
        case typed.Attach(items=items):
            return all(symbol not in marks or value == false or value in sources for symbol, value in items)
        case typed.CopyProperty(source=source):
            return source in sources
        case typed.Assign(value=value):
            return value == false
        case _:
            return False


def _plain(body: typed.Block) -> typed.Block:
    """The body of a loop with loops over arcs by rows, and with values that are offered instead of looked for."""
    body = as_extremes(rebuilt(body, lambda part: by_rows(part) if isinstance(part, typed.ForEach) else None))
    body = without_idle_guards(without_findings(body))
    return replace(body, statements=tuple(new for s in body.statements for new in as_scatters(s) or (s,)))


@dataclass(frozen=True)
class _Replacement:
    """A loop, the function's body that it stands in, and the effects of its rounds."""

    body: typed.Block
    loop: typed.Statement
    effects: tuple[EdgeEffect, ...]
    around: Surroundings

    @cached_property
    def labels(self) -> tuple[EdgeEffect, ...]:
        """What arcs offer to both of their ends, if that is what spreads labels as they are."""
        begun = self.effects[0].frontier is None and self.begun_beside() is not None
        return () if begun else both_ways(self.effects, self.around.before(self.loop))

    def spreads_labels(self) -> bool:
        """Whether all nodes pass on what they hold as it is: that is for union-find, which knows more of rounds."""
        unchanged = all(e.value == typed.Cell(e.symbol, typed.Variable(e.source)) for e in self.effects)
        return unchanged and self.effects[0].frontier is None and self.begun_beside() is None

    @property
    def active(self) -> typed.Symbol:
        """A flag for each node, to be declared."""
        return typed.Symbol("active", PropertyType(Carrier.NODE, Scalar.BOOL), typed.Role.LOCAL, self.loop.span)

    def made(self) -> typed.Block:
        """The function's body with the rounds over a frontier."""
        block, place = self.around.block_of(self.loop)
        new: tuple[typed.Statement, ...]
        if (frontier := self.effects[0].frontier) is not None:
            before = block.statements[:place]
            first = tuple(filled_apart(before, frontier)) if self.labels else before
            new = (self._fixed_point(frontier),)
        else:
            active = self.active
            begun = self.begun_beside(active)
            first, new = begun or (*block.statements[:place], *self._everywhere(active)), (self._fixed_point(active),)
        if isinstance(self.loop, typed.CountedLoop):
            new = self._where_enough(*new)
        changed = replace(block, statements=(*first, *new, *block.statements[place + 1 :]))
        return with_block(self.body, block, changed)

    def _where_enough(self, fixed_point: typed.Statement) -> tuple[typed.Statement, ...]:
        """The fixed point, where the loop has rounds enough to come to it."""
        new: tuple[typed.Statement, ...] = (fixed_point,)
        for added in dict.fromkeys(added_by_arcs(e) for e in self.effects if not never_better(e)):
            assert added is not None
            *known, inner = new
            new = (*known, *where_none_is_negative(added, self._graph, inner, self.loop))
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
        if not all(is_end(e.value, typed.Cell(target, typed.Variable(e.source)), e.extreme) for e in self.effects):
            return None
        known = self.around.known_before(self.loop)
        block, place = self.around.block_of(self.loop)
        done: list[typed.Statement] = []
        filled: typed.Expression | None = None
        for s in block.statements[:place]:
            done.append(s)
            match as_fill(s):
                case typed.Attach(items=items) as fill if any(symbol is target for symbol, _ in items):
                    (value,) = (value for symbol, value in items if symbol is target)
                    if filled is not None or isinstance(value, typed.Symbol) or not self._offers_nothing(value):
                        return None
                    none = typed.Literal(False, Scalar.BOOL, span=s.span)
                    done[-1:] = [typed.Declare(active, span=s.span), replace(fill, items=(*items, (active, none)))]
                    filled = value
                case typed.Assign(place=typed.Cell(symbol=symbol, index=index), value=value) as store if (
                    symbol is target and filled is not None
                ):
                    if not self._is_better(constant(value, known), filled):
                        return None
                    done[-1] = replace(store, value=constant(value, known))
                    joins = typed.Cell(active, index, span=s.span)
                    done.append(typed.Assign(joins, typed.Literal(True, Scalar.BOOL, span=s.span), span=s.span))
                case _ if any(target in walk.written(inner) for inner in walk.statements(s)):
                    return None
                case _:
                    pass
        return tuple(done) if filled is not None else None

    def _offers_nothing(self, value: typed.Expression) -> bool:
        """Whether cells that hold a value offer nothing to each other, nor to what is better."""
        greatest = self.effects[0].extreme is typed.Extreme.MAX
        match value:
            case typed.Infinity(negative=negative):
                at_end = negative is greatest
            case typed.Literal(value=bool() as flag):
                at_end = flag is not greatest
            case _:
                at_end = False
        owns = [(effect, typed.Cell(effect.symbol, typed.Variable(effect.source))) for effect in self.effects]
        return all(
            (at_end and is_end(e.value, own, e.extreme)) or is_bounded(e.value, own, e.extreme) for e, own in owns
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
        before, known, truth = self.around.before(self.loop), self.around.known_before(self.loop), _given(effect)
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
        span = self.loop.span
        flag = typed.Symbol("done", Scalar.BOOL, typed.Role.FLAG, span)
        node = typed.Symbol("node", Scalar.NODE, typed.Role.ITERATOR, span)
        asked = typed.Cell(active, typed.Variable(node, span=span), span=span)
        quiet = typed.Unary(typed.UnaryOperator.NOT, asked, span=span)
        groups = [self.labels] if self.labels else [(effect,) for effect in self.effects]
        body = typed.Block(tuple(self._advance(group, active) for group in groups), span=span)
        return typed.FixedPoint(flag, node, self._graph, quiet, body, span=span)

    def _advance(self, effects: tuple[EdgeEffect, ...], active: typed.Symbol) -> typed.ForEach:
        """The loop in which members of the frontier offer what they have along their arcs."""
        source, span = effects[0].source, effects[0].span
        arcs = tuple(self._arcs(effect, active) for effect in effects)
        member = typed.Cell(active, typed.Variable(source, span=span), span=span)
        true = typed.Literal(True, Scalar.BOOL, span=span)
        condition = typed.Binary(typed.Operator.EQUAL, member, true, Scalar.BOOL, span=span)
        nodes = typed.AllNodes(self._graph)
        return typed.ForEach(True, source, nodes, condition, typed.Block(arcs, span=span), span=span)

    def _arcs(self, effect: EdgeEffect, active: typed.Symbol) -> typed.ForEach:
        """The loop over one node's arcs."""
        inner, span = _offer(effect, active), effect.span
        own = typed.Cell(effect.symbol, typed.Variable(effect.source, span=span), span=span)
        is_truth = effect.symbol.property.element is Scalar.BOOL and effect.value == own
        truths = () if not is_truth or self.members_hold() else (_is(own, _given(effect)),)
        for condition in reversed((*truths, *effect.when)):
            inner = typed.If(condition, typed.Block((inner,), span=span), span=span)
        row = typed.Neighbors(self._graph, typed.Variable(effect.source, span=span), effect.direction)
        return typed.ForEach(True, effect.destination, row, None, typed.Block((inner,), span=span), span=span)


def _offer(effect: EdgeEffect, active: typed.Symbol) -> typed.Statement:
    """A destination takes the value if it is better, and joins the frontier then."""
    span = effect.span

    def there(symbol: typed.Symbol) -> typed.Cell:
        return typed.Cell(symbol, typed.Variable(effect.destination, span=span), span=span)

    true = typed.Literal(True, Scalar.BOOL, span=span)
    if effect.symbol.property.element is not Scalar.BOOL:
        joins = typed.Carried(there(active), true, span=span)
        carried = (*effect.carried, joins)
        return typed.AssignExtreme(effect.extreme, there(effect.symbol), effect.value, carried, span=span)
    given = _given(effect)
    other = replace(given, value=not given.value)
    unmarked = _is(there(effect.symbol), other)
    marks = (typed.Assign(there(effect.symbol), given, span=span), typed.Assign(there(active), true, span=span))
    return typed.If(unmarked, typed.Block(marks, span=span), span=span)


def _given(effect: EdgeEffect) -> typed.Literal:
    """The truth that nodes give each other."""
    return typed.Literal(effect.extreme is typed.Extreme.MAX, Scalar.BOOL, span=effect.span)


def _is(cell: typed.Cell, truth: typed.Literal) -> typed.Expression:
    return typed.Binary(typed.Operator.EQUAL, cell, truth, Scalar.BOOL, span=truth.span)


def as_fill(s: typed.Statement) -> typed.Statement:
    """A loop in which every node stores one constant, as the filling of a property."""
    match s:
        case typed.ForEach(
            domain=typed.AllNodes(graph=graph),
            filter=None,
            body=typed.Block(
                statements=(
                    typed.Assign(
                        place=typed.Cell(symbol=symbol, index=typed.Variable(symbol=own)),
                        value=typed.Literal() | typed.Infinity() as value,
                    ),
                )
            ),
        ) if own is s.iterator:
            return typed.Attach(graph, ((symbol, value),), span=s.span)
        case _:
            return s
