"""Searching kernels: each node does something with any one arc that passes a test.

Only the compiler makes them, where it does not matter which arc is found: it asks that their arcs are shared.
"""

from dataclasses import dataclass

from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class Searching:
    """The loop over a node's arcs; `ahead` is computed for an arc, then `found` is done if `condition` holds."""

    loop: ir.ForNeighbors
    ahead: tuple[ir.KernelOp, ...]
    condition: ir.Expression
    found: tuple[ir.KernelOp, ...]


def searching(kernel: ir.Kernel) -> Searching | None:
    """The kernel's parts, if it shares arcs and looks for one."""
    if not kernel.shares_arcs:
        return None
    match kernel.body:
        case (
            ir.ForNeighbors(
                node=ir.Ref(node), body=(*ahead, ir.KernelIf(condition, (*found, ir.KernelBreak()), ()))
            ) as loop,
        ):
            lets = all(isinstance(op, ir.Let) for op in ahead)
            return Searching(loop, tuple(ahead), condition, tuple(found)) if lets and node == kernel.iterator else None
        case _:
            return None
