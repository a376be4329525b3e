"""Step `pieces`: gives each thread consecutive iterations, where threads take turns on a core.

There, cells next to each other are visited in turn, what is the same for all iterations is computed once per piece, and
no thread waits for a group. Elsewhere adjacent threads take adjacent iterations.
"""

from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.visitor import launched_alone
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Choice, Decided


def kernels_in_pieces(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose launches are taken in pieces, where the target's threads take turns on a core."""
    if capabilities.lockstep or capabilities.structured_loops:
        return module
    names = {kernel.name for kernel in launched_alone(module) if _suits(kernel)}
    if not names:
        return module
    kernels = tuple(replace(k, in_pieces=True) if k.name in names else k for k in module.kernels)
    why = "threads take turns on a core, so adjacent cells are visited one after the other"
    choices = tuple(Choice(f"{name}: each thread takes a piece", why) for name in sorted(names))
    return Decided(replace(module, kernels=kernels), choices)


def _suits(kernel: ir.Kernel) -> bool:
    return not kernel.shares_arcs and not isinstance(kernel.domain, ir.Workers | ir.Once)
