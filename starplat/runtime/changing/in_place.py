"""A graph on a device whose rows have room: a batch of updates changes only the rows that it names.

Where one of them has too little room, all rows are laid out anew with more; so they are when the first batch comes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from starplat.graph.graph import Graph
from starplat.graph.updates import ADD, DELETE, Updates
from starplat.ir import nodes as ir
from starplat.runtime.changing import kernels as names, room_kernels as room, spread_kernels as spreading
from starplat.runtime.changing.merge import Merge, Moving
from starplat.runtime.changing.on_device import Merged, cells_of_arcs, has_reversed_rows
from starplat.runtime.changing.slices import Slice, Slices, Vector
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import Value, dtype_of
from starplat.runtime.own_kernels import COUNT, module_of
from starplat.runtime.resident import ResidentGraph

LEAST_ROOM = 8
"""A row gets room for one more arc for each `ARCS_OF_A_GAP` that it has, and for so many besides."""


def most_slots(num_nodes: int, slots: int, added: int) -> int:
    """How many slots rows may have, with new room, that have so many now, and get some arcs."""
    return slots + slots // spreading.ARCS_OF_A_GAP + LEAST_ROOM * num_nodes + added


@cache
def kernels_in_place(elements: tuple[ir.Element, ...]) -> ir.Module:
    """The module with all kernels that change rows with such cells in place, those of the neighbors first."""
    moved = dict(zip(_moved_as(elements), elements, strict=True))
    return module_of(
        room.finding(),
        room.adding(elements),
        room.adding_by_row(elements),
        spreading.tallying(),
        *(spreading.spreading(number, element) for number, element in moved.items()),
        scalars=(room.DELETIONS, room.CELLS, spreading.SLOTS),
    )


def _moved_as(elements: tuple[ir.Element, ...]) -> tuple[int, ...]:
    """By number of cells, the first of the same type: one kernel moves both. Only neighbors tell arcs from gaps."""
    return (0, *(1 + elements[1:].index(element) for element in elements[1:]))


@dataclass(frozen=True, slots=True)
class Way:
    """Rows of one direction, that of arcs if `forward`, and the cells that move, neighbors first."""

    offsets: Buffer
    ends: Buffer
    forward: bool
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
    lists: "Lists",
    stays: Callable[[Buffer], bool],
) -> Merged:
    """The graph after the changes of a slice: `before` itself, unless its rows have no room, or too little. `lists` are
    those of the run, and `stays` says which cells of arcs are needed afterwards as they were. The other arguments are
    those of `merged`."""
    own = cells_of_arcs(slice, lying, used)
    ways = [Way(lying(ir.ROW_OFFSETS), lying(ir.ROW_ENDS), True, (*own.values(), *properties))]
    if directed and has_reversed_rows(used):
        columns = Moving(ir.Element.NODE, lying(ir.IN_COLUMNS), slice.sources)
        ways.append(Way(lying(ir.IN_ROW_OFFSETS), lying(ir.IN_ROW_ENDS), False, (columns,)))
    change = InPlace(device, slice, before.num_nodes, before.num_arcs, before.wide_arcs, lists=lists, stays=stays)
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


@dataclass
class Lists:
    """Where batches list their additions by segment: for the largest so far. The table holds nothing between two."""

    device: Device
    room: int = -1
    buffers: dict[str, Buffer] = field(default_factory=dict)

    def of(self, added: int) -> dict[str, Buffer]:
        """The arrays of lists for so many additions."""
        if added > self.room:
            self.leave()
            self.room = added
            cells = _cells_for(added)
            sizes = {room.LEFT_OVER: added, room.FIRST_SLOTS: cells, room.HEADS: cells, room.NEXT: added}
            for array, count in sizes.items():
                self.buffers[array.name] = self.device.allocate(dtype_of(array.element, wide_arcs=False), count)
            for array in (room.FIRST_SLOTS, room.HEADS):
                self.device.fill(self.buffers[array.name], -1)
        return self.buffers

    def leave(self) -> None:
        """Gives the arrays back."""
        self.room = -1
        while self.buffers:
            self.device.release(self.buffers.popitem()[1])


def _cells_for(added: int) -> int:
    """Cells of the table for so many additions: an odd number, so that segments do not share a few cells."""
    return (1 << (added + added // 2).bit_length()) + 1


@dataclass(kw_only=True)
class InPlace(Merge):
    """One change of rows with room; `stays` says which cells of arcs are needed afterwards as they were."""

    lists: Lists
    stays: Callable[[Buffer], bool]

    def applied(self, way: Way) -> Way:
        """The rows after the change; they lie anew if one of them had too little room."""
        device, added, lists = self.device, self.slice.added, self.lists.of(self.slice.added)
        full = self._changed_where_room(way, lists)
        if not full:
            return way
        with device.working():
            left_over = device.as_vector(lists[room.LEFT_OVER.name])[:added]
            order = self.order(way, device.vector_module.flatnonzero(left_over))
            rows = self._ends(way, self.slice)[0][order]
        way = self.spread(way, rows)
        buffers = self._rows(way) | self._cells(way) | {room.ORDER.name: self._buffer(order)}
        self._change(room.ADD_BY_ROW, way, buffers, full, {COUNT.name: full})
        return way

    def _change(
        self, kernel: str, way: Way, buffers: Mapping[str, Buffer], iterations: int, scalars: Mapping[str, Value]
    ) -> Mapping[str, Value]:
        module = kernels_in_place(way.elements)
        return self._launch(kernel, buffers, way.neighbors.count, iterations, module, scalars)

    def _changed_where_room(self, way: Way, lists: Mapping[str, Buffer]) -> int:
        """Deletes arcs, and adds others to rows as they lie; how many are left over for want of room."""
        added, gone = self.slice.added, self.slice.deletions
        deletions, cells = 0 if gone is None else len(gone), _cells_for(added)
        count = deletions + added
        scalars: Mapping[str, Value] = {COUNT.name: count, room.DELETIONS.name: deletions, room.CELLS.name: cells}
        buffers = {**self._rows(way), **lists}
        begins, goes = map(self._buffer, self._ends(way, gone or self.slice))
        find = {**buffers, room.GONE_BEGINS.name: begins, room.GONE_GOES.name: goes}
        self._change(room.FIND, way, find, count, scalars)
        if not added:
            return 0
        left = self._change(room.ADD, way, {**buffers, **self._cells(way)}, cells, scalars)
        return int(left[room.FULL.name])

    def order(self, way: Way, some: Vector) -> Vector:
        """Some additions by row and neighbor; those of parallel arcs stay in their order."""
        xp = self.device.vector_module
        begins, goes = self._ends(way, self.slice)
        keys = xp.multiply(begins[some], self.num_nodes, dtype=xp.int64)
        keys += goes[some]
        return some[xp.argsort(keys, kind="stable")].astype(xp.int64, copy=False)

    def _ends(self, way: Way, slice: Slice) -> tuple[Vector, Vector]:
        """The nodes of updates whose rows these are, and the neighbors."""
        return (slice.sources, slice.destinations) if way.forward else (slice.destinations, slice.sources)

    def _rows(self, way: Way) -> dict[str, Buffer]:
        """What all kernels that change rows take."""
        begins, goes = self._ends(way, self.slice)
        return {
            names.OFFSETS.name: way.offsets,
            room.ENDS.name: way.ends,
            room.neighbors().name: way.neighbors,
            room.BEGINS.name: self._buffer(begins),
            room.GOES.name: self._buffer(goes),
        }

    def _cells(self, way: Way) -> dict[str, Buffer]:
        """The cells of arcs that lie there, and those of the added ones, by number in the slice."""
        buffers = dict[str, Buffer]()
        for number, one in enumerate(way.moving):
            what = names.Carried.numbered(number, one.element)
            buffers |= {what.old.name: one.cells, what.added.name: self._added(one, None)}
        return buffers

    def spread(self, way: Way, full: Vector | None = None) -> Way:
        """The rows with new room; more in the rows `full`, each of which is named once for an arc to come. Cells move
        one array after the other, neighbors last, by which arcs are told from empty slots."""
        device = self.device
        offsets, ends, packed, slots = self._laid_out(way, full)
        buffers = {names.OFFSETS.name: way.offsets, names.NEW_OFFSETS.name: offsets}
        buffers |= {spreading.PACKED.name: packed, room.neighbors().name: way.neighbors}
        buffers |= {spreading.ARCS_BEFORE.name: self._arcs_before(way)}
        new = list[Moving]()
        kernels = _moved_as(way.elements)
        for number, one in reversed(tuple(enumerate(way.moving))):
            what = names.Carried.numbered(kernels[number], one.element)
            cells = self._changing(one.element, slots)
            if number == 0:
                device.fill(cells, spreading.NOTHING)
            moved = {**buffers, what.old.name: one.cells, what.new.name: cells}
            self._over_pieces(spreading.spread(kernels[number]), way, moved)
            new.insert(0, replace(one, cells=cells))
            if not self.stays(one.cells) and all(other.cells is not one.cells for other in way.moving[:number]):
                device.give_up(one.cells)
        return replace(way, offsets=offsets, ends=ends, moving=tuple(new))

    def _laid_out(self, way: Way, full: Vector | None) -> tuple[Buffer, Buffer, Buffer, int]:
        """Where rows begin and end then, how many arcs lie before each, and how many slots there are."""
        device, xp = self.device, self.device.vector_module
        arc, old, ends = way.offsets.dtype, device.as_vector(way.offsets), device.as_vector(way.ends)
        with device.working():
            sizes = ends - old[:-1]
            wanted = sizes + sizes // spreading.ARCS_OF_A_GAP + LEAST_ROOM
            if full is not None:
                wanted += xp.bincount(full, minlength=self.num_nodes).astype(wanted.dtype)
            offsets, packed = self._sums(wanted, arc), self._sums(sizes, arc)
            sizes += offsets[:-1]
            slots = int(offsets[-1])
        return device.as_buffer(offsets), device.as_buffer(sizes), self._buffer(packed), slots

    def _arcs_before(self, way: Way) -> Buffer:
        """By piece of the old slots, how many arcs lie before it."""
        tallies = self._room(ir.Element.INT, -(-way.neighbors.count // spreading.PIECE))
        buffers = {room.neighbors().name: way.neighbors, spreading.PIECES.name: tallies}
        self._over_pieces(spreading.TALLY, way, buffers)
        with self.device.working():
            return self._buffer(self._sums(self.device.as_vector(tallies), way.offsets.dtype))

    def _over_pieces(self, kernel: str, way: Way, buffers: Mapping[str, Buffer]) -> None:
        slots = way.neighbors.count
        pieces = -(-slots // spreading.PIECE)
        self._change(kernel, way, buffers, pieces, {COUNT.name: pieces, spreading.SLOTS.name: slots})

    def _sums(self, counts: Vector, arc: object) -> Vector:
        """0, and the sums of the first so many."""
        sums = self.device.vector_module.zeros(len(counts) + 1, arc)
        self.device.vector_module.cumsum(counts, out=sums[1:])
        return sums


def build_in_place(device: Device, cells: Iterable[tuple[ir.Element, ...]], wide_arcs: bool) -> None:
    """Builds what changes rows with cells of these types in place, so that no batch waits for it."""
    for elements in cells:
        if not device.has_built(kernels_in_place(elements), wide_arcs):
            _change_one_row(device, elements, wide_arcs)


def _change_one_row(device: Device, elements: tuple[ir.Element, ...], wide_arcs: bool) -> None:
    """Changes a graph of one node, by more than its row has room for. A device's module of arrays builds kernels of its
    own at their first call. The bytes do not count."""
    traffic, arc = replace(device.traffic), dtype_of(ir.Element.ARC, wide_arcs=wide_arcs)
    kinds = [DELETE] + [ADD] * (room.LONGEST_LIST + 1)
    graph = Graph(np.array([0, 1]), np.zeros(1, np.int32))
    updates = Updates.of(graph, kinds, [0] * len(kinds), [0] * len(kinds))
    slice = Slices(device, updates).apart(0, len(kinds), (DELETE, ADD))
    lists = Lists(device)
    change = InPlace(device, slice, 1, 1, wide_arcs, lists=lists, stays=lambda cells: False)

    def held(cells: list[int], dtype: np.dtype[np.generic]) -> Buffer:
        return device.as_buffer(device.vector_of(np.array(cells, dtype)))

    moving = [Moving(element, held([0], dtype_of(element, wide_arcs=wide_arcs))) for element in elements]
    moving[0] = replace(moving[0], added=change.slice.destinations)
    change.applied(change.spread(Way(held([0, 1], arc), held([1], arc), True, tuple(moving))))
    change.done()
    lists.leave()
    device.traffic = traffic
