"""A CuPy that is NumPy: enough of it to see what the device of target `cuda` asks for, where there is no GPU.

Memory lies on the host; what matters here is which arrays are taken for the GPU's own, and when it is waited for.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np


class DriverError(Exception):
    """CuPy's CUDADriverError."""


class RuntimeFaultError(Exception):
    """CuPy's CUDARuntimeError."""

    def __init__(self, text: str = "", status: int = 1) -> None:
        super().__init__(text)
        self.status = status


class OutOfMemoryError(MemoryError):
    """CuPy's OutOfMemoryError."""


class Array:
    """`cupy.ndarray`: `cells` on GPU `number`, at the beginning of an allocation of `room` bytes."""

    def __init__(self, cells: np.ndarray[Any, Any], number: int = 0, room: int | None = None) -> None:
        self.cells = cells
        self.number = number
        self.owner: Any = None
        self.dtype, self.shape, self.nbytes, self.flags = cells.dtype, cells.shape, cells.nbytes, cells.flags
        allocation = SimpleNamespace(
            ptr=cells.ctypes.data, size=-(-cells.nbytes // 512) * 512 if room is None else room
        )
        self.data = SimpleNamespace(ptr=cells.ctypes.data, mem=allocation, copy_from_device_async=self._copied)
        self.data.memset_async = self._set_bytes

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        strides = None if self.flags.c_contiguous else self.cells.strides
        return {
            "data": (self.data.ptr, not self.cells.flags.writeable),
            "shape": self.shape,
            "typestr": self.dtype.str,
            "strides": strides,
            "version": 3,
        }

    def __getitem__(self, cut: slice) -> Array:
        part = Array(self.cells[cut], self.number, room=0)
        part.data.mem = self.data.mem
        return part

    def __len__(self) -> int:
        return len(self.cells)

    def _copied(self, source: Any, size: int, stream: Any) -> None:
        others = BY_ADDRESS[source.ptr].view(np.uint8)
        self.cells.view(np.uint8)[:size] = others[:size]

    def _set_bytes(self, byte: int, size: int) -> None:
        assert size == self.nbytes
        self.cells.view(np.uint8).fill(byte)

    def view(self, dtype: np.dtype[Any]) -> Array:
        return Array(self.cells.view(dtype), self.number, room=0)

    def set(self, cells: np.ndarray[Any, Any]) -> None:
        self.cells[:] = cells

    def get(self, out: np.ndarray[Any, Any] | None = None) -> np.ndarray[Any, Any]:
        if out is None:
            return self.cells.copy()
        out[:] = self.cells
        return out

    def fill(self, value: Any) -> None:
        self.cells.fill(value)


class PinnedMemory:
    """`cupy.cuda.PinnedMemory`: page-locked memory of the host, of which there may be none left."""

    room = 2**30

    def __init__(self, size: int, flags: int) -> None:
        if size > PinnedMemory.room:
            raise RuntimeFaultError("cudaErrorMemoryAllocation", 2)
        self.cells = np.full(size, 255, np.uint8)
        self.ptr = self.cells.ctypes.data


BY_ADDRESS: dict[int, np.ndarray[Any, Any]] = {}
"""Cells by where they begin, as the driver knows them."""


class Device:
    """`cupy.cuda.Device`."""

    def __init__(self, number: int) -> None:
        self.id = number
        self.waited = 0

    def synchronize(self) -> None:
        self.waited += 1

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None: ...


class Event:
    """`cupy.cuda.Event`; the clock goes on by a millisecond with every one that is recorded."""

    clock = 0.0

    def record(self) -> None:
        Event.clock += 1.0
        self.time = Event.clock

    def synchronize(self) -> None: ...


class Stream:
    """Everything on it has happened already."""

    ptr = 0

    def synchronize(self) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: object, trace: object) -> None: ...


class CuPy:
    """The module. `arrays` remembers which GPU owns an address."""

    def __init__(self) -> None:
        self.free = 2**30
        self.owners: dict[int, int] = {}
        self.advised: list[tuple[int, int]] = []
        self.locked: dict[int, int] = {}
        runtime = SimpleNamespace(
            CUDARuntimeError=RuntimeFaultError,
            getDeviceProperties=lambda index: {"name": b"Stand-in", "major": 9, "minor": 0, "multiProcessorCount": 4},
            pointerGetAttributes=self._attributes,
            memGetInfo=lambda: (self.free, 2**34),
            hostAllocMapped=2,
            memcpyAsync=lambda to, address, size, kind, stream: ctypes.memmove(to, address, size),
            hostRegister=self._lock,
            hostUnregister=self.locked.pop,
            memAdvise=lambda address, size, advice, number: self.advised.append((advice, number)),
        )
        stream = Stream()
        self.cuda = SimpleNamespace(
            runtime=runtime,
            driver=SimpleNamespace(CUDADriverError=DriverError),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            PinnedMemory=PinnedMemory,
            malloc_managed=self._managed,
            UnownedMemory=lambda ptr, size, owner, number: owner,
            MemoryPointer=lambda owner, offset: owner,
            Device=Device,
            Event=Event,
            get_elapsed_time=lambda begin, end: end.time - begin.time,
            get_current_stream=lambda: stream,
        )

    def of(self, values: Any, dtype: Any = np.int32, number: int = 0, room: int | None = None) -> Array:
        """An array on a GPU."""
        array = Array(np.array(values, dtype), number, room)
        self.owners[array.data.ptr] = number
        BY_ADDRESS[array.data.ptr] = array.cells
        return array

    def _lock(self, address: int, size: int, flags: int) -> None:
        if flags:
            raise RuntimeFaultError("cudaErrorNotSupported", 801)
        if any(address < first + room and first < address + size for first, room in self.locked.items()):
            raise RuntimeFaultError("cudaErrorHostMemoryAlreadyRegistered", 712)
        self.locked[address] = size

    def _attributes(self, address: int) -> SimpleNamespace:
        is_locked = any(first <= address < first + size for first, size in self.locked.items())
        return SimpleNamespace(device=self.owners.get(address, -1), devicePointer=address if is_locked else 0)

    def _managed(self, size: int) -> PinnedMemory:
        return PinnedMemory(size, 0)

    def ndarray(self, count: int, dtype: Any, memory: PinnedMemory) -> Array:
        array = Array(memory.cells.view(dtype)[:count])
        array.owner = memory
        return array

    def empty(self, count: int, dtype: Any) -> Array:
        if count * np.dtype(dtype).itemsize > self.free:
            raise OutOfMemoryError
        return self.of(np.zeros(count, dtype), dtype)

    def asarray(self, value: Any) -> Any:
        return value

    def asnumpy(self, value: Array) -> np.ndarray[Any, Any]:
        return value.get()

    def from_dlpack(self, value: Any) -> Any:
        return value.inner

    def get_default_memory_pool(self) -> Any:
        return SimpleNamespace(free_bytes=lambda: 0, free_all_blocks=lambda: None)
