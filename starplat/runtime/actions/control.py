"""Control flow of the host: choices, loops, exits from them, calls.

`ACTIONS` has one function for each; what stands inside an operation is performed by the machine's `block`.
"""

from collections.abc import Iterator

import numpy as np

from starplat.backends.compiled_loops import CompiledFunction
from starplat.ir import nodes as ir
from starplat.ir.python.arithmetic import settled
from starplat.runtime.actions.machine import Actions, Flow, Frame, Machine, Op, Place
from starplat.runtime.attending.attended import StopWorking
from starplat.runtime.devices.device import LaunchSize
from starplat.source import NOWHERE


def all_rounds(machine: Machine, function: CompiledFunction, frame: Frame) -> None:
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
        places[array.name].may_change()
    places.update({name: places[now] for name, now in called.places.items()})
    for variable in function.changed:
        machine.set(variable, called.scalars[variable.name], frame)


def branch(machine: Machine, op: ir.HostIf, frame: Frame) -> Flow | None:
    return machine.block(op.then if machine.value(op.condition, frame) else op.otherwise, frame)


def rounds(machine: Machine, op: ir.Loop, frame: Frame) -> Flow | None:
    if (compiled := machine.compiled(op)) is not None:
        all_rounds(machine, compiled, frame)
        return None
    if isinstance(op.driver, ir.Ahead):
        return _rounds_ahead(machine, op, op.driver, frame)
    tested = not op.test_last
    with machine.progress.loop() as loop:
        while True:
            if tested:
                if (flow := machine.block(op.before, frame)) is not None:
                    return flow
                if not machine.value(op.condition, frame):
                    return None
            tested = True
            machine.begin_round(loop, op)
            if (flow := machine.block(op.body, frame)) is Flow.BREAK:
                return None
            if flow is Flow.RETURN:
                return flow
            machine.block(op.step, frame)


def _rounds_ahead(machine: Machine, op: ir.Loop, driver: ir.Ahead, frame: Frame) -> Flow | None:
    """Rounds are launched without waiting, then twice as many, until the device says that there are no more. No limit
    applies, as none takes place after the last: counted rounds are launched one by one."""
    goes_on, ahead = machine.buffer(driver.goes_on, frame), 1
    with machine.progress.loop() as loop:
        while True:
            for _ in range(ahead):
                loop.begin_round()
                machine.block(op.body, frame)
            if not machine.device.read_cell(goes_on, 0):
                return None
            ahead = min(2 * ahead, driver.most)


def for_range(machine: Machine, op: ir.HostForRange, frame: Frame) -> Flow | None:
    if (compiled := machine.compiled(op)) is not None:
        all_rounds(machine, compiled, frame)
        return None
    end = machine.value(op.end, frame)
    machine.set(op.variable, machine.value(op.first, frame), frame)

    def steps() -> Iterator[None]:
        while frame.variables[op.variable.name] < end:
            yield
            machine.set(op.variable, frame.variables[op.variable.name] + 1, frame)

    return _each(machine, steps(), op.body, frame)


def for_neighbors(machine: Machine, op: ir.HostForNeighbors, frame: Frame) -> Flow | None:
    columns = machine.world.host[op.direction.layout.neighbors.name]
    node = int(machine.value(op.node, frame))

    def steps() -> Iterator[None]:
        for position in machine.row(op.direction, node):
            machine.set(op.position, position, frame)
            machine.set(op.neighbor, columns[position], frame)
            yield

    return _each(machine, steps(), op.body, frame)


def for_members(machine: Machine, op: ir.HostForMembers, frame: Frame) -> Flow | None:
    if (compiled := machine.compiled(op)) is not None:
        all_rounds(machine, compiled, frame)
        return None
    place = frame.places[op.members.name]
    members = place.members
    if place.known is None or members is None:
        flags = machine.device.download(place.buffer) if place.known is None else place.known
        members = np.flatnonzero(flags)

    def steps() -> Iterator[None]:
        for member in members.tolist():
            machine.set(op.variable, member, frame)
            yield

    return _each(machine, steps(), op.body, frame)


def for_items(machine: Machine, op: ir.HostForItems, frame: Frame) -> Flow | None:
    def steps() -> Iterator[None]:
        for item in tuple(frame.lists[op.items.name]):
            machine.set(op.variable, item, frame)
            yield

    return _each(machine, steps(), op.body, frame)


def _each(machine: Machine, steps: Iterator[None], body: Op, frame: Frame) -> Flow | None:
    with machine.progress.loop() as loop:
        for _ in steps:
            loop.begin_round()
            if (flow := machine.block(body, frame)) is Flow.BREAK:
                break
            if flow is Flow.RETURN:
                return flow
    return None


def leave(machine: Machine, op: ir.HostBreak, frame: Frame) -> Flow:
    return Flow.BREAK


def go_on(machine: Machine, op: ir.HostContinue, frame: Frame) -> Flow:
    return Flow.CONTINUE


def give_back(machine: Machine, op: ir.HostReturn, frame: Frame) -> Flow:
    if isinstance(op.value, ir.HostList):
        frame.returned = list(frame.lists[op.value.name])
    elif op.value is not None:
        value = machine.value(op.value, frame)
        result = frame.function.result
        frame.returned = first = settled(result, value) if isinstance(result, ir.Element) else value
        if op.more:
            rest = zip(frame.function.more_results, op.more, strict=True)
            frame.returned = (first, *(settled(kind, machine.value(one, frame)) for kind, one in rest))
    return Flow.RETURN


def inside(machine: Machine, op: ir.HostBlock, frame: Frame) -> Flow | None:
    """A statement of the program, to which errors meanwhile belong."""
    outer = machine.span
    machine.span = outer if op.span == NOWHERE else op.span
    try:
        return machine.block(op.body, frame)
    finally:
        machine.span = outer


def call(machine: Machine, op: ir.HostCall, frame: Frame) -> None:
    called = Frame(machine.module.function(op.function))
    lent: list[tuple[Place, ir.Array, str]] = []
    scalars: list[tuple[ir.Variable, str]] = []
    for parameter, argument in zip(called.function.parameters, op.arguments, strict=True):
        name = parameter.what.name
        match argument:
            case ir.Array():
                called.places[name] = frame.places[argument.name]
                lent.append((frame.places[argument.name], argument, name))
            case ir.Variable():
                called.variables[name] = frame.variables[argument.name]
                if parameter.by_reference:
                    scalars.append((argument, name))
            case _:
                called.variables[name] = settled(parameter.what.element, machine.value(argument, frame))
    for items, lent_items in zip(called.function.lists, op.lists, strict=True):
        called.lists[items.name] = frame.lists[lent_items.name]
    machine.call(called)
    for before, array, name in lent:
        if called.places[name] is not before:
            frame.places[array.name] = called.places[name]
    for variable, name in scalars:
        machine.set(variable, called.variables[name], frame)
    if op.result is not None:
        machine.set(op.result, called.returned, frame)


ACTIONS: Actions = {
    ir.HostIf: branch,
    ir.Loop: rounds,
    ir.HostForRange: for_range,
    ir.HostForNeighbors: for_neighbors,
    ir.HostForMembers: for_members,
    ir.HostForItems: for_items,
    ir.HostBreak: leave,
    ir.HostContinue: go_on,
    ir.HostReturn: give_back,
    ir.HostCall: call,
    ir.HostBlock: inside,
}
