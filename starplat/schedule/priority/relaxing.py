"""Finds loops that relax arcs: they lower cells along arcs until none can be lowered any more.

They are monotone fixed points: a cell only goes down, to the value of another cell plus what the arc adds, and the loop
goes on until no arc lowers any.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from starplat.ir import build, launches, nodes as ir
from starplat.ir.shapes.members import SetRounds, membership, set_rounds
from starplat.ir.visitor import walk_expression, written_arrays
from starplat.schedule.edge_effects import EdgeEffect, edge_effect


@dataclass(frozen=True, slots=True)
class Relaxing:
    """A loop that relaxes arcs: the kernel that walks the set `now`, lowers `values` and adds to `following`; the arc
    at `position` adds `addition`, and `done` is what ends the loop."""

    walk: ir.Kernel
    now: ir.Array
    following: ir.Array
    values: ir.Array
    addition: ir.Expression
    position: ir.Variable
    done: ir.SetVariable

    @property
    def added(self) -> str:
        """The variables of the addition, by name."""
        loads = (part for part in walk_expression(self.addition) if isinstance(part, ir.Load))
        return " and ".join(dict.fromkeys(load.array.name for load in loads))


def relaxing(loop: ir.Loop, module: ir.Module) -> Relaxing | None:
    """The loop's parts, if it relaxes arcs and nothing else; its sets are packed by then."""
    if (rounds := set_rounds(loop)) is None or not launches.is_launched_once(rounds.walk.kernel, module):
        return None
    kernel = module.kernel(rounds.walk.kernel)
    return None if kernel.reductions else _lowers(kernel, rounds)


def _lowers(walk: ir.Kernel, rounds: SetRounds) -> Relaxing | None:
    """The kernel's parts, if it empties its set, lowers cells along arcs and adds to the other set."""
    found = membership(walk)
    if found is None or not found.takes or found.keep is not None or found.members != rounds.now:
        return None
    effect = edge_effect(found.body, walk.iterator)
    match effect:
        case EdgeEffect(loop=ir.ForNeighbors(parallel=True) as loop, ops=(ir.ExtremeCell() as lowering,)):
            own = ir.Load(lowering.array, loop.node)
        case _:
            return None
    following = rounds.following
    if lowering.extreme is not ir.Combine.MIN or not lowering.settles or lowering.also:
        return None
    joins = [carry.array for carry in lowering.carried].count(following) == 1
    if not joins or any(
        index != ir.Ref(loop.neighbor) for index in (lowering.index, *(c.index for c in lowering.carried))
    ):
        return None
    # what is asked of the own cell goes on to hold as that falls: else it would not settle
    asked = {part for guard in effect.guards for part in walk_expression(guard) if isinstance(part, ir.Load)} - {own}
    if {load.array for load in asked} & written_arrays(walk.body):
        return None
    addition = _addition(effect.unfolded(lowering.candidate), own, loop.position, walk.scalars)
    if addition is None:
        return None
    return Relaxing(walk, found.members, following, lowering.array, addition, loop.position, rounds.done)


def _addition(
    candidate: ir.Expression, own: ir.Load, position: ir.Variable, scalars: tuple[ir.Variable, ...]
) -> ir.Expression | None:
    """What is added to the node's own cell, if it depends on the arc's cells and on values that are the same for
    all."""
    terms = list(_terms(candidate))
    rest = [term for term in terms if term != own]
    parts = [part for term in rest for part in walk_expression(term)]
    known = all(_is_of_arc(part, own.array, position, scalars) for part in parts)
    if len(rest) != len(terms) - 1 or not known or not any(isinstance(part, ir.Load) for part in parts):
        return None
    return reduce(build.plus, rest)


def _terms(value: ir.Expression) -> Iterator[ir.Expression]:
    """The terms of a sum; a widening conversion counts as its operand."""
    match value:
        case ir.Binary(ir.BinaryOperator.ADD | ir.BinaryOperator.ADD_INF, left, right):
            yield from _terms(left)
            yield from _terms(right)
        case ir.Cast(operand, element) if element.is_real or not operand.element.is_real:
            yield from _terms(operand)
        case _:
            yield value


def _is_of_arc(part: ir.Expression, lowered: ir.Array, position: ir.Variable, scalars: tuple[ir.Variable, ...]) -> bool:
    match part:
        case ir.Load(array, index):
            data = array.origin is not ir.Origin.GRAPH or array.element is ir.Element.INT
            return array.extent is ir.Extent.ARCS and index == ir.Ref(position) and data and array != lowered
        case ir.Ref(variable):
            return variable == position or variable in scalars
        case ir.CallFunction():
            return False
    return True
