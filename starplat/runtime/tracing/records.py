"""Records of a traced persistent kernel: memory for them, and their report to a watch."""

from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from starplat.backends.launch import MOST_RECORDS, RECORD_WORDS
from starplat.ir import nodes as ir
from starplat.ir.points import Event, Point, points_of, pushing_rows, rows_of, way_of
from starplat.ir.shapes.members import membership
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import Cells
from starplat.runtime.tracing.active import filled_by, held_by
from starplat.runtime.tracing.reads import Lying, reads_of_many
from starplat.runtime.tracing.trace import Held, Walk
from starplat.runtime.tracing.watch import Watch
from starplat.source import NOWHERE, Span

HAS_LIST = 1 << 32
"""The bit of a record that tells that all members of the set were listed."""


def fresh_records(device: Device) -> Buffer:
    """Memory for the records of one launch, as the launch wants it."""
    buffer = device.allocate_word(np.dtype(np.int64), RECORD_WORDS * (1 + MOST_RECORDS))
    device.fill(buffer, 0)
    return buffer


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a launch noted at a point."""

    point: Point
    seconds: float
    listed: bool
    active: int
    arcs: int


def told(
    op: ir.OnDevice,
    module: ir.Module,
    cells: Cells,
    watch: Watch,
    *,
    num_nodes: int,
    num_arcs: int,
    wide_arcs: bool,
    lying: Lying,
) -> None:
    """Reports the records of a launch to the watch, and how many rounds they had no room for."""
    points = points_of(op.body, module)
    count, rounds = int(cells[0]), int(cells[1])
    table = cells[RECORD_WORDS : RECORD_WORDS * (1 + min(count, MOST_RECORDS))].reshape(-1, RECORD_WORDS)
    found = [
        Recorded(points[what & (HAS_LIST - 1)], time * 1e-9, bool(what & HAS_LIST), active, arcs)
        for time, what, active, arcs in table.tolist()
    ]
    watch.on_device = True
    for one in found:
        line = line_of(module, one.point.span)
        match one.point.event:
            case Event.ROUND:
                watch.round(one.point.op, line, one.seconds)
            case Event.END:
                watch.end(one.point.op, one.seconds)
            case Event.WALK:
                walk = _walk(one, line, module, num_nodes, num_arcs)
                instead = one.point.instead_of is not None  # its arcs are those that a push would walk
                reads = reads_of_many(module.kernel(walk.kernel), None if instead else walk.arcs, lying, num_arcs)
                watch.walk(replace(walk, reads=reads))
            case Event.FILL:
                assert isinstance(one.point.op, ir.Fill | ir.CopyArray)
                watch.fill(filled_by(one.point.op, num_nodes, num_arcs, wide_arcs=wide_arcs))
            case _:
                assert_never(one.point.event)
    begun = sum(one.point.event is Event.ROUND for one in found)
    unfinished = sum(watch.forget(point.op) for point in points if point.event is Event.ROUND)
    watch.lost(rounds - begun + unfinished)


def line_of(module: ir.Module, span: Span) -> int | None:
    """The line of the program's own file where something stands."""
    return None if span == NOWHERE or not module.source.owns(span) else module.source.position(span.start)[0]


def _walk(one: Recorded, line: int | None, module: ir.Module, num_nodes: int, num_arcs: int) -> Walk:
    kernel = module.kernel(one.point.kernel)
    rows, way = rows_of(kernel), way_of(kernel)
    if one.point.instead_of is not None:
        rows = pushing_rows(one.point.instead_of, module)
    arcs = None if rows is None else one.arcs
    if (members := _members(one, kernel)) is not None:
        return Walk(kernel.name, line, one.active, arcs, way, _held(one, members))
    match kernel.domain:
        case ir.AllNodes() if kernel.filter is None:
            return Walk(kernel.name, line, num_nodes, None if rows is None else num_arcs, way, Held.ALL)
        case ir.AllNodes():
            return Walk(kernel.name, line, one.active, arcs, way, held_by(kernel))
        case ir.Listed():
            return Walk(kernel.name, line, one.active, arcs, way, Held.LIST)
        case ir.InWords():
            return Walk(kernel.name, line, one.active, arcs, way, Held.LAYERS)
        case ir.AllArcs():
            return Walk(kernel.name, line, *(_all(kernel, num_arcs),) * 2, way, Held.ARCS)
        case ir.NodeNeighbors():
            return Walk(kernel.name, line, None, None, way, Held.ROW)
        case ir.Numbers():
            return Walk(kernel.name, line, None, None, way, Held.SHARES)
        case ir.Triangles():
            return Walk(kernel.name, line, num_nodes, None, way, Held.ALL)
        case ir.Workers():
            return Walk(kernel.name, line, ir.WORKERS, None, way, Held.SHARES)
        case ir.Once():
            return Walk(kernel.name, line, 1, None, way, Held.ONE)
        case _:
            assert_never(kernel.domain)


def _members(one: Recorded, kernel: ir.Kernel) -> ir.Array | None:
    """The set that a kernel walks, or in which it looks for members."""
    if one.point.instead_of is not None:
        return one.point.instead_of.members
    found = membership(kernel)
    return None if found is None else found.members


def _held(one: Recorded, members: ir.Array) -> Held:
    if one.listed:
        return Held.LIST
    return Held.LAYERS if members.packed is ir.Packing.LAYERS else Held.BITS


def _all(kernel: ir.Kernel, num_arcs: int) -> int | None:
    return num_arcs if kernel.filter is None else None
