"""Devices whose memory and the host's are two: cells outside their place are poison, and so is all memory that is new.

An array that lies in both is held twice, each half with poison where the other one has the cells. What a kernel reads
is put together from both halves at every launch, and is not written back. So a transfer that is missing, a cell that is
sought in the wrong place, a kernel that writes to the host's memory and an array that is read before it is filled all
change an answer, or end in an index outside an array.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from starplat.ir import nodes as ir
from starplat.ir.own_arcs import arrays_of_arcs
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.cuda import CudaDevice
from starplat.runtime.devices.device import Device, Kernels, LaunchSize
from starplat.runtime.devices.opencl import OpenCLDevice, OpenCLKernels
from starplat.runtime.devices.reference import ReferenceDevice, ReferenceKernels
from starplat.runtime.elements import Cells, Value
from starplat.runtime.session import Session

POISON = 0xA5
"""Every byte of it."""


@dataclass(eq=False)
class Halves:
    """The two memories of an array, `near` cells of which are the device's; `joined` is what kernels are given."""

    near: int
    device: Buffer
    host: Cells
    joined: Buffer


class TwoMemories(Device):
    """Goes before a device's class. `late` leaves out what uploads put into the host's memory."""

    late = False

    def allocate(
        self, dtype: np.dtype[Any], count: int, placement: ir.Placement = ir.Placement.DEVICE, near: int = 0
    ) -> Buffer:
        buffer = super().allocate(dtype, count, placement, near)
        self._poison(buffer)
        return buffer

    def allocate_word(self, dtype: np.dtype[Any], count: int = 1) -> Buffer:
        buffer = super().allocate_word(dtype, count)
        self._poison(buffer)
        return buffer

    def _poison(self, buffer: Buffer) -> None:
        memory = buffer.memory
        if isinstance(memory, Halves):
            memory.host[:] = poison(buffer.dtype, memory.host.size)
            buffer = memory.device
        if buffer.count:
            super()._upload(buffer, poison(buffer.dtype, buffer.count))

    def _allocate_mapped(self, dtype: np.dtype[Any], count: int) -> Any:
        return self._allocate_split(dtype, count, 0)

    def _allocate_split(self, dtype: np.dtype[Any], count: int, near: int) -> Any:
        device, joined = (Buffer(dtype, count, self._allocate(dtype, count)) for _ in range(2))
        return Halves(near, device, np.empty(count, dtype), joined)

    def _upload(self, buffer: Buffer, cells: Cells) -> None:
        halves = buffer.memory
        if not isinstance(halves, Halves):
            super()._upload(buffer, cells)
            return
        whole = poison(buffer.dtype, halves.device.count)
        whole[: halves.near] = cells[: halves.near]
        super()._upload(halves.device, whole)
        if not self.late:
            halves.host[halves.near : len(cells)] = cells[halves.near :]

    def _download(self, buffer: Buffer, cells: Cells) -> None:
        halves = buffer.memory
        if not isinstance(halves, Halves):
            super()._download(buffer, cells)
            return
        whole = np.empty(halves.device.count, buffer.dtype)
        super()._download(halves.device, whole)
        cells[: halves.near] = whole[: halves.near]
        cells[halves.near :] = halves.host[halves.near : len(cells)]

    def _fill(self, buffer: Buffer, value: Any) -> None:
        if isinstance(buffer.memory, Halves):
            self._upload(buffer, np.full(buffer.count, value, buffer.dtype))
        else:
            super()._fill(buffer, value)

    def _copy(self, destination: Buffer, source: Buffer) -> None:
        if isinstance(source.memory, Halves) or isinstance(destination.memory, Halves):
            cells: Cells = np.empty(source.count, source.dtype)
            self._download(source, cells)
            self._upload(destination, cells)
        else:
            super()._copy(destination, source)

    def _read_cell(self, buffer: Buffer, index: int) -> Any:
        halves = buffer.memory
        if not isinstance(halves, Halves):
            return super()._read_cell(buffer, index)
        return super()._read_cell(halves.device, index) if index < halves.near else halves.host[index]

    def _write_cell(self, buffer: Buffer, index: int, value: Any) -> None:
        assert not isinstance(buffer.memory, Halves), "arrays that lie in both memories are only read"
        super()._write_cell(buffer, index, value)

    def for_kernels(self, buffer: Buffer) -> Buffer:
        """What a launch reads: of an array in both memories, the cells of each where they belong."""
        halves = buffer.memory
        if not isinstance(halves, Halves):
            return buffer
        whole = np.empty(halves.device.count, buffer.dtype)
        super()._download(halves.device, whole)
        whole[halves.near :] = halves.host[halves.near :]
        super()._upload(halves.joined, whole)
        return replace(buffer, memory=halves.joined.memory)


@dataclass
class Count:
    """Bytes that kernels have read of arrays of arcs on the device and on the host, and how many lines of 128 bytes of
    the host's memory, each once for a launch and an array."""

    device: int = 0
    host: int = 0
    lines: int = 0


class CountedView:
    """What a launch reads of an array whose first `near` cells are on the device, cell by cell."""

    def __init__(self, cells: Cells, near: int, count: Count) -> None:
        self._cells = cells.data
        self._near = near
        self._count = count
        self._lines: set[int] = set()

    @property
    def shape(self) -> tuple[int, ...]:
        return self._cells.shape

    def __getitem__(self, place: Any) -> Any:
        first, end = (place.start, place.stop) if isinstance(place, slice) else (place, place + 1)
        count, size = self._count, self._cells.itemsize
        far = range(max(first, self._near), end)
        count.device += (max(end - first, 0) - len(far)) * size
        count.host += len(far) * size
        lines = {cell * size // 128 for cell in far} - self._lines
        self._lines |= lines
        count.lines += len(lines)
        return self._cells[place]


class CountedCells(np.ndarray[Any, np.dtype[Any]]):
    """The cells of an array of arcs; kernels are given their `data`."""

    near: int
    count: Count

    def __array_finalize__(self, other: Any) -> None:
        if isinstance(other, CountedCells):
            self.near, self.count = other.near, other.count

    @property
    def data(self) -> Any:
        return CountedView(self.view(np.ndarray), self.near, self.count)


class PoisonedReference(TwoMemories, ReferenceDevice):
    """The interpreter's. It counts what kernels read of arrays of arcs that they only read."""

    def __init__(self) -> None:
        super().__init__()
        self.count = Count()

    def counted(self, joined: Buffer, near: int) -> Buffer:
        """The array as kernels are to be given it."""
        cells = joined.memory.view(CountedCells)
        cells.near, cells.count = near, self.count
        return replace(joined, memory=cells)

    def read(self) -> Count:
        """What has been counted since it was asked last."""
        count, self.count = self.count, Count()
        return count

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        return _ReferenceKernels(self, module, wide_arcs)


class _ReferenceKernels(ReferenceKernels):
    def _launch(
        self, kernel: ir.Kernel, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        assert isinstance(self.device, PoisonedReference)
        used = {*(array.name for array in kernel.arrays), *(r.into.name for r in kernel.reductions if r.into)}
        joined = {name: self.device.for_kernels(arrays[name]) for name in used}
        for array in arrays_of_arcs(kernel):
            joined[array.name] = self.device.counted(joined[array.name], arrays[array.name].cells_on_device)
        return super()._launch(kernel, joined, scalars, size)


class PoisonedOpenCL(TwoMemories, OpenCLDevice):
    """An OpenCL device's."""

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        built = super().build(module, wide_arcs=wide_arcs)
        assert isinstance(built, OpenCLKernels)
        return _OpenCLKernels(self, module, wide_arcs, built._program, built.cached)


class _OpenCLKernels(OpenCLKernels):
    def memory(self, buffer: Buffer) -> Any:
        assert isinstance(self.device, PoisonedOpenCL)
        return super().memory(self.device.for_kernels(buffer))


class PoisonedCuda(TwoMemories, CudaDevice):
    """A GPU's, for runs whose arrays lie on the device."""


def poison(dtype: np.dtype[Any], count: int) -> Cells:
    """So many cells of it."""
    return np.full(count * dtype.itemsize, POISON, np.uint8).view(dtype)


def session_with(device: Device) -> Session:
    """A session whose first device of its target is this one."""
    session = Session()
    session._devices[device.target, 0] = device
    return session
