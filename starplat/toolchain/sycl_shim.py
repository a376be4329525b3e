"""Our shim over SYCL's C++ interface, for what dpctl lacks: kernels from text and from binaries, filling, copying.

`templates/sycl/shim.cpp` is its source; here are the calls of the built library, by ctypes.
"""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

_MAKE_KERNEL = b"struct PySyclKernelObject *(DPCTLSyclKernelRef, char const *)"
_CREATE = "create_kernel_bundle_from_sycl_source"


class SyclError(Exception):
    """SYCL's own words about what failed."""


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue that is not dpctl's; it lives until the process ends."""

    address: int

    def addressof_ref(self) -> int:
        """As dpctl's queues say where SYCL's own is."""
        return self.address


class Shim:
    """The functions of the library at `path`; `queue` and `device` are dpctl's objects, and so is what `kernel` gives.
    Without dpctl it makes no kernels. Raises OSError: the library does not load."""

    def __init__(self, path: Path, dpctl: ModuleType | None = None) -> None:
        self.path = path
        self._library = library = ctypes.CDLL(str(path))
        library.starplat_error.restype = ctypes.c_char_p
        for name in ("queue", "build", "load", "kernel"):
            getattr(library, f"starplat_{name}").restype = ctypes.c_void_p
        library.starplat_binary.restype = ctypes.c_size_t
        self._make_kernel = None if dpctl is None else _maker_of_kernels(dpctl)

    @property
    def makes_kernels(self) -> bool:
        """Whether this dpctl takes kernels that it has not built itself."""
        return self._make_kernel is not None

    def can_build(self, device: Any) -> bool:
        """Whether the runtime's compiler makes kernels for the device."""
        return bool(self._library.starplat_can_build(_address(device)))

    def place(self, device: Any) -> int | None:
        """Where a device stands among all, None for a part of one."""
        place = int(self._library.starplat_place(_address(device)))
        return place if place >= 0 else None

    def queue(self, place: int) -> Queue:
        """A queue for the device that stands there, without dpctl."""
        return Queue(self._checked(self._library.starplat_queue(place)))

    def build(self, queue: Any, text: str, options: tuple[str, ...]) -> int:
        """A kernel bundle, to be released."""
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        return self._checked(self._library.starplat_build(_address(queue), text.encode(), given, len(options)))

    def load(self, queue: Any, binary: bytes) -> int:
        """A kernel bundle from what `binary` gave, to be released."""
        return self._checked(self._library.starplat_load(_address(queue), binary, ctypes.c_size_t(len(binary))))

    def binary(self, bundle: int) -> bytes:
        asked, nothing = ctypes.c_void_p(bundle), ctypes.c_size_t(0)
        size = self._checked(self._library.starplat_binary(asked, None, nothing))
        content = ctypes.create_string_buffer(size)
        self._checked(self._library.starplat_binary(asked, content, ctypes.c_size_t(size)))
        return content.raw

    def kernel(self, bundle: int, name: str) -> Any:
        """dpctl's object for the kernel of that name."""
        assert self._make_kernel is not None
        found = self._checked(self._library.starplat_kernel(ctypes.c_void_p(bundle), name.encode()))
        return self._make_kernel(found, name.encode())

    def release(self, bundle: int) -> None:
        """Gives a bundle up; its kernels stay."""
        self._library.starplat_release(ctypes.c_void_p(bundle))

    def fill(self, queue: Any, cells: int, value: bytes, count: int) -> None:
        """`count` times the bytes of `value`, from the address `cells` on."""
        size = ctypes.c_size_t(len(value))
        done = self._library.starplat_fill(_address(queue), ctypes.c_void_p(cells), value, size, ctypes.c_size_t(count))
        self._checked(done)

    def copy(self, queue: Any, destination: int, source: int, size: int, *, wait: bool) -> None:
        """`size` bytes from one address to another, on the host or the device."""
        done = self._library.starplat_copy(
            _address(queue), ctypes.c_void_p(destination), ctypes.c_void_p(source), ctypes.c_size_t(size), int(wait)
        )
        self._checked(done)

    def finish(self, queue: Any) -> None:
        """Waits for everything in the queue."""
        self._checked(self._library.starplat_finish(_address(queue)))

    def _checked(self, result: int | None) -> int:
        if not result:
            raise SyclError(self._library.starplat_error().decode(errors="replace").strip() or "no reason given")
        return result


def _maker_of_kernels(dpctl: ModuleType) -> Callable[[int, bytes], Any] | None:
    """The function of dpctl's C interface that wraps a kernel; None where it has none of this kind."""
    offered = getattr(getattr(dpctl.program, "_program", None), "__pyx_capi__", {})
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    try:
        address = pointer(offered["SyclKernel_Make"], _MAKE_KERNEL)
    except (KeyError, ValueError):  # a capsule of another signature has another name
        return None
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p)(address)


def dpctl_compiler(dpctl: ModuleType) -> Callable[..., Any] | None:
    """dpctl's own way to the compiler of SYCL sources, which those after 0.22 have."""
    modules = (getattr(dpctl, name, None) for name in ("program", "compiler"))
    return next((found for module in modules if (found := getattr(module, _CREATE, None)) is not None), None)


def _address(holder: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(holder.addressof_ref())
