"""Which variables and arrays host functions use, and which functions they call."""

from __future__ import annotations

from starplat.backends.arc_rows import ROWS
from starplat.backends.uses import walk
from starplat.ir.nodes import (
    GRAPH_ARRAYS,
    Array,
    HostCall,
    HostForNeighbors,
    HostFunction,
    Launch,
    Module,
    NodeNeighbors,
    OnDevice,
    ReadCell,
    Ref,
    Variable,
)


def host_arrays(module: Module) -> frozenset[Array]:
    """The graph's arrays that host functions read from the host's copy."""
    found = set()
    for part in walk(module.functions):
        match part:
            case Array() if part in GRAPH_ARRAYS:
                found.add(part)
            case HostForNeighbors(direction):
                found.update(ROWS[direction])
    for kernel in module.kernels:
        if isinstance(kernel.domain, NodeNeighbors):
            found.update(ROWS[kernel.domain.direction])
    return frozenset(found)


def read_by_anybody(function: HostFunction, module: Module) -> frozenset[Variable]:
    """Variables whose value an operation, a launch or a call uses."""
    found: set[Variable] = set()
    for part in walk(function.body):
        match part:
            case Ref(variable):
                found.add(variable)
            case Launch(kernel):
                found.update(module.kernel(kernel).scalars)
            case OnDevice():
                found.update(part.scalars)
            case HostCall():
                found.update(argument for argument in part.arguments if isinstance(argument, Variable))
    return frozenset(found)


def filled_by_device(function: HostFunction, module: Module) -> frozenset[Variable]:
    """Variables that change because something came back from the device or from a call."""
    changed: set[Variable] = set()
    for part in walk(function.body):
        match part:
            case ReadCell(variable):
                changed.add(variable)
            case Launch(kernel):
                changed.update(reduction.variable for reduction in module.kernel(kernel).brought_back)
            case HostCall(_, _, Variable() as result):
                changed.add(result)
            case OnDevice():
                changed.update(part.outcomes)
    return frozenset(changed)


def callees_first(module: Module) -> list[HostFunction]:
    """The host functions, each after those that it calls."""
    ordered: list[HostFunction] = []

    def place(function: HostFunction) -> None:
        for part in walk(function.body):
            if isinstance(part, HostCall):
                place(module.function(part.function))
        if function not in ordered:
            ordered.append(function)

    for function in module.functions:
        place(function)
    return ordered
