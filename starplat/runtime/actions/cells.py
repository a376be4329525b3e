"""Host operations on scalars and array cells: assign, fill, copy, swap, read, write, count.

`ACTIONS` has one function for each; a machine gives them values and buffers, and its device does what crosses.
"""

import numpy as np

from starplat.ir import nodes as ir
from starplat.runtime.actions.machine import Actions, Frame, Machine


def assign(machine: Machine, op: ir.DeclareVariable | ir.SetVariable, frame: Frame) -> None:
    value = machine.value(op.value, frame)
    if op.value.element is op.variable.element:
        frame.variables[op.variable.name] = value
    else:
        machine.set(op.variable, value, frame)


def fill(machine: Machine, op: ir.Fill, frame: Frame) -> None:
    value = machine.fitting(machine.value(op.value, frame), op.array.element)
    machine.device.fill(machine.changing(op.array, frame), value)


def copy(machine: Machine, op: ir.CopyArray, frame: Frame) -> None:
    machine.device.copy(machine.changing(op.destination, frame), machine.buffer(op.source, frame))


def swap(machine: Machine, op: ir.Swap, frame: Frame) -> None:
    places = frame.places
    places[op.first.name], places[op.second.name] = places[op.second.name], places[op.first.name]


def read_cell(machine: Machine, op: ir.ReadCell, frame: Frame) -> None:
    in_parts = machine.world.parts is not None  # each part counts its own nodes
    size = None if op.counts is None or in_parts else frame.places[op.counts.name].size
    if size is not None:
        machine.set(op.variable, size, frame)
        return
    index, buffer = machine.index(op.array, op.index, frame), machine.buffer(op.array, frame)
    hosts = op.array.origin is ir.Origin.HOST
    cell = buffer.memory[index] if hosts else machine.device.read_cell(buffer, index)
    machine.set(op.variable, cell.item(), frame)


def write_cell(machine: Machine, op: ir.WriteCell, frame: Frame) -> None:
    index = machine.index(op.array, op.index, frame)
    value = machine.fitting(machine.value(op.value, frame), op.array.element)
    if op.array.origin is ir.Origin.HOST:
        machine.buffer(op.array, frame).memory[index] = value
    else:
        machine.device.write_cell(machine.changing(op.array, frame), index, value)


def check_cell(machine: Machine, op: ir.CheckCell, frame: Frame) -> None:
    machine.index(op.array, op.index, frame)


def read_empty(machine: Machine, op: ir.ReadEmpty, frame: Frame) -> None:
    any_set = bool(machine.device.download(machine.buffer(op.flags, frame)).any())
    machine.set(op.variable, any_set is not op.when_empty, frame)


def read_size(machine: Machine, op: ir.ReadSize, frame: Frame) -> None:
    flags = machine.device.download(machine.buffer(op.flags, frame))
    machine.set(op.variable, int(np.count_nonzero(flags)), frame)


def list_members(machine: Machine, op: ir.ListMembers, frame: Frame) -> None:
    members = np.flatnonzero(machine.device.download(machine.buffer(op.flags, frame))).tolist()
    first, buffer = int(machine.value(op.first, frame)), machine.changing(op.array, frame)
    for place, member in enumerate(members, first):
        machine.device.write_cell(buffer, place, member)


ACTIONS: Actions = {
    ir.DeclareVariable: assign,
    ir.SetVariable: assign,
    ir.Fill: fill,
    ir.CopyArray: copy,
    ir.Swap: swap,
    ir.ReadCell: read_cell,
    ir.WriteCell: write_cell,
    ir.CheckCell: check_cell,
    ir.ReadEmpty: read_empty,
    ir.ReadSize: read_size,
    ir.ListMembers: list_members,
}
