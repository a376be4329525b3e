"""Finds kernels whose nodes combine something into the cells of their neighbors, and decides which may pull.

Pulled, every node looks along its in-arcs for its senders, combines what they send, and stores once. That is one of the
orders in which the push may process its arcs: those into a node together, when its cell is stored. So the answer is the
same anywhere if nothing that is sent changes while the kernel runs (`Join.settled`). Where the kernel sends cells that
it lowers itself, the answer is the same at the end of a monotone fixed point in which a lower cell never sends a higher
value.
"""

from dataclasses import dataclass, replace

from starplat.ir import build, nodes as ir, visitor
from starplat.ir.conditions import conjuncts
from starplat.ir.shapes.members import Membership, flag_of, membership
from starplat.schedule.direction.join_effects import Effect, Marks, denies, effect_of, leaves, values
from starplat.schedule.edge_effects import EdgeEffect, edge_effect


@dataclass(frozen=True, slots=True)
class Join:
    """A kernel that applies `effect` to the neighbors of its nodes `teller`, of those `chosen`, after the steps of
    `edge`. They are the `members` of a set, if there is one, which it empties if it `takes` them. If `settled`, nothing
    that is sent changes while it runs."""

    kernel: ir.Kernel
    teller: ir.Variable
    members: ir.Array | None
    takes: bool
    chosen: tuple[ir.Expression, ...]
    edge: EdgeEffect
    effect: Effect
    settled: bool

    @property
    def own(self) -> ir.Ref:
        """The receiving node."""
        return ir.Ref(self.edge.loop.neighbor)

    @property
    def flags(self) -> tuple[ir.Array, ...]:
        found = (flag_of(condition, self.teller) for condition in self.chosen)
        return tuple(array for array in found if array is not None)

    @property
    def emptied(self) -> tuple[ir.Fill, ...]:
        """The operations that empty the set of senders, as the push does on its way."""
        return (ir.Fill(self.members, build.FALSE),) if self.takes and self.members is not None else ()

    @property
    def is_soon_over(self) -> bool:
        """Whether a marked node never looks again, so that every round has fewer searching nodes."""
        if not isinstance(self.effect, Marks):
            return False
        stores = [op for op in self.effect.ops if isinstance(op, ir.Store)]
        conditions = [part for guard in self.edge.guards for part in conjuncts(guard)]
        return any(denies(store, condition) for store in stores for condition in conditions)


class NotJoined(Exception):  # noqa: N818 - it is an answer, not an error
    """Why a kernel cannot pull."""


def join_of(kernel: ir.Kernel, known: tuple[ir.Expression, ...] = ()) -> Join:
    """The kernel's parts; `known` is what holds for its nodes when it begins.

    Raises:
        NotJoined: it does anything else, or what it does may come out otherwise from the other end.
    """
    found = membership(kernel)
    body = kernel.body if found is None else found.body
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.iterator is None:
        raise NotJoined("its nodes are those of a list, which cannot be searched for a node")
    edge = edge_effect(body, kernel.iterator)
    if edge is None or edge.loop.direction is not ir.Direction.OUT:
        raise NotJoined("it does more than to go over the arcs that leave its nodes")
    if (done := effect_of(edge.ops, edge.loop.neighbor, kernel)) is None:
        raise NotJoined("it does more to a neighbor than to combine a value with one of its cells")
    effect, more = done
    chosen = _chosen(kernel, found)
    more = tuple(condition for condition in more if not (condition in known and leaves(effect, condition)))
    edge = _with_needed(replace(edge, steps=(*edge.steps, *more)), effect)
    settled = _Told(body, kernel.iterator, replace(edge, steps=(*chosen, *edge.steps)), effect).is_settled()
    members, takes = (None, False) if found is None else (found.members, found.takes)
    return Join(kernel, kernel.iterator, members, takes, chosen, edge, effect, settled)


def _chosen(kernel: ir.Kernel, found: Membership | None) -> tuple[ir.Expression, ...]:
    """The conditions on the sending nodes."""
    asked = kernel.filter if found is None else found.keep
    rest = () if asked is None else tuple(conjuncts(asked))
    if found is None or kernel.iterator is None:
        return rest
    return (ir.Load(found.members, kernel.own), *rest)


def _with_needed(edge: EdgeEffect, effect: Effect) -> EdgeEffect:
    """The effect without the conditions that an update tests itself: whether the value is beyond the cell."""
    if not isinstance(effect, ir.ExtremeCell):
        return edge
    candidate, cell = edge.unfolded(effect.candidate), ir.Load(effect.array, ir.Ref(edge.loop.neighbor))
    mirrored = ir.Combine.MAX if effect.extreme is ir.Combine.MIN else ir.Combine.MIN
    asked = (build.beyond(effect.extreme, candidate, cell), build.beyond(mirrored, cell, candidate))
    needed = (step for step in edge.steps if isinstance(step, ir.Let) or edge.unfolded(step) not in asked)
    return replace(edge, steps=tuple(needed))


# --- values sent ------------------------------------------------------------------------------------------------------


class _Told:
    """The cells that a kernel changes and reads for what it sends."""

    def __init__(self, body: tuple[ir.KernelOp, ...], teller: ir.Variable, edge: EdgeEffect, effect: Effect) -> None:
        self.written = visitor.written_arrays(body)
        self.teller, self.own = ir.Ref(teller), ir.Ref(edge.loop.neighbor)
        self.edge, self.effect = edge, effect
        self.expressions = [*edge.conditions, *edge.lets.values(), *values(effect)]

    def is_settled(self) -> bool:
        """Whether nothing that is sent changes meanwhile.

        Raises:
            NotJoined: it does, and the order of arcs may make a difference in the end.
        """
        parts = [part for expression in self.expressions for part in visitor.walk_expression(expression)]
        if any(isinstance(part, ir.CallFunction) for part in parts):
            raise NotJoined("it calls a function for each arc")
        changing = {part for part in parts if isinstance(part, ir.Load) and part.array in self.written}
        if isinstance(self.effect, Marks):
            changing = {load for load in changing if load.index != self.own}
        if changing:
            self.require_that_it_settles(changing)
        return not changing

    def require_that_it_settles(self, changing: set[ir.Load]) -> None:
        """The cells that are sent must be those that the kernel lowers, to the same end in any order."""
        effect = self.effect
        own = ir.Load(effect.array, self.teller) if isinstance(effect, ir.ExtremeCell) else None
        if changing != {own}:
            name = min(load.array.name for load in changing if load != own)
            raise NotJoined(f"it reads '{name}', which it changes for others at the same time")
        if isinstance(effect, ir.ExtremeCell) and not effect.settles:
            raise NotJoined(told_too_early(effect.array))


def told_too_early(array: ir.Array) -> str:
    """Why cells that change while they are sent cannot be pulled."""
    return f"'{array.name}' is sent while it changes, in a loop that is no monotone fixed point"
