"""Host operations that launch kernels, persistent ones included.

`ACTIONS` has one function for each. How many iterations a launch has, the kernel's domain says.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, assert_never

from starplat.backends.launch import PEERS
from starplat.ir import nodes as ir
from starplat.ir.python.arithmetic import combined
from starplat.ir.shapes.listed import MOST_GUESSED
from starplat.runtime.actions.chunks import in_chunks
from starplat.runtime.actions.machine import Flow, Frame, Machine
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import LaunchSize
from starplat.runtime.elements import Value
from starplat.runtime.parts.tables import table_for


def launch(machine: Machine, op: ir.Launch, frame: Frame) -> Flow:
    kernel, launched = machine.kernels.uses[op.kernel].kernel, partial(_launched, machine, frame)
    if kernel.chunks is None:
        launched(kernel)
    else:
        in_chunks(machine, kernel, frame, launched)
    return Flow.ON


def _launched(machine: Machine, frame: Frame, kernel: ir.Kernel) -> None:
    """Launches a kernel once; what its iterations contribute is combined with what the host has."""
    uses, world, places = machine.kernels.uses[kernel.name], machine.world, frame.places
    buffers = {name: world.buffers[name] for name in uses.of_graph}
    for name in uses.own:
        buffers[name] = places[name].buffer
    for name in uses.written:
        places[name].known = None
    size = LaunchSize(_iterations(machine, kernel, frame), world.num_nodes, world.num_arcs)
    if type(kernel.domain) is ir.Listed and machine.lengths[kernel.name] is not None:
        machine.progress.active = size.iterations
    contributed = machine.kernels.launch(kernel, buffers, frame.variables, size)
    for reduction in uses.brought_back:
        if reduction.variable.name in contributed:
            name, element = reduction.variable.name, reduction.variable.element
            frame.variables[name] = combined(reduction.combine, element, frame.variables[name], contributed[name])


def on_device(machine: Machine, op: ir.OnDevice, frame: Frame) -> Flow:
    """One launch where the target has persistent kernels; else its body's operations one by one."""
    if not machine.kernels.runs_together:
        return machine.block(op.body, frame)
    buffers = machine.together(op, frame)
    for array in op.arrays:
        if array.origin is not ir.Origin.GRAPH:
            frame.places[array.name].known = None
    size = LaunchSize(1, machine.world.num_nodes, machine.world.num_arcs)
    machine.progress.by_device = True
    if op.in_parts:
        outcomes = _among_peers(machine, op, buffers, frame, size)
    else:
        outcomes = machine.kernels.launch_together(op, buffers, frame.variables, size)
    for variable in op.outcomes:
        machine.set(variable, outcomes[variable.name], frame)
    return Flow.ON


def _among_peers(
    machine: Machine, op: ir.OnDevice, buffers: dict[str, Buffer], frame: Frame, size: LaunchSize
) -> dict[str, Value]:
    """The launch on this part's device; parts go on when all have begun it, since none may wait for one that has
    not."""
    assert machine.world.parts is not None, "only a run in parts has peers"
    communicator = machine.world.parts.communicator
    tables, rank = communicator.tables, communicator.rank
    table = table_for(op, machine.device, buffers, rank, communicator.gather, tables)
    outcomes = machine.kernels.launch_together(op, {**buffers, PEERS: table.words}, frame.variables, size)
    communicator.gather(None)
    return outcomes


def _iterations(machine: Machine, kernel: ir.Kernel, frame: Frame) -> int:
    world, domain = machine.world, kernel.domain
    match domain:
        case ir.AllNodes(first, end) | ir.AllArcs(first, end) if first is not None and end is not None:
            return int(machine.value(end, frame)) - int(machine.value(first, frame))
        case ir.AllNodes() | ir.Triangles():
            return world.num_nodes
        case ir.AllArcs():
            return world.num_arcs
        case ir.Workers():
            return ir.WORKERS
        case ir.Once():
            return 1
        case ir.Listed() | ir.InWords() | ir.Numbers():
            length = machine.lengths[kernel.name]
            if length is None:
                return min(world.num_nodes, MOST_GUESSED)
            return max(int(machine.value(length, frame)), 0)
        case ir.NodeNeighbors():
            return len(machine.row(domain.direction, int(machine.value(domain.node, frame))))
        case _:
            assert_never(domain)


ACTIONS: dict[type, Callable[[Machine, Any, Frame], Flow]] = {ir.Launch: launch, ir.OnDevice: on_device}
