"""A graph on a device whose rows have room: a batch of updates changes only the rows that it names.

Where one of them has too little room, all rows are laid out anew with more; so they are when the first batch comes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from starplat.ir import nodes as ir
from starplat.runtime.changing import kernels as names
from starplat.runtime.changing import room_kernels as room
from starplat.runtime.changing.merge import Merge, Moving, Rows
from starplat.runtime.changing.on_device import Merged, cells_of_arcs
from starplat.runtime.changing.slices import Slice, Vector
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import dtype_of
from starplat.runtime.resident import ResidentGraph

SHARE_OF_ROOM, LEAST_ROOM = 8, 4
"""A row gets room for one more arc for each so many that it has, and for so many besides."""


def most_slots(num_nodes: int, slots: int, added: int) -> int:
    """How many slots rows may have, with new room, that have so many now, and get some arcs."""
    return slots + slots // SHARE_OF_ROOM + LEAST_ROOM * num_nodes + added


@dataclass(frozen=True, slots=True)
class Way:
    """Rows of one direction, the nodes of updates whose rows they are, and the cells that move, neighbors first."""

    offsets: Buffer
    ends: Buffer
    of: Vector
    moving: tuple[Moving, ...]

    @property
    def neighbors(self) -> Buffer:
        return self.moving[0].cells


@dataclass(frozen=True, slots=True)
class Found:
    """Where updates meet the rows of one direction: buffers by the kernels' names; whether the rows have room; how many
    rows change."""

    buffers: Mapping[str, Buffer]
    order: Vector | None
    fits: bool
    rows: int


def changed_in_place(
    device: Device,
    before: ResidentGraph,
    slice: Slice,
    lying: Callable[[ir.Array], Buffer],
    used: Collection[ir.Array],
    properties: Sequence[Moving],
    *,
    directed: bool,
) -> Merged:
    """The graph after the additions or deletions of a slice: `before` itself, unless its rows have no room, or too
    little. The arguments are those of `merged`."""
    into = directed and any(array in used for array in (ir.IN_ROW_OFFSETS, ir.IN_ROW_ENDS, ir.IN_COLUMNS))
    own = cells_of_arcs(slice, lying, [array for array in used if array != ir.SOURCES])  # each slot keeps its source
    ways = [Way(lying(ir.ROW_OFFSETS), lying(ir.ROW_ENDS), slice.sources, (*own.values(), *properties))]
    if into:
        columns = Moving(ir.Element.NODE, lying(ir.IN_COLUMNS), slice.sources)
        ways.append(Way(lying(ir.IN_ROW_OFFSETS), lying(ir.IN_ROW_ENDS), slice.destinations, (columns,)))
    change = InPlace(device, slice, before.num_nodes, before.num_arcs, before.wide_arcs)
    try:
        found = [change.met(way) for way in ways] if before.has_room else []
        if not found or not all(one.fits for one in found):
            ways = [change.spread(way) for way in ways]
            buffers = _buffers(ways, own)
            if ir.SOURCES in used:
                buffers[ir.SOURCES] = change.owners(ways[0])
            before = before.changed(ways[0].neighbors.count, buffers, has_room=True)
            found = [change.met(way) for way in ways]
        for way, one in zip(ways, found, strict=True):
            change.apply(way, one)
    finally:
        change.done()
    return Merged(before, [one.cells for one in ways[0].moving[len(own) :]])


def _buffers(ways: Sequence[Way], own: Collection[ir.Array]) -> dict[ir.Array, Buffer]:
    """The graph's arrays in the rows of each direction."""
    out, *into = ways
    buffers = {ir.ROW_OFFSETS: out.offsets, ir.ROW_ENDS: out.ends}
    buffers |= {array: one.cells for array, one in zip(own, out.moving, strict=False)}
    for way in into:
        buffers |= {ir.IN_ROW_OFFSETS: way.offsets, ir.IN_ROW_ENDS: way.ends, ir.IN_COLUMNS: way.neighbors}
    return buffers


class InPlace(Merge):
    """One change of rows with room."""

    def met(self, way: Way) -> Found:
        """Where the updates meet the rows, and whether these have room for them."""
        device, xp, count = self.device, self.device.vector_module, len(self.slice)
        other = self.slice.destinations if way.of is self.slice.sources else self.slice.sources
        buffers, order = self.found(Rows(way.offsets, way.neighbors), way.of, other)
        buffers |= {room.ENDS.name: way.ends}
        buffers |= {array.name: self._room(ir.Element.ARC, count) for array in (room.ROW_END, room.ROOM_END)}
        self._launch(room.LOOK, buffers, self.num_arcs, count, room.looking())
        asked = (names.ROWS, names.FIRST, names.GONE, room.ROW_END, room.ROOM_END)
        rows, first, gone, row_end, room_end = (device.as_vector(buffers[array.name]) for array in asked)
        with device.working():
            begins = xp.ones(count, bool)
            begins[1:] = rows[1:] != rows[:-1]
            starts = xp.flatnonzero(begins)
            last = xp.append(starts[1:], count) - 1
            taken = xp.cumsum(gone).astype(gone.dtype)
            ahead = (taken - gone)[starts][xp.cumsum(begins) - 1]  # what the updates of rows before this one take
            end = xp.append(first[1:], first[:0].dtype.type(0))
            end[last] = row_end[last]
            end_now = row_end[last] - (taken - ahead)[last]
            more = {
                room.STARTS: xp.append(starts, count).astype(xp.int32),
                room.BEGIN: first + xp.maximum(gone, 0),
                room.END: end,
                room.BACK: taken - ahead,
                room.PLACES: xp.where(gone < 0, first - (taken - gone - ahead), -1),
                room.END_BEFORE: row_end[last],
                room.END_NOW: end_now,
            }
            fits = bool((end_now <= room_end[last]).all())
        arc = dtype_of(ir.Element.ARC, wide_arcs=self.wide_arcs)
        for array, vector in more.items():
            buffers[array.name] = self._buffer(vector if array is room.STARTS else vector.astype(arc, copy=False))
        return Found(buffers, order, fits, len(starts))

    def apply(self, way: Way, found: Found) -> None:
        """Changes the rows, which have room for all that is added."""
        buffers = dict(found.buffers)
        for number, one in enumerate(way.moving):
            what = names.Carried.numbered(number, one.element)
            buffers |= {what.old.name: one.cells, what.added.name: self._added(one, found.order)}
        module = room.changing(tuple(one.element for one in way.moving))
        self._launch(room.CHANGE, buffers, self.num_arcs, found.rows, module, found.rows)

    def spread(self, way: Way) -> Way:
        """The rows with new room, at least for what is added."""
        device, xp = self.device, self.device.vector_module
        arc, old, ends = way.offsets.dtype, device.as_vector(way.offsets), device.as_vector(way.ends)
        with device.working():
            sizes = ends - old[:-1]
            wanted = sizes + sizes // SHARE_OF_ROOM + LEAST_ROOM
            if self.slice.added:
                adds = way.of if self.slice.adds is True else way.of[self.slice.adds]
                wanted += xp.bincount(adds, minlength=self.num_nodes).astype(wanted.dtype)
            offsets = xp.zeros(self.num_nodes + 1, arc)
            xp.cumsum(wanted, out=offsets[1:])
            slots = int(offsets[-1])
        new_offsets = device.as_buffer(offsets)
        new_ends = device.allocate(arc, self.num_nodes)
        new = tuple(replace(one, cells=self._changing(one.element, slots)) for one in way.moving)
        buffers = {names.OFFSETS.name: way.offsets, room.ENDS.name: way.ends}
        buffers |= {names.NEW_OFFSETS.name: new_offsets, room.NEW_ENDS.name: new_ends}
        for number, (one, to) in enumerate(zip(way.moving, new, strict=True)):
            what = names.Carried.numbered(number, one.element)
            buffers |= {what.old.name: one.cells, what.new.name: to.cells}
        module = room.spreading(tuple(one.element for one in way.moving))
        self._launch(room.SPREAD, buffers, slots, self.num_nodes, module)
        return replace(way, offsets=new_offsets, ends=new_ends, moving=new)

    def owners(self, way: Way) -> Buffer:
        """By slot, the node of its row."""
        slots = way.neighbors.count
        made = self._changing(ir.Element.NODE, slots)
        buffers = {names.NEW_OFFSETS.name: way.offsets, room.OWNERS.name: made}
        self._launch(room.OWN, buffers, slots, self.num_nodes, room.looking())
        return made
