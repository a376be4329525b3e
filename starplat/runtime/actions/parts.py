"""Host operations of a run in parts: what parts keep, share and combine.

`ACTIONS` has one function for each. Cells are those of the host or of the device, as the communicator takes them.
"""

from functools import reduce

import numpy as np

from starplat.ir import nodes as ir
from starplat.ir.python.arithmetic import combined
from starplat.runtime.actions.machine import Actions, Frame, Machine
from starplat.runtime.elements import Cells
from starplat.runtime.parts import packing
from starplat.runtime.parts.communicator import Communicator, Parts


def take_part(machine: Machine, op: ir.TakePart, frame: Frame) -> None:
    parts = _parts(machine)
    machine.set(op.first, parts.nodes[parts.rank], frame)
    machine.set(op.end, parts.nodes[parts.rank + 1], frame)


def take_number(machine: Machine, op: ir.TakeNumber, frame: Frame) -> None:
    communicator = _parts(machine).communicator
    machine.set(op.number, communicator.rank, frame)
    machine.set(op.parts, communicator.size, frame)


def take_members(machine: Machine, op: ir.TakeMembers, frame: Frame) -> None:
    communicator, cells = _parts(machine).communicator, _cells(machine, op.array, frame)
    own = np.flatnonzero(cells)[communicator.rank :: communicator.size]
    cells[:] = False
    cells[own] = True
    _put(machine, op.array, cells, frame)


def keep_own(machine: Machine, op: ir.KeepOwn, frame: Frame) -> None:
    parts, cells = _parts(machine), _cells(machine, op.array, frame)
    bounds = parts.bounds(op.array.extent, len(cells))
    first, end = bounds[parts.rank], bounds[parts.rank + 1]
    value = machine.fitting(op.value.value, op.array.element)
    if op.among is None:
        cells[:first] = cells[end:] = value
    else:
        members = parts.communicator.share(_cells(machine, op.among, frame).copy(), bounds)
        members[first:end] = False
        cells[members] = value
    _put(machine, op.array, cells, frame)


def combine_parts(machine: Machine, op: ir.CombineParts, frame: Frame) -> None:
    communicator, cells = _parts(machine).communicator, _cells(machine, op.array, frame)
    if op.among is not None:
        members = _cells(machine, op.among, frame)
        if not (communicator.on_host and packing.combine_among(communicator, cells, members, op.combine)):
            cells, members = _combined(communicator, cells, op.combine), _combined(communicator, members, ir.Combine.OR)
        _put(machine, op.array, cells, frame)
        _put(machine, op.among, members, frame)
        return
    own = cells.copy() if op.carried else cells
    best = _combined(communicator, cells, op.combine)
    if op.carried:
        has_best = own == best
        if best.dtype.kind == "f":
            has_best |= np.isnan(own) & np.isnan(best)
        ranks = np.where(has_best, communicator.rank, communicator.size).astype(np.int32)
        wins = communicator.combine(ranks, ir.Combine.MIN) == communicator.rank
        for array in op.carried:
            carried = _cells(machine, array, frame)
            carried[~wins] = 0
            _put(machine, array, _of_bits(communicator.combine(_bits(carried), ir.Combine.BIT_OR), carried), frame)
    _put(machine, op.array, best, frame)


def combine_changed(machine: Machine, op: ir.CombineChanged, frame: Frame) -> None:
    cells, before = _cells(machine, op.array, frame), _bits(_cells(machine, op.before, frame))
    changes = _parts(machine).communicator.combine(_bits(cells) ^ before, ir.Combine.BIT_OR)
    _put(machine, op.array, _of_bits(before ^ changes, cells), frame)


def share_parts(machine: Machine, op: ir.ShareParts, frame: Frame) -> None:
    parts, cells = _parts(machine), _cells(machine, op.array, frame)
    communicator, bounds = parts.communicator, parts.bounds(op.array.extent, len(cells))
    if communicator.on_host and op.among is not None:
        packing.share_among(communicator, cells, _cells(machine, op.among, frame), bounds)
    elif communicator.on_host and cells.dtype == bool:
        packing.share_set(communicator, cells, bounds)
    else:
        cells = communicator.share(cells, bounds)
    _put(machine, op.array, cells, frame)


def together(machine: Machine, op: ir.Together, frame: Frame) -> None:
    communicator, element = _parts(machine).communicator, op.variable.element
    of_parts = communicator.gather(frame.variables[op.variable.name])
    communicator.counted(8)
    # the parts first: a single one then adds as a run without parts does
    of_all = reduce(lambda left, right: combined(op.combine, element, left, right), of_parts)
    frame.variables[op.variable.name] = combined(op.combine, element, frame.variables[op.before.name], of_all)


def exchange_cells(machine: Machine, op: ir.ExchangeCells, frame: Frame) -> None:
    parts = _parts(machine)
    for array in op.arrays:
        cells = _cells(machine, array, frame)
        bounds = parts.bounds(array.extent, len(cells))
        communicator = parts.communicator
        found = communicator.share(cells, bounds) if op.by is None else communicator.combine(cells, op.by)
        _put(machine, array, found, frame)
    if op.among is not None:
        joined = parts.communicator.combine(_cells(machine, op.among, frame), ir.Combine.OR)
        _put(machine, op.among, joined, frame)


def take_first(machine: Machine, op: ir.TakeFirst, frame: Frame) -> None:
    communicator = _parts(machine).communicator
    frame.variables[op.variable.name] = communicator.gather(frame.variables[op.variable.name])[0]
    communicator.counted(8)


def _parts(machine: Machine) -> Parts:
    assert machine.world.parts is not None, "only a run in parts has exchanges"
    return machine.world.parts


def _cells(machine: Machine, array: ir.Array, frame: Frame) -> Cells:
    return _parts(machine).communicator.cells(machine.device, machine.buffer(array, frame))


def _put(machine: Machine, array: ir.Array, cells: Cells, frame: Frame) -> None:
    _parts(machine).communicator.put(machine.device, machine.changing(array, frame), cells)


def _combined(communicator: Communicator, cells: Cells, combine: ir.Combine) -> Cells:
    """What comes of the cells of all parts; sets cross as bits or lists between hosts."""
    if communicator.on_host and combine is ir.Combine.OR and cells.dtype == bool:
        packing.join_sets(communicator, cells)
        return cells
    return communicator.combine(cells, combine)


def _bits(cells: Cells) -> Cells:
    return cells.view(np.uint8)


def _of_bits(found: Cells, like: Cells) -> Cells:
    return found.view(like.dtype)


ACTIONS: Actions = {
    ir.TakePart: take_part,
    ir.TakeNumber: take_number,
    ir.TakeMembers: take_members,
    ir.KeepOwn: keep_own,
    ir.CombineParts: combine_parts,
    ir.CombineChanged: combine_changed,
    ir.ShareParts: share_parts,
    ir.Together: together,
    ir.ExchangeCells: exchange_cells,
    ir.TakeFirst: take_first,
}
