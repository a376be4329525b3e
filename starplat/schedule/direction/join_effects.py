"""The effect of a kernel on a neighbor, where the neighbor can compute it itself from the other end of the arc."""

from collections.abc import Iterator
from dataclasses import dataclass

from starplat.ir import build, nodes as ir, visitor

_IDEMPOTENT = (ir.Combine.OR, ir.Combine.AND, ir.Combine.MIN, ir.Combine.MAX)


@dataclass(frozen=True, slots=True)
class Marks:
    """Constants stored to a neighbor's cells, and what signals that there was one: once is enough."""

    ops: tuple[ir.KernelOp, ...]


Effect = ir.ExtremeCell | ir.UpdateCell | Marks
"""The effect on a neighbor: a cell goes down (or up), a value is combined with a cell, or it is marked."""


def effect_of(
    last: tuple[ir.KernelOp, ...], neighbor: ir.Variable, kernel: ir.Kernel
) -> tuple[Effect, tuple[ir.Expression, ...]] | None:
    """The effect, and its own conditions; None for any other operation."""
    own = ir.Ref(neighbor)
    match last:
        case (ir.ExtremeCell(array=array, index=index, carried=carried, also=also) as lowering,):
            places = all(carry.index == own and carry.array != array for carry in carried)
            if index == own and places and all(_is_told_once(op, kernel) for op in also):
                return lowering, ()
        case (ir.UpdateCell(ir.Combine.OR | ir.Combine.AND as combine, array, index, value),) if (
            index == own and array.element is ir.Element.BOOL
        ):
            grows = combine is ir.Combine.OR
            cell = ir.Load(array, own)
            open, counts = (build.denied(cell), value) if grows else (cell, build.denied(value))
            conditions = (open,) if isinstance(value, ir.Const) and value.value is grows else (open, counts)
            return Marks((ir.Store(array, own, ir.Const(grows, ir.Element.BOOL)),)), conditions
        case (ir.UpdateCell(combine, array, index) as update,) if index == own:
            if combine not in (ir.Combine.MIN, ir.Combine.MAX) or not array.element.is_real:
                return update, ()
        case _:
            ops = tuple(_as_store(op) for op in last)
            stores = [op for op in ops if isinstance(op, ir.Store)]
            marks = all(_marks(op, own) or _is_told_once(op, kernel) for op in ops)
            if stores and marks and len({op.array for op in stores}) == len(stores):
                return Marks(ops), ()
    return None


def _as_store(op: ir.KernelOp) -> ir.KernelOp:
    """The operation; a store where it combines with an absorbing constant."""
    match op:
        case ir.UpdateCell(ir.Combine.OR, array, index, ir.Const(True) as value) | ir.UpdateCell(
            ir.Combine.AND, array, index, ir.Const(False) as value
        ) if array.element is ir.Element.BOOL:
            return ir.Store(array, index, value)
    return op


def _marks(op: ir.KernelOp, own: ir.Ref) -> bool:
    return isinstance(op, ir.Store) and op.index == own and isinstance(op.value, ir.Const)


def _is_told_once(op: ir.KernelOp, kernel: ir.Kernel) -> bool:
    """Whether the effect is idempotent."""
    if not isinstance(op, ir.Contribute) or not isinstance(op.value, ir.Const):
        return False
    return all(r.combine in _IDEMPOTENT for r in kernel.reductions if r.variable == op.reduction)


def leaves(effect: Effect, condition: ir.Expression) -> bool:
    """Whether a tested flag stays set once it is set."""
    if not isinstance(condition, ir.Load) or not isinstance(effect, Marks):
        return False
    stores = (op for op in effect.ops if isinstance(op, ir.Store) and op.array == condition.array)
    return all(op.value == build.TRUE for op in stores)


def denies(store: ir.KernelOp, condition: ir.Expression) -> bool:
    """Whether a condition is false after a constant was stored."""
    assert isinstance(store, ir.Store)
    assert isinstance(store.value, ir.Const)
    cell, value = ir.Load(store.array, store.index), store.value
    match condition:
        case ir.Unary(ir.UnaryOperator.NOT, operand) if operand == cell:
            return value.value is True
        case ir.Binary(ir.BinaryOperator.EQUAL, left, ir.Const() as asked) if left == cell:
            return asked != value
        case ir.Binary(ir.BinaryOperator.NOT_EQUAL, left, ir.Const() as asked) if left == cell:
            return asked == value
    return condition == cell and value.value is False


def values(effect: Effect) -> Iterator[ir.Expression]:
    """The values sent, as the sender computes them."""
    match effect:
        case ir.ExtremeCell(candidate=candidate, carried=carried):
            yield candidate
            yield from (carry.value for carry in carried)
        case ir.UpdateCell(value=value):
            yield value
        case Marks(ops):
            values = {e for op in ops for e in visitor.expressions_of(op)}
            yield from (e for e in values if not isinstance(e, ir.Ref))
