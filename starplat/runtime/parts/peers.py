"""Ranks that are threads of one process, each with a GPU of its own: cells go from one GPU to the other.

Streams wait for each other by events, and the host only tells the events around. A GPU reads what it needs of the
others' arrays while these rest, so nothing spins on a device, and a rank that fails leaves no other waiting there.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from typing import Any

import numpy as np

from starplat.ir import nodes as ir
from starplat.runtime.devices import buffers, device_memory
from starplat.runtime.elements import Cells
from starplat.runtime.parts import communicator, threads


class PeerCommunicator(threads.ThreadCommunicator):
    """One of the ranks; its thread is inside of its device and stream, and `cells` are arrays of CuPy."""

    on_host = False

    def cells(self, device: device_memory.DeviceMemory, buffer: buffers.Buffer) -> Cells:
        own: Cells = buffer.memory[: buffer.count]
        return own

    def put(self, device: device_memory.DeviceMemory, buffer: buffers.Buffer, cells: Cells) -> None:
        own: Any = buffer.memory[: buffer.count]
        if _address(own) != _address(cells):
            own[...] = cells

    @contextmanager
    def running(self, device: device_memory.DeviceMemory) -> Iterator[None]:
        device.waiting = self._meeting.turn.left
        try:
            with self._meeting.turn.kept():
                yield
        finally:
            device.waiting = nullcontext

    def combine(self, cells: Cells, combine: ir.Combine) -> Cells:
        bounds = np.linspace(0, len(cells), self.size + 1).astype(np.int64).tolist()
        first, end = bounds[self.rank], bounds[self.rank + 1]
        self.counted((len(cells) - (end - first)) * cells.dtype.itemsize)
        total: Any = None
        for of_rank in self._others_ready(cells):
            piece = of_rank[first:end]
            if of_rank is not cells:
                piece = _brought(piece, like=cells)
            total = piece if total is None else communicator.OPERATIONS[combine](total, piece)
        if first < end:
            cells[first:end] = total
        return self._exchanged(cells, bounds)

    def share(self, cells: Cells, bounds: list[int]) -> Cells:
        self.counted((bounds[self.rank + 1] - bounds[self.rank]) * cells.dtype.itemsize)
        return self._exchanged(cells, bounds)

    def _exchanged(self, cells: Cells, bounds: list[int]) -> Cells:
        """The cells, with those of every other rank from its `bounds` brought over."""
        for rank, (of_rank, (first, end)) in enumerate(zip(self._others_ready(cells), pairwise(bounds), strict=True)):
            if rank != self.rank and first < end:
                _copy(cells[first:end], of_rank[first:end])
        self._others_ready(cells)  # they have read ours, which we may change now
        return cells

    def _others_ready(self, cells: Any) -> list[Any]:
        """What every rank gives, with the stream here waiting until it has been made there."""
        stream = _stream()
        found = self.gather((cells, stream.record()))
        for rank, (_, made) in enumerate(found):
            if rank != self.rank:
                stream.wait_event(made)
        return [of_rank for of_rank, _ in found]


def _stream() -> Any:
    import cupy

    return cupy.cuda.get_current_stream()


def _brought(cells: Any, like: Any) -> Any:
    """A copy on the GPU of this thread."""
    import cupy

    here = cupy.empty(cells.shape, like.dtype)
    _copy(here, cells)
    return here


def _copy(here: Any, there: Any) -> None:
    """Copies cells of another GPU, by the driver, without way of the host where GPUs reach each other's memory."""
    here.data.copy_from_device_async(there.data, there.nbytes, _stream())


def _address(cells: Any) -> int:
    return int(cells.data.ptr)
