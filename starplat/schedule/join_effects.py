"""What a kernel does to a neighbor, as far as neighbors can do it themselves from the other end of the arc."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from starplat.ir.nodes import (
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Contribute,
    Element,
    Expression,
    ExtremeCell,
    Kernel,
    KernelOp,
    Load,
    Ref,
    Store,
    Unary,
    UnaryOperator,
    UpdateCell,
    Variable,
)
from starplat.ir.visitor import expressions_of

_IDEMPOTENT = (Combine.OR, Combine.AND, Combine.MIN, Combine.MAX)


@dataclass(frozen=True, slots=True)
class Marks:
    """Constants that are stored to a neighbor's cells, and what tells that there was one: once is enough."""

    ops: tuple[KernelOp, ...]


Effect = ExtremeCell | UpdateCell | Marks
"""What is done to a neighbor: a cell of it goes down (or up), a value is combined with a cell, or it is marked."""


def effect_of(
    last: tuple[KernelOp, ...], neighbor: Variable, kernel: Kernel
) -> tuple[Effect, tuple[Expression, ...]] | None:
    """The effect, and the conditions that it holds in itself; None if it is nothing of the kind."""
    own = Ref(neighbor)
    match last:
        case (ExtremeCell(array=array, index=index, carried=carried, also=also) as lowering,):
            places = all(carry.index == own and carry.array != array for carry in carried)
            if index == own and places and all(_is_told_once(op, kernel) for op in also):
                return lowering, ()
        case (UpdateCell(Combine.OR | Combine.AND as combine, array, index, value),) if (
            index == own and array.element is Element.BOOL
        ):
            grows = combine is Combine.OR
            cell = Load(array, own)
            open, counts = (_not(cell), value) if grows else (cell, _not(value))
            conditions = (open,) if isinstance(value, Const) and value.value is grows else (open, counts)
            return Marks((Store(array, own, Const(grows, Element.BOOL)),)), conditions
        case (UpdateCell(combine, array, index) as update,) if index == own:
            if combine not in (Combine.MIN, Combine.MAX) or not array.element.is_real:
                return update, ()
        case _:
            ops = tuple(_as_store(op) for op in last)
            stores = [op for op in ops if isinstance(op, Store)]
            marks = all(_marks(op, own) or _is_told_once(op, kernel) for op in ops)
            if stores and marks and len({op.array for op in stores}) == len(stores):
                return Marks(ops), ()
    return None


def _as_store(op: KernelOp) -> KernelOp:
    """The operation; a store where it combines with a constant that nothing else is left of."""
    match op:
        case UpdateCell(Combine.OR, array, index, Const(True) as value) | UpdateCell(
            Combine.AND, array, index, Const(False) as value
        ) if array.element is Element.BOOL:
            return Store(array, index, value)
        case _:
            return op


def _marks(op: KernelOp, own: Ref) -> bool:
    return isinstance(op, Store) and op.index == own and isinstance(op.value, Const)


def _is_told_once(op: KernelOp, kernel: Kernel) -> bool:
    """Whether it makes no difference how often it is done."""
    if not isinstance(op, Contribute) or not isinstance(op.value, Const):
        return False
    return all(r.combine in _IDEMPOTENT for r in kernel.reductions if r.variable == op.reduction)


def leaves(effect: Effect, condition: Expression) -> bool:
    """Whether a flag that is asked for, once it is set, stays so."""
    if not isinstance(condition, Load) or not isinstance(effect, Marks):
        return False
    stores = (op for op in effect.ops if isinstance(op, Store) and op.array == condition.array)
    return all(op.value == Const(True, Element.BOOL) for op in stores)


def denies(store: KernelOp, condition: Expression) -> bool:
    """Whether a condition no longer holds after a constant was stored."""
    assert isinstance(store, Store)
    assert isinstance(store.value, Const)
    cell, value = Load(store.array, store.index), store.value
    match condition:
        case Unary(UnaryOperator.NOT, operand) if operand == cell:
            return value.value is True
        case Binary(BinaryOperator.EQUAL, left, Const() as asked) if left == cell:
            return asked != value
        case Binary(BinaryOperator.NOT_EQUAL, left, Const() as asked) if left == cell:
            return asked == value
        case _:
            return condition == cell and value.value is False


def _not(condition: Expression) -> Expression:
    return Unary(UnaryOperator.NOT, condition)


def values(effect: Effect) -> Iterator[Expression]:
    """What is told, as it is worked out where it is told."""
    match effect:
        case ExtremeCell(candidate=candidate, carried=carried):
            yield candidate
            yield from (carry.value for carry in carried)
        case UpdateCell(value=value):
            yield value
        case Marks(ops):
            values = {e for op in ops for e in expressions_of(op)}
            yield from (e for e in values if not isinstance(e, Ref))
