"""Finds arrays that change and sets that do not, so that the host may keep a list of their members.

Takes a module; returns arrays. Sets of persistent kernels are not covered.
"""

from collections.abc import Iterator

from starplat.ir import launches, shared_cells, visitor
from starplat.ir import nodes as ir


def changed_arrays(module: ir.Module) -> frozenset[ir.Array]:
    """The arrays that kernels or the host change, here or in a function that is called."""
    by_host = (array for part in visitor.walk(module.functions) for array in launches.changed_by(part))
    changed = {*shared_cells.written_in((module.functions, module.kernels), module), *by_host}
    return frozenset(_spread(changed, tuple(_ways_up(module))))


def fixed_sets(module: ir.Module) -> frozenset[ir.Array]:
    """The sets that the host goes over, here or in a function that is called, and that nothing changes."""
    looped = {part.members for part in visitor.walk(module.functions) if isinstance(part, ir.HostForMembers)}
    if not looped:
        return frozenset()
    up = tuple(_ways_up(module))
    down = tuple((argument, parameter) for parameter, argument in up)
    wanted = _spread(looped, up)
    made_here = {array for array in wanted if array.origin is not ir.Origin.PARAMETER}
    return frozenset(wanted - _spread({*changed_arrays(module), *made_here}, (*down, *up)))


def _ways_up(module: ir.Module) -> Iterator[tuple[ir.Array, ir.Array]]:
    """From a function's name of an array to the callers' names."""
    for call in visitor.walk(module.functions):
        if isinstance(call, ir.HostCall):
            parameters = module.function(call.function).parameters
            for argument, parameter in zip(call.arguments, parameters, strict=True):
                if isinstance(argument, ir.Array) and isinstance(parameter.what, ir.Array):
                    yield parameter.what, argument


def _spread(arrays: set[ir.Array], ways: tuple[tuple[ir.Array, ir.Array], ...]) -> set[ir.Array]:
    """The arrays, and those reachable from them."""
    found = set(arrays)
    while reached := {end for start, end in ways if start in found} - found:
        found |= reached
    return found
