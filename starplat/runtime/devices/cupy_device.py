"""A GPU through CuPy: memory pool, current stream, clock, faults."""

import ctypes
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from starplat.backends.cuda_family import BLOCKS_PER_MULTIPROCESSOR
from starplat.ir import nodes as ir
from starplat.runtime.arguments.caller_arrays import CUDA_DEVICES, cell_run, cuda_interface, dlpack_device
from starplat.runtime.devices.buffers import Adopted, Buffer, whole_words
from starplat.runtime.devices.cuda_split import DriverFaultError, RefusedError, SplitMemory, changes_atomically, unit
from starplat.runtime.devices.device import ArrayDevice
from starplat.runtime.devices.device_faults import Faults, device_fault
from starplat.runtime.elements import Cells, is_of_file

_SPARE = 32
"""One part in so many may stay unused of a block for cells of arcs that change."""
_LEAST = 512
"""Bytes: blocks are multiples of so many."""

_REACHED_ALREADY = 704
"""CUDA's number for access to another GPU's memory that has been enabled before."""
_TO_LIE_THERE = 3
"""CUDA's number for the advice that managed memory is to lie on a device."""
_READ_ONLY = 8
"""CUDA's flag for locking pages that may not be written."""
_LEAST_LOCKED = 1 << 20
"""Bytes: locking fewer takes longer than is gained."""
_LOCKED_ALREADY = 712
"""CUDA's number for pages that somebody else has locked."""
_SAME_ADDRESS = 91
"""CUDA's number for the question whether a GPU reads locked pages by the host's addresses."""
_NO_MEMORY = 2
"""CUDA's number for an allocation that finds no room."""
_TO_HOST = 2
"""CUDA's number for copies from the device to the host."""
_MOST_LANDED = 4096
"""Bytes up to which what comes from the device lands in locked pages, for which the driver waits less often than for
others."""


class CupyDevice(ArrayDevice):
    """One GPU, which runs operations in order."""

    reaches_others = True

    def __init__(self, cupy: Any, index: int) -> None:
        self.cupy = cupy
        try:
            properties = cupy.cuda.runtime.getDeviceProperties(index)
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise device_fault(f"GPU {index}", str(error), "does not answer") from error
        super().__init__(properties["name"].decode())
        self.errors = cupy.cuda.driver.CUDADriverError, cupy.cuda.runtime.CUDARuntimeError
        self.faults = Faults(self.name, self.errors)
        """Errors of the driver and the runtime as diagnostics."""
        self.device = cupy.cuda.Device(index)
        self.architecture = f"sm_{properties['major']}{properties['minor']}"
        self.multiprocessors = int(properties["multiProcessorCount"])
        self.most_blocks = BLOCKS_PER_MULTIPROCESSOR * properties["multiProcessorCount"]
        self.split_unit = unit(index)
        self._waiting: Any = None  # the event with which a stopwatch begins, until there is something to do
        self._ended: Any = None  # the event behind all that the device has been asked for, where there is one
        self._landing: _Landing | None = None
        self._operation = _Operation(self)
        self._locked: dict[int, tuple[int, set[int]]] = {}  # by address: bytes in locked pages, which arrays are there
        self._changing_rooms: dict[int, int] = {}  # bytes of blocks for cells of arcs that change, by bytes of a cell

    def address(self, buffer: Buffer) -> int:
        return int(buffer.memory.data.ptr)

    def stop_word(self) -> tuple[Buffer, Cells]:
        word = self.allocate(np.dtype(np.int64), 1, ir.Placement.MAPPED)
        self._ours.discard(word)
        return word, cells_of_host(word)

    def reach(self, others: Iterable[int]) -> bool:
        """Lets kernels here use the memory of other GPUs; whether they can, with atomic operations too."""
        runtime = self.cupy.cuda.runtime
        with self.faults, self.device:
            for other in others:
                if not runtime.deviceCanAccessPeer(self.device.id, other):
                    return False
                if not changes_atomically(self.device.id, other):
                    return False
                try:
                    runtime.deviceEnablePeerAccess(other)
                except runtime.CUDARuntimeError as error:
                    if error.status != _REACHED_ALREADY:
                        raise
        return True

    def synchronise(self) -> None:
        with self.waiting(), self.faults, self.device:
            self.cupy.cuda.get_current_stream().synchronize()

    def stopwatch(self) -> Callable[[], float]:
        """Its clock begins with the first operation that the device is asked for, and ends when the last one is done:
        where the host has waited for that, it does not go on while the host finds out that nothing follows."""
        self.synchronise()
        with self.faults, self.device:
            begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        self._waiting, self._ended = begin, None

        def stop() -> float:
            last = self._ended
            with self.waiting(), self.operation():
                if last is None:
                    last = end
                    last.record()
                last.synchronize()
                return float(self.cupy.cuda.get_elapsed_time(begin, last)) / 1e3

        return stop

    def operation(self) -> "_Operation":
        """Something that the device is asked to do."""
        return self._operation

    def begin_clock(self) -> None:
        """Starts a stopwatch that waits for something to do."""
        if self._waiting is not None:
            self._waiting.record()
            self._waiting = None

    def more_follows(self) -> None:
        self._ended = None

    def as_here(self) -> Callable[[], AbstractContextManager[object]]:
        """CuPy's current stream is that of a thread."""
        with self.faults, self.device:
            stream = self.cupy.cuda.get_current_stream()
        return partial(self._on_stream, stream)

    @contextmanager
    def _on_stream(self, stream: Any) -> Iterator[None]:
        with self.device, stream:
            yield

    def trim(self) -> None:
        super().trim()
        with self.faults, self.device:
            self.cupy.get_default_memory_pool().free_all_blocks()

    @property
    def vector_module(self) -> Any:
        return self.cupy

    def working(self) -> AbstractContextManager[object]:
        return self.operation()

    def vector_of(self, cells: Cells) -> Any:
        self.traffic.up += cells.nbytes
        with self.operation():
            return self.cupy.asarray(cells)

    def as_vector(self, buffer: Buffer) -> Any:
        return buffer.memory[: buffer.count]

    def as_buffer(self, vector: Any) -> Buffer:
        return Buffer(vector.dtype, len(vector), vector, lent=True)

    def allocate_changing(self, dtype: np.dtype[Any], count: int) -> Buffer:
        """In a block that also has room for a slightly larger graph, so that CuPy's pool finds it again for the next
        one."""
        size = max(count, 1) * dtype.itemsize
        room = self._changing_rooms.get(dtype.itemsize, 0)
        if not size <= room <= size + size // _SPARE + _LEAST:
            room = -(-(size + size // (2 * _SPARE)) // _LEAST) * _LEAST
            self._changing_rooms[dtype.itemsize] = room
        whole = self.allocate(dtype, room // dtype.itemsize)
        self._ours.discard(whole)
        buffer = Buffer(dtype, count, whole.memory)
        self._ours.add(buffer)
        return buffer

    def adopt(self, array: Any, dtype: np.dtype[Any], count: int) -> Adopted | None:
        with self.faults, self.device:
            found = self._own(array, dtype, count) if count else None
            if found is None:
                return None
            view, read_only = found
            self.device.synchronize()  # whatever stream it was made on
        start, size = int(view.data.ptr), int(view.nbytes)
        room = int(view.data.mem.ptr) + int(view.data.mem.size) - start
        loose = start % 4 != 0 or room < whole_words(size)
        return Adopted(view, (None, start, start + size), read_only, loose)

    def _own(self, array: Any, dtype: np.dtype[Any], count: int) -> tuple[Any, bool] | None:
        """The array as CuPy sees it where it lies, and whether it is read-only; None if it is not as it should be."""
        interface, read_only = cuda_interface(array), False
        if interface is not None:
            run = cell_run(interface, dtype, count)
            if run is None or self._owner(run[0]) != self.device.id:
                return None
            view, read_only = self.cupy.asarray(array), run[1]
        else:
            kind, number = dlpack_device(array) or (0, 0)
            if kind not in CUDA_DEVICES or number != self.device.id:
                return None
            view = self.cupy.from_dlpack(array)
        fits = view.dtype == dtype and view.shape == (count,) and view.flags.c_contiguous
        return (view, read_only) if fits else None

    def _owner(self, address: int) -> int:
        """The number of the GPU that memory lies on."""
        return int(self.cupy.cuda.runtime.pointerGetAttributes(address).device)

    def export(self, buffer: Buffer) -> Any:
        return buffer.memory[: buffer.count]

    def _free_memory(self) -> int | None:
        with self.faults, self.device:
            free, _ = self.cupy.cuda.runtime.memGetInfo()
            return int(free) + int(self.cupy.get_default_memory_pool().free_bytes())

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        try:
            with self.faults, self.device:
                return self.cupy.empty(whole_words(count * dtype.itemsize) // dtype.itemsize, dtype)
        except self.cupy.cuda.memory.OutOfMemoryError as error:
            raise MemoryError(str(error)) from error

    def _allocate_mapped(self, dtype: np.dtype[Any], count: int) -> Any:
        """An array over page-locked memory, whose address is the same for the host and the GPU."""
        cuda, size = self.cupy.cuda, whole_words(count * dtype.itemsize)
        try:
            with self.device:
                owner = cuda.PinnedMemory(size, cuda.runtime.hostAllocMapped)
        except cuda.runtime.CUDARuntimeError as error:
            if error.status != _NO_MEMORY:
                raise device_fault(self.name, str(error)) from error
            raise MemoryError(str(error)) from error
        return self._over(owner, owner.ptr, size, dtype)

    def _allocate_managed(self, dtype: np.dtype[Any], count: int) -> Any:
        """An array over managed memory that is to lie on the GPU."""
        cuda, size = self.cupy.cuda, whole_words(count * dtype.itemsize)
        try:
            with self.device:
                memory = cuda.malloc_managed(size)
                cuda.runtime.memAdvise(memory.ptr, size, _TO_LIE_THERE, self.device.id)
        except cuda.runtime.CUDARuntimeError as error:
            if error.status != _NO_MEMORY:
                raise device_fault(self.name, str(error)) from error
            raise MemoryError(str(error)) from error
        return self.cupy.ndarray(size // dtype.itemsize, dtype, memory)

    def _allocate_split(self, dtype: np.dtype[Any], count: int, near: int) -> Any:
        """An array over memory of both; the first `near` cells are the GPU's."""
        size = whole_words(count * dtype.itemsize)
        try:
            with self.device:
                owner = SplitMemory(self.device.id, size, near * dtype.itemsize)
        except RefusedError:
            self.split_unit = None  # from now on arrays lie in one place or the other
            raise
        except DriverFaultError as error:
            raise device_fault(self.name, str(error)) from error
        return self._over(owner, owner.address, size, dtype)

    def _over(self, owner: Any, address: int, size: int, dtype: np.dtype[Any]) -> Any:
        """An array over memory that is the `owner`'s."""
        cuda = self.cupy.cuda
        memory = cuda.UnownedMemory(address, size, owner, self.device.id)
        return self.cupy.ndarray(size // dtype.itemsize, dtype, cuda.MemoryPointer(memory, 0))

    def _upload(self, buffer: Buffer, cells: Cells) -> None:
        near = buffer.cells_on_device
        if near:
            with self.operation():
                buffer.memory[:near].set(cells[:near])
        if near < buffer.count:
            self.synchronise()
            cells_of_host(buffer)[:] = cells[near:]

    def lock_pages(self, cells: Cells) -> bool:
        address, size = int(cells.ctypes.data), cells.nbytes
        if size < _LEAST_LOCKED or not cells.flags.c_contiguous:
            return False  # one value for all is a cell, whatever its size
        runtime = self.cupy.cuda.runtime
        if address not in self._locked:
            if is_of_file(cells) and (room := self.free_on_host()) is not None and size > room:
                return False  # locking brings all pages to memory
            try:
                with self.device:
                    runtime.hostRegister(address, size, 0 if cells.flags.writeable else _READ_ONLY)
            except runtime.CUDARuntimeError as error:  # such pages are copied all the same, more slowly
                return bool(error.status == _LOCKED_ALREADY) and self._reads_all(address, size)
            self._locked[address] = size, set()
        locked, arrays = self._locked[address]
        if locked < size:  # another array begins there too
            return False
        if id(cells) not in arrays:
            arrays.add(id(cells))
            end = weakref.finalize(cells, _unlock, runtime, self.device, self._locked, address, id(cells))
            end.atexit = False
        return True

    def reads_in_place(self, cells: Cells) -> bool:
        by_its_address = self.cupy.cuda.runtime.deviceGetAttribute(_SAME_ADDRESS, self.device.id)
        return bool(by_its_address) and self.lock_pages(cells)

    def _reads_all(self, address: int, size: int) -> bool:
        """Whether kernels reach the first and the last of so many bytes: somebody may have locked only a part."""
        with self.device:
            ends = ((at, self.cupy.cuda.runtime.pointerGetAttributes(at)) for at in (address, address + size - 1))
            return all(int(found.devicePointer) == at for at, found in ends)

    def _over_host(self, cells: Cells) -> Any:
        return self._over(cells, int(cells.ctypes.data), cells.nbytes, cells.dtype)

    def _upload_at(self, buffer: Buffer, first: int, cells: Cells) -> None:
        assert buffer.placement is ir.Placement.DEVICE, "only arrays on the device are filled in pieces"
        with self.operation():
            buffer.memory[first : first + len(cells)].set(cells)

    def take_words(self, buffer: Buffer, renew: Callable[[], None]) -> Cells:
        """They are renewed before they are waited for, while the launch goes on."""
        if (landing := self._landing_for(buffer.size)) is None:
            return super().take_words(buffer, renew)
        cells: Cells = np.empty(buffer.count, buffer.dtype)
        with self.operation():
            landing.send(self.cupy, int(buffer.memory.data.ptr), buffer.size)
            renew()
            landing.behind.record()
            with self.waiting():
                landing.take(cells)
        self._ended = landing.behind
        return cells

    def _landing_for(self, size: int) -> "_Landing | None":
        """Where so many bytes land; None where they are many, or the host has no page to lock."""
        if size > _MOST_LANDED:
            return None
        if self._landing is None:
            with suppress(MemoryError):
                memory = self._allocate_mapped(np.dtype(np.uint8), _MOST_LANDED)
                place = Buffer(np.dtype(np.uint8), _MOST_LANDED, memory, placement=ir.Placement.MAPPED)
                with self.faults, self.device:
                    events = self.cupy.cuda.Event(), self.cupy.cuda.Event()
                self._landing = _Landing(place, cells_of_host(place), *events)
        return self._landing

    def _download(self, buffer: Buffer, cells: Cells) -> None:
        near = buffer.cells_on_device
        if near:
            self._download_at(buffer, 0, cells[:near])
        if near < buffer.count:
            self.synchronise()
            cells[near:] = cells_of_host(buffer)

    def _fill(self, buffer: Buffer, value: Any) -> None:
        memory, each = buffer.memory, value.tobytes()
        with self.operation():
            if each.count(each[0]) == len(each):
                memory.data.memset_async(each[0], memory.nbytes)
            else:
                bits = np.dtype(f"u{value.itemsize}")  # CuPy would write 0.0 for -0.0
                memory.view(bits).fill(value.view(bits))

    def _copy(self, destination: Buffer, source: Buffer) -> None:
        near = source.cells_on_device
        if near:
            with self.operation():
                destination.memory.data.copy_from_device_async(
                    source.memory.data, near * source.dtype.itemsize, self.cupy.cuda.get_current_stream()
                )
        if near < source.count:
            with self.operation():
                destination.memory[near : source.count].set(cells_of_host(source))

    def _download_at(self, buffer: Buffer, first: int, cells: Cells) -> None:
        if (landing := self._landing_for(cells.nbytes)) is None:
            with self.waiting(), self.operation():
                buffer.memory[first : first + len(cells)].get(out=cells)
            return
        with self.operation():
            landing.send(self.cupy, int(buffer.memory.data.ptr) + first * buffer.dtype.itemsize, cells.nbytes)
            with self.waiting():
                landing.take(cells)
        self._ended = landing.arrived

    def _write_cell(self, buffer: Buffer, index: int, value: Any) -> None:
        with self.operation():
            buffer.memory[index : index + 1].set(np.full(1, value, buffer.dtype))


@dataclass(frozen=True, slots=True)
class _Landing:
    """Locked pages in which few bytes from the device land, with the event that they have, and one for what is asked
    of the device meanwhile."""

    memory: Buffer
    cells: Cells
    arrived: Any
    behind: Any

    def send(self, cupy: Any, address: int, size: int) -> None:
        """Asks for the bytes at an address of the device."""
        stream = cupy.cuda.get_current_stream()
        cupy.cuda.runtime.memcpyAsync(int(self.memory.memory.data.ptr), address, size, _TO_HOST, stream.ptr)
        self.arrived.record()

    def take(self, cells: Cells) -> None:
        """Waits for them."""
        self.arrived.synchronize()
        cells.view(np.uint8)[:] = self.cells[: cells.nbytes]


class _Operation:
    """Around whatever a device is asked to do, many thousand times in a run: it is the current one meanwhile, clocks
    begin, and errors become diagnostics."""

    __slots__ = ("device",)

    def __init__(self, device: CupyDevice) -> None:
        self.device = device

    def __enter__(self) -> None:
        try:
            self.device.device.__enter__()
            self.device.begin_clock()
            self.device.more_follows()
        except self.device.errors as error:
            raise device_fault(self.device.name, str(error)) from error

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.device.more_follows()
        try:
            self.device.device.__exit__(kind, error, trace)
        except self.device.errors as late:
            raise device_fault(self.device.name, str(error or late)) from late
        if isinstance(error, self.device.errors):
            raise device_fault(self.device.name, str(error)) from error


def cells_of_host(buffer: Buffer) -> Cells:
    """The cells of a buffer that lie in the host's memory: all of a mapped one, those of a split one from `near` on."""
    size, near = buffer.size - buffer.size_on_device, buffer.size_on_device
    part = (ctypes.c_uint8 * size).from_address(int(buffer.memory.data.ptr) + near)
    return np.ctypeslib.as_array(part).view(buffer.dtype)


def _unlock(runtime: Any, device: Any, locked: dict[int, tuple[int, set[int]]], address: int, array: int) -> None:
    """An array in these pages goes; with the last one they need not stay."""
    arrays = locked[address][1]
    arrays.discard(array)
    if arrays:
        return
    del locked[address]
    with suppress(runtime.CUDARuntimeError), device:  # of a device that has failed nothing is left
        runtime.hostUnregister(address)
