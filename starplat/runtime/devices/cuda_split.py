"""Memory of a GPU and of the host at consecutive addresses, made by the driver's management of virtual memory.

Kernels read all of it by one pointer: the first pages are the GPU's, the others page-locked memory of the host, which
crosses the link as memory of `cudaHostAlloc` does.
"""

import ctypes
import weakref
from contextlib import ExitStack, suppress
from ctypes import byref, c_int, c_size_t, c_uint64
from functools import cache
from typing import Any

_DEVICE, _HOST_NUMA = 1, 3
"""The driver's kinds of places (CUmemLocationType)."""
_PINNED = 1
_READ_AND_WRITE = 3
_OUT_OF_MEMORY = 2
_REFUSALS = (304, 800, 801)
"""What the driver says where the system, a container perhaps, does not let it place memory of the host."""
_NATIVE_ATOMICS = 3
"""What is asked of two devices: whether an atomic operation of one on the other's memory is one."""
_CAN_MAP, _NUMA_NODE, _CAN_MAP_HOST = 102, 134, 141
"""The numbers of what is asked of a device: virtual memory, the host's memory that is nearest, and the same of it."""


class DriverFaultError(Exception):
    """A function of the driver failed otherwise than for want of memory."""


class RefusedError(MemoryError):
    """Memory of the host cannot be placed so here, whatever the driver says of itself."""


class _Place(ctypes.Structure):
    _fields_ = (("kind", c_int), ("number", c_int))


class _Properties(ctypes.Structure):
    _fields_ = (
        ("kind", c_int),
        ("handles", c_int),
        ("place", _Place),
        ("security", ctypes.c_void_p),
        ("flags", ctypes.c_ubyte * 8),
    )


class _Access(ctypes.Structure):
    _fields_ = (("place", _Place), ("flags", c_int))


@cache
def _driver() -> Any:
    return ctypes.CDLL("libcuda.so.1")


def _call(name: str, *arguments: Any) -> None:
    if (error := getattr(_driver(), name)(*arguments)) == _OUT_OF_MEMORY:
        raise MemoryError(name)
    if error in _REFUSALS:
        raise RefusedError(name)
    if error:
        raise DriverFaultError(f"{name} failed with error {error}")


def changes_atomically(device: int, other: int) -> bool:
    """Whether atomic operations of a device on another one's memory are atomic there, as they are over NVLink; no where
    the driver cannot tell."""
    found = c_int()
    with suppress(OSError, AttributeError, DriverFaultError, RefusedError):
        _call("cuDeviceGetP2PAttribute", byref(found), c_int(_NATIVE_ATOMICS), c_int(device), c_int(other))
    return bool(found.value)


def _asked(device: int, number: int) -> int:
    found = c_int()
    _call("cuDeviceGetAttribute", byref(found), c_int(number), c_int(device))
    return found.value


def unit(device: int) -> int | None:
    """Bytes at whose multiples memory can be split between the GPU and the host; None if the driver cannot."""
    try:
        if not (_asked(device, _CAN_MAP) and _asked(device, _CAN_MAP_HOST)):
            return None
        found = c_size_t()
        _call("cuMemGetAllocationGranularity", byref(found), byref(_of(_places(device)[0])), c_int(0))
    except (OSError, AttributeError, DriverFaultError, RefusedError):
        return None
    return found.value


def _places(device: int) -> tuple[_Place, _Place]:
    """The GPU's memory, and the host's that is nearest to it."""
    return _Place(_DEVICE, device), _Place(_HOST_NUMA, max(_asked(device, _NUMA_NODE), 0))


def _of(place: _Place) -> _Properties:
    return _Properties(_PINNED, 0, place)


class SplitMemory:
    """At least `size` bytes from `address` on, of which the first `near`, a multiple of `unit`, are the GPU's.

    The host may use the rest, once the GPU is idle. It is given back with the last reference. Raises MemoryError: there
    is not as much; DriverFaultError: the driver fails otherwise.
    """

    def __init__(self, device: int, size: int, near: int) -> None:
        step = unit(device)
        assert step is not None, "the driver splits no memory"
        assert near % step == 0, "memory is split between pages"
        whole = -(-size // step) * step
        with ExitStack() as undone:
            start = c_uint64()
            _call("cuMemAddressReserve", byref(start), c_size_t(whole), c_size_t(0), c_uint64(0), c_uint64(0))
            undone.callback(_call, "cuMemAddressFree", start, c_size_t(whole))
            self.address = start.value
            places = _places(device)
            for place, first, last in zip(places, (0, near), (near, whole), strict=True):
                if first < last:
                    self._map(place, first, last - first, undone)
            _allow(places[0], start.value, whole)
            if near < whole:
                _allow(places[1], start.value + near, whole - near)
            undone.callback(_call, "cuCtxSynchronize")
            weakref.finalize(self, _give_back, undone.pop_all()).atexit = False

    def _map(self, place: _Place, first: int, size: int, undone: ExitStack) -> None:
        """Puts memory of a place at the addresses from the byte `first` on."""
        handle, start = c_uint64(), c_uint64(self.address + first)
        _call("cuMemCreate", byref(handle), c_size_t(size), byref(_of(place)), c_uint64(0))
        try:
            _call("cuMemMap", start, c_size_t(size), c_size_t(0), handle, c_uint64(0))
            undone.callback(_call, "cuMemUnmap", start, c_size_t(size))
        finally:
            _call("cuMemRelease", handle)  # it stays as long as it is mapped


def _give_back(held: ExitStack) -> None:
    with suppress(DriverFaultError, RefusedError):  # of a device that has failed nothing is left
        held.close()


def _allow(place: _Place, address: int, size: int) -> None:
    access = _Access(place, _READ_AND_WRITE)
    _call("cuMemSetAccess", c_uint64(address), c_size_t(size), byref(access), c_size_t(1))
