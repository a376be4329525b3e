"""Searching kernels: each node does something with any one arc that passes a test.

It does not matter which arc is found: the compiler makes such kernels itself and asks that their arcs are shared, or
what is done is the same for every arc of the node.
"""

from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.ir.visitor import all_expressions, arrays_in, declared_by, walk_expression, written_arrays


@dataclass(frozen=True, slots=True)
class Searching:
    """The loop over a node's arcs; `ahead` is computed for an arc, then `found` is done if `condition` holds."""

    loop: ir.ForNeighbors
    ahead: tuple[ir.KernelOp, ...]
    condition: ir.Expression
    found: tuple[ir.KernelOp, ...]


def searching(kernel: ir.Kernel) -> Searching | None:
    """The kernel's parts, if it shares arcs and looks for one."""
    return _searching(kernel) if kernel.shares_arcs else None


def finds_any(kernel: ir.Kernel) -> bool:
    """Whether each node looks for an arc, and does the same whichever it finds: it only stores, in cells that nothing
    else of the kernel uses, values that have nothing to do with the arc."""
    found = _searching(kernel) if isinstance(kernel.domain, ir.AllNodes) else None
    if found is None or not all(isinstance(op, ir.Store) and op.index == found.loop.node for op in found.found):
        return False
    of_arc = {v for op in (found.loop, *found.ahead) for v in declared_by(op)}
    done, asked = tuple(all_expressions(found.found)), (*all_expressions(found.ahead), found.condition)
    mentioned = {part.variable for e in done for part in walk_expression(e) if isinstance(part, ir.Ref)}
    filters = () if kernel.filter is None else (kernel.filter,)
    read = {array for e in (*done, *asked, *filters) for array in arrays_in(e)}
    return mentioned.isdisjoint(of_arc) and read.isdisjoint(written_arrays(found.found))


def _searching(kernel: ir.Kernel) -> Searching | None:
    match kernel.body:
        case (
            ir.ForNeighbors(
                node=ir.Ref(node), body=(*ahead, ir.KernelIf(condition, (*found, ir.KernelBreak()), ()))
            ) as loop,
        ):
            lets = all(isinstance(op, ir.Let) for op in ahead)
            return Searching(loop, tuple(ahead), condition, tuple(found)) if lets and node == kernel.iterator else None
    return None
