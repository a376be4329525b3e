"""The device of target `sycl` where a compiler of whole SYCL programs is present: its kernels are libraries."""

import ctypes
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from starplat.backends.launch import GROUP_SIZE, GROUPS_OF_A_UNIT, THREADS_OF_ONE_GROUP, KernelArgument, groups_of
from starplat.backends.sycl import CAPABILITIES, aspects, single_source_text
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.runtime.devices import buffers, device_faults
from starplat.runtime.devices.device import Kernels, LaunchSize, require_features
from starplat.runtime.devices.library import WIDE_ARCS_FLAG, LibraryDevice, Memory
from starplat.runtime.devices.sycl import as_c
from starplat.runtime.devices.together import GroupKernels
from starplat.runtime.text import kernels_text_to_run
from starplat.toolchain import compilers, libraries


def capabilities_on(build: compilers.Build) -> Capabilities | None:
    """Of the device that a build is for, where they are not those of the target in general."""
    return None if build.place is compilers.Place.GPU else replace(CAPABILITIES, quick_groups=False)


class SyclSourceDevice(LibraryDevice):
    """One device that the compiler's own runtime reaches, with an in-order queue of its own."""

    target = "sycl"

    def __init__(self, build: compilers.Build) -> None:
        super().__init__(build)
        self.few_groups = GROUPS_OF_A_UNIT * self._memory.number("device_threads")
        self.capabilities = capabilities_on(build)
        self.is_host = build.place is not compilers.Place.GPU

    def _name(self) -> str:
        return f"{self._memory.text('device_name').strip()} (SYCL, {self._build.maker})"

    def _opened(self, library: ctypes.CDLL) -> Memory:
        return CheckedMemory(library, self._build.number)

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        wanted = aspects(module, wide_arcs=wide_arcs)
        require_features(self.name, wanted, lambda aspect: bool(self._memory.number(f"device_has_{aspect}")))
        text = kernels_text_to_run(self.target, module, single_source_text)
        library, cached = libraries.open_library(self._build, text, (WIDE_ARCS_FLAG,) if wide_arcs else ())
        return SyclSourceKernels(self, module, wide_arcs, library, cached)

    def items_of_group(self) -> int:
        """Work-items of a group that runs rounds by itself."""
        return min(self._memory.number("device_items_of_group"), THREADS_OF_ONE_GROUP)

    def queue(self) -> int:
        """The address of the queue, for launchers."""
        return int(self._memory.call("device_queue"))


class CheckedMemory(Memory):
    """A memory library that says what failed."""

    def __init__(self, library: ctypes.CDLL, number: int) -> None:
        super().__init__(library, number)
        library.device_error.restype = ctypes.c_char_p
        library.device_queue.restype = ctypes.c_void_p
        library.device_memory.restype = ctypes.c_size_t

    def call(self, function: str, *arguments: int) -> Any:
        found = super().call(function, *arguments)
        if error := self._library.device_error():
            raise device_faults.device_fault("the SYCL device", error.decode(errors="replace"))
        return found


class SyclSourceKernels(GroupKernels):
    """The kernels of one module, each with a function that launches it."""

    def __init__(
        self, device: SyclSourceDevice, module: ir.Module, wide_arcs: bool, library: ctypes.CDLL, cached: bool
    ) -> None:
        self._sycl = device
        self._library = library
        super().__init__(device, module, wide_arcs, cached=cached)

    def entry(self, name: str, parameters: tuple[KernelArgument, ...]) -> Any:
        launcher = getattr(self._library, name)
        launcher.restype = ctypes.c_char_p
        return launcher

    def start(self, entry: Any, kernel: ir.Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        if isinstance(kernel.domain, ir.Once):
            self._submit(entry, 1, 1, arguments)
        else:
            self._submit(entry, groups_of(kernel, size.iterations, self._sycl.few_groups), GROUP_SIZE, arguments)

    def start_group(self, entry: Any, arguments: list[Any]) -> None:
        self._submit(entry, 1, self._sycl.items_of_group(), arguments)

    def piece(self, buffer: buffers.Buffer, place: int) -> Any:
        return ctypes.c_void_p(buffer.memory.address + place)

    def _submit(self, entry: Any, groups: int, group: int, arguments: list[Any]) -> None:
        queue = ctypes.c_void_p(self._sycl.queue())
        if error := entry(queue, ctypes.c_size_t(groups), ctypes.c_size_t(group), *arguments):
            raise device_faults.device_fault(self.device.name, error.decode(errors="replace"))

    def memory(self, buffer: buffers.Buffer) -> Any:
        return ctypes.c_void_p(buffer.memory.address)

    def number(self, element: ir.Element) -> Callable[[Any], Any]:
        return as_c(self.number_type(element))
