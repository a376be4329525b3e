"""The arrays of a graph in a run: on the host, made on demand, and on a device, where they stay.

`on_device` gives the same `ResidentGraph` for the same graph and device, so a graph crosses once, however often
programs run on it; when the graph is forgotten its memory is the device's again. Where memory is short, `make_room`
takes the graphs off the device that were not used for longest; they cross again when they are used again.
"""

import weakref
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import Cells, dtype_of, needs_wide_arcs
from starplat.runtime.estimate import MAPPED, ON_DEVICE, Whereabouts
from starplat.runtime.heads import COPIED, Cut, arcs_in_heads, copy_heads, head_cells, head_offsets

_MAKERS: dict[str, Callable[[Graph], Cells]] = {
    ir.ROW_OFFSETS.name: lambda graph: graph.row_offsets,
    ir.ROW_ENDS.name: lambda graph: graph.row_offsets[1:],
    ir.COLUMNS.name: lambda graph: graph.columns,
    ir.WEIGHTS.name: lambda graph: weights_as(graph, ir.Element.INT),
    ir.SOURCES.name: lambda graph: graph.sources,
    ir.IN_ROW_OFFSETS.name: lambda graph: graph.reverse.row_offsets if graph.directed else graph.row_offsets,
    ir.IN_ROW_ENDS.name: lambda graph: (graph.reverse.row_offsets if graph.directed else graph.row_offsets)[1:],
    ir.IN_COLUMNS.name: lambda graph: graph.reverse.columns if graph.directed else graph.columns,
    ir.IN_ARCS.name: lambda graph: graph.reverse.arc_ids,
}

_SAME_BOTH_WAYS = {
    ir.IN_ROW_OFFSETS.name: ir.ROW_OFFSETS.name,
    ir.IN_ROW_ENDS.name: ir.ROW_ENDS.name,
    ir.IN_COLUMNS.name: ir.COLUMNS.name,
    ir.IN_HEAD_OFFSETS.name: ir.HEAD_OFFSETS.name,
    ir.IN_HEAD_COLUMNS.name: ir.HEAD_COLUMNS.name,
}
"""Of an undirected graph the incoming arcs lie as the outgoing ones do; only their numbers differ."""


Found = TypeVar("Found")
_Key = tuple[str, ir.Element, ir.Placement]
_MOST_KEPT = 256


class HostArrays(dict[str, Cells]):
    """The arrays of the graph that a function gives, by name, made on demand."""

    def __init__(self, graph: Callable[[], Graph]) -> None:
        self._graph = graph

    def __missing__(self, name: str) -> Cells:
        return self.setdefault(name, _MAKERS[name](self._graph()))


class ResidentGraph:
    """The arrays of one graph on one device.

    Attributes:
        cut: what the heads of rows are; `num_heads` are their arcs.
        in_place: whether arrays that are mapped are those of the graph where the device can read these, as the host has
            no room for others.
        has_room: whether rows may have slots without arcs; `num_arcs` then counts slots.
    """

    def __init__(self, device: Device, num_nodes: int, num_arcs: int, *, directed: bool) -> None:
        self._device = device
        self._buffers: dict[_Key, Buffer] = {}
        self._kept: dict[Hashable, Any] = {}
        self._kept_arcs: dict[_Key, ir.KeptArcs | None] = {}
        self._when_graph_goes: weakref.finalize[..., Any] | None = None
        self.num_nodes, self.num_arcs = num_nodes, num_arcs
        self.wide_arcs = needs_wide_arcs(num_arcs)
        self._directed = directed
        self._is_piece = False
        self.cut: Cut | None = None
        self.num_heads = 0
        self.in_place = False
        self.has_room = False

    @classmethod
    def of(cls, device: Device, graph: Graph) -> "ResidentGraph":
        """Of a graph that lies on the host; nothing crosses yet."""
        made = cls(device, graph.num_nodes, graph.num_arcs, directed=graph.directed)
        made._is_piece = graph.piece is not None
        made._when_graph_goes = weakref.finalize(graph, _trim, weakref.ref(device))
        made._when_graph_goes.atexit = False
        return made

    def changed(self, num_arcs: int, buffers: Mapping[ir.Array, Buffer], *, has_room: bool = False) -> "ResidentGraph":
        """The place of another graph with these nodes, of which these arrays are here."""
        made = ResidentGraph(self._device, self.num_nodes, num_arcs, directed=self._directed)
        made._buffers = {made._key(array, ir.Placement.DEVICE): buffer for array, buffer in buffers.items()}
        made.has_room = has_room
        return made

    def array(self, array: ir.Array, graph: Callable[[], Graph], where: Whereabouts = ON_DEVICE) -> Buffer:
        """One of the graph's own arrays, or its weights as cells of `array`; uploaded the first time."""
        key = self._key(array, where.placement)
        found = self._buffers.get(key)
        if found is None or found.near != where.near:
            self._drop(key)
            if self.reads_in_place(array, graph(), where):
                self._buffers[key] = self._device.over(self._cells(array, graph()))
                return self._buffers[key]
            buffer = self._allocated(array, where)
            try:
                self._fill(buffer, array, graph())
            except BaseException:
                self._device.release(buffer)
                raise
            self._buffers[key] = found = buffer
        return found

    def reads_in_place(self, array: ir.Array, graph: Graph, where: Whereabouts) -> bool:
        """Whether kernels read the graph's own array."""
        if not self.in_place or where.placement is not ir.Placement.MAPPED:
            return False
        of_weights = self._key(array, where.placement)[0] == ir.WEIGHTS.name
        cells = graph.weights if of_weights else self._cells(array, graph)
        if cells is None or cells.dtype != dtype_of(array.element, wide_arcs=self.wide_arcs):
            return False
        return self._device.reads_in_place(cells)

    def prepared(
        self, arrays: Sequence[ir.Array], fill: Callable[[Sequence[Buffer]], None], kept: ir.KeptArcs | None = None
    ) -> Mapping[str, Buffer]:
        """Arrays that belong together, by name; `fill` makes all of them anew where any is missing, or where they hold
        other arcs than those to be `kept`."""
        keys = [self._key(array, ir.Placement.DEVICE) for array in arrays]
        if not all(key in self._buffers and self._kept_arcs.get(key) == kept for key in keys):
            for key in keys:
                self._drop(key)
            with ExitStack() as undone:
                buffers = []
                for array in arrays:
                    buffers.append(self._allocated(array, ON_DEVICE))
                    undone.callback(self._device.release, buffers[-1])
                fill(buffers)
                undone.pop_all()
            self._buffers |= zip(keys, buffers, strict=True)
            self._kept_arcs |= dict.fromkeys(keys, kept)
        return {array.name: self._buffers[key] for array, key in zip(arrays, keys, strict=True)}

    def has_heads(self, graph: Graph, heads: Iterable[ir.Array], most: Cut, enough: float) -> bool:
        """Whether these arrays can stay as they are: they have not more than they may have at most, and that share of
        it."""
        heads, cut = tuple(heads), self.cut
        if cut is None or cut.kind is not most.kind or cut > most:
            return False
        found = arcs_in_heads(graph, heads, cut)
        return found == self.num_heads and found >= enough * arcs_in_heads(graph, heads, most)

    def cut_heads(self, graph: Graph, heads: Iterable[ir.Array], cut: Cut) -> None:
        """Heads of rows are these from now on; others leave the device. `heads` are the arrays for which there is to be
        room."""
        self.leave_heads()
        self.cut, self.num_heads = cut, arcs_in_heads(graph, heads, cut)

    def leave_heads(self) -> None:
        """Takes heads of rows off the device."""
        for array in ir.HEAD_ARRAYS:
            self._drop(self._key(array, ir.Placement.DEVICE))
        self.cut, self.num_heads = None, 0

    def kept(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """What was found out about runs on this graph here, by all that it depends on beside the graph and the device;
        else it is found now. It must not hold the graph."""
        known: Found | None = self._kept.get(key)
        if known is None:
            known = find()
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = known
        return known

    def _allocated(self, array: ir.Array, where: Whereabouts) -> Buffer:
        count = array.extent.cells(self.num_nodes, self.num_arcs, num_heads=self.num_heads)
        dtype = dtype_of(array.element, wide_arcs=self.wide_arcs)
        if self._in_piece(array, where.placement):
            return self._device.allocate_untouched(dtype, count)
        return self._device.allocate(dtype, count, *where)

    def _in_piece(self, array: ir.Array, placement: ir.Placement) -> bool:
        """Whether only the cells of some rows are held."""
        of_arcs = array.extent in (ir.Extent.ARCS, ir.Extent.SLOTS)
        return self._is_piece and of_arcs and placement is ir.Placement.DEVICE

    def _drop(self, key: _Key) -> None:
        if key in self._buffers:
            self._device.release(self._buffers.pop(key))

    def holds(self, array: ir.Array, where: Whereabouts) -> bool:
        """Whether `array` would cost nothing."""
        found = self._buffers.get(self._key(array, where.placement))
        return found is not None and found.near == where.near

    def near(self, array: ir.Array) -> int:
        """How many cells of `array` are on the device, as a whole or as the first part of it."""
        buffers = (self._buffers.get(self._key(array, p)) for p in (ir.Placement.DEVICE, ir.Placement.SPLIT))
        return max((buffer.cells_on_device for buffer in buffers if buffer is not None), default=0)

    def leave(self, arrays: Mapping[ir.Array, Whereabouts], size: int) -> bool:
        """Takes off the device what is none of these, or lies otherwise, if that makes `size` bytes, and says so."""
        wanted = {self._key(array, where.placement) for array, where in arrays.items() if self.holds(array, where)}
        others = [key for key, buffer in self._buffers.items() if key not in wanted and buffer.size_on_device]
        enough = sum(self._buffers[key].size_on_device for key in others) >= size
        for key in others if enough else ():
            self._drop(key)
        return enough

    def leave_host(self, arrays: Mapping[ir.Array, Whereabouts]) -> None:
        """Gives up what lies in the host's memory and is none of these, or lies otherwise."""
        wanted = {self._key(array, where.placement) for array, where in arrays.items() if self.holds(array, where)}
        for key in [key for key, buffer in self._buffers.items() if key not in wanted and buffer.size_on_host]:
            self._drop(key)

    def apart(self, arrays: Iterable[ir.Array]) -> tuple[ir.Array, ...]:
        """The distinct ones of some arrays of one placement: some share memory."""
        found: dict[Hashable, ir.Array] = {}
        for array in arrays:
            found.setdefault(self.memory(array), array)
        return tuple(found.values())

    def memory(self, array: ir.Array) -> Hashable:
        """What tells the graph's arrays apart: some share memory."""
        return self._key(array, ir.Placement.DEVICE)

    def _key(self, array: ir.Array, placement: ir.Placement) -> _Key:
        """What tells arrays of the graph apart: the program's own weights are the graph's in another type."""
        if array.origin is not ir.Origin.GRAPH:
            return ir.WEIGHTS.name, array.element, placement
        name = array.name if self._directed else _SAME_BOTH_WAYS.get(array.name, array.name)
        return name, array.element, placement

    def _fill(self, buffer: Buffer, array: ir.Array, graph: Graph) -> None:
        name, element, _ = self._key(array, buffer.placement)
        if self._in_piece(array, buffer.placement):
            own = graph.slots_of_piece(incoming=array.extent is ir.Extent.SLOTS)
            self._device.upload_at(
                buffer, own.start, _cells_of_piece(name, element, graph, own).astype(buffer.dtype, copy=False)
            )
        elif array in ir.HEAD_ARRAYS:
            self._fill_head(buffer, array, graph)
        elif name == ir.WEIGHTS.name and graph.weights is None:
            self._device.fill(buffer, 1)
        else:
            self._device.upload(buffer, self._cells(array, graph).astype(buffer.dtype, copy=False))

    def _cells(self, array: ir.Array, graph: Graph) -> Cells:
        """The cells of an array of the graph, or its weights, on the host."""
        name, element, _ = self._key(array, ir.Placement.DEVICE)
        return weights_as(graph, element) if name == ir.WEIGHTS.name else _MAKERS[name](graph)

    def _fill_head(self, buffer: Buffer, array: ir.Array, graph: Graph) -> None:
        """The cells of one of HEAD_ARRAYS."""
        assert self.cut is not None
        if array.extent is ir.Extent.NODES_AND_ONE:
            self._device.upload(buffer, head_offsets(graph, array, self.cut))
        elif self._device.is_host:
            cells = self._cells(COPIED[array], graph)
            self._device.upload(buffer, head_cells(graph, array, self.cut, cells, buffer.count))
        else:
            into = array is ir.IN_HEAD_COLUMNS
            rows = ir.with_heads(ir.REVERSE if into else ir.CSR)
            assert rows.heads is not None
            begin = (self.array(offsets, lambda: graph) for offsets in (rows.offsets, rows.heads.offsets))
            buffers = (*begin, self.array(COPIED[array], lambda: graph, MAPPED), buffer)
            copy_heads(self._device, graph, array, self.cut, buffers)

    def give_back(self) -> None:
        """Leaves the device, and with it what was kept for runs on graphs of this size."""
        self._buffers.clear()
        self._kept.clear()
        if self._when_graph_goes is not None:
            self._when_graph_goes.detach()
        _trim(weakref.ref(self._device))


def _cells_of_piece(name: str, element: ir.Element, graph: Graph, own: slice) -> Cells:
    """Those of an array of arcs that belong to the rows which the graph is to hold."""
    if name == ir.WEIGHTS.name:
        weights = None if graph.weights is None else graph.weights[own]
        return weights_of(weights, own.stop - own.start, element, graph.name)
    if name == ir.SOURCES.name:
        assert graph.piece is not None
        return graph.sources_within(*graph.piece)
    return _MAKERS[name](graph)[own]


def _trim(device: weakref.ref[Device]) -> None:
    """Gives back what was kept for runs on graphs of a size; a session without users has no device."""
    if (there := device()) is not None and not there.broken:
        there.trim()


def on_device(device: Device, graph: Graph) -> ResidentGraph:
    """The graph's place on the device. Raises E0811: the device's kernels cannot count its nodes."""
    device.require_countable(graph.num_nodes)
    resident: ResidentGraph | None = device.graphs.pop(graph, None)
    if resident is None:
        resident = ResidentGraph.of(device, graph)
    device.graphs[graph] = resident
    return resident


def make_room(device: Device, needed: int) -> bool:
    """Evicts graphs from the device, least recently used first and never the last one used, until `needed` bytes are
    free; whether they are. True if unknown."""
    while (free := device.free_memory()) is not None and free < needed:
        if not device.relieve():
            return False
    return True


def weights_as(graph: Graph, element: ir.Element) -> Cells:
    """The graph's weights, 1 where it has none, as cells of a property of numbers. Raises E0708: the property cannot
    hold them."""
    return weights_of(graph.weights, graph.num_arcs, element, graph.name)


def weights_of(weights: Cells | None, count: int, element: ir.Element, name: str) -> Cells:
    """The same for any weights of so many arcs; `name` is what they belong to. Raises E0708: the property cannot hold
    them."""
    dtype = dtype_of(element, wide_arcs=True)
    if weights is None:
        return np.ones(count, dtype)
    if weights.dtype == dtype:
        return weights
    with np.errstate(invalid="ignore", over="ignore"):
        cells: Cells = weights.astype(dtype)
        if _lost(weights, cells, element):
            raise _weights_do_not_fit(name, element, weights.dtype)
    return cells


def _lost(weights: Cells, cells: Cells, element: ir.Element) -> bool:
    """Whether the conversion loses something: any difference, or for reals of 32 bits a weight out of range."""
    if element is ir.Element.FLOAT and weights.dtype.kind == "f":
        return bool(np.isinf(cells).any())
    return not np.array_equal(cells.astype(weights.dtype), weights)


def _weights_do_not_fit(name: str, element: ir.Element, have: np.dtype[Any]) -> DiagnosticError:
    real = have.kind == "f"
    message = f"the weights of {name} are {have} and do not fit '{element.value}' without loss"
    wide = "double" if real else "long"
    help = f"give the program a parameter 'propEdge<{wide}> weight'"
    return DiagnosticError(Diagnostic("E0708", message, help=help))
