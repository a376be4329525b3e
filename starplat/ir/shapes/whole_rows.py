"""Kernels of which a thread could take all arcs of several nodes at once, where rows are short.

Every node asks whether any of its arcs passes a test, or those that pass a filter change cells of their neighbors. Work
on an arc is brief, so that many arcs of a thread can be under way together, and knows no more of it than its neighbor.
"""

from collections.abc import Iterable

from starplat.ir import nodes as ir
from starplat.ir.shapes.members import membership
from starplat.ir.shapes.searching import asking
from starplat.ir.visitor import all_expressions, walk_kernel


def takes_whole_rows(kernel: ir.Kernel) -> bool:
    """Whether a thread could take all arcs of a node of the kernel."""
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.filter is None or kernel.follows or membership(kernel):
        return False
    parts = asking(kernel)
    if parts is not None:
        return _knows_the_neighbor(parts.loop, (*parts.of_arc, ir.KernelReturn(parts.condition)))
    match kernel.body:
        case (*_, ir.ForNeighbors(parallel=True) as loop) if loop.node == kernel.own:
            return all(_is_brief(op, loop) for op in walk_kernel(loop.body)) and _knows_the_neighbor(loop, loop.body)
    return False


def _is_brief(op: ir.KernelOp, loop: ir.ForNeighbors) -> bool:
    """Whether an operation on an arc computes a value, tests one, or changes a cell of the neighbor without a wait."""
    match op:
        case ir.Let() | ir.KernelIf():
            return True
        case ir.Store(array, index) | ir.UpdateCell(_, array, index):
            return index == ir.Ref(loop.neighbor) and array.packed is None
    return False


def _knows_the_neighbor(loop: ir.ForNeighbors, body: Iterable[ir.KernelOp]) -> bool:
    """Whether work on an arc uses its neighbor, and no cells of the arc."""
    parts = set(all_expressions(body))
    return ir.Ref(loop.neighbor) in parts and ir.Ref(loop.position) not in parts
