"""The role of kernels in a loop over levels: the level that they test, and whether they find the next."""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import conditions, nodes as ir, rewriter, visitor
from starplat.schedule.frontier.obstacles import writes


def finds_next_level(kernel: ir.Kernel) -> tuple[ir.Array, ir.Variable] | None:
    """The cells and the number of the level, if the kernel visits a level, finds the next, and does nothing else to the
    cells."""
    for cells, depth, _ in _levels_asked(kernel):
        updates = [op for op in visitor.walk_kernel(as_lowering(kernel, cells, depth).body) if writes(op, cells)]
        if len(updates) == 1 and _lowers(updates[0], kernel, cells, depth):
            return cells, depth
    return None


def as_lowering(kernel: ir.Kernel, cells: ir.Array, depth: ir.Variable) -> ir.Kernel:
    """The kernel with `cells[w] = next` under `cells[w] == INF` as a Min, which is the same in a loop over levels:
    cells are INF or lower than the next level there."""
    return replace(kernel, body=_Lowering(kernel, cells, depth).kernel_block(kernel.body))


class _Lowering(rewriter.Rewriter):
    """Turns a store to a cell that is INF into a Min, with its signals."""

    def __init__(self, kernel: ir.Kernel, cells: ir.Array, depth: ir.Variable) -> None:
        self.of = kernel
        self.cells, self.depth = cells, depth

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        match op:
            case ir.KernelIf(condition, (ir.Store(cells, index, value), *told), ()) if cells == self.cells:
                asked = list(conditions.conjuncts(condition))
                others = [part for part in asked if not self.is_unreached(part, index)]
                tells = all(isinstance(inner, ir.Contribute) and isinstance(inner.value, ir.Const) for inner in told)
                if len(others) < len(asked) and tells and is_next(value, self.of, cells, self.depth):
                    lowered = ir.ExtremeCell(ir.Combine.MIN, cells, index, value, (), shared=True, also=tuple(told))
                    rest = conditions.conjunction(others)
                    return (lowered,) if rest is None else (ir.KernelIf(rest, (lowered,)),)
        return (self.rebuild(op),)

    def is_unreached(self, condition: ir.Expression, index: ir.Expression) -> bool:
        """Whether it tests the cell for INF."""
        cell, largest = ir.Load(self.cells, index), ir.infinity(self.cells.element)
        match condition:
            case ir.Binary(ir.BinaryOperator.EQUAL, left, right):
                return {left, right} == {cell, largest}
        return False


def _lowers(op: ir.KernelOp, kernel: ir.Kernel, cells: ir.Array, depth: ir.Variable) -> bool:
    """Whether an operation lowers a cell to the number of the next level, and carries nothing."""
    if not isinstance(op, ir.ExtremeCell) or op.array != cells or op.extreme is not ir.Combine.MIN:
        return False
    return not op.carried and op.lock is None and is_next(op.candidate, kernel, cells, depth)


def is_next(candidate: ir.Expression, kernel: ir.Kernel, cells: ir.Array, depth: ir.Variable) -> bool:
    """Whether a value is the current level's number, or the own cell, which holds it, plus 1."""
    match candidate:
        case ir.Binary(ir.BinaryOperator.ADD | ir.BinaryOperator.ADD_INF, left, ir.Const(1)):
            return left in (ir.Ref(depth), ir.Load(cells, kernel.own))
        case ir.Binary(ir.BinaryOperator.ADD | ir.BinaryOperator.ADD_INF, ir.Const(1), right):
            return right in (ir.Ref(depth), ir.Load(cells, kernel.own))
    return False


def asked_level(kernel: ir.Kernel, cells: ir.Array, number: ir.Variable) -> ir.Expression | None:
    """The condition `cells[v] == number` of a kernel over nodes, if its filter has it."""
    return next((c for array, asked, c in _levels_asked(kernel) if (array, asked) == (cells, number)), None)


def _levels_asked(kernel: ir.Kernel) -> Iterable[tuple[ir.Array, ir.Variable, ir.Expression]]:
    """Candidates for levels in a kernel over nodes: arrays, numbers, and the conditions that test them."""
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.filter is None or kernel.iterator is None:
        return
    for condition in conditions.conjuncts(kernel.filter):
        match condition:
            case ir.Binary(ir.BinaryOperator.EQUAL, ir.Load(cells, ir.Ref(index)), ir.Ref(number)) | ir.Binary(
                ir.BinaryOperator.EQUAL, ir.Ref(number), ir.Load(cells, ir.Ref(index))
            ):
                if index == kernel.iterator and cells.element is ir.Element.INT and cells.extent is ir.Extent.NODES:
                    yield cells, number, condition
