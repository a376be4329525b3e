"""Base class of rewrites of a whole module, which replace and add host functions and kernels.

Also here: functions that bring the module's lists of arrays up to date with its kernels.
"""

from dataclasses import replace

from starplat.ir import fresh_names, launches, nodes as ir
from starplat.ir.rewriter import HostRule, Rewriter


class ModuleRewriter(Rewriter):
    """Rewrites the host functions of a module.

    Attributes:
        taken: names that nothing in the module has.
        changed: kernels in the place of those of the same name.
        kernels: those that are added.
        arrays: those that the function at hand gets.
    """

    def __init__(self, module: ir.Module) -> None:
        self.given = module
        self.taken = fresh_names.names_of(module)
        self.changed: dict[str, ir.Kernel] = {}
        self.kernels: list[ir.Kernel] = []
        self.arrays: list[ir.Array] = []

    def module(self) -> ir.Module:
        """The module with its functions rewritten, and with the kernels that these launch then."""
        functions = tuple(map(self.function, self.given.functions))
        return replace(self.with_kernels(), functions=functions)

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        """The function with its operations rewritten and the arrays that these need."""
        self.arrays = []
        body = self.host_block(function.body)
        return replace(function, body=body, arrays=(*function.arrays, *self.arrays))

    def with_kernels(self) -> ir.Module:
        """The given module with the kernels as they are by now."""
        kept = (self.changed.get(kernel.name, kernel) for kernel in self.given.kernels)
        return replace(self.given, kernels=(*kept, *self.kernels))


PUSHING = HostRule(lambda op: (ir.Launch(op.kernel, reaches=op.reaches),) if isinstance(op, ir.Launch) else None)
"""Drops what launches may do in place of pushing: pulls, which are for many nodes."""


def with_arrays(module: ir.Module) -> ir.Module:
    """The module with the arrays of its persistent kernels derived again."""
    derived = HostRule(lambda op: (launches.with_own_arrays(op, module),) if isinstance(op, ir.OnDevice) else None)
    return replace(module, functions=derived.functions_of(module))


def with_graph_arrays(module: ir.Module) -> ir.Module:
    """The module with the graph's arrays that its kernels use derived again."""
    used = {array for kernel in module.kernels for array in kernel.arrays}
    return replace(module, graph_arrays=tuple(array for array in ir.GRAPH_ARRAYS if array in used))
