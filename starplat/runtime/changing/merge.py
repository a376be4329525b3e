"""Merges a slice of updates with the rows of a graph on its device; only numbers of the updates' count are sorted.

What is as long as the slice (sorting, sums) is done by the device's own module of
arrays where it has one, else by NumPy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from starplat.ir import lists, nodes as ir
from starplat.runtime.changing import kernels as names
from starplat.runtime.changing.slices import Slice, Vector
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device, LaunchSize
from starplat.runtime.elements import Value, dtype_of
from starplat.runtime.own_kernels import COUNT


@dataclass(frozen=True, slots=True)
class Rows:
    """Arcs as they lie along one direction: where rows begin, and the other ends."""

    offsets: Buffer
    neighbors: Buffer


@dataclass(frozen=True, slots=True)
class Moving:
    """Cells of arcs that move with them; `added` are those of the added arcs, in the order of the slice."""

    element: ir.Element
    cells: Buffer
    added: Vector | None = None


@dataclass(eq=False)
class Marked:
    """Where the slice meets the rows of one direction.

    Attributes:
        buffers: by the names that the kernels have for them.
        order: by place in the sorted slice, the number in the slice; None if nothing is added.
        marks: where added arcs lie then, in the sorted order.
        arcs: how many arcs there are before.
        taken: by number of updates, how many arcs the first so many take away.
    """

    device: Device
    buffers: Mapping[str, Buffer]
    order: Vector | None
    marks: Vector
    arcs: int
    taken: Vector

    @cached_property
    def num_arcs(self) -> int:
        """How many arcs there are then. The host waits for the device: what can be asked before is asked before."""
        with self.device.working():
            return self.arcs - int(self.taken[-1])


@dataclass
class Merge:
    """One change of a graph that lies on a device. `made` are buffers that are not needed afterwards."""

    device: Device
    slice: Slice
    num_nodes: int
    num_arcs: int
    wide_arcs: bool
    made: list[Buffer] = field(default_factory=list)

    def marked(self, rows: Rows, begin: Vector, end: Vector) -> Marked:
        """Where arcs from `begin` to `end`, one of each for every update, lie in these rows."""
        device = self.device
        xp, arc = device.vector_module, dtype_of(ir.Element.ARC, wide_arcs=self.wide_arcs)
        buffers, order = self._found(rows, begin, end)
        first, gone = (device.as_vector(buffers[array.name]) for array in (names.FIRST, names.GONE))
        with device.working():
            shift = xp.zeros(len(self.slice) + 1, arc)
            xp.cumsum(gone, out=shift[1:])
            marks = first - shift[:-1]
            bounds = xp.arange((self.num_arcs + self.slice.added) // names.PIECE + 2, dtype=arc) * names.PIECE
            pieces = xp.searchsorted(marks, bounds).astype(xp.int32)
        more = {names.SHIFT.name: shift, names.MARKS.name: marks, names.PIECES.name: pieces}
        buffers |= {name: self._buffer(vector) for name, vector in more.items()}
        return Marked(device, buffers, order, marks, self.num_arcs, shift)

    def _found(self, rows: Rows, begin: Vector, end: Vector) -> tuple[dict[str, Buffer], Vector | None]:
        """Where each update meets its row, by the kernels' names, and the order of updates if any is added."""
        device, slice, count = self.device, self.slice, len(self.slice)
        xp = device.vector_module
        with device.working():
            keys = (begin.astype(xp.int64) * self.num_nodes + end) * 2 + slice.adds
            order = xp.argsort(keys, kind="stable") if slice.added else None
            keys = xp.sort(keys) if order is None else keys[order]
        buffers = {
            names.KEYS.name: self._buffer(keys),
            names.OFFSETS.name: rows.offsets,
            names.NEIGHBORS.name: rows.neighbors,
            names.ROWS.name: self._room(ir.Element.NODE, count),
            names.FIRST.name: self._room(ir.Element.ARC, count),
            names.GONE.name: self._room(ir.Element.ARC, count),
        }
        self._launch(names.FIND, buffers, self.num_arcs, count)
        return buffers, order

    def offsets(self, at: Marked) -> Buffer:
        """Where rows begin then."""
        new = self.device.allocate(dtype_of(ir.Element.ARC, wide_arcs=self.wide_arcs), self.num_nodes + 1)
        self._launch(names.MOVE_ROWS, {**at.buffers, names.NEW_OFFSETS.name: new}, self.num_arcs, self.num_nodes)
        if not self.num_nodes:
            self.device.fill(new, 0)
        return new

    def moved(self, at: Marked, moving: Sequence[Moving]) -> list[Buffer]:
        """The cells of all arcs as they lie then; those of added arcs are `unset` where nothing else is said."""
        added = [self._added(one, at.order) for one in moving]
        new = [self._changing(one.element, at.num_arcs) for one in moving]
        buffers = dict(at.buffers)
        for number, (one, to) in enumerate(zip(moving, new, strict=True)):
            what = names.Carried.numbered(number, one.element)
            buffers |= {what.old.name: one.cells, what.new.name: to}
            buffers[what.added.name] = added[number]
        module = names.moving(tuple(one.element for one in moving))
        self._launch(names.MOVE, buffers, at.num_arcs, at.num_arcs, module)
        return new

    def numbers(self, at: Marked, arcs: Buffer, by: Marked) -> Buffer:
        """The numbers of arcs, which lie as `at` says and are numbered as they lie in `by`."""
        new = self._changing(ir.Element.ARC, at.num_arcs)
        buffers = {**at.buffers, names.NUMBERS.old.name: arcs, names.NUMBERS.new.name: new}
        buffers[names.OTHER_FIRST.name] = by.buffers[names.FIRST.name]
        buffers[names.OTHER_SHIFT.name] = by.buffers[names.SHIFT.name]
        added = by.marks
        if self.slice.added:
            with self.device.working():
                places = self.device.vector_module.empty_like(by.marks)
                places[by.order] = by.marks
                added = places[at.order]
        buffers[names.NUMBERS.added.name] = self._buffer(added)
        self._launch(names.RENUMBER, buffers, at.num_arcs, at.num_arcs)
        return new

    def done(self) -> None:
        """Gives back what was only needed meanwhile."""
        while self.made:
            self.device.release(self.made.pop())

    def _added(self, one: Moving, order: Vector | None) -> Buffer:
        xp, dtype = self.device.vector_module, dtype_of(one.element, wide_arcs=self.wide_arcs)
        with self.device.working():
            if one.added is None or not self.slice.added:
                added = xp.full(len(self.slice), lists.unset(one.element), dtype)
            else:
                added = (one.added if order is None else one.added[order]).astype(dtype, copy=False)
        return self._buffer(added)

    def _buffer(self, vector: Vector) -> Buffer:
        self.made.append(self.device.as_buffer(vector))
        return self.made[-1]

    def _room(self, element: ir.Element, count: int) -> Buffer:
        self.made.append(self.device.allocate(dtype_of(element, wide_arcs=self.wide_arcs), count))
        return self.made[-1]

    def _changing(self, element: ir.Element, count: int) -> Buffer:
        return self.device.allocate_changing(dtype_of(element, wide_arcs=self.wide_arcs), count)

    def _launch(
        self,
        name: str,
        buffers: Mapping[str, Buffer],
        num_arcs: int,
        iterations: int,
        module: ir.Module | None = None,
        scalars: Mapping[str, Value] | None = None,
    ) -> Mapping[str, Value]:
        kernels = self.device.kernels_of(module or names.finding(), self.wide_arcs)
        size = LaunchSize(iterations, self.num_nodes, num_arcs)
        return kernels.launch(kernels.module.kernel(name), buffers, scalars or {COUNT.name: len(self.slice)}, size)
