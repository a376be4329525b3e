"""Step `pieces`: gives each thread consecutive iterations, where threads take turns on a core.

There, cells next to each other are visited in turn, what is the same for all iterations is computed once per piece, and
no thread waits for a group. Elsewhere adjacent threads take adjacent iterations.
"""

from dataclasses import replace

from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Decided, for_kernels


def kernels_in_pieces(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose launches are taken in pieces, where the target's threads take turns on a core."""
    if capabilities.lockstep or capabilities.structured_loops:
        return module
    names = {kernel.name for kernel in visitor.launched_alone(module) if _suits(kernel)}
    made = module.with_each_kernel(lambda k: replace(k, in_pieces=k.in_pieces or k.name in names))
    why = "threads take turns on a core, so adjacent cells are visited one after the other"
    return for_kernels(module, made, sorted(names), "each thread takes a piece", why)


def _suits(kernel: ir.Kernel) -> bool:
    return not kernel.shares_arcs and not isinstance(kernel.domain, ir.Workers | ir.Once)
