"""The seam between a run in parts and what carries cells from one to the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.ir import nodes as ir
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device_memory import DeviceMemory
from starplat.runtime.elements import Cells
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

    def counted(self, size: int) -> None:
        """Counts an exchange."""
        self.bytes += size
        self.times += 1

    def all_fail(self, seconds: float) -> bool:
        """Whether all ranks call this within some seconds, because none of them can go on."""
        return False

    @abstractmethod
    def abort(self, code: int) -> None:
        """Ends all ranks, because this one cannot go on."""
