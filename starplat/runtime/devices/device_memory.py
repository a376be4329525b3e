"""The memory of a device, in buffers, and its traffic with the host.

A target fills in the methods whose names start with an underscore. The public ones count bytes, keep freed memory for
the next run, and leave out what has nothing to do.
"""

import weakref
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device_faults import out_of_memory
from starplat.runtime.elements import Cells, Value

_MOST_RELIEFS = 64


@dataclass(slots=True)
class Traffic:
    """Bytes that went up to the device and came down, and how many kernels were launched."""

    up: int = 0
    down: int = 0
    launches: int = 0


class DeviceMemory(ABC):
    """The memory of one device, in buffers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.traffic = Traffic()
        self.graphs: weakref.WeakKeyDictionary[Graph, Any] = weakref.WeakKeyDictionary()
        """Those that lie here, as `resident.on_device` has brought them; the last one used stands last."""
        self._free: dict[tuple[np.dtype[Any], int, ir.Placement], list[Buffer]] = defaultdict(list)
        self._ours: weakref.WeakSet[Buffer] = weakref.WeakSet()

    def allocate(self, dtype: np.dtype[Any], count: int, placement: ir.Placement = ir.Placement.DEVICE) -> Buffer:
        """Cells with undefined contents.

        Raises:
            DiagnosticError: E0903, there is not enough memory.
        """
        kept = self._free.get((dtype, count, placement))
        if kept:
            return kept.pop()
        room = self._room(dtype, max(count, 1), placement)
        buffer = Buffer(dtype, count, room, placement=placement)
        self._ours.add(buffer)
        return buffer

    def _room(self, dtype: np.dtype[Any], count: int, placement: ir.Placement) -> Any:
        """New memory; where there is none, after what is kept has been given up, then graphs that are not in use."""
        mapped = placement is ir.Placement.MAPPED
        give_up: Iterable[Callable[[], bool]] = (self._trimmed, *([self.relieve] * _MOST_RELIEFS))
        for more in give_up:
            with suppress(MemoryError):
                return self._allocate_mapped(dtype, count) if mapped else self._allocate(dtype, count)
            if not more():
                break
        raise out_of_memory(f"the host, for {self.name}," if mapped else self.name, dtype.itemsize * count)

    def relieve(self) -> bool:
        """Evicts the least recently used graph; False where only the last one is left."""
        graphs = list(self.graphs)
        self.forget_graphs(graphs[:1] if len(graphs) > 1 else ())
        return len(graphs) > 1

    def forget_graphs(self, graphs: Iterable[Graph] | None = None) -> None:
        """Takes graphs off the device, by default all, so that the next run uploads them again."""
        for graph in list(self.graphs if graphs is None else graphs):
            if (resident := self.graphs.pop(graph, None)) is not None:
                resident.give_back()

    def _trimmed(self) -> bool:
        self.trim()
        return True

    def release(self, buffer: Buffer) -> None:
        """Keeps the memory for the next allocation of its size."""
        if not buffer.lent:
            self._free[buffer.dtype, buffer.count, buffer.placement].append(buffer)

    def trim(self) -> None:
        """Gives the memory of released buffers back to the device."""
        self._free.clear()

    def free_memory(self) -> int | None:
        """Bytes that a run could have, what is kept from earlier runs included; None if unknown."""
        left = self._free_memory(_on_device(self._ours))
        return None if left is None else left + sum(map(_on_device, self._free.values()))

    def upload(self, buffer: Buffer, cells: Cells) -> None:
        """Host to device; `cells` has the buffer's type and length."""
        if buffer.count:
            assert cells.dtype == buffer.dtype, "what is uploaded has been converted before"
            self.traffic.up += _on_device([buffer])
            self._upload(buffer, np.ascontiguousarray(cells))

    def upload_words(self, buffer: Buffer, cells: Cells) -> None:
        """The initial words of a launch; not counted as traffic."""
        self._upload(buffer, cells)

    def download_words(self, buffer: Buffer) -> Cells:
        """The words that a launch leaves behind; `Kernels.launch_together` counts their bytes."""
        cells: Cells = np.empty(buffer.count, buffer.dtype)
        self._download(buffer, cells)
        return cells

    def download(self, buffer: Buffer) -> Cells:
        """Device to host."""
        cells: Cells = np.empty(buffer.count, buffer.dtype)
        if buffer.count:
            self.traffic.down += _on_device([buffer])
            self._download(buffer, cells)
        return cells

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
        self.traffic.down += buffer.dtype.itemsize
        return self._read_cell(buffer, index)

    def read_word(self, buffer: Buffer) -> Any:
        """The word of a reduction; `Kernels.launch` counts its bytes."""
        return self._read_cell(buffer, 0)

    def write_cell(self, buffer: Buffer, index: int, value: Value) -> None:
        """One cell."""
        self.traffic.up += buffer.dtype.itemsize
        self._write_cell(buffer, index, buffer.dtype.type(value))

    def _free_memory(self, ours: int) -> int | None:
        """Bytes that the device has left, of which `ours` have been allocated here; None if unknown."""
        return None

    @abstractmethod
    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        """Memory for `count` cells, one at least; MemoryError where there is none."""

    def _allocate_mapped(self, dtype: np.dtype[Any], count: int) -> Any:
        """The same in page-locked memory of the host, which kernels read."""
        raise AssertionError(f"{self.name} has no mapped memory, so nothing is placed in it")

    @abstractmethod
    def _upload(self, buffer: Buffer, cells: Cells) -> None: ...

    @abstractmethod
    def _download(self, buffer: Buffer, cells: Cells) -> None: ...

    @abstractmethod
    def _fill(self, buffer: Buffer, value: Any) -> None: ...

    @abstractmethod
    def _copy(self, destination: Buffer, source: Buffer) -> None: ...

    @abstractmethod
    def _read_cell(self, buffer: Buffer, index: int) -> Any: ...

    @abstractmethod
    def _write_cell(self, buffer: Buffer, index: int, value: Any) -> None: ...


def _on_device(buffers: Iterable[Buffer]) -> int:
    """Bytes of those buffers that lie in the device's memory."""
    return sum(buffer.size for buffer in buffers if buffer.placement is ir.Placement.DEVICE)
