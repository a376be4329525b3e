"""The memory of a device, in buffers, and its traffic with the host.

A target fills in the methods whose names start with an underscore. The public ones count bytes, keep freed memory for
the next run, and leave out what has nothing to do.
"""

import gc
import weakref
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device_faults import NoRoomError, host_out_of_memory
from starplat.runtime.elements import Cells, Value
from starplat.runtime.host_memory import host_memory

_MOST_RELIEFS = 64


@dataclass(slots=True)
class Traffic:
    """Bytes that went up to the device, those of `chunks` of rows among them, and came down, and how many kernels were
    launched."""

    up: int = 0
    down: int = 0
    launches: int = 0
    chunks: int = 0


class DeviceMemory(ABC):
    """The memory of one device, in buffers.

    Short arrays in it are also vectors, for work that kernels do not do: sorting, sums. By default they are NumPy's,
    and cross to the device and back; a device whose memory a module of arrays can work on gives that module.

    Attributes:
        merges_graphs: whether its kernels merge updates with a graph; the host does it elsewhere, and what changed
            crosses.
        vector_module: the module that works on vectors.
    """

    merges_graphs: ClassVar[bool] = True
    vector_module: Any = np
    split_unit: int | None = None
    """Bytes at whose multiples arrays can be split between the device's memory and the host's; None: nowhere."""

    takes_pieces = False
    """Whether cells of a new array take no memory until they are written, so that of an array a piece can be held."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.waiting: Callable[[], AbstractContextManager[None]] = nullcontext
        """What the host is inside of while it waits for the device."""
        self.traffic = Traffic()
        self.graphs: weakref.WeakKeyDictionary[Graph, Any] = weakref.WeakKeyDictionary()
        """Those that lie here, as `resident.on_device` has brought them; the last one used stands last."""
        self._free: dict[tuple[np.dtype[Any], int, ir.Placement], list[Buffer]] = defaultdict(list)
        self._ours: weakref.WeakSet[Buffer] = weakref.WeakSet()
        self._most: int | None = None
        self._most_on_host: int | None = None

    @contextmanager
    def limited(self, most: int | None, most_on_host: int | None = None) -> Iterator[None]:
        """Arrays take at most so many bytes of the device's memory, and of the host's, inside. If they take more
        already, all that is kept between runs is given up first; what lies in the host's memory stays where that does
        not."""

        def too_much() -> bool:
            here = most is not None and self.held > most
            return here or (most_on_host is not None and self.held_on_host > most_on_host)

        if too_much():
            self.trim()
            for resident in self.graphs.values():
                resident.leave({}, 0)
            self.trim()
        if too_much():
            self.forget_graphs()
            self.trim()
        before = self._most, self._most_on_host
        self._most, self._most_on_host = most, most_on_host
        try:
            yield
        finally:
            self._most, self._most_on_host = before

    def lower_limit(self, size: int) -> None:
        """So many bytes were not to be had beside what is held, whatever the system says: half of them may be. A limit
        that stands is lowered by a sixteenth at least, so that trying again comes to an end. It holds as long as the
        limit around it."""
        room = self.held + size // 2
        self._most = room if self._most is None else min(self._most - self._most // 16 - 1, room)

    @property
    def is_limited(self) -> bool:
        return self._most is not None

    def could_hold(self, size: int) -> bool:
        """Whether the limit is as large, if one stands."""
        return self._most is None or size <= self._most

    @property
    def is_limited_on_host(self) -> bool:
        """Whether a limit of the host's memory stands."""
        return self._most_on_host is not None

    @property
    def held(self) -> int:
        """Bytes of arrays in the device's memory, those that are kept included."""
        return sum(buffer.size_on_device for buffer in self._ours)

    @property
    def held_on_host(self) -> int:
        """The same of the host's memory, where kernels read it."""
        return sum(buffer.size_on_host for buffer in self._ours)

    def allocate(
        self, dtype: np.dtype[Any], count: int, placement: ir.Placement = ir.Placement.DEVICE, near: int = 0
    ) -> Buffer:
        """Cells with undefined contents; of a split array the first `near` on the device. Raises NoRoomError: E0903,
        there is not enough memory."""
        if (kept := self._free.get((dtype, count, placement))) and placement is not ir.Placement.SPLIT:
            return kept.pop()
        buffer = Buffer(dtype, count, self._room(dtype, max(count, 1), placement, near), placement=placement, near=near)
        self._ours.add(buffer)
        return buffer

    def allocate_untouched(self, dtype: np.dtype[Any], count: int) -> Buffer:
        """New memory, of which nothing has been written."""
        assert self.takes_pieces, f"{self.name} holds arrays whole"
        return Buffer(dtype, count, self._room(dtype, max(count, 1), ir.Placement.DEVICE, 0, counted=False))

    def allocate_word(self, dtype: np.dtype[Any], count: int = 1) -> Buffer:
        """The same for what a kernel keeps beside arrays: no limit counts it, as no estimate does."""
        return Buffer(dtype, count, self._room(dtype, count, ir.Placement.DEVICE, 0, counted=False))

    def _room(
        self, dtype: np.dtype[Any], count: int, placement: ir.Placement, near: int, *, counted: bool = True
    ) -> Any:
        """New memory; where there is none, after what is kept has been given up, then graphs that are not in use."""
        buffer = Buffer(dtype, count, None, placement=placement, near=near)
        wanted, far, most_far = buffer.size_on_device, buffer.size_on_host, self._most_on_host
        give_up: Iterable[Callable[[], bool]] = (self._trimmed, *([self._relieved] * _MOST_RELIEFS))
        for more in give_up:
            with suppress(MemoryError):
                if counted and wanted and self._most is not None and self.held + wanted > self._most:
                    raise MemoryError
                if far and most_far is not None and self.held_on_host + far > most_far:
                    raise MemoryError
                match placement:
                    case ir.Placement.DEVICE:
                        return self._allocate(dtype, count)
                    case ir.Placement.MAPPED:
                        return self._allocate_mapped(dtype, count)
                    case ir.Placement.MANAGED:
                        return self._allocate_managed(dtype, count)
                    case ir.Placement.SPLIT:
                        return self._allocate_split(dtype, count, near)
            if not more():
                break
        if placement is ir.Placement.MAPPED or (most_far is not None and self.held_on_host + far > most_far):
            raise host_out_of_memory(self.name, far)
        raise NoRoomError(self.name, wanted, self._most if counted else None)

    def relieve(self) -> bool:
        """Evicts the least recently used graph; False where only the last one is left."""
        graphs = list(self.graphs)
        self.forget_graphs(graphs[:1] if len(graphs) > 1 else ())
        return len(graphs) > 1

    def collect(self) -> bool:
        """Frees arrays that nothing but a circle of references keeps, as the frames of a caught error do; whether there
        were any."""
        before = self.held, self.held_on_host
        gc.collect()
        return before != (self.held, self.held_on_host)

    def _relieved(self) -> bool:
        return self.relieve() or self.collect()

    def forget_graphs(self, graphs: Iterable[Graph] | None = None) -> None:
        """Takes graphs off the device, by default all, so that the next run uploads them again."""
        for graph in list(self.graphs if graphs is None else graphs):
            if (resident := self.graphs.pop(graph, None)) is not None:
                resident.give_back()

    def _trimmed(self) -> bool:
        self.trim()
        return True

    def give_up(self, buffer: Buffer) -> None:
        """Gives the memory of a buffer back at once, and all that is kept for later."""
        self._ours.discard(buffer)
        buffer.give_up()
        self.trim()

    def release(self, buffer: Buffer) -> None:
        """Keeps the memory for the next allocation of its size."""
        if buffer.memory is not None and not buffer.lent and buffer.placement is not ir.Placement.SPLIT:
            self._free[buffer.dtype, buffer.count, buffer.placement].append(buffer)

    def trim(self) -> None:
        """Gives the memory of released buffers back to the device."""
        self._free.clear()

    def free_memory(self) -> int | None:
        """Bytes that a run could have, what is kept from earlier runs included; None if unknown."""
        rooms = (self._free_memory(), None if self._most is None else self._most - self.held)
        known = [room for room in rooms if room is not None]
        if not known:
            return None
        kept = sum(buffer.size_on_device for buffer in self._kept())
        return max(min(known) + kept, 0)

    def _kept(self) -> list[Buffer]:
        """Released buffers that count here. A graph that is collected meanwhile may empty what is looked at: a copy."""
        return [buffer for buffer in chain.from_iterable(list(self._free.values())) if buffer in self._ours]

    def free_on_host(self, there: int = 0) -> int | None:
        """Bytes of the host's memory that kernels could read, what is kept from earlier runs included; None if
        unknown. So many bytes of arrays that lie `there` already are to be read where they are."""
        kept = sum(buffer.size_on_host for buffer in self._kept())
        allowed = None if self._most_on_host is None else max(self._most_on_host - self.held_on_host + kept, 0)
        left = host_memory()
        rooms = None if left is None else left + there, allowed
        return min((room for room in rooms if room is not None), default=None)

    def upload(self, buffer: Buffer, cells: Cells) -> None:
        """Host to device; `cells` has the buffer's type and length."""
        if buffer.count:
            assert cells.dtype == buffer.dtype, "what is uploaded has been converted before"
            self.traffic.up += buffer.size_on_device
            self._upload(buffer, np.ascontiguousarray(cells))

    def upload_at(self, buffer: Buffer, first: int, cells: Cells) -> None:
        """Host to device, from cell `first` on."""
        if len(cells):
            assert cells.dtype == buffer.dtype, "what is uploaded has been converted before"
            self.traffic.up += cells.nbytes
            self._upload_at(buffer, first, np.ascontiguousarray(cells))

    def lock_pages(self, cells: Cells) -> bool:
        """These cells are copied to the device often, and do not change: a device whose copies are faster from pages
        that stay where they are keeps these there as long as the array lives; whether it does."""
        return False

    def reads_in_place(self, cells: Cells) -> bool:
        """Whether kernels can read the host's array where it lies; its pages are locked then as long as it lives."""
        return False

    def over(self, cells: Cells) -> Buffer:
        """A mapped array that is the host's own, which `reads_in_place`."""
        buffer = Buffer(cells.dtype, len(cells), self._over_host(cells), lent=True, placement=ir.Placement.MAPPED)
        self._ours.add(buffer)
        return buffer

    def upload_words(self, buffer: Buffer, cells: Cells) -> None:
        """The initial words of a launch; not counted as traffic."""
        self._upload(buffer, cells)

    def download_words(self, buffer: Buffer) -> Cells:
        """The words that a launch leaves behind; `Kernels` counts their bytes."""
        cells: Cells = np.empty(buffer.count, buffer.dtype)
        self._download(buffer, cells)
        return cells

    def take_words(self, buffer: Buffer, renew: Callable[[], None]) -> Cells:
        """The same; then `renew` asks the device to make them what they are to be before the next launch, for which it
        need not wait then."""
        cells = self.download_words(buffer)
        renew()
        return cells

    def download(self, buffer: Buffer) -> Cells:
        """Device to host."""
        cells: Cells = np.empty(buffer.count, buffer.dtype)
        if buffer.count:
            self.traffic.down += buffer.size_on_device
            self._download(buffer, cells)
        return cells

    def in_place(self, buffer: Buffer) -> Cells | None:
        """The cells where they lie, to be read and changed there; None where the host cannot."""
        return None

    def fill(self, buffer: Buffer, value: Value) -> None:
        """Every cell becomes `value`; nothing crosses."""
        if buffer.count:
            self._fill(buffer, buffer.dtype.type(value))

    def copy(self, destination: Buffer, source: Buffer) -> None:
        """Device to device; both have one type and length."""
        if source.count and source is not destination:
            self._copy(destination, source)

    def read_cell(self, buffer: Buffer, index: int) -> Any:
        """One cell, as a NumPy scalar."""
        assert 0 <= index < buffer.count
        self.traffic.down += buffer.dtype.itemsize
        return self._read_cell(buffer, index)

    def write_cell(self, buffer: Buffer, index: int, value: Value) -> None:
        assert 0 <= index < buffer.count
        self.traffic.up += buffer.dtype.itemsize
        self._write_cell(buffer, index, buffer.dtype.type(value))

    def working(self) -> AbstractContextManager[object]:
        """What work on vectors is to be inside of."""
        return nullcontext()

    def vector_of(self, cells: Cells) -> Any:
        return cells

    def as_vector(self, buffer: Buffer) -> Any:
        return self.download(buffer)

    def as_buffer(self, vector: Any) -> Buffer:
        """The vector as a kernel takes it."""
        buffer = self.allocate(vector.dtype, len(vector))
        self.upload(buffer, vector)
        return buffer

    def allocate_changing(self, dtype: np.dtype[Any], count: int) -> Buffer:
        """Cells of arcs of a graph that changes: the next graph has another number of them."""
        return self.allocate(dtype, count)

    def release_changing(self, buffer: Buffer) -> None:
        """Gives such cells back. None are kept: hardly any other buffer has just this size."""
        if not buffer.lent:
            self._ours.discard(buffer)

    def _free_memory(self) -> int | None:
        """Bytes that the device has left beside those that are `held`; None if unknown."""
        return None

    @abstractmethod
    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        """Memory for `count` cells, one at least; MemoryError where there is none."""

    def _allocate_mapped(self, dtype: np.dtype[Any], count: int) -> Any:
        """The same in page-locked memory of the host, which kernels read."""
        raise AssertionError(f"{self.name} has no mapped memory, so nothing is placed in it")

    def _allocate_managed(self, dtype: np.dtype[Any], count: int) -> Any:
        """The same in managed memory, whose pages the driver moves."""
        raise AssertionError(f"{self.name} has no managed memory, so nothing is placed in it")

    def _allocate_split(self, dtype: np.dtype[Any], count: int, near: int) -> Any:
        """Memory of both at consecutive addresses, the first `near` cells the device's; where the host is the device,
        that is the host's."""
        assert self.split_unit is not None, f"{self.name} splits no arrays"
        return self._allocate_mapped(dtype, count)

    def _over_host(self, cells: Cells) -> Any:
        """The memory of cells that kernels read in place."""
        raise AssertionError(f"{self.name} reads no arrays of the host in place")

    def _upload(self, buffer: Buffer, cells: Cells) -> None:
        self._upload_at(buffer, 0, cells)

    @abstractmethod
    def _upload_at(self, buffer: Buffer, first: int, cells: Cells) -> None: ...

    def _download(self, buffer: Buffer, cells: Cells) -> None:
        self._download_at(buffer, 0, cells)

    @abstractmethod
    def _download_at(self, buffer: Buffer, first: int, cells: Cells) -> None: ...

    @abstractmethod
    def _fill(self, buffer: Buffer, value: Any) -> None: ...

    @abstractmethod
    def _copy(self, destination: Buffer, source: Buffer) -> None: ...

    def _read_cell(self, buffer: Buffer, index: int) -> Any:
        cell = np.empty(1, buffer.dtype)
        self._download_at(buffer, index, cell)
        return cell[0]

    def _write_cell(self, buffer: Buffer, index: int, value: Any) -> None:
        self._upload_at(buffer, index, np.array([value], buffer.dtype))
