"""Finds the variables and arrays that host functions use, and the functions that they call."""

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
                found.update((direction.rows, direction.columns))
    for kernel in module.kernels:
        if isinstance(kernel.domain, ir.NodeNeighbors):
            found.update((kernel.domain.direction.rows, kernel.domain.direction.columns))
    return frozenset(found)


def read_by_anybody(body: tuple[ir.HostOp, ...], module: ir.Module) -> frozenset[ir.Variable]:
    """Variables whose value an operation, a launch or a call uses."""
    found: set[ir.Variable] = set()
    for part in walk(body):
        match part:
            case ir.Ref(variable):
                found.add(variable)
            case ir.Launch(kernel):
                found.update(module.kernel(kernel).scalars)
            case ir.OnDevice():
                found.update(part.scalars)
            case ir.HostCall():
                found.update(argument for argument in part.arguments if isinstance(argument, ir.Variable))
    return frozenset(found)


def filled_by_device(function: ir.HostFunction, module: ir.Module) -> frozenset[ir.Variable]:
    """Variables that a launch, a readback or a call changes."""
    changed: set[ir.Variable] = set()
    for part in walk(function.body):
        match part:
            case ir.ReadCell(variable):
                changed.add(variable)
            case ir.Launch(kernel):
                changed.update(reduction.variable for reduction in module.kernel(kernel).brought_back)
            case ir.HostCall(_, _, ir.Variable() as result):
                changed.add(result)
            case ir.OnDevice():
                changed.update(part.outcomes)
    return frozenset(changed)


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
