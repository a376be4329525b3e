"""Host operations on lists, which the frame of a function has; a list that is given to a function is its caller's.

`ACTIONS` has one function for each.
"""

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.ir import nodes as ir
from starplat.ir.python.arithmetic import Fault
from starplat.runtime import items
from starplat.runtime.actions.machine import Actions, Frame, Machine
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.elements import Value, dtype_of
from starplat.source import Span


def declare(machine: Machine, op: ir.DeclareList, frame: Frame) -> None:
    frame.lists[op.items.name] = []


def change(machine: Machine, op: ir.ChangeList, frame: Frame) -> None:
    name, found = op.items.name, frame.lists[op.items.name]
    place, value = _arguments(machine, op, frame)
    try:
        items.change(found, name, op.change, place, value)
    except Fault as fault:
        raise _stopped(machine, fault, op.span) from fault


def _arguments(machine: Machine, op: ir.ChangeList, frame: Frame) -> tuple[int, Value]:
    """The place, or number of elements, and the value; 0 where there is none."""
    *places, value = (machine.value(e, frame) for e in op.arguments) if op.arguments else (0,)
    return int(places[0]) if places else 0, machine.fitting(value, op.items.element)


def copy(machine: Machine, op: ir.CopyList, frame: Frame) -> None:
    frame.lists[op.destination.name][:] = frame.lists[op.source.name]


def read_item(machine: Machine, op: ir.ReadItem, frame: Frame) -> None:
    place = int(machine.value(op.index, frame))
    try:
        value = items.item(frame.lists[op.items.name], op.items.name, place)
    except Fault as fault:
        raise _stopped(machine, fault, op.span) from fault
    machine.set(op.variable, value, frame)


def read_length(machine: Machine, op: ir.ReadLength, frame: Frame) -> None:
    machine.set(op.variable, len(frame.lists[op.items.name]), frame)


def put(machine: Machine, op: ir.PutItems, frame: Frame) -> None:
    buffer = _room(machine, op, frame)
    machine.device.upload(buffer, np.array(frame.lists[op.items.name], buffer.dtype))


def make_room(machine: Machine, op: ir.MakeRoom, frame: Frame) -> None:
    _room(machine, op, frame)


def _room(machine: Machine, op: ir.PutItems | ir.MakeRoom, frame: Frame) -> Buffer:
    """A buffer with a cell for each element."""
    place, count = frame.places[op.array.name], len(frame.lists[op.items.name])
    if place.buffer.count != count:
        machine.device.release_changing(place.buffer)  # hardly any other buffer has just this size
        place.buffer = machine.device.allocate(dtype_of(op.array.element, wide_arcs=machine.world.wide_arcs), count)
    return place.buffer


def _stopped(machine: Machine, fault: Fault, span: Span) -> DiagnosticError:
    label = Label(span, "here")
    return DiagnosticError(Diagnostic(fault.code, fault.message, machine.module.source, label, help=fault.help))


ACTIONS: Actions = {
    ir.DeclareList: declare,
    ir.ChangeList: change,
    ir.CopyList: copy,
    ir.ReadItem: read_item,
    ir.ReadLength: read_length,
    ir.PutItems: put,
    ir.MakeRoom: make_room,
}
