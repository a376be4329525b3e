"""Makes of a kernel whose nodes join something into the cells of their neighbors one whose nodes look for it
themselves, along the arcs that come in, and store once, without atomic operations.

Cells that go down (or up) and values that are combined are gathered into a local first; who is only marked leaves at
the first who would have marked him. Takes a `Join`, asks nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import assert_never

from starplat.ir.arithmetic import identity
from starplat.ir.conditions import both, conjunction, conjuncts
from starplat.ir.nodes import (
    IN_ARCS,
    AllNodes,
    Apply,
    Binary,
    BinaryOperator,
    Carry,
    Combine,
    Const,
    Direction,
    Element,
    Expression,
    ExtremeCell,
    ForNeighbors,
    Kernel,
    KernelBreak,
    KernelIf,
    KernelOp,
    Let,
    Load,
    MathFunction,
    Ref,
    SetLocal,
    Store,
    UpdateCell,
    Variable,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import all_expressions, walk_expression, with_signature
from starplat.schedule.join_effects import Marks
from starplat.schedule.joins import Join, Step
from starplat.schedule.names import Taken
from starplat.schedule.relaxing import unfolded

_FUNCTIONS = {Combine.MIN: MathFunction.MIN, Combine.MAX: MathFunction.MAX}
_BEYOND = {Combine.MIN: BinaryOperator.LESS, Combine.MAX: BinaryOperator.GREATER}
_TRUE = Const(True, Element.BOOL)


def pulled(join: Join, taken: Taken, *, shares_arcs: bool) -> Kernel:
    """The kernel from the other end; threads may share the arcs among which it looks for one if `shares_arcs`."""
    return _Puller(join, taken).kernel(shares_arcs)


@dataclass(frozen=True, slots=True)
class _Puller:
    join: Join
    taken: Taken

    def kernel(self, shares_arcs: bool) -> Kernel:
        join, effect = self.join, self.join.effect
        place = Variable(self.taken.free(f"{join.loop.position.name}_in"), Element.ARC)
        asked: Expression | None = None
        match effect:
            case ExtremeCell() if _data(effect):
                body = self.following_the_best(effect, place)
            case ExtremeCell():
                body = self.gathering_the_best(effect, place)
            case UpdateCell():
                body = self.gathering_all(effect, place)
            case Marks():
                asked, body = self.looking_for_one(effect, place)
            case _:
                assert_never(effect)
        made = replace(
            join.kernel,
            name=self.taken.free(f"{join.kernel.name}_pull"),
            domain=AllNodes(),
            iterator=join.loop.neighbor,
            filter=asked,
            body=body,
            comment="every node looks for what it is told",
            shares_arcs=shares_arcs and isinstance(effect, Marks),
        )
        return with_signature(made)

    # --- loops over the arcs that come in ---------------------------------------------------------------------------

    def over_arcs(self, place: Variable, last: tuple[KernelOp, ...], steps: Sequence[Step]) -> ForNeighbors:
        """The loop, in which the arc has its own number again where that is asked for."""
        join = self.join
        inside = _within(steps, last)
        arc = join.loop.position
        if arc in {part.variable for part in all_expressions(inside) if isinstance(part, Ref)}:
            inside = (Let(arc, Load(IN_ARCS, Ref(place))), *inside)
        body = _within(join.chosen, inside)
        return ForNeighbors(Direction.IN, join.own, join.teller, place, body, True)

    def gathering_the_best(self, effect: ExtremeCell, place: Variable) -> tuple[KernelOp, ...]:
        """All that a cell is told comes down to one value."""
        best = self.best_of(effect)
        steps, candidate = self.join.steps, effect.candidate
        if best.element.is_real:  # a value that is no number counts for nothing
            begin, candidate = self.once(candidate)
            nothing = identity(effect.extreme, best.element)
            steps = (*steps, *begin, Binary(_BEYOND[effect.extreme], candidate, nothing, Element.BOOL))
        combined = Apply(_FUNCTIONS[effect.extreme], (Ref(best), candidate), best.element)
        loop = self.over_arcs(place, (SetLocal(best, combined),), steps)
        return (Let(best, identity(effect.extreme, best.element)), loop, self.stored(effect, best, {}))

    def following_the_best(self, effect: ExtremeCell, place: Variable) -> tuple[KernelOp, ...]:
        """As above; what comes along with the best value is that of the first who told it."""
        best = self.best_of(effect)
        held = {carry: self.local(f"{carry.array.name}_of_best", carry.array.element) for carry in _data(effect)}
        begin, candidate = self.once(effect.candidate)
        wins = Binary(_BEYOND[effect.extreme], candidate, Ref(best), Element.BOOL)
        takes = (SetLocal(best, candidate), *(SetLocal(held[carry], carry.value) for carry in held))
        steps, last = self.with_one_look(effect, (*self.join.steps, *begin), (KernelIf(wins, takes),))
        loop = self.over_arcs(place, last, steps)
        begins = (Let(held[carry], Load(carry.array, self.join.own)) for carry in held)
        return (Let(best, identity(effect.extreme, best.element)), *begins, loop, self.stored(effect, best, held))

    def once(self, value: Expression) -> tuple[tuple[Let, ...], Expression]:
        """What works a value out, if it is not at hand, and the value."""
        if isinstance(value, Ref):
            return (), value
        variable = self.local("candidate", value.element)
        return (Let(variable, value),), Ref(variable)

    def with_one_look(
        self, effect: ExtremeCell, steps: tuple[Step, ...], last: tuple[KernelOp, ...]
    ) -> tuple[tuple[Step, ...], tuple[KernelOp, ...]]:
        """The same, where a cell that others may change is looked at once, so that what comes along belongs to it."""
        seen = Variable(self.taken.free(f"{effect.array.name}_seen"), effect.array.element)
        look = _Seen(Load(effect.array, Ref(self.join.teller)), seen)
        looking = tuple(look.step(step) for step in steps)
        inside = look.kernel_block(last)
        return ((Let(seen, look.cell), *looking), inside) if (looking, inside) != (steps, last) else (steps, last)

    def gathering_all(self, effect: UpdateCell, place: Variable) -> tuple[KernelOp, ...]:
        """Values that are combined, in whatever order."""
        total = self.local(f"{effect.array.name}_told", effect.array.element)
        loop = self.over_arcs(place, (SetLocal(total, _combined(effect, total)),), self.join.steps)
        begin = Let(total, identity(effect.combine, total.element))
        return (begin, loop, replace(effect, value=Ref(total), shared=False))

    def looking_for_one(self, effect: Marks, place: Variable) -> tuple[Expression | None, tuple[KernelOp, ...]]:
        """Who is asked whether he looks, and the search."""
        join = self.join
        number = {join.loop.position: Load(IN_ARCS, Ref(place))}
        conditions = [part for guard in join.guards for part in conjuncts(unfolded(guard, dict(number)))]
        others = {join.teller, place}
        asked = [e for e in conditions if not others & _variables(e)]
        tests = (*join.chosen, *(e for e in conditions if others & _variables(e)))
        found = tuple(replace(op, shared=False) if isinstance(op, Store) else op for op in effect.ops)
        search = KernelIf(reduce(both, tests) if tests else _TRUE, (*found, KernelBreak()))
        loop = ForNeighbors(Direction.IN, join.own, join.teller, place, (search,), True)
        return conjunction(asked), (loop,)

    # --- what is left of it -----------------------------------------------------------------------------------------

    def best_of(self, effect: ExtremeCell) -> Variable:
        word = "least" if effect.extreme is Combine.MIN else "most"
        return self.local(f"{word}_{effect.array.name}", effect.array.element)

    def local(self, name: str, element: Element) -> Variable:
        return Variable(self.taken.free(name), element)

    def stored(self, effect: ExtremeCell, best: Variable, held: dict[Carry, Variable]) -> KernelIf:
        """The one update of the cell; others may look at it meanwhile."""
        beyond = Binary(_BEYOND[effect.extreme], Ref(best), Load(effect.array, self.join.own), Element.BOOL)
        store = Store(effect.array, self.join.own, Ref(best), shared=not self.join.settled)
        carried = (
            Store(carry.array, carry.index, Ref(held[carry]) if carry in held else carry.value)
            for carry in effect.carried
        )
        return KernelIf(beyond, (store, *carried, *effect.also))


def _data(effect: ExtremeCell) -> tuple[Carry, ...]:
    """What comes along that is not the same from everybody."""
    return tuple(carry for carry in effect.carried if not isinstance(carry.value, Const))


def _combined(effect: UpdateCell, total: Variable) -> Expression:
    if effect.combine in _FUNCTIONS:
        return Apply(_FUNCTIONS[effect.combine], (Ref(total), effect.value), total.element)
    return Binary(BinaryOperator(effect.combine.value), Ref(total), effect.value, total.element)


def _within(steps: Iterable[Step], last: tuple[KernelOp, ...]) -> tuple[KernelOp, ...]:
    """The operations after the steps, inside of the conditions."""
    inside = last
    for step in reversed(tuple(steps)):
        match step, inside:
            case Let(), _:
                inside = (step, *inside)
            case _, (KernelIf(condition, then, ()),) if inside is not last:
                inside = (KernelIf(both(step, condition), then),)
            case _:
                inside = (KernelIf(step, inside),)
    return inside


def _variables(expression: Expression) -> set[Variable]:
    return {part.variable for part in walk_expression(expression) if isinstance(part, Ref)}


class _Seen(Rewriter):
    """Says the local for the cell."""

    def __init__(self, cell: Load, seen: Variable) -> None:
        self.cell = cell
        self.seen = seen

    def step(self, step: Step) -> Step:
        return replace(step, value=self.expression(step.value)) if isinstance(step, Let) else self.expression(step)

    def expression(self, expression: Expression) -> Expression:
        return Ref(self.seen) if expression == self.cell else self.rebuild(expression)
