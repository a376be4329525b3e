"""Host operations on scalars and array cells: assign, fill, copy, swap, read, write, count.

`ACTIONS` has one function for each; a machine gives them values and buffers, and its device does what crosses.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from starplat.ir import nodes as ir
from starplat.runtime.actions.machine import Flow, Frame, Machine


def assign(machine: Machine, op: ir.DeclareVariable | ir.SetVariable, frame: Frame) -> Flow:
    value = machine.value(op.value, frame)
    if op.value.element is op.variable.element:
        frame.variables[op.variable.name] = value
    else:
        machine.set(op.variable, value, frame)
    return Flow.ON


def fill(machine: Machine, op: ir.Fill, frame: Frame) -> Flow:
    value = machine.fitting(machine.value(op.value, frame), op.array.element)
    machine.device.fill(machine.changing(op.array, frame), value)
    return Flow.ON


def copy(machine: Machine, op: ir.CopyArray, frame: Frame) -> Flow:
    machine.device.copy(machine.changing(op.destination, frame), machine.buffer(op.source, frame))
    return Flow.ON


def swap(machine: Machine, op: ir.Swap, frame: Frame) -> Flow:
    places = frame.places
    places[op.first.name], places[op.second.name] = places[op.second.name], places[op.first.name]
    return Flow.ON


def read_cell(machine: Machine, op: ir.ReadCell, frame: Frame) -> Flow:
    index, buffer = machine.index(op.array, op.index, frame), machine.buffer(op.array, frame)
    hosts = op.array.origin is ir.Origin.HOST
    cell = buffer.memory[index] if hosts else machine.device.read_cell(buffer, index)
    machine.set(op.variable, cell.item(), frame)
    return Flow.ON


def write_cell(machine: Machine, op: ir.WriteCell, frame: Frame) -> Flow:
    index = machine.index(op.array, op.index, frame)
    value = machine.fitting(machine.value(op.value, frame), op.array.element)
    if op.array.origin is ir.Origin.HOST:
        machine.buffer(op.array, frame).memory[index] = value
    else:
        machine.device.write_cell(machine.changing(op.array, frame), index, value)
    return Flow.ON


def check_cell(machine: Machine, op: ir.CheckCell, frame: Frame) -> Flow:
    machine.index(op.array, op.index, frame)
    return Flow.ON


def read_empty(machine: Machine, op: ir.ReadEmpty, frame: Frame) -> Flow:
    any_set = bool(machine.device.download(machine.buffer(op.flags, frame)).any())
    machine.set(op.variable, any_set is not op.when_empty, frame)
    return Flow.ON


def read_size(machine: Machine, op: ir.ReadSize, frame: Frame) -> Flow:
    flags = machine.device.download(machine.buffer(op.flags, frame))
    machine.set(op.variable, int(np.count_nonzero(flags)), frame)
    return Flow.ON


def list_members(machine: Machine, op: ir.ListMembers, frame: Frame) -> Flow:
    members = np.flatnonzero(machine.device.download(machine.buffer(op.flags, frame))).tolist()
    first, buffer = int(machine.value(op.first, frame)), machine.changing(op.array, frame)
    for place, member in enumerate(members, first):
        machine.device.write_cell(buffer, place, member)
    return Flow.ON


ACTIONS: dict[type, Callable[[Machine, Any, Frame], Flow]] = {
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
