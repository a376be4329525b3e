"""A graph on a device whose rows have room: a batch of updates changes only the rows that it names.

Where one of them has too little room, all rows are laid out anew with more; so they are when the first batch comes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from starplat.ir import nodes as ir
from starplat.runtime.changing import kernels as names
from starplat.runtime.changing import room_kernels as room
from starplat.runtime.changing import spread_kernels as spreading
from starplat.runtime.changing.merge import Merge, Moving
from starplat.runtime.changing.on_device import Merged, cells_of_arcs
from starplat.runtime.changing.slices import Slice, Vector
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import Value
from starplat.runtime.resident import ResidentGraph

LEAST_ROOM = 8
"""A row gets room for one more arc for each `ARCS_OF_A_GAP` that it has, and for so many besides."""
SEGMENT = 512
"""Slots of a long row within which one thread adds arcs."""
WHOLE_ROW = 2**31 - 1
"""More slots than rows have: one thread adds all arcs of a row, and finds every empty slot of it."""


def most_slots(num_nodes: int, slots: int, added: int) -> int:
    """How many slots rows may have, with new room, that have so many now, and get some arcs."""
    return slots + slots // spreading.ARCS_OF_A_GAP + LEAST_ROOM * num_nodes + added


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

    @property
    def elements(self) -> tuple[ir.Element, ...]:
        return tuple(one.element for one in self.moving)


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
    """The graph after the additions, or the deletions, of a slice: `before` itself, unless its rows have no room, or
    too little. The arguments are those of `merged`."""
    into = directed and any(array in used for array in (ir.IN_ROW_OFFSETS, ir.IN_ROW_ENDS, ir.IN_COLUMNS))
    own = cells_of_arcs(slice, lying, used)
    ways = [Way(lying(ir.ROW_OFFSETS), lying(ir.ROW_ENDS), slice.sources, (*own.values(), *properties))]
    if into:
        columns = Moving(ir.Element.NODE, lying(ir.IN_COLUMNS), slice.sources)
        ways.append(Way(lying(ir.IN_ROW_OFFSETS), lying(ir.IN_ROW_ENDS), slice.destinations, (columns,)))
    change = InPlace(device, slice, before.num_nodes, before.num_arcs, before.wide_arcs)
    try:
        after = [change.applied(way if before.has_room else change.spread(way)) for way in ways]
    finally:
        change.done()
    if any(new.neighbors is not way.neighbors for new, way in zip(after, ways, strict=True)):
        before = before.changed(after[0].neighbors.count, _buffers(after, own), has_room=True)
    return Merged(before, [one.cells for one in after[0].moving[len(own) :]])


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

    def applied(self, way: Way) -> Way:
        """The rows after the change; they lie anew if one of them had too little room."""
        if not self.slice.added:
            slots = way.neighbors.count
            self._launch(room.DELETE, self._rows(way), slots, len(self.slice), room.deleting())
            return way
        device, xp = self.device, self.device.vector_module
        order, length = self.order(way), SEGMENT
        while True:
            left_over, count = self.add(way, order, length)
            if not count:
                return way
            with device.working():
                order = order[xp.flatnonzero(device.as_vector(left_over))]
                rows = way.of[order]
            way, length = self.spread(way, rows), WHOLE_ROW

    def order(self, way: Way) -> Vector:
        """The numbers of additions, by row and neighbor; those of parallel arcs stay in their order."""
        xp = self.device.vector_module
        with self.device.working():
            keys = xp.multiply(way.of, self.num_nodes, dtype=xp.int64)
            keys += self._others(way)
            return xp.argsort(keys, kind="stable").astype(xp.int64, copy=False)

    def _others(self, way: Way) -> Vector:
        """The neighbors in updates of these rows."""
        return self.slice.destinations if way.of is self.slice.sources else self.slice.sources

    def _rows(self, way: Way) -> dict[str, Buffer]:
        """What all kernels that change rows take."""
        return {
            names.OFFSETS.name: way.offsets,
            room.ENDS.name: way.ends,
            room.neighbors().name: way.neighbors,
            room.BEGINS.name: self._buffer(way.of),
            room.GOES.name: self._buffer(self._others(way)),
        }

    def add(self, way: Way, order: Vector, length: int) -> tuple[Buffer, int]:
        """Adds arcs; which are left over for want of room, and how many."""
        count, slots = len(order), way.neighbors.count
        buffers = self._rows(way) | {
            room.ORDER.name: self._buffer(order),
            room.SEGMENT.name: self._room(ir.Element.ARC, count),
            room.LEFT_OVER.name: self._room(ir.Element.INT, count),
        }
        for number, one in enumerate(way.moving):
            what = names.Carried.numbered(number, one.element)
            buffers |= {what.old.name: one.cells, what.added.name: self._added(one, None)}
        scalars: Mapping[str, Value] = {names.COUNT.name: count, room.LENGTH.name: length}
        self._launch(room.SEEK, buffers, slots, count, room.seeking(), scalars)
        left = self._launch(room.ADD, buffers, slots, count, room.adding(way.elements), scalars)
        return buffers[room.LEFT_OVER.name], int(left[room.FULL.name])

    def spread(self, way: Way, full: Vector | None = None) -> Way:
        """The rows with new room; more in the rows `full`, each of which is named once for an arc to come."""
        device, xp = self.device, self.device.vector_module
        arc, old, ends = way.offsets.dtype, device.as_vector(way.offsets), device.as_vector(way.ends)
        with device.working():
            sizes = ends - old[:-1]
            wanted = sizes + sizes // spreading.ARCS_OF_A_GAP + LEAST_ROOM
            if full is not None:
                wanted += xp.bincount(full, minlength=self.num_nodes).astype(wanted.dtype)
            offsets, packed = self._sums(wanted, arc), self._sums(sizes, arc)
            slots = int(offsets[-1])
            new_ends = offsets[:-1] + sizes
        new = tuple(replace(one, cells=self._changing(one.element, slots)) for one in way.moving)
        device.fill(new[0].cells, spreading.NOTHING)
        buffers = {names.OFFSETS.name: way.offsets, names.NEW_OFFSETS.name: device.as_buffer(offsets)}
        buffers |= {spreading.PACKED.name: self._buffer(packed), room.neighbors().name: way.neighbors}
        for number, (one, to) in enumerate(zip(way.moving, new, strict=True)):
            what = names.Carried.numbered(number, one.element)
            buffers |= {what.old.name: one.cells, what.new.name: to.cells}
        self._spread(way, buffers)
        return replace(way, offsets=buffers[names.NEW_OFFSETS.name], ends=device.as_buffer(new_ends), moving=new)

    def _spread(self, way: Way, buffers: Mapping[str, Buffer]) -> None:
        """Moves the arcs to where they lie in the new rows."""
        device, slots = self.device, way.neighbors.count
        pieces = -(-slots // spreading.PIECE)
        tallies = self._room(ir.Element.INT, pieces)
        scalars: Mapping[str, Value] = {names.COUNT.name: pieces, spreading.SLOTS.name: slots}
        self._launch(
            spreading.TALLY, {**buffers, spreading.PIECES.name: tallies}, slots, pieces, spreading.tallying(), scalars
        )
        with device.working():
            before = self._sums(device.as_vector(tallies), way.offsets.dtype)
        more = {spreading.ARCS_BEFORE.name: self._buffer(before)}
        self._launch(spreading.SPREAD, {**buffers, **more}, slots, pieces, spreading.spreading(way.elements), scalars)

    def _sums(self, counts: Vector, arc: object) -> Vector:
        """0, and the sums of the first so many."""
        sums = self.device.vector_module.zeros(len(counts) + 1, arc)
        self.device.vector_module.cumsum(counts, out=sums[1:])
        return sums
