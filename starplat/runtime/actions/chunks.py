"""Launches of kernels whose arcs lie on the host alone, which copies rows to the device, as many as fit at a time.

The kernel's nodes are asked for first. From the first of these on as many rows are copied as there is room for, and the
kernel is launched for the nodes up to there; then it goes on with the next.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from starplat.ir import nodes as ir
from starplat.runtime.actions.machine import Frame, Machine, World
from starplat.runtime.elements import Cells


def in_chunks(machine: Machine, kernel: ir.Kernel, frame: Frame, launched: Callable[[ir.Kernel], None]) -> None:
    """Launches the kernel for one chunk after another."""
    chunks, device = kernel.chunks, machine.device
    assert chunks is not None
    if isinstance(chunks, ir.ChunksOfArcs):
        _arcs_in_chunks(machine, chunks, frame, partial(launched, kernel))
        return
    wanted = None
    if chunks.asking is not None:
        flags = frame.places[chunks.wanted.name].buffer
        device.fill(flags, 0)
        launched(machine.module.kernel(chunks.asking))
        wanted = device.download(flags).astype(np.bool_)
    ends = [_ends(machine.world.host[rows.offsets.name], wanted) for rows in chunks.rows]
    for first, end in _chunks(ends, wanted, machine.world):
        before = device.traffic.up
        for rows, before_node in zip(chunks.rows, ends, strict=True):
            _copy(machine, frame, rows, first, before_node[first : end + 1] - before_node[first])
        device.traffic.chunks += device.traffic.up - before
        frame.variables |= {chunks.first.name: first, chunks.end.name: end}
        launched(kernel)


def _arcs_in_chunks(machine: Machine, chunks: ir.ChunksOfArcs, frame: Frame, launched: Callable[[], None]) -> None:
    """The same for a kernel over all arcs."""
    count, most = machine.world.num_arcs, machine.world.num_heads
    for first in range(0, count, most):
        before, end = machine.device.traffic.up, min(first + most, count)
        _copy_cells(machine, frame, chunks.cells, slice(first, end))
        machine.device.traffic.chunks += machine.device.traffic.up - before
        frame.variables |= {chunks.first.name: first, chunks.end.name: end}
        launched()


def _ends(offsets: Cells, wanted: Cells | None) -> Cells:
    """How many arcs the nodes before each that are wanted have, then those of all."""
    degrees = np.diff(offsets)
    ends = np.zeros(len(offsets), np.int64)
    np.cumsum(degrees if wanted is None else np.where(wanted, degrees, 0), out=ends[1:])
    return ends


def _chunks(ends: Iterable[Cells], wanted: Cells | None, world: World) -> Iterator[tuple[int, int]]:
    """The first node and the end of chunks for whose arcs there is room."""
    nodes = np.arange(world.num_nodes) if wanted is None else np.flatnonzero(wanted)
    while len(nodes):
        first = int(nodes[0])
        room = min(int(np.searchsorted(of, of[first] + world.num_heads, side="right")) - 1 for of in ends)
        assert room > first, "there is room for the longest row"
        count = int(np.searchsorted(nodes, room))
        yield first, int(nodes[count - 1]) + 1
        nodes = nodes[count:]


def _copy(machine: Machine, frame: Frame, rows: ir.CopiedRows, first: int, begins: Cells) -> None:
    """Copies the rows of nodes from the first on, which are to begin there."""
    device, host = machine.device, machine.world.host
    there = machine.buffer(rows.copies.offsets, frame)
    device.upload_at(there, first, begins.astype(there.dtype))
    slots = _slots(host[rows.offsets.name][first : first + len(begins)], begins)
    _copy_cells(machine, frame, rows.cells, slots)


def _copy_cells(machine: Machine, frame: Frame, copied: ir.CopiedCells, slots: Cells | slice) -> None:
    """Copies what is at some slots."""
    for array, copy, by in copied:
        cells, places = machine.buffer(copy, frame), slots if by is None else machine.world.host[by.name][slots]
        machine.device.upload_at(cells, 0, _on_host(machine, array, frame)[places].astype(cells.dtype, copy=False))


def _slots(offsets: Cells, begins: Cells) -> Cells | slice:
    """The slots of rows on the host, one row after another, where `offsets` has the first of each and their end;
    `begins` says where each is to begin."""
    first, end = int(offsets[0]), int(offsets[-1])
    if end - first == begins[-1]:  # none is left out
        return slice(first, end)
    slots: Cells = np.arange(begins[-1]) + np.repeat(offsets[:-1] - begins[:-1], np.diff(begins))
    return slots


def _on_host(machine: Machine, array: ir.Array, frame: Frame) -> Cells:
    if array.origin is ir.Origin.GRAPH:
        return machine.world.host[array.name]
    known = frame.places[array.name].known
    assert known is not None, f"'{array.name}' is on the host"
    return known
