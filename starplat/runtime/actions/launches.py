"""Host operations that launch kernels, persistent ones too; the kernel's domain says how many iterations a launch has.

A kernel whose arcs lie on the host alone is launched for one chunk of rows after another, which the host copies to the
device, as many as fit at a time. The kernel's nodes are asked for first. Where they have few arcs, these are gathered:
from the first node on as many rows as there is room for, then the kernel is launched for the nodes up to there, and so
on. Else rows are copied as they lie, those of other nodes with them, since the link is many times faster than one
thread that gathers; only chunks without any node that is asked for are left out. Pages of what is copied so are locked
once, and its chunks are the same in all launches.
"""

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import assert_never

import numpy as np

from starplat.backends.launch import PEERS
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.python.arithmetic import combined
from starplat.ir.shapes.listed import MOST_GUESSED
from starplat.runtime.actions.machine import Actions, Flow, Frame, Machine, World
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import LaunchSize
from starplat.runtime.elements import Cells, Value, dtype_of
from starplat.runtime.parts.tables import table_for


def launch(machine: Machine, op: ir.Launch, frame: Frame) -> None:
    kernel, launched = machine.kernels.uses[op.kernel].kernel, partial(_launched, machine, frame)
    if kernel.chunks is None:
        launched(kernel)
    else:
        in_chunks(machine, kernel, frame, launched)
    _pause(machine)


def _pause(machine: Machine) -> None:
    """Lets other parts of this process work."""
    if machine.world.parts is not None:
        machine.world.parts.communicator.pause()


def _launched(machine: Machine, frame: Frame, kernel: ir.Kernel) -> None:
    """Launches a kernel once; what its iterations contribute is combined with what the host has."""
    uses, world, places = machine.kernels.uses[kernel.name], machine.world, frame.places
    buffers = {name: world.buffers[name] for name in uses.of_graph}
    for name in uses.own:
        buffers[name] = places[name].buffer
    for name in uses.written:
        places[name].known = None
    size = LaunchSize(_iterations(machine, kernel, frame), world.num_nodes, world.num_arcs)
    if type(kernel.domain) is ir.Listed and machine.lengths[kernel.name] is not None:
        machine.progress.active = size.iterations
    contributed = machine.kernels.launch(kernel, buffers, frame.variables, size)
    for reduction in uses.brought_back:
        if reduction.variable.name in contributed:
            name, element = reduction.variable.name, reduction.variable.element
            frame.variables[name] = combined(reduction.combine, element, frame.variables[name], contributed[name])


def on_device(machine: Machine, op: ir.OnDevice, frame: Frame) -> Flow | None:
    """One launch where the target has persistent kernels; else its body's operations one by one."""
    if not machine.kernels.runs_together:
        return machine.block(op.body, frame)
    buffers = machine.together(op, frame)
    for array in op.arrays:
        if array.origin is not ir.Origin.GRAPH:
            frame.places[array.name].may_change()
    size = LaunchSize(1, machine.world.num_nodes, machine.world.num_arcs)
    machine.progress.by_device = True
    if op.in_parts:
        outcomes = _among_peers(machine, op, buffers, frame, size)
    else:
        outcomes = machine.kernels.launch_together(op, buffers, frame.variables, size)
    for variable in op.outcomes:
        machine.set(variable, outcomes[variable.name], frame)
    _pause(machine)
    return None


def _among_peers(
    machine: Machine, op: ir.OnDevice, buffers: dict[str, Buffer], frame: Frame, size: LaunchSize
) -> dict[str, Value]:
    """The launch on this part's device; parts go on when all have begun it, since none may wait for one that has
    not."""
    assert machine.world.parts is not None, "only a run in parts has peers"
    communicator = machine.world.parts.communicator
    tables, rank = communicator.tables, communicator.rank
    table = table_for(op, machine.device, buffers, rank, communicator.gather, tables)
    outcomes = machine.kernels.launch_together(op, {**buffers, PEERS: table.words}, frame.variables, size)
    communicator.gather(None)
    return outcomes


def _iterations(machine: Machine, kernel: ir.Kernel, frame: Frame) -> int:
    world, domain = machine.world, kernel.domain
    match domain:
        case ir.AllNodes(first, end) | ir.AllArcs(first, end) if first is not None and end is not None:
            return int(machine.value(end, frame)) - int(machine.value(first, frame))
        case ir.AllNodes() | ir.Triangles():
            return world.num_nodes
        case ir.AllArcs():
            return world.num_arcs
        case ir.Workers():
            return ir.WORKERS
        case ir.Once():
            return 1
        case ir.Listed() | ir.InWords() | ir.Numbers():
            length = machine.lengths[kernel.name]
            if length is None:
                return min(world.num_nodes, MOST_GUESSED)
            return max(int(machine.value(length, frame)), 0)
        case ir.NodeNeighbors():
            return len(machine.row(domain.direction, int(machine.value(domain.node, frame))))
        case _:
            assert_never(domain)


FEW_ARCS = 1 << 16
"""So many are gathered in less time than it takes to begin the copies."""
FASTER = 512
"""How many arcs cross the link while one thread gathers one: 54 GB/s are 0.08 ns an arc, gathering takes some 30."""


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
        wanted = device.download(flags).view(np.bool_)
    for first, end, copied in _chunks(machine.world, chunks.rows, wanted):
        before = device.traffic.up
        for rows, (begins, slots) in zip(chunks.rows, copied, strict=True):
            if isinstance(slots, slice):
                device.lock_pages(begins)
            device.upload_at(machine.buffer(rows.copies.offsets, frame), first, begins)
            _copy_cells(machine, frame, rows.cells, slots)
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


_Copied = tuple[Cells, Cells | slice]
"""Where rows begin in the copy, with their end, and the slots that they have on the host."""
_Chunk = tuple[int, int, tuple[_Copied, ...]]
"""The first node, the end, and what is copied of each of some rows."""


def _chunks(world: World, several: tuple[ir.CopiedRows, ...], wanted: Cells | None) -> Iterator[_Chunk]:
    """Chunks for whose arcs there is room."""
    few = max(world.num_arcs // FASTER, FEW_ARCS)
    if wanted is not None and np.count_nonzero(wanted) <= few:
        nodes, offsets = np.flatnonzero(wanted), [world.host[rows.offsets.name] for rows in several]
        degrees = [of[nodes + 1] - of[nodes] for of in offsets]
        if max(int(each.sum()) for each in degrees) <= few:
            yield from _gathered(world, offsets, nodes, degrees)
            return
    for chunk in _as_they_lie(world, several):
        if wanted is None or wanted[chunk[0] : chunk[1]].any():
            yield chunk


def _gathered(world: World, offsets: list[Cells], nodes: Cells, degrees: list[Cells]) -> Iterator[_Chunk]:
    """Chunks of the rows of some nodes, which have so many arcs."""
    ends = [np.cumsum(each) for each in degrees]
    done = 0
    while done < len(nodes):
        before = [int(end[done] - each[done]) for end, each in zip(ends, degrees, strict=True)]
        fitting = (np.searchsorted(end, b + world.num_heads, side="right") for end, b in zip(ends, before, strict=True))
        upto = min(map(int, fitting))
        assert upto > done, "there is room for the longest row"
        some = nodes[done:upto]
        first, end = int(some[0]), int(some[-1]) + 1
        copied = []
        for of, all_ends, each, b in zip(offsets, ends, degrees, before, strict=True):
            begins, behind = np.zeros(end - first + 1, _type(world)), all_ends[done:upto] - b
            starts = behind - each[done:upto]
            begins[some - first], begins[some - first + 1] = starts, behind
            slots = np.arange(behind[-1]) + np.repeat(of[some] - starts, each[done:upto])
            copied.append((begins, slots))
        yield first, end, tuple(copied)
        done = upto


def _type(world: World) -> np.dtype[np.generic]:
    return dtype_of(ir.Element.ARC, wide_arcs=world.wide_arcs)


@dataclass(frozen=True, slots=True)
class _Kept:
    """The chunks of all rows of a graph, with room for so many arcs."""

    room: int
    chunks: tuple[_Chunk, ...]


_KEPT: weakref.WeakKeyDictionary[Graph, dict[tuple[str, ...], _Kept]] = weakref.WeakKeyDictionary()


def _as_they_lie(world: World, several: tuple[ir.CopiedRows, ...]) -> tuple[_Chunk, ...]:
    """Chunks of all rows, made once for a graph and the room there is."""
    names = tuple(rows.offsets.name for rows in several)
    kept = _KEPT.setdefault(world.graphs.graph, {})
    if names not in kept or kept[names].room != world.num_heads:
        kept[names] = _Kept(world.num_heads, tuple(_cut(world, [world.host[name] for name in names])))
    return kept[names].chunks


def _cut(world: World, offsets: list[Cells]) -> Iterator[_Chunk]:
    first = 0
    while first < world.num_nodes:
        end = min(int(np.searchsorted(of, of[first] + world.num_heads, side="right")) - 1 for of in offsets)
        assert end > first, "there is room for the longest row"
        slots = (slice(int(of[first]), int(of[end])) for of in offsets)
        begins = ((of[first : end + 1] - of[first]).astype(_type(world)) for of in offsets)
        yield first, end, tuple(zip(begins, slots, strict=True))
        first = end


def _copy_cells(machine: Machine, frame: Frame, copied: ir.CopiedCells, slots: Cells | slice) -> None:
    """Copies what is at some slots; pages of what is copied as it lies are locked first."""
    for array, copy, by in copied:
        cells, of_arcs, places = machine.buffer(copy, frame), _on_host(machine, array, frame), slots
        if by is not None:
            places = machine.world.host[by.name][slots]
        elif isinstance(slots, slice):
            machine.device.lock_pages(of_arcs)
        machine.device.upload_at(cells, 0, of_arcs[places].astype(cells.dtype, copy=False))


def _on_host(machine: Machine, array: ir.Array, frame: Frame) -> Cells:
    if array.origin is ir.Origin.GRAPH:
        return machine.world.host[array.name]
    known = frame.places[array.name].known
    assert known is not None, f"'{array.name}' is on the host"
    return known


ACTIONS: Actions = {ir.Launch: launch, ir.OnDevice: on_device}
