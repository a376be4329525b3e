"""Kernels that may follow: while they run, an iteration begins for each node whose filter becomes true by another one.

The filter asks whether a cell of the node is still free, and whether another one, which arcs only add to in the
direction that fulfils the condition, has come to a bound. An iteration claims its node, for nothing else writes that
cell; so each node has one iteration, whichever thread finds it first.
"""

from dataclasses import dataclass

from starplat.ir import build, nodes as ir
from starplat.ir.conditions import conjuncts, negated
from starplat.ir.rewriter import Replacer
from starplat.ir.visitor import all_expressions, arrays_in, walk_expression, written_arrays

_FALLING = (ir.BinaryOperator.LESS_EQUAL, ir.BinaryOperator.LESS)
_RISING = (ir.BinaryOperator.GREATER_EQUAL, ir.BinaryOperator.GREATER)


@dataclass(frozen=True, slots=True)
class Following:
    """The parts of such a kernel.

    Attributes:
        claim: the store that makes the filter false; the cell held `free`.
        rest: what else is done for a node, which is counted.
        left_out: what each node makes true; where nodes are followed, only those do that there was no room for.
        loop: its arcs; each ends with `add`, under conditions or not.
        bound: the condition on the cell that is added to, of the iterator.
    """

    claim: ir.Store
    free: ir.Const
    rest: tuple[ir.KernelOp, ...]
    left_out: ir.Variable
    loop: ir.ForNeighbors
    add: ir.UpdateCell
    bound: ir.Binary


def claimed(kernel: ir.Kernel) -> tuple[ir.Load, ir.Const, ir.Load, ir.Binary] | None:
    """The parts of a filter that asks nothing else of a node: its state, what that holds while it is free, its count,
    and the condition on that."""
    if kernel.domain != ir.AllNodes() or kernel.filter is None:
        return None
    match tuple(conjuncts(kernel.filter)):
        case (
            ir.Binary(ir.BinaryOperator.EQUAL, ir.Load() as state, ir.Const() as free),
            ir.Binary(operator, ir.Load() as count, limit) as bound,
        ) if operator in (*_FALLING, *_RISING) and state.array != count.array and not arrays_in(limit):
            if kernel.own in walk_expression(limit):
                return None
            whole = state.array.element is ir.Element.INT and count.array.element.is_integer
            fits = whole and state.index == count.index == kernel.own and not state.array.packed
            return (state, free, count, bound) if fits else None
    return None


def following(kernel: ir.Kernel) -> Following | None:
    """The parts of a kernel that may follow; the caller knows that the value of a claim is never what is free."""
    if (asked := claimed(kernel)) is None or kernel.guard is not None or not kernel.body:
        return None
    state, free, count, bound = asked
    cells, operator = count.array, bound.operator
    *visit, loop = kernel.body
    match visit:
        case (
            ir.Store(stored, place, ir.Const() | ir.Ref(), shared=False) as claim,
            *rest,
            ir.Contribute(left_out, ir.Const(True)),
        ) if (stored, place, left_out.element) == (state.array, kernel.own, ir.Element.BOOL):
            pass
        case _:
            return None
    if not isinstance(loop, ir.ForNeighbors) or loop.node != kernel.own or (add := _last(loop.body)) is None:
        return None
    if add.array != cells or add.index != ir.Ref(loop.neighbor) or claim.value in (free, kernel.own):
        return None
    step = add.value.value if isinstance(add.value, ir.Const) else 0
    if not (step < 0 and operator in _FALLING) and not (step > 0 and operator in _RISING):
        return None
    read = {array for part in all_expressions(loop.body) for array in arrays_in(part)}
    alone = loop.parallel and read.isdisjoint(written_arrays(kernel.body))
    counts = all(isinstance(op, ir.Contribute) and isinstance(op.value, ir.Const) for op in rest)
    return Following(claim, free, tuple(rest), left_out, loop, add, bound) if alone and counts else None


def _last(ops: tuple[ir.KernelOp, ...]) -> ir.UpdateCell | None:
    """The addition that is all that is done for an arc, under conditions or not."""
    match ops:
        case (*ahead, ir.UpdateCell(ir.Combine.ADD) as add) if all(isinstance(op, ir.Let) for op in ahead):
            return add
        case (*ahead, ir.KernelIf(_, then, ())) if all(isinstance(op, ir.Let) for op in ahead):
            return _last(then)
    return None


def becomes_true(holds: ir.Expression, cell: ir.Load, old: ir.Expression, value: ir.Expression) -> ir.Expression:
    """Whether a condition on a cell becomes true by an addition to its old value; a step of 1 comes over a bound at one
    value only, which is quicker to ask."""
    new = build.plus(old, value)
    if isinstance(value, ir.Const) and value.value < 0:
        new = build.minus(old, ir.Const(-value.value, value.element))
    match holds, value:
        case (ir.Binary(ir.BinaryOperator.LESS_EQUAL, left, bound), ir.Const(-1)) | (
            ir.Binary(ir.BinaryOperator.GREATER_EQUAL, left, bound),
            ir.Const(1),
        ) if left == cell and cell not in walk_expression(bound):
            return build.equal(new, bound)
        case (ir.Binary(ir.BinaryOperator.LESS, left, bound), ir.Const(-1)) | (
            ir.Binary(ir.BinaryOperator.GREATER, left, bound),
            ir.Const(1),
        ) if left == cell and cell not in walk_expression(bound):
            return build.equal(old, bound)
    before, after = (Replacer({cell: number}).expression(holds) for number in (old, new))
    return build.both(negated(before), after)
