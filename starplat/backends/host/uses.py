"""Finds the graph's arrays that host functions read, and the functions that they call."""

from starplat.ir import nodes as ir
from starplat.ir.visitor import walk


def host_arrays(module: ir.Module) -> frozenset[ir.Array]:
    """The graph's arrays that host functions read from the host's copy."""
    found = set()
    for part in walk(module.functions):
        match part:
            case ir.Array() if part in ir.GRAPH_ARRAYS:
                found.add(part)
            case ir.HostForNeighbors(direction):
                found.update(direction.layout.row_arrays)
    for kernel in module.kernels:
        if isinstance(kernel.domain, ir.NodeNeighbors):
            found.update(kernel.domain.direction.layout.row_arrays)
    return frozenset(found)


def callees_first(module: ir.Module) -> list[ir.HostFunction]:
    """The host functions, each after those that it calls."""
    ordered: list[ir.HostFunction] = []

    def place(function: ir.HostFunction) -> None:
        for part in walk(function.body):
            if isinstance(part, ir.HostCall):
                place(module.function(part.function))
        if function not in ordered:
            ordered.append(function)

    for function in module.functions:
        place(function)
    return ordered
