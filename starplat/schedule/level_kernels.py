"""What kernels over nodes have to do with levels: which level they ask for, and whether they find the next."""

from __future__ import annotations

from collections.abc import Iterable

from starplat.ir.conditions import conjuncts
from starplat.ir.nodes import (
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    Kernel,
    KernelOp,
    Load,
    Ref,
    Variable,
)
from starplat.ir.visitor import walk_kernel


def finds_next_level(kernel: Kernel) -> tuple[Array, Variable] | None:
    """The cells and the number of the level, if the kernel goes over a level and finds the next, and does no other
    thing to the cells."""
    for cells, depth, _ in _levels_asked(kernel):
        updates = [op for op in walk_kernel(kernel.body) if cells in _written_by(op)]
        if len(updates) == 1 and _lowers(updates[0], kernel, cells, depth):
            return cells, depth
    return None


def _lowers(op: KernelOp, kernel: Kernel, cells: Array, depth: Variable) -> bool:
    """Whether an operation lowers a cell to the number of the next level, and takes nothing along."""
    if not isinstance(op, ExtremeCell) or op.array != cells or op.extreme is not Combine.MIN:
        return False
    return not op.carried and op.lock is None and _is_next(op.candidate, kernel, cells, depth)


def _is_next(candidate: Expression, kernel: Kernel, cells: Array, depth: Variable) -> bool:
    """Whether a value is the number of the level in hand, or the own cell, which holds it, plus 1."""
    assert kernel.iterator is not None
    match candidate:
        case Binary(BinaryOperator.ADD | BinaryOperator.ADD_INF, left, Const(1)):
            return left in (Ref(depth), Load(cells, Ref(kernel.iterator)))
        case Binary(BinaryOperator.ADD | BinaryOperator.ADD_INF, Const(1), right):
            return right in (Ref(depth), Load(cells, Ref(kernel.iterator)))
        case _:
            return False


def _written_by(op: KernelOp) -> frozenset[Array]:
    """What one operation writes, the blocks inside it left out."""
    named = {part for name in ("array", "lock") if isinstance(part := getattr(op, name, None), Array)}
    carried = {carry.array for carry in op.carried} if isinstance(op, ExtremeCell) else set()
    return frozenset(named | carried)


def asked_level(kernel: Kernel, cells: Array, number: Variable) -> Expression | None:
    """The condition `cells[v] == number` of a kernel over nodes, if its filter has it."""
    return next((c for array, asked, c in _levels_asked(kernel) if (array, asked) == (cells, number)), None)


def _levels_asked(kernel: Kernel) -> Iterable[tuple[Array, Variable, Expression]]:
    """What a kernel over nodes may take for levels: arrays, numbers, and the conditions that ask."""
    if not isinstance(kernel.domain, AllNodes) or kernel.filter is None or kernel.iterator is None:
        return
    for condition in conjuncts(kernel.filter):
        match condition:
            case Binary(BinaryOperator.EQUAL, Load(cells, Ref(index)), Ref(number)) | Binary(
                BinaryOperator.EQUAL, Ref(number), Load(cells, Ref(index))
            ):
                if index == kernel.iterator and cells.element is Element.INT and cells.extent is Extent.NODES:
                    yield cells, number, condition
            case _:
                pass
