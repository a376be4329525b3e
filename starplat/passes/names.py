"""The names taken inside a kernel or a host function, so that a pass can find fresh ones."""

from starplat.ir import nodes as ir
from starplat.ir.visitor import declared_by, walk_host, walk_kernel


def names_in(kernel: ir.Kernel) -> set[str]:
    """Everything that has a name in a kernel."""
    local = {variable.name for op in walk_kernel(kernel.body) for variable in declared_by(op)}
    if kernel.iterator is not None:
        local.add(kernel.iterator.name)
    if isinstance(kernel.domain, ir.NodeNeighbors):
        local.add(kernel.domain.position.name)
    outer = {variable.name for variable in (*kernel.scalars, *(reduction.variable for reduction in kernel.reductions))}
    return local | outer | {array.name for array in kernel.arrays}


def names_throughout(function: ir.HostFunction, module: ir.Module) -> set[str]:
    """Everything that has a name in a host function or in a kernel that it launches."""
    taken = {parameter.what.name for parameter in function.parameters} | {array.name for array in function.arrays}
    for op in walk_host(function.body):
        taken.update(variable.name for variable in declared_by(op))
        if isinstance(op, ir.Launch):
            taken |= names_in(module.kernel(op.kernel))
    return taken | {array.name for array in module.graph_arrays}
