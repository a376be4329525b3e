"""Loops that lower cells along arcs until none can be lowered any more: what step `priority` looks for.

They come to the same end in whatever order nodes have their turn: a cell only ever goes down, to the value of another
cell plus what the arc adds, and the loop goes on until no arc can lower any.
"""

from __future__ import annotations

from dataclasses import dataclass

from starplat.ir.launches import is_launched_once
from starplat.ir.members import membership
from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Combine,
    Const,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    ForNeighbors,
    HostWhile,
    Kernel,
    Launch,
    Let,
    Load,
    Module,
    Origin,
    ReadEmpty,
    Ref,
    SetVariable,
    Swap,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.uses import stream


@dataclass(frozen=True, slots=True)
class Relaxing:
    """A loop that relaxes arcs: the kernel that walks the set `now`, lowers `values` and adds to `following`; what the
    arc adds is a cell of `additions`, and `done` is what ends the loop."""

    walk: Kernel
    now: Array
    following: Array
    values: Array
    additions: Array
    done: SetVariable


def relaxing(loop: HostWhile, module: Module) -> Relaxing | None:
    """What the loop does, if it relaxes arcs and nothing else; its sets are packed by then."""
    if loop.before or not loop.test_last:
        return None
    match list(stream(loop.body)):
        case [Launch(name), Swap(first, second), ReadEmpty(variable, members, when_empty)]:
            lowered = _lowers(module.kernel(name), {first, second})
        case _:
            return None
    if lowered is None:
        return None
    values, additions, now, following = lowered
    ends = Unary(UnaryOperator.NOT, Ref(variable)) if when_empty else Ref(variable)
    if members != now or loop.condition != ends or module.kernel(name).reductions:
        return None
    if not is_launched_once(name, module):
        return None
    done = SetVariable(variable, Const(when_empty, Element.BOOL))
    return Relaxing(module.kernel(name), now, following, values, additions, done)


def _lowers(walk: Kernel, sets: set[Array]) -> tuple[Array, Array, Array, Array] | None:
    """The cells that are lowered, the cells of arcs that are added, the set that is emptied, the set that is added to,
    if that is all that the kernel does."""
    found = membership(walk)
    if found is None or not found.takes or found.keep is not None or found.members not in sets:
        return None
    match found.body:
        case (ForNeighbors(node=Ref(node), neighbor=neighbor, position=position, body=body, parallel=True),):
            last = body[-1] if body else None
        case _:
            return None
    if node != walk.iterator or not all(isinstance(op, Let) for op in body[:-1]) or not isinstance(last, ExtremeCell):
        return None
    (following,) = sets - {found.members}
    told = tuple(carry.array for carry in last.carried)
    if last.extreme is not Combine.MIN or not last.settles or last.lock is not None or told != (following,):
        return None
    if last.index != Ref(neighbor) or last.carried[0].index != last.index or last.also:
        return None
    lets = {op.variable: op.value for op in body[:-1] if isinstance(op, Let)}
    additions = _addition(unfolded(last.candidate, lets), Load(last.array, Ref(node)), position)
    if additions is None or additions == last.array or found.members == following:
        return None
    return last.array, additions, found.members, following


def unfolded(expression: Expression, lets: dict[Variable, Expression]) -> Expression:
    """The expression with the values of locals in their places."""

    class Unfolder(Rewriter):
        def expression(self, inner: Expression) -> Expression:
            if isinstance(inner, Ref) and inner.variable in lets:
                return self.expression(lets[inner.variable])
            return self.rebuild(inner)

    return Unfolder().expression(expression)


def _addition(candidate: Expression, own: Expression, position: Variable) -> Array | None:
    """The array whose cell for the arc is added to the node's own cell."""
    match candidate:
        case Binary(BinaryOperator.ADD | BinaryOperator.ADD_INF, left, right):
            pairs = ((left, right), (right, left))
            found = [_cell_of_arc(other, position) for one, other in pairs if one == own]
            return found[0] if found else None
        case _:
            return None


def _cell_of_arc(expression: Expression, position: Variable) -> Array | None:
    match expression:
        case Cast(operand):
            return _cell_of_arc(operand, position)
        case Load(array, index) if array.extent is Extent.ARCS and index == Ref(position):
            return array if array.origin is not Origin.GRAPH or array.element is Element.INT else None
        case _:
            return None
