"""Work on a node ahead of the loop over its arcs, where threads share the arcs: one thread does it, once."""

from collections.abc import Iterable

from starplat.ir import nodes as ir
from starplat.ir.visitor import all_expressions, arrays_in, walk_kernel, written_arrays


def is_apart(visit: tuple[ir.KernelOp, ...], loop: ir.ForNeighbors, kernel: ir.Kernel) -> bool:
    """Whether neither sees what the other changes, so that other threads may take the arcs. The work computes locals
    from what the kernel leaves alone, changes the node's own cells and contributes to reductions."""
    if passes_arrays(visit) or not all(_of_node(op, loop.node) for op in walk_kernel(visit)):
        return False
    lets = tuple(op for op in walk_kernel(visit) if isinstance(op, ir.Let))
    if any(let not in visit for let in lets) or not _reads(lets).isdisjoint(written_arrays(kernel.body)):
        return False
    blind = _reads(visit).isdisjoint(written_arrays(loop.body))
    return blind and _reads((loop,)).isdisjoint(written_arrays(visit))


def in_any_order(visit: tuple[ir.KernelOp, ...], loop: ir.ForNeighbors) -> bool:
    """Whether the work on the node and that on its arcs leave the same in cells, whichever is done first."""
    return all(_in_any_order(one, other) for one in walk_kernel(visit) for other in walk_kernel(loop.body))


def passes_arrays(ops: Iterable[ir.KernelOp]) -> bool:
    """Whether a function is called that may write cells, which must not run twice."""
    calls = (part for part in all_expressions(ops) if isinstance(part, ir.CallFunction))
    return any(isinstance(a, ir.Array) and a not in ir.GRAPH_ARRAYS for call in calls for a in call.arguments)


def _of_node(op: ir.KernelOp, node: ir.Expression) -> bool:
    match op:
        case ir.Let() | ir.Contribute() | ir.KernelIf():
            return True
        case ir.Store(array, index) | ir.UpdateCell(_, array, index):
            return index == node and array.packed is None
    return False


def _reads(ops: Iterable[ir.KernelOp]) -> set[ir.Array]:
    """The arrays whose cells are read."""
    loads = (part for part in all_expressions(ops) if isinstance(part, ir.Load))
    return {array for load in loads for array in arrays_in(load)}


def _in_any_order(one: ir.KernelOp, other: ir.KernelOp) -> bool:
    match one, other:
        case (ir.KernelIf(), _) | (_, ir.KernelIf()):
            return True  # what stands inside is asked by itself
        case ir.UpdateCell(combine=mine, shared=True), ir.UpdateCell(combine=theirs, shared=True) if mine == theirs:
            return True
        case ir.Store(value=ir.Const() as mine), ir.Store(value=ir.Const() as theirs) if mine == theirs:
            return True
    return written_arrays((one,)).isdisjoint(written_arrays((other,)))
