"""The device of target `sycl`, through dpctl: an in-order queue, kernels from text or from the cache."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from starplat.backends import launch
from starplat.backends.sycl import CPU_CAPABILITIES, aspects
from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.runtime import elements, host_memory
from starplat.runtime.arguments.caller_arrays import cell_run, sycl_interface
from starplat.runtime.devices.buffers import Adopted, Buffer, whole_words
from starplat.runtime.devices.device import ArrayDevice, Kernels, LaunchSize, require_features
from starplat.runtime.devices.device_faults import Faults, device_fault
from starplat.runtime.devices.together import WORD as BOARD_WORD, GroupKernels
from starplat.runtime.text import kernels_text_to_run
from starplat.toolchain import cache, description, sycl_apart, sycl_shim
from starplat.toolchain.sycl import INSTALL, device_identity, shim, sycl

WIDE_ARCS_OPTION = "-DARC_64"
OPTIONS = ("-fwrapv",)
FEW_ITEMS = 4


def capabilities_on(device: Any) -> Capabilities | None:
    """Of dpctl's device, where they are not those of the target in general."""
    return CPU_CAPABILITIES if device.is_cpu else None


class SyclDevice(ArrayDevice):
    """One SYCL device with a queue of its own."""

    target = "sycl"

    def __init__(self, device: Any) -> None:
        self.dpctl = sycl()
        super().__init__(f"{device.name.strip()} ({device.sycl_platform.name.strip()})")
        self.faults = Faults(self.name, (sycl_shim.SyclError, RuntimeError, self.dpctl.SyclKernelSubmitError))
        self.shim = shim()
        self.device = device
        try:
            self.queue = self.dpctl.SyclQueue(device, property="in_order")
        except self.dpctl.SyclQueueCreationError as error:
            raise device_fault(self.name, str(error), "does not answer") from error
        self.capabilities = capabilities_on(device)
        self.few_groups = launch.GROUPS_OF_A_UNIT * device.max_compute_units
        self.is_host = device.is_cpu
        self.split_unit = 8 if self.is_host else None
        self.items_of_group = 1 if self.is_host else min(launch.THREADS_OF_ONE_GROUP, device.max_work_group_size)

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        wanted = aspects(module, wide_arcs=wide_arcs)
        require_features(self.name, wanted, lambda aspect: bool(getattr(self.device, f"has_aspect_{aspect}")))
        options = (*OPTIONS, WIDE_ARCS_OPTION) if wide_arcs else OPTIONS
        text = kernels_text_to_run(self.target, module)
        if not self.shim.makes_kernels:
            return SyclKernels(self, module, wide_arcs, self._made_by_dpctl(text, options).get_sycl_kernel, False)
        bundle, cached = self._bundle(text, options)
        try:
            return SyclKernels(self, module, wide_arcs, lambda name: self.shim.kernel(bundle, name), cached)
        finally:
            self.shim.release(bundle)

    def _made_by_dpctl(self, text: str, options: tuple[str, ...]) -> Any:
        """dpctl's own bundle of kernels; nothing of it can be kept for the next process."""
        if (create := sycl_shim.dpctl_compiler(self.dpctl)) is None:
            message = f"dpctl {self.dpctl.__version__} has no way to run kernels that are built from SYCL source"
            raise description.unavailable(message, INSTALL)
        try:
            return create(self.queue, text, copts=list(options))
        except Exception as error:  # the class for it is called otherwise in every version
            raise description.refused_kernels(self.name, text, ".cpp", description.first_error(str(error))) from error

    def _bundle(self, text: str, options: tuple[str, ...]) -> tuple[int, bool]:
        """The built kernels, and whether they came from the cache."""
        key = cache.key_of(text, *options, device_identity(self.device))
        return cache.open_cache(self.target).load_or_build(key, self._loaded, lambda: self._compiled(text, options))

    def _loaded(self, binary: bytes) -> int | None:
        with suppress(sycl_shim.SyclError):
            return self.shim.load(self.queue, binary)
        return None

    def _compiled(self, text: str, options: tuple[str, ...]) -> tuple[int, bytes]:
        """The kernels and their binary, built by another process where that can find the device."""
        place = self.shim.place(self.device)
        try:
            if place is None or not self.shim.path.exists():
                bundle = self.shim.build(self.queue, text, options)
                return bundle, self.shim.binary(bundle)
            binary = sycl_apart.build(self.shim.path, place, text, options)
            return self.shim.load(self.queue, binary), binary
        except sycl_shim.SyclError as error:
            raise description.refused_kernels(self.name, text, ".cpp", description.first_error(str(error))) from error

    def synchronise(self) -> None:
        with self.faults:
            self.shim.finish(self.queue)

    def trim(self) -> None:
        self.synchronise()
        super().trim()

    def adopt(self, array: Any, dtype: np.dtype[Any], count: int) -> Adopted | None:
        interface = sycl_interface(array)
        run = None if interface is None or not count else cell_run(interface, dtype, count)
        if run is None:
            return None
        memory = self.dpctl.memory.as_usm_memory(array)
        if memory.sycl_context != self.queue.sycl_context or memory.sycl_device != self.device:
            return None
        with self.faults:
            memory.sycl_queue.wait()
        start, size = int(memory._pointer), dtype.itemsize * count
        loose = start % 4 != 0 or size % 4 != 0
        return Adopted(memory, (None, start, start + size), run[1], loose)

    def export(self, buffer: Buffer) -> "UsmArray":
        return UsmArray(buffer.memory, buffer.dtype, buffer.count)

    def _free_memory(self) -> int | None:
        left = self.device.global_mem_size - self.held
        return host_memory.at_most_host_memory(left) if self.is_host else left

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        return self._memory(self.dpctl.memory.MemoryUSMDevice, dtype, count)

    def _allocate_mapped(self, dtype: np.dtype[Any], count: int) -> Any:
        return self._memory(self.dpctl.memory.MemoryUSMHost, dtype, count)

    def _memory(self, kind: Callable[..., Any], dtype: np.dtype[Any], count: int) -> Any:
        try:
            return kind(whole_words(dtype.itemsize * count), queue=self.queue)
        except self.dpctl.memory.USMAllocationError as error:
            raise MemoryError(str(error)) from error

    def _upload_at(self, buffer: Buffer, first: int, cells: elements.Cells) -> None:
        with self.faults:
            self.shim.copy(self.queue, address(buffer, first), cells.ctypes.data, cells.nbytes, wait=True)

    def _download_at(self, buffer: Buffer, first: int, cells: elements.Cells) -> None:
        with self.faults:
            self.shim.copy(self.queue, cells.ctypes.data, address(buffer, first), cells.nbytes, wait=True)

    def _fill(self, buffer: Buffer, value: Any) -> None:
        with self.faults:
            self.shim.fill(self.queue, address(buffer), value.tobytes(), buffer.count)

    def _copy(self, destination: Buffer, source: Buffer) -> None:
        with self.faults:
            size = source.count * source.dtype.itemsize
            self.shim.copy(self.queue, address(destination), address(source), size, wait=False)

    def _write_cell(self, buffer: Buffer, index: int, value: Any) -> None:
        with self.faults:
            self.shim.fill(self.queue, address(buffer, index), value.tobytes(), 1)


class UsmArray:
    """Cells in a SYCL device's memory; `dpnp.asarray` and `dpctl` take it without copying."""

    def __init__(self, memory: Any, dtype: np.dtype[Any], count: int, first: int = 0) -> None:
        self.usm_memory = memory
        self.dtype = dtype
        self.shape = (count,)
        self.first = first

    @property
    def __sycl_usm_array_interface__(self) -> dict[str, Any]:
        return {
            "data": (self.usm_memory._pointer + self.first * self.dtype.itemsize, False),
            "shape": self.shape,
            "strides": None,
            "typestr": self.dtype.str,
            "version": 1,
            "syclobj": self.usm_memory.sycl_queue,
            "offset": 0,
        }

    def asnumpy(self) -> elements.Cells:
        size = self.dtype.itemsize * self.shape[0]
        return np.frombuffer(self.usm_memory.copy_to_host(), np.uint8)[:size].view(self.dtype)


def address(buffer: Buffer, index: int = 0) -> int:
    """Where a cell lies on the device."""
    start: int = buffer.memory._pointer
    return start + index * buffer.dtype.itemsize


class SyclKernels(GroupKernels):
    """The kernels of one module on one device."""

    def __init__(
        self, device: SyclDevice, module: ir.Module, wide_arcs: bool, kernel: Callable[[str], Any], cached: bool
    ) -> None:
        self._sycl = device
        self._kernel = kernel
        super().__init__(device, module, wide_arcs, cached=cached)

    def entry(self, name: str, parameters: tuple[launch.KernelArgument, ...]) -> Any:
        with self._sycl.faults:
            return self._kernel(name)

    def start(self, entry: Any, kernel: ir.Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        group = self._items_of_group(kernel)
        items = _items(kernel, size, self._sycl.few_groups)
        with self._sycl.faults:
            self._sycl.queue.submit_async(entry, arguments, [items], [group])

    def _items_of_group(self, kernel: ir.Kernel) -> int:
        """On a CPU the items of a group become lanes of vectors, which wait for the longest row: so groups are not too
        small."""
        if isinstance(kernel.domain, ir.Once) or kernel.works_apart:
            return 1
        few = self._sycl.device.is_cpu and visitor.walks_rows(kernel) and not kernel.shares_arcs
        return FEW_ITEMS if few else launch.GROUP_SIZE

    def start_group(self, entry: Any, arguments: list[Any]) -> None:
        items = self._sycl.items_of_group
        with self._sycl.faults:
            self._sycl.queue.submit_async(entry, arguments, [items], [items])

    def piece(self, buffer: Buffer, place: int) -> Any:
        whole = UsmArray(buffer.memory, np.dtype(np.uint8), BOARD_WORD, place)
        return self._sycl.dpctl.memory.as_usm_memory(whole)

    def memory(self, buffer: Buffer) -> Any:
        return buffer.memory

    def number(self, element: ir.Element) -> Callable[[Any], Any]:
        return as_c(self.number_type(element))


def _items(kernel: ir.Kernel, size: LaunchSize, few_groups: int) -> int:
    """Work-items in all."""
    if isinstance(kernel.domain, ir.Once):
        return 1
    if kernel.works_apart:
        return launch.threads_apart(kernel, size.iterations)
    return launch.groups_of(kernel, size.iterations, few_groups) * launch.GROUP_SIZE


def as_c(dtype: np.dtype[Any]) -> Callable[[Any], Any]:
    """Numbers of that type as ctypes has them, which is how dpctl and C take them."""
    found: Callable[[Any], Any] = np.ctypeslib.as_ctypes_type(dtype)
    return found
