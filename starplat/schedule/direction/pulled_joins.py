"""Rewrites a push kernel that combines into neighbors' cells as a pull kernel: nodes gather along in-arcs and store
once, without atomics.

Cells that go down (or up) and values that are combined are gathered into a local first; a node that is only marked
exits at the first active in-neighbor. Takes a `Join`, decides nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from starplat.ir import build, fresh_names, nodes as ir, rewriter, visitor
from starplat.ir.conditions import conjunction, conjuncts
from starplat.ir.python.arithmetic import identity
from starplat.schedule.direction import join_effects, joins
from starplat.schedule.edge_effects import Step, unfolded

_FUNCTIONS = {ir.Combine.MIN: ir.MathFunction.MIN, ir.Combine.MAX: ir.MathFunction.MAX}


def pulled(join: joins.Join, taken: fresh_names.FreshNames, *, shares_arcs: bool) -> ir.Kernel:
    """The pull kernel; threads may share the arcs among which it searches if `shares_arcs`."""
    return _Puller(join, taken).kernel(shares_arcs)


@dataclass(frozen=True, slots=True)
class _Puller:
    join: joins.Join
    taken: fresh_names.FreshNames

    def kernel(self, shares_arcs: bool) -> ir.Kernel:
        join, effect = self.join, self.join.effect
        place = self.taken.variable(f"{join.edge.loop.position.name}_in", ir.Element.ARC)
        asked: ir.Expression | None = None
        match effect:
            case ir.ExtremeCell() if _data(effect):
                body = self.following_the_best(effect, place)
            case ir.ExtremeCell():
                body = self.gathering_the_best(effect, place)
            case ir.UpdateCell():
                body = self.gathering_all(effect, place)
            case join_effects.Marks():
                asked, body = self.looking_for_one(effect, place)
            case _:
                assert_never(effect)
        made = replace(
            join.kernel,
            name=self.taken.fresh(f"{join.kernel.name}_pull"),
            domain=ir.AllNodes(),
            iterator=join.edge.loop.neighbor,
            filter=asked,
            body=body,
            comment="every node looks for what it is told",
            shares_arcs=shares_arcs and isinstance(effect, join_effects.Marks),
        )
        return visitor.with_signature(made)

    # --- loops over the arcs that come in ---------------------------------------------------------------------------

    def over_arcs(self, place: ir.Variable, last: tuple[ir.KernelOp, ...], steps: Sequence[Step]) -> ir.ForNeighbors:
        """The loop, in which the arc has its own number again where that is needed."""
        join = self.join
        inside = _within(steps, last)
        arc = join.edge.loop.position
        if arc in {part.variable for part in visitor.all_expressions(inside) if isinstance(part, ir.Ref)}:
            inside = (ir.Let(arc, ir.REVERSE.arc_id(ir.Ref(place))), *inside)
        body = _within(join.chosen, inside)
        return ir.ForNeighbors(ir.Direction.IN, join.own, join.teller, place, body, True)

    def gathering_the_best(self, effect: ir.ExtremeCell, place: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """Reduces all that a cell is sent to one value."""
        best = self.best_of(effect)
        steps, candidate = self.join.edge.steps, effect.candidate
        if best.element.is_real:  # a value that is no number counts for nothing
            begin, candidate = self.once(candidate)
            nothing = identity(effect.extreme, best.element)
            steps = (*steps, *begin, build.beyond(effect.extreme, candidate, nothing))
        combined = ir.Apply(_FUNCTIONS[effect.extreme], (ir.Ref(best), candidate), best.element)
        loop = self.over_arcs(place, (ir.SetLocal(best, combined),), steps)
        return (ir.Let(best, identity(effect.extreme, best.element)), loop, self.stored(effect, best, {}))

    def following_the_best(self, effect: ir.ExtremeCell, place: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """As above; carried values are those of the first sender of the best value."""
        best = self.best_of(effect)
        held = {carry: self.local(f"{carry.array.name}_of_best", carry.array.element) for carry in _data(effect)}
        begin, candidate = self.once(effect.candidate)
        wins = build.beyond(effect.extreme, candidate, ir.Ref(best))
        takes = (ir.SetLocal(best, candidate), *(ir.SetLocal(held[carry], carry.value) for carry in held))
        steps, last = self.with_one_look(effect, (*self.join.edge.steps, *begin), (ir.KernelIf(wins, takes),))
        loop = self.over_arcs(place, last, steps)
        begins = (ir.Let(held[carry], ir.Load(carry.array, self.join.own)) for carry in held)
        return (ir.Let(best, identity(effect.extreme, best.element)), *begins, loop, self.stored(effect, best, held))

    def once(self, value: ir.Expression) -> tuple[tuple[ir.Let, ...], ir.Expression]:
        """The operations that compute a value, unless it is at hand, and the value."""
        if isinstance(value, ir.Ref):
            return (), value
        variable = self.local("candidate", value.element)
        return (ir.Let(variable, value),), ir.Ref(variable)

    def with_one_look(
        self, effect: ir.ExtremeCell, steps: tuple[Step, ...], last: tuple[ir.KernelOp, ...]
    ) -> tuple[tuple[Step, ...], tuple[ir.KernelOp, ...]]:
        """The same with a single read of a cell that other threads may change, so that carried values belong to it."""
        seen = self.taken.variable(f"{effect.array.name}_seen", effect.array.element)
        cell = ir.Load(effect.array, ir.Ref(self.join.teller))
        look = rewriter.Replacer({cell: ir.Ref(seen)})
        looking = tuple(look.rebuild(step) if isinstance(step, ir.Let) else look.expression(step) for step in steps)
        inside = look.kernel_block(last)
        return ((ir.Let(seen, cell), *looking), inside) if (looking, inside) != (steps, last) else (steps, last)

    def gathering_all(self, effect: ir.UpdateCell, place: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """Combines values in any order."""
        total = self.local(f"{effect.array.name}_told", effect.array.element)
        loop = self.over_arcs(place, (ir.SetLocal(total, _combined(effect, total)),), self.join.edge.steps)
        begin = ir.Let(total, identity(effect.combine, total.element))
        return (begin, loop, replace(effect, value=ir.Ref(total), shared=False))

    def looking_for_one(
        self, effect: join_effects.Marks, place: ir.Variable
    ) -> tuple[ir.Expression | None, tuple[ir.KernelOp, ...]]:
        """The condition under which a node searches, and the search."""
        join = self.join
        number = {join.edge.loop.position: ir.REVERSE.arc_id(ir.Ref(place))}
        conditions = [part for guard in join.edge.guards for part in conjuncts(unfolded(guard, dict(number)))]
        others = {join.teller, place}
        asked = [e for e in conditions if not others & visitor.variables_read(e)]
        tests = (*join.chosen, *(e for e in conditions if others & visitor.variables_read(e)))
        found = tuple(replace(op, shared=False) if isinstance(op, ir.Store) else op for op in effect.ops)
        search = ir.KernelIf(build.both(*tests) if tests else build.TRUE, (*found, ir.KernelBreak()))
        loop = ir.ForNeighbors(ir.Direction.IN, join.own, join.teller, place, (search,), True)
        return conjunction(asked), (loop,)

    # --- what is left of it -----------------------------------------------------------------------------------------

    def best_of(self, effect: ir.ExtremeCell) -> ir.Variable:
        word = "least" if effect.extreme is ir.Combine.MIN else "most"
        return self.local(f"{word}_{effect.array.name}", effect.array.element)

    def local(self, name: str, element: ir.Element) -> ir.Variable:
        return self.taken.variable(name, element)

    def stored(self, effect: ir.ExtremeCell, best: ir.Variable, held: dict[ir.Carry, ir.Variable]) -> ir.KernelIf:
        """The one update of the cell; other threads may read it meanwhile."""
        beyond = build.beyond(effect.extreme, ir.Ref(best), ir.Load(effect.array, self.join.own))
        store = ir.Store(effect.array, self.join.own, ir.Ref(best), shared=not self.join.settled)
        carried = (
            ir.Store(carry.array, carry.index, ir.Ref(held[carry]) if carry in held else carry.value)
            for carry in effect.carried
        )
        return ir.KernelIf(beyond, (store, *carried, *effect.also))


def _data(effect: ir.ExtremeCell) -> tuple[ir.Carry, ...]:
    """The carried values that differ between senders."""
    return tuple(carry for carry in effect.carried if not isinstance(carry.value, ir.Const))


def _combined(effect: ir.UpdateCell, total: ir.Variable) -> ir.Expression:
    if effect.combine in _FUNCTIONS:
        return ir.Apply(_FUNCTIONS[effect.combine], (ir.Ref(total), effect.value), total.element)
    return ir.Binary(ir.BinaryOperator(effect.combine.value), ir.Ref(total), effect.value, total.element)


def _within(steps: Iterable[Step], last: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
    """The operations after the steps, inside the conditions."""
    inside = last
    for step in reversed(tuple(steps)):
        match step, inside:
            case ir.Let(), _:
                inside = (step, *inside)
            case _, (ir.KernelIf(condition, then, ()),) if inside is not last:
                inside = (ir.KernelIf(build.both(step, condition), then),)
            case _:
                inside = (ir.KernelIf(step, inside),)
    return inside
