"""What a rewrite that needs a proof gives back, and the tidying up after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starplat.ir.nodes import GRAPH_ARRAYS, HostFunction, Launch, Module
from starplat.ir.visitor import arrays_in, walk_host


@dataclass(frozen=True, slots=True)
class Found:
    """What was put in the place of what, and why that is right."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The module, the same object if nothing was found, and everything that was."""

    module: Module
    found: tuple[Found, ...] = ()


def free_name(name: str, taken: set[str]) -> str:
    """The name, with a number behind it if it is taken."""
    number, chosen = 2, name
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    return chosen


def tidied(module: Module) -> Module:
    """The module without kernels that nothing launches, and with the graph's arrays that the others use."""
    launched = {op.kernel for f in module.functions for op in walk_host(f.body) if isinstance(op, Launch)}
    kernels = tuple(kernel for kernel in module.kernels if kernel.name in launched)
    used = {array for kernel in kernels for array in kernel.arrays}
    functions = tuple(_without_idle_arrays(function, module) for function in module.functions)
    graph_arrays = tuple(array for array in GRAPH_ARRAYS if array in used)
    return replace(module, functions=functions, kernels=kernels, graph_arrays=graph_arrays)


def _without_idle_arrays(function: HostFunction, module: Module) -> HostFunction:
    used = {array for op in walk_host(function.body) for array in arrays_in(op)}
    for op in walk_host(function.body):
        if isinstance(op, Launch):
            used.update(module.kernel(op.kernel).arrays)
    return replace(function, arrays=tuple(array for array in function.arrays if array in used))
