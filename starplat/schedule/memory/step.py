"""Step `memory`: places what kernels walk by arc in page-locked host memory, or in managed memory.

These arrays are by far the largest of a graph. Offsets and node properties, which kernels read more often, stay in the
device's memory.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.schedule.schedule import Memory, Schedule
from starplat.schedule.step import Choice, Decided

_PLACES: Mapping[Memory, tuple[str, str]] = {
    Memory.MAPPED: ("mapped_memory", "in mapped host memory"),
    Memory.ONDEMAND: ("mapped_memory", "in mapped host memory, except what the device has room for"),
    Memory.UNIFIED: ("managed_memory", "in managed memory"),
}
"""The capability that each value needs, and where the arrays lie then."""


def arcs_in_host_memory(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """Maps the columns, sources and weights of arcs that kernels use, and edge properties that only kernels read."""
    able, where = _PLACES.get(schedule.memory, ("", ""))
    if not able or not getattr(capabilities, able):
        return Decided(module)
    if not (mapped := tuple(arrays_for_kernels_to_read(module))):
        return Decided(module)
    what = ", ".join(array.name for array in mapped)
    choice = Choice(what, f"{where}: a cell for each arc, which kernels only read")
    on_demand, managed = (schedule.memory is one for one in (Memory.ONDEMAND, Memory.UNIFIED))
    return Decided(replace(module, mapped=mapped, on_demand=on_demand, managed=managed), (choice,))


def arrays_for_kernels_to_read(module: ir.Module) -> Iterator[ir.Array]:
    """Those with a cell for each arc that the host uploads or has, and that nothing but kernels uses, to read them."""
    for array in (*module.graph_arrays, *module.inputs):
        of_arcs = array.extent in (ir.Extent.ARCS, ir.Extent.SLOTS) and not array.is_set
        of_arcs &= array not in module.prepared_arrays
        if of_arcs and _is_for_kernels_to_read(module, array):
            yield array


def _is_for_kernels_to_read(module: ir.Module, array: ir.Array) -> bool:
    """Whether kernels read it, none changes it, and no host operation copies, reads or passes it on."""
    using = [kernel for kernel in module.kernels if array in kernel.arrays]
    if not using or any(array in visitor.written_arrays(kernel.body) for kernel in using):
        return False
    others = (op for op in visitor.host_ops(module) if not isinstance(op, ir.OnDevice))
    return array.origin is ir.Origin.GRAPH or not any(array in visitor.arrays_in(op) for op in others)
