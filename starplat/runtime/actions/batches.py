"""Host operations of programs whose graph changes: take a batch of updates, end it, change the graph.

A changed graph is another `Graph` with arrays of its own, so that the caller's, and what lies on devices of it, stay as
they are. `ACTIONS` has one function for each operation.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.frontend.typed import ADDITIONS, ALL, DELETIONS
from starplat.graph.updates import Changed, Updates
from starplat.ir import nodes as ir
from starplat.runtime.actions.machine import Flow, Frame, Machine, Place
from starplat.runtime.resident import weights_as


def take_batch(machine: Machine, op: ir.TakeBatch, frame: Frame) -> Flow:
    first, size, limit = (int(machine.value(number, frame)) for number in (op.first, op.size, op.limit))
    if size < 1:
        message = f"a batch has one update and more, not {size}"
        help = "give the size that stands in 'Batch (U : size)' as 1 or more"
        raise DiagnosticError(Diagnostic("E0733", message, machine.module.source, Label(machine.span), help=help))
    starts = _list(machine, op.adds, frame).starts
    given = int(np.searchsorted(starts, first))
    end = int(starts[min(given + size, len(starts) - 1)])
    machine.set(op.variable, min(end, limit), frame)
    return Flow.ON


def end_batch(machine: Machine, op: ir.EndBatch, frame: Frame) -> Flow:
    machine.world.graphs.batch_done()
    return Flow.ON


def change_graph(machine: Machine, op: ir.ChangeGraph, frame: Frame) -> Flow:
    first, end, kind = (int(machine.value(number, frame)) for number in (op.first, op.end, op.kind))
    if kind not in (ALL, ADDITIONS if op.adds else DELETIONS):
        return Flow.ON
    updates, graph = _list(machine, op.adds_of, frame), machine.world.graphs.graph
    changed = updates.added(graph, first, end) if op.adds else updates.deleted(graph, first, end)
    before = machine.world
    after = machine.world.graphs.follow(changed.graph)
    if after.wide_arcs is not before.wide_arcs:
        message = f"the graph has {after.num_arcs:,} arcs now, whose numbers are wider than those the run began with"
        help = "run the rest of the updates on the graph as it is by then"
        raise DiagnosticError(Diagnostic("E0811", message, machine.module.source, Label(machine.span), help=help))
    machine.world = after
    for array in _arrays_of_arcs(frame.function):
        place = frame.places[array.name]
        _carry(machine, array, place, changed)
    return Flow.ON


def _arrays_of_arcs(function: ir.HostFunction) -> list[ir.Array]:
    parameters = (p.what for p in function.parameters if isinstance(p.what, ir.Array))
    return [array for array in (*parameters, *function.arrays) if array.extent.grows_with_arcs]


def _carry(machine: Machine, array: ir.Array, place: Place, changed: Changed) -> None:
    """Cells stay with their arcs; those of new arcs are 0, False or, of the weights, what the update says."""
    old = place.buffer
    new = machine.allocate(array)
    if array.extent is ir.Extent.ARCS:
        weights = array.origin is ir.Origin.WEIGHT
        start = weights_as(changed.graph, array.element)[changed.comes] if weights else 0
        machine.device.upload(new, changed.carried(machine.device.download(old), start))
    place.buffer, place.known = new, None
    if not machine.world.graphs.is_given(old):
        machine.device.release(old)


def _list(machine: Machine, adds: ir.Array, frame: Frame) -> Updates:
    """The list that an array belongs to."""
    return machine.world.graphs.updates_in(frame.places[adds.name].buffer)


ACTIONS: dict[type, Callable[[Machine, Any, Frame], Flow]] = {
    ir.TakeBatch: take_batch,
    ir.EndBatch: end_batch,
    ir.ChangeGraph: change_graph,
}
