"""The cells that a kernel touches, and the conditions known there.

Every access is listed with its index and the conditions that have just been found to hold, so that passes can tell an
iteration's own cell from a cell that only may be it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from starplat.ir import conditions, nodes as ir, shared_cells, visitor

Conditions = tuple[ir.Expression, ...]


@dataclass(frozen=True, slots=True)
class Access:
    """One place that reads or writes a cell. `index` is None for an array passed to a function; `given` are the
    conditions that were true on the way there (they may have ceased to hold)."""

    array: ir.Array
    index: ir.Expression | None
    writes: bool
    shared: bool
    given: Conditions


def kernel_accesses(kernel: ir.Kernel) -> Iterator[Access]:
    """Every access of a kernel except the walks along the graph's rows, which are read-only."""
    if kernel.filter is None:
        yield from accesses(kernel.body)
    else:
        yield from expression_accesses(kernel.filter)
        yield from accesses(kernel.body, tuple(conditions.conjuncts(kernel.filter)))


def accesses(ops: Iterable[ir.KernelOp], given: Conditions = ()) -> Iterator[Access]:
    """Every access of operations and of what is inside them."""
    for op in ops:
        for expression in visitor.expressions_of(op):
            yield from expression_accesses(expression, given)
        shared = not isinstance(op, ir.Store | ir.UpdateCell | ir.ExtremeCell) or op.shared
        yield from (Access(array, index, True, shared, given) for array, index in shared_cells.cells_written(op))
        if isinstance(op, ir.KernelIf):
            yield from accesses(op.then, (*given, *conditions.conjuncts(op.condition)))
            yield from accesses(op.otherwise, given)
        else:
            for block in visitor.blocks_of(op):
                yield from accesses(block, given)


def expression_accesses(expression: ir.Expression, given: Conditions = ()) -> Iterator[Access]:
    """Every access of an expression; a part behind a condition knows it."""
    match expression:
        case ir.Load(array, index):
            yield Access(array, index, False, False, given)
        case ir.CallFunction(_, arguments):
            lent = (argument for argument in arguments if isinstance(argument, ir.Array))
            yield from (Access(array, None, True, True, given) for array in lent)
        case ir.Binary(ir.BinaryOperator.AND, left, right):
            yield from expression_accesses(left, given)
            yield from expression_accesses(right, (*given, *conditions.conjuncts(left)))
            return
        case ir.Select(condition, then, otherwise):
            yield from expression_accesses(condition, given)
            yield from expression_accesses(then, (*given, *conditions.conjuncts(condition)))
            yield from expression_accesses(otherwise, given)
            return
    for operand in visitor.operands(expression):
        yield from expression_accesses(operand, given)


@dataclass(frozen=True, slots=True)
class OwnCells:
    """The cells of one iteration: those at its iterator, in arrays with a cell for every iteration."""

    index: ir.Expression | None
    extent: ir.Extent | None

    def has(self, array: ir.Array, index: ir.Expression | None) -> bool:
        return index is not None and index == self.index and array.extent is self.extent


def own_cells(kernel: ir.Kernel) -> OwnCells:
    """The cells of one iteration of the kernel; none where two iterations may have one iterator."""
    iterator = kernel.iterator
    if iterator is None or iterator in visitor.assigned_variables(kernel.body):
        return OwnCells(None, None)
    match kernel.domain:
        case ir.Listed(array) if array.extent is ir.Extent.ITEMS:  # a list of the host may hold a node twice
            return OwnCells(None, None)
        case ir.AllNodes() | ir.Listed() | ir.InWords():
            return OwnCells(ir.Ref(iterator), ir.Extent.NODES)
        case ir.AllArcs():
            return OwnCells(ir.Ref(iterator), ir.Extent.ARCS)
    return OwnCells(None, None)
