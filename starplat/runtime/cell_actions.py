"""Host operations on scalars and on the cells of arrays: assign, fill, copy, swap, read, write, count.

`ACTIONS` has one function for each; a machine gives them values and buffers, and its device does what crosses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from starplat.ir.nodes import (
    CheckCell,
    CopyArray,
    DeclareVariable,
    Fill,
    ListMembers,
    Origin,
    ReadCell,
    ReadEmpty,
    ReadSize,
    SetVariable,
    Swap,
    WriteCell,
)
from starplat.runtime.machine import Flow, Frame, Machine


def assign(machine: Machine, op: DeclareVariable | SetVariable, frame: Frame) -> Flow:
    value = machine.value(op.value, frame)
    if op.value.element is op.variable.element:
        frame.variables[op.variable.name] = value
    else:
        machine.set(op.variable, value, frame)
    return Flow.ON


def fill(machine: Machine, op: Fill, frame: Frame) -> Flow:
    value = machine.fitting(machine.value(op.value, frame), op.array.element)
    machine.device.fill(machine.changing(op.array, frame), value)
    return Flow.ON


def copy(machine: Machine, op: CopyArray, frame: Frame) -> Flow:
    machine.device.copy(machine.changing(op.destination, frame), machine.buffer(op.source, frame))
    return Flow.ON


def swap(machine: Machine, op: Swap, frame: Frame) -> Flow:
    places = frame.places
    places[op.first.name], places[op.second.name] = places[op.second.name], places[op.first.name]
    return Flow.ON


def read_cell(machine: Machine, op: ReadCell, frame: Frame) -> Flow:
    index, buffer = machine.index(op.array, op.index, frame), machine.buffer(op.array, frame)
    hosts = op.array.origin is Origin.HOST
    cell = buffer.memory[index] if hosts else machine.device.read_cell(buffer, index)
    machine.set(op.variable, cell.item(), frame)
    return Flow.ON


def write_cell(machine: Machine, op: WriteCell, frame: Frame) -> Flow:
    index = machine.index(op.array, op.index, frame)
    value = machine.fitting(machine.value(op.value, frame), op.array.element)
    if op.array.origin is Origin.HOST:
        machine.buffer(op.array, frame).memory[index] = value
    else:
        machine.device.write_cell(machine.changing(op.array, frame), index, value)
    return Flow.ON


def check_cell(machine: Machine, op: CheckCell, frame: Frame) -> Flow:
    machine.index(op.array, op.index, frame)
    return Flow.ON


def read_empty(machine: Machine, op: ReadEmpty, frame: Frame) -> Flow:
    anybody = bool(machine.device.download(machine.buffer(op.flags, frame)).any())
    machine.set(op.variable, anybody is not op.when_empty, frame)
    return Flow.ON


def read_size(machine: Machine, op: ReadSize, frame: Frame) -> Flow:
    flags = machine.device.download(machine.buffer(op.flags, frame))
    machine.set(op.variable, int(np.count_nonzero(flags)), frame)
    return Flow.ON


def list_members(machine: Machine, op: ListMembers, frame: Frame) -> Flow:
    members = np.flatnonzero(machine.device.download(machine.buffer(op.flags, frame))).tolist()
    first, buffer = int(machine.value(op.first, frame)), machine.changing(op.array, frame)
    for place, member in enumerate(members, first):
        machine.device.write_cell(buffer, place, member)
    return Flow.ON


ACTIONS: dict[type, Callable[[Machine, Any, Frame], Flow]] = {
    DeclareVariable: assign,
    SetVariable: assign,
    Fill: fill,
    CopyArray: copy,
    Swap: swap,
    ReadCell: read_cell,
    WriteCell: write_cell,
    CheckCell: check_cell,
    ReadEmpty: read_empty,
    ReadSize: read_size,
    ListMembers: list_members,
}
