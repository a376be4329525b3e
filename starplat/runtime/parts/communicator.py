"""The seam between a run in parts and what carries cells from one to the others."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.csr import Reverse, bounds_of
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.passes.parts.rows import arrays_of_arcs
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device_memory import DeviceMemory
from starplat.runtime.elements import Cells, dtype_of, needs_wide_arcs
from starplat.runtime.parts.tables import PeerTable

Operation = Callable[[Cells, Cells], Cells]

OPERATIONS: Mapping[ir.Combine, Operation] = {
    ir.Combine.ADD: np.add,
    ir.Combine.MULTIPLY: np.multiply,
    ir.Combine.AND: np.logical_and,
    ir.Combine.OR: np.logical_or,
    ir.Combine.BIT_AND: np.bitwise_and,
    ir.Combine.BIT_OR: np.bitwise_or,
    ir.Combine.BIT_XOR: np.bitwise_xor,
    ir.Combine.MIN: np.minimum,
    ir.Combine.MAX: np.maximum,
}


class Communicator(ABC):
    """Connects the ranks of a run. Every rank calls the same methods in the same order, with cells of one type.

    Attributes:
        rank: the number of this one, from 0.
        size: how many there are.
        place: the number of this one among those of its host that have a process each.
        first_here: the number, among all, of the first of these.
        bytes: how many bytes this rank has given so far.
        times: how often ranks have exchanged something.
        tables: of launches on several devices, by their name.
        ends_processes: whether `abort` ends the processes of all ranks.
        on_host: whether cells are NumPy's arrays, which may cross as `packing` writes them.
    """

    rank: int
    size: int
    place: int = 0
    first_here: int = 0
    bytes: int = 0
    times: int = 0
    ends_processes: bool = False
    on_host: bool = True
    tables: dict[str, PeerTable]

    @abstractmethod
    def gather(self, value: Any) -> list[Any]:
        """The values of all ranks, in their order: small things that can be pickled."""

    def deliver(self, values: list[Any]) -> list[Any]:
        """What each rank has for this one, in their order: it has `values[rank]` for each of them."""
        return [given[self.rank] for given in self.gather(values)]

    def numbers(self, own: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The numbers of all ranks, in their order, each with as many."""
        self.bytes += len(own) * 8
        return self.gather(own)

    def messages(self, own: NDArray[np.uint8], sizes: list[int]) -> list[NDArray[np.uint8]]:
        """The bytes that all ranks give, in their order; all know of how many each are."""
        self.counted(len(own))
        return self.gather(own)

    @abstractmethod
    def combine(self, cells: Cells, combine: ir.Combine) -> Cells:
        """What comes of the cells of all ranks, one by one; the same on all ranks. It may stand in `cells` itself."""

    @abstractmethod
    def share(self, cells: Cells, bounds: list[int]) -> Cells:
        """The cells from `bounds[rank]` up to `bounds[rank + 1]` of every rank; they may stand in `cells` itself."""

    def cells(self, device: DeviceMemory, buffer: Buffer) -> Cells:
        """The cells of a buffer as this exchanges them: its own, to be changed where they lie, or a copy on the host;
        NumPy's functions are for both."""
        there = device.in_place(buffer)
        return device.download(buffer) if there is None else there

    def put(self, device: DeviceMemory, buffer: Buffer, cells: Cells) -> None:
        """Makes them the cells of a buffer, where they do not stand in it already."""
        if (there := device.in_place(buffer)) is None:
            device.upload(buffer, cells)
        elif there.ctypes.data != cells.ctypes.data:
            there[:] = cells

    @contextmanager
    def running(self, device: DeviceMemory) -> Iterator[None]:
        """Around the run of a program on a device."""
        yield

    def pause(self) -> None:
        """Other ranks of this process may work, where this one has launched kernels for long without waiting."""
        return

    def counted(self, size: int) -> None:
        self.bytes += size
        self.times += 1

    def all_fail(self, seconds: float) -> bool:
        """Whether all ranks call this within some seconds, because none of them can go on."""
        return False

    @abstractmethod
    def abort(self, code: int) -> None:
        """Ends all ranks, because this one cannot go on."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a graph. Rank r has the nodes from `nodes[r]` up to `nodes[r + 1]`, and the arcs that leave them,
    which are those from `arcs[r]` up to `arcs[r + 1]`."""

    communicator: Communicator
    nodes: list[int]
    arcs: list[int]

    @property
    def rank(self) -> int:
        return self.communicator.rank

    def bounds(self, extent: ir.Extent, cells: int) -> list[int]:
        """Which of so many cells each part has; rank 0 has those that belong to no nodes or arcs."""
        if extent is ir.Extent.NODES:
            return self.nodes
        if extent is ir.Extent.ARCS:
            return self.arcs
        return [0] + [cells] * self.communicator.size


_ALIGNED = 128
"""Parts of large graphs begin at a multiple of so many nodes: at a line of memory, whatever a node's cell takes. So
threads side by side read and write whole lines, as on one device."""
_LARGE = 2**20
"""Nodes of a part from which so few to and fro do not matter, unless more than one arc in `_FEW` leaves them."""
_FEW = 2**10


def parts_of(graph: Graph, communicator: Communicator) -> Parts:
    """Pieces of the nodes, in order, each with about as many arcs in and out and nodes as the others."""
    rows = graph.row_offsets
    nodes = bounds_of(rows, communicator.size)
    if graph.num_nodes >= _LARGE * communicator.size:
        lines = [(node, node // _ALIGNED * _ALIGNED) for node in nodes[1:-1]]
        most = graph.num_arcs // _FEW
        nodes[1:-1] = [line if rows[node] - rows[line] <= most else node for node, line in lines]
    return Parts(communicator, nodes, [int(graph.row_offsets[node]) for node in nodes])


def with_own_rows(graph: Graph, parts: Parts, module: ir.Module) -> Graph:
    """The graph, of which this part holds the rows out of its own nodes, and those into them if the module uses them.

    Processes make the rows into nodes together: each sends its arcs to the owners of their destinations.
    """
    own = graph.with_rows_of(*parts.nodes[parts.rank : parts.rank + 2])
    used = {ir.IN_ARCS, *((ir.IN_ROW_OFFSETS, ir.IN_COLUMNS) if graph.directed else ())}
    if used.isdisjoint(module.graph_arrays):
        return own
    if not parts.communicator.ends_processes:
        own.__dict__["reverse"] = graph.reverse
    elif any(parts.communicator.gather("reverse" not in own.__dict__)):  # all make them, or none
        own.__dict__["reverse"] = reverse_within(graph, parts)
    return own


def reverse_within(graph: Graph, parts: Parts) -> Reverse:
    """The incoming arcs of the part's own nodes, at their places among all incoming arcs. Other places are zero, and
    take no memory until they are read."""
    first, end = parts.nodes[parts.rank : parts.rank + 2]
    arcs = slice(*parts.arcs[parts.rank : parts.rank + 2])
    leaving = graph.columns[arcs], graph.sources_within(first, end), np.arange(arcs.start, arcs.stop)
    whose = np.searchsorted(parts.nodes[1:], leaving[0], side="right")
    given = [tuple(array[whose == part] for array in leaving) for part in range(parts.communicator.size)]
    heads, tails, ids = map(np.concatenate, zip(*parts.communicator.deliver(given), strict=True))
    degrees = np.zeros(graph.num_nodes, np.int64)
    degrees[first:end] = np.bincount(heads - first, minlength=end - first)
    offsets = np.zeros(graph.num_nodes + 1, np.int64)
    np.cumsum(parts.communicator.share(degrees, parts.nodes), out=offsets[1:])
    columns, arc_ids = np.zeros(graph.num_arcs, np.int32), np.zeros(graph.num_arcs, np.int64)
    order = np.argsort(heads, kind="stable")  # ranks, and so tails, ascend within
    slots = slice(int(offsets[first]), int(offsets[end]))
    columns[slots], arc_ids[slots] = tails[order], ids[order]
    return Reverse(offsets, columns, arc_ids)


def bytes_of_arcs(graph: Graph, module: ir.Module) -> int:
    """The bytes that a part holds of arrays with a cell for every arc."""
    wide, found = needs_wide_arcs(graph.num_arcs), {}
    for array in arrays_of_arcs(module):
        both_ways = not graph.directed and array in (ir.COLUMNS, ir.IN_COLUMNS)
        key = ir.COLUMNS if both_ways else ir.WEIGHTS if array.origin is ir.Origin.WEIGHT else array
        own = graph.slots_of_piece(incoming=array.extent is ir.Extent.SLOTS)
        found[key, array.element] = (own.stop - own.start) * dtype_of(array.element, wide_arcs=wide).itemsize
    return sum(found.values())
