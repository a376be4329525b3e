"""Host operations of programs whose graph changes: take a batch of updates, end it, change the graph.

A changed graph is another `Graph` with arrays of its own, so that the caller's, and what lies on devices of it, stay as
they are. `ACTIONS` has one function for each operation.
"""

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.frontend.typed import ALL
from starplat.graph.updates import Changed, Updates, history
from starplat.ir import nodes as ir
from starplat.ir.lists import unset
from starplat.runtime import elements, resident
from starplat.runtime.actions.machine import Actions, Frame, Machine, Place
from starplat.runtime.changing.in_place import most_slots
from starplat.runtime.changing.merge import Moving
from starplat.runtime.changing.slices import Slice


def take_batch(machine: Machine, op: ir.TakeBatch, frame: Frame) -> None:
    first, size, limit = (int(machine.value(number, frame)) for number in (op.first, op.size, op.limit))
    if size < 1:
        message = f"a batch has one update and more, not {size}"
        help = "give the size that stands in 'Batch (U : size)' as 1 or more"
        raise DiagnosticError(Diagnostic("E0733", message, machine.module.source, Label(machine.span), help=help))
    machine.world.graphs.batch_begins()
    starts = _list(machine, op.adds, frame).starts
    given = int(np.searchsorted(starts, first))
    end = int(starts[min(given + size, len(starts) - 1)])
    machine.set(op.variable, min(end, limit), frame)


def end_batch(machine: Machine, op: ir.EndBatch, frame: Frame) -> None:
    machine.world.graphs.batch_done()


def change_graph(machine: Machine, op: ir.ChangeGraph, frame: Frame) -> None:
    first, end, kind = (int(machine.value(number, frame)) for number in (op.first, op.end, op.kind))
    if not (kinds := tuple(one for one in op.kinds if kind in (ALL, one))):
        return
    change = history.Change(_list(machine, op.adds_of, frame), first, end, kinds)
    if machine.world.graphs.merges_on_device:
        _change_on_device(machine, change, frame)
    else:
        _change_on_host(machine, change, frame)


def _change_on_host(machine: Machine, change: history.Change, frame: Frame) -> None:
    graph = machine.world.graphs.graph
    changed = change.of(graph)
    _require_width(machine, changed.graph.num_arcs)
    machine.world = machine.world.graphs.follow(changed.graph)
    for array in frame.function.arrays_of_arcs:
        _carry(machine, array, frame.places[array.name], changed)


def _change_on_device(machine: Machine, change: history.Change, frame: Frame) -> None:
    graphs = machine.world.graphs
    slice = graphs.slice(change)
    if not len(slice) and not slice.deletions:
        return
    world = machine.world
    most = most_slots(world.num_nodes, world.num_arcs, slice.added) if machine.module.room else 0
    _require_width(machine, most or world.num_arcs + slice.added)
    arrays = frame.function.arrays_of_arcs
    moving = [array for array in arrays if array.extent is ir.Extent.ARCS]
    machine.world, cells = graphs.merge(change, slice, [_moving(array, frame, slice) for array in moving])
    _require_width(machine, machine.world.num_arcs)
    moved = dict(zip(moving, cells, strict=True))
    for array in arrays:
        place = frame.places[array.name]
        place.known = None
        stays = machine.world.num_arcs == world.num_arcs
        new = moved.get(array) or (place.buffer if stays else machine.allocate(array))
        if new is not place.buffer and not graphs.is_given(place.buffer):
            machine.device.release_changing(place.buffer)
        place.buffer = new


def _moving(array: ir.Array, frame: Frame, slice: Slice) -> Moving:
    """The cells of an array; those of new arcs are `unset` or, of the weights, what the update says."""
    weights = slice.added and array.origin is ir.Origin.WEIGHT
    return Moving(array.element, frame.places[array.name].buffer, slice.weights(array.element) if weights else None)


def _require_width(machine: Machine, num_arcs: int) -> None:
    """E0811 where kernels cannot count the arcs of the changed graph as they counted those of the first."""
    if elements.needs_wide_arcs(num_arcs) is not machine.kernels.wide_arcs:
        message = f"the graph has {num_arcs:,} arcs now, whose numbers are wider than those the run began with"
        help = "run the rest of the updates on the graph as it is by then"
        raise DiagnosticError(Diagnostic("E0811", message, machine.module.source, Label(machine.span), help=help))


def _carry(machine: Machine, array: ir.Array, place: Place, changed: Changed) -> None:
    """Cells stay with their arcs; those of new arcs are `unset` or, of the weights, what the update says."""
    old = place.buffer
    new = machine.allocate(array)
    if array.extent is ir.Extent.ARCS:
        weights = array.origin is ir.Origin.WEIGHT
        start = resident.weights_as(changed.graph, array.element)[changed.comes] if weights else unset(array.element)
        machine.device.upload(new, changed.carried(machine.device.download(old), start))
    place.buffer, place.known = new, None
    if not machine.world.graphs.is_given(old):
        machine.device.release(old)


def _list(machine: Machine, adds: ir.Array, frame: Frame) -> Updates:
    return machine.world.graphs.updates_in(frame.places[adds.name].buffer)


ACTIONS: Actions = {ir.TakeBatch: take_batch, ir.EndBatch: end_batch, ir.ChangeGraph: change_graph}
