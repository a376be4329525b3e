"""Devices whose kernels are functions of a shared library built by a C++ compiler, as OpenACC's; OpenMP's is in
`openmp`.

Memory is asked of a second small library, `templates/<target>/memory.cpp`, built the same way. Which device runs, and
what it is called, is what that library found out by running there.
"""

import ctypes
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from starplat.backends.files.render import render
from starplat.backends.launch import KernelArgument
from starplat.ir import nodes as ir
from starplat.runtime.devices import buffers, device_faults, words
from starplat.runtime.devices.device import Device, Kernels, LaunchSize
from starplat.runtime.elements import Cells, Value, as_value
from starplat.runtime.text import kernels_text_to_run
from starplat.toolchain import compilers, cuda, libraries

WIDE_ARCS_FLAG = "-DARC_64"

_SCALARS: dict[ir.Element, type[Any]] = {
    ir.Element.BOOL: ctypes.c_bool,
    ir.Element.INT: ctypes.c_int32,
    ir.Element.NODE: ctypes.c_int32,
    ir.Element.LONG: ctypes.c_int64,
    ir.Element.FLOAT: ctypes.c_float,
    ir.Element.DOUBLE: ctypes.c_double,
}


class LibraryDevice(Device):
    """The host's cores or a GPU. Every call is over when it returns."""

    def __init__(self, build: compilers.Build) -> None:
        self._build = build
        self._memory = self._opened(libraries.open_library(build, render(f"{self.target}/memory.cpp"))[0])
        device_faults.hear_of_endings()
        super().__init__(self._name())
        self._memory.device = self.name
        device_faults.hear_of_endings()

    def _opened(self, library: ctypes.CDLL) -> "Memory":
        return Memory(library, self._build.number)

    @abstractmethod
    def _name(self) -> str:
        """Where kernels truly run and which compiler built them: without a GPU, offloaded code runs on the host
        unasked."""

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        text = kernels_text_to_run(self.target, module)
        self.ready()
        library, cached = libraries.open_library(self._build, text, (WIDE_ARCS_FLAG,) if wide_arcs else ())
        return self.kernels(self, module, wide_arcs, library, cached)

    @property
    def kernels(self) -> "type[LibraryKernels]":
        """What keeps the kernels of a module."""
        return LibraryKernels

    def ready(self) -> None:
        """Makes this the device that kernels run on."""
        self._memory.ready()

    def synchronise(self) -> None:
        self._memory.call("device_wait")

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        return Allocation(self._memory, -(-dtype.itemsize * count // 8) * 8)

    def _upload_at(self, buffer: buffers.Buffer, first: int, cells: Cells) -> None:
        self._memory.call("memory_upload", self._address(buffer, first), cells.ctypes.data, cells.nbytes)

    def _download_at(self, buffer: buffers.Buffer, first: int, cells: Cells) -> None:
        self._memory.call("memory_download", cells.ctypes.data, self._address(buffer, first), cells.nbytes)

    def _fill(self, buffer: buffers.Buffer, value: Any) -> None:
        cell = np.array([value], buffer.dtype)
        self._memory.call("memory_fill", buffer.memory.address, buffer.count, cell.itemsize, cell.ctypes.data)

    def _copy(self, destination: buffers.Buffer, source: buffers.Buffer) -> None:
        size = source.dtype.itemsize
        self._memory.call("memory_copy", destination.memory.address, source.memory.address, source.count, size)

    def _address(self, buffer: buffers.Buffer, index: int) -> int:
        return int(buffer.memory.address) + index * buffer.dtype.itemsize


class OpenACCDevice(LibraryDevice):
    """The GPU, or one core of the host."""

    target = "openacc"

    def __init__(self, build: compilers.Build) -> None:
        super().__init__(build)
        self.is_host = not self._memory.number("device_is_gpu")

    def _name(self) -> str:
        memory = self._memory
        place = (memory.text("device_name") or "GPU") if memory.number("device_is_gpu") else "host"
        return f"{place}, {memory.text('compiler_name')} (OpenACC)"


class Memory:
    """The functions of a memory library, for one device. Integers are passed as 64 bits: sizes and addresses."""

    _current = threading.local()

    def __init__(self, library: ctypes.CDLL, number: int) -> None:
        self.device = "the device"
        """What it is called, as soon as that is known."""
        self._library, self._number = library, number
        self._choose_context = cuda.primary_context(number)
        library.memory_allocate.restype = ctypes.c_void_p
        library.memory_free_bytes.restype = ctypes.c_size_t

    def ready(self) -> None:
        """Chooses the device for this thread; the libraries of all devices share what OpenACC has chosen."""
        self._choose_context()
        if getattr(self._current, "memory", None) is not self:
            device_faults.within(self.device, self._library.device_use, ctypes.c_int(self._number))
            self._current.memory = self

    def call(self, function: str, *arguments: int) -> Any:
        """What a function returns, on the device."""
        self.ready()
        return device_faults.within(self.device, getattr(self._library, function), *map(ctypes.c_size_t, arguments))

    def number(self, function: str) -> int:
        """A number that a function without arguments returns."""
        return int(self.call(function))

    def text(self, function: str) -> str:
        """A text that a function without arguments returns."""
        getattr(self._library, function).restype = ctypes.c_char_p
        return str(self.call(function).decode(errors="replace"))


class Allocation:
    """Memory that is freed with its last reference. Raises MemoryError: there is not as much."""

    def __init__(self, memory: Memory, size: int) -> None:
        free = memory.call("memory_free_bytes")
        address = memory.call("memory_allocate", size) if size <= free or not free else None
        if not address:
            raise MemoryError
        self.address = int(address)
        self.pointer = ctypes.c_void_p(self.address)
        weakref.finalize(self, memory.call, "memory_release", self.address).atexit = False


class LibraryKernels(words.WordKernels):
    """The kernels of one module. What a reduction finds is a word of the host: its clause brings it there."""

    device: LibraryDevice

    def __init__(
        self, device: LibraryDevice, module: ir.Module, wide_arcs: bool, library: ctypes.CDLL, cached: bool
    ) -> None:
        self._library = library
        super().__init__(device, module, wide_arcs, cached=cached)

    def entry(self, name: str, parameters: tuple[KernelArgument, ...]) -> Any:
        return getattr(self._library, name)

    def start(self, entry: Any, kernel: ir.Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        self.device.ready()
        device_faults.within(self.device.name, entry, *arguments)

    def memory(self, buffer: buffers.Buffer) -> Any:
        return buffer.memory.pointer

    def allocate_word(self, dtype: np.dtype[Any]) -> buffers.Buffer:
        return buffers.Buffer(dtype, 1, HostCell(dtype))

    def _launch(
        self, kernel: ir.Kernel, arrays: Mapping[str, buffers.Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        loaded = self._loaded[kernel.name]
        self.start(loaded.entry, kernel, size, [given(arrays, scalars, size) for given in loaded.arguments])
        return {name: as_value(word.buffer.memory.cell[0], word.element) for name, word in loaded.words.items()}

    def number(self, element: ir.Element) -> Callable[[Any], Any]:
        """What C's calling convention wants: a scalar of just its type."""
        if element is ir.Element.ARC:
            return ctypes.c_int64 if self.wide_arcs else ctypes.c_int32
        return _SCALARS[element]


class HostCell:
    """One cell of the host, known by its address."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.cell: Cells = np.zeros(1, dtype)
        self.address = self.cell.ctypes.data
        self.pointer = ctypes.c_void_p(self.address)
