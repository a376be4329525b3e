"""Host operations on lists, which the frame of a function has; a list that is given to a function is its caller's.

`ACTIONS` has one function for each.
"""

from collections.abc import Callable
from typing import Any

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.ir import nodes as ir
from starplat.ir.python.arithmetic import Fault
from starplat.runtime import items
from starplat.runtime.actions.machine import Flow, Frame, Machine
from starplat.source import Span


def declare(machine: Machine, op: ir.DeclareList, frame: Frame) -> Flow:
    frame.lists[op.items.name] = []
    return Flow.ON


def change(machine: Machine, op: ir.ChangeList, frame: Frame) -> Flow:
    name, found = op.items.name, frame.lists[op.items.name]
    *places, value = (machine.value(e, frame) for e in op.arguments) if op.arguments else (0,)
    value = machine.fitting(value, op.items.element)
    try:
        match op.change:
            case ir.ListChange.PUSH:
                found.append(value)
            case ir.ListChange.INSERT:
                items.insert(found, name, int(places[0]), value)
            case ir.ListChange.RESIZE:
                items.resize(found, name, int(places[0]), value)
            case ir.ListChange.SET:
                items.set_item(found, name, int(places[0]), value)
            case ir.ListChange.CLEAR:
                found.clear()
    except Fault as fault:
        raise _stopped(machine, fault, op.span) from fault
    return Flow.ON


def copy(machine: Machine, op: ir.CopyList, frame: Frame) -> Flow:
    frame.lists[op.destination.name][:] = frame.lists[op.source.name]
    return Flow.ON


def read_item(machine: Machine, op: ir.ReadItem, frame: Frame) -> Flow:
    place = int(machine.value(op.index, frame))
    try:
        value = items.item(frame.lists[op.items.name], op.items.name, place)
    except Fault as fault:
        raise _stopped(machine, fault, op.span) from fault
    machine.set(op.variable, value, frame)
    return Flow.ON


def read_length(machine: Machine, op: ir.ReadLength, frame: Frame) -> Flow:
    machine.set(op.variable, len(frame.lists[op.items.name]), frame)
    return Flow.ON


def _stopped(machine: Machine, fault: Fault, span: Span) -> DiagnosticError:
    label = Label(span, "here")
    return DiagnosticError(Diagnostic(fault.code, fault.message, machine.module.source, label, help=fault.help))


ACTIONS: dict[type, Callable[[Machine, Any, Frame], Flow]] = {
    ir.DeclareList: declare,
    ir.ChangeList: change,
    ir.CopyList: copy,
    ir.ReadItem: read_item,
    ir.ReadLength: read_length,
}
