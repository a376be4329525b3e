"""Calls loops of the host program that are compiled with the kernels, and takes over what they have changed."""

from starplat.backends.compiled_loops import CompiledFunction
from starplat.runtime.actions.machine import Flow, Frame, Machine
from starplat.runtime.attending.attended import StopWorking
from starplat.runtime.devices.device import LaunchSize


def all_rounds(machine: Machine, function: CompiledFunction, frame: Frame) -> Flow:
    """All rounds of a loop, in one call."""
    world, control, places = machine.world, machine.progress.control, frame.places
    arrays = {**world.buffers, **{name: place.buffer for name, place in places.items()}}
    scalars = {one.name: machine.fitting(frame.variables[one.name], one.element) for one in function.scalars}
    size = LaunchSize(1, world.num_nodes, world.num_arcs)
    machine.progress.by_device = False
    called = machine.kernels.call(function, arrays, scalars, size, control)
    control.rounds = 0
    if control.stopped:
        raise StopWorking
    for array in function.arrays:
        places[array.name].known = None
    places.update({name: places[now] for name, now in called.places.items()})
    for variable in function.changed:
        machine.set(variable, called.scalars[variable.name], frame)
    return Flow.ON
