"""The device of target `opencl`, through pyopencl: buffers, an in-order queue, kernels from text or from the cache."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat.backends import launch
from starplat.backends.opencl import CPU_CAPABILITIES, extensions, language_flag
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.runtime.arguments.caller_arrays import is_opencl_array
from starplat.runtime.devices.buffers import Adopted, Buffer, whole_words
from starplat.runtime.devices.device import ArrayDevice, Device, Kernels, LaunchSize, require_features
from starplat.runtime.devices.device_faults import Faults, device_fault
from starplat.runtime.devices.together import WORD as BOARD_WORD, GroupKernels
from starplat.runtime.elements import Cells
from starplat.runtime.host_memory import at_most_host_memory
from starplat.runtime.text import kernels_text_to_run
from starplat.toolchain.cache import key_of, open_cache
from starplat.toolchain.description import first_error, refused_kernels
from starplat.toolchain.opencl import device_identity, opencl, quiet_build

WIDE_ARCS_FLAG = "-DARC_64"
PYOPENCL_VARIABLE = "PYOPENCL_BUILD_OPTIONS"
"""What pyopencl adds to the options of every build."""
WORD = 4  # bytes that a kernel may touch at once: an atomic operation on one byte takes the word around it
_NO_MEMORY = ("MEM_OBJECT_ALLOCATION_FAILURE", "OUT_OF_RESOURCES", "OUT_OF_HOST_MEMORY", "INVALID_BUFFER_SIZE")


_MOST_CONTEXTS = 4


def capabilities_on(device: Any) -> Capabilities | None:
    """Of pyopencl's device, where they are not those of the target in general."""
    return CPU_CAPABILITIES if device.type & opencl().device_type.CPU else None


class OpenCLDevice(ArrayDevice):
    """One OpenCL device with a queue of its own, in a context of its own or, beside that, in a caller's."""

    target = "opencl"

    def __init__(self, device: Any, context: Any = None) -> None:
        super().__init__(f"{device.name.strip()} ({device.platform.name.strip()})")
        self.cl = opencl()
        self.device = device
        self.local_memory: int = device.local_mem_size
        """Bytes that a work-group may share."""
        self.few_groups = launch.GROUPS_OF_A_UNIT * device.max_compute_units
        self._beside: dict[Any, OpenCLDevice] = {}
        self.faults = Faults(self.name, (self.cl.Error,))
        """Errors of the OpenCL runtime as diagnostics."""
        try:
            self.context = context or self.cl.Context([device])
            self.queue = self.cl.CommandQueue(self.context, device)
        except self.cl.Error as error:
            raise device_fault(self.name, str(error), "does not answer") from error
        self.capabilities = capabilities_on(device)
        self.is_host = bool(device.type & self.cl.device_type.CPU)
        self.split_unit = 8 if self.is_host else None
        self.items_of_group = 1 if self.is_host else launch.THREADS_OF_ONE_GROUP
        """Of a group that runs rounds by itself; on a CPU more work-items would only take turns."""

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        offered = self.device.extensions.split()
        require_features(self.name, extensions(module), offered.__contains__)
        text = kernels_text_to_run(self.target, module)
        language = language_flag(text, self.device.version)
        flags = f"{language} {WIDE_ARCS_FLAG}" if wide_arcs else language
        program, cached = Builder(self, text, flags).built()
        return OpenCLKernels(self, module, wide_arcs, program, cached)

    def synchronise(self) -> None:
        with self.faults:
            self.queue.finish()

    def trim(self) -> None:
        for buffers in self._free.values():
            for buffer in buffers:
                buffer.memory.release()
        super().trim()

    def beside(self, arrays: Iterable[Any]) -> Device:
        """The device in the context of the first array that lies on it: memory belongs to one context."""
        contexts = [array.context for array in arrays if is_opencl_array(array)]
        context = next((c for c in contexts if c.devices == [self.device]), self.context)
        if context == self.context:
            return self
        if context not in self._beside:
            if len(self._beside) >= _MOST_CONTEXTS:
                self._beside.pop(next(iter(self._beside)))
            self._beside[context] = OpenCLDevice(self.device, context)
            self._beside[context].turn = self.turn
        return self._beside[context]

    def close(self) -> None:
        super().close()
        for beside in self._beside.values():
            beside.close()

    def belongs(self, device: Device) -> bool:
        return device is self or device in self._beside.values()

    def adopt(self, array: Any, dtype: np.dtype[Any], count: int) -> Adopted | None:
        if not is_opencl_array(array) or array.context != self.context or not count:
            return None
        if array.dtype != dtype or array.shape != (count,) or not array.flags.c_contiguous:
            return None
        with self.faults:
            array.finish()
            if array.queue is not None:
                array.queue.finish()
        start, size, whole = array.offset, array.nbytes, array.base_data
        loose = start % (self.device.mem_base_addr_align // 8) != 0 or whole.size - start < whole_words(size)
        memory = _Part(whole, start) if loose else whole
        if start and not loose:
            memory = whole.get_sub_region(start, whole_words(size))
        return Adopted(memory, (whole.int_ptr, start, start + size), loose=loose)

    def export(self, buffer: Buffer) -> Any:
        from pyopencl.array import Array

        return Array(self.queue, (buffer.count,), buffer.dtype, data=buffer.memory)

    def _free_memory(self) -> int | None:
        left = self.device.global_mem_size - self.held
        return at_most_host_memory(left) if self.is_host else left

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        return self._memory(dtype, count, self.cl.mem_flags.READ_WRITE)

    def _allocate_mapped(self, dtype: np.dtype[Any], count: int) -> Any:
        return self._memory(dtype, count, self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.ALLOC_HOST_PTR)

    def _memory(self, dtype: np.dtype[Any], count: int, flags: int) -> Any:
        try:
            return self.cl.Buffer(self.context, flags, whole_words(dtype.itemsize * count))
        except self.cl.Error as error:
            if isinstance(error, self.cl.MemoryError) or any(word in str(error) for word in _NO_MEMORY):
                raise MemoryError(str(error)) from error
            raise device_fault(self.name, str(error)) from error

    def _upload_at(self, buffer: Buffer, first: int, cells: Cells) -> None:
        with self.faults:
            start = first * buffer.dtype.itemsize
            self.cl.enqueue_copy(self.queue, buffer.memory, cells.view(np.uint8), dst_offset=start, is_blocking=True)

    def _download_at(self, buffer: Buffer, first: int, cells: Cells) -> None:
        with self.faults:
            start = first * buffer.dtype.itemsize
            self.cl.enqueue_copy(self.queue, cells.view(np.uint8), buffer.memory, src_offset=start, is_blocking=True)

    def _fill(self, buffer: Buffer, value: Any) -> None:
        with self.faults:
            size = buffer.count * buffer.dtype.itemsize
            self.cl.enqueue_fill_buffer(self.queue, buffer.memory, value.tobytes(), 0, size)

    def _copy(self, destination: Buffer, source: Buffer) -> None:
        with self.faults:
            to, at = _whole(destination)
            out_of, start = _whole(source)
            self.cl.enqueue_copy(self.queue, to, out_of, byte_count=source.size, src_offset=start, dst_offset=at)

    def _write_cell(self, buffer: Buffer, index: int, value: Any) -> None:
        size = buffer.dtype.itemsize
        with self.faults:
            self.cl.enqueue_fill_buffer(self.queue, buffer.memory, value.tobytes(), index * size, size)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a buffer that begins where no kernel can begin."""

    whole: Any
    start: int


def _whole(buffer: Buffer) -> tuple[Any, int]:
    """What pyopencl copies from or to, and where its cells begin."""
    memory = buffer.memory
    return (memory.whole, memory.start) if isinstance(memory, _Part) else (memory, 0)


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds kernel text for a device, or finds the binary that an earlier run built."""

    device: OpenCLDevice
    text: str
    flags: str

    def built(self) -> tuple[Any, bool]:
        """The program, and whether it came from the cache."""
        added = os.environ.get(PYOPENCL_VARIABLE, "")
        key = key_of(self.text, self.flags, added, device_identity(self.device.device))
        return open_cache("opencl").load_or_build(key, self._loaded, self._compiled)

    def _loaded(self, binary: bytes) -> Any | None:
        cl = self.device.cl
        try:
            return quiet_build(cl.Program(self.device.context, [self.device.device], [binary]), self.flags)
        except (cl.Error, RuntimeError):
            return None

    def _compiled(self) -> tuple[Any, bytes]:
        cl = self.device.cl
        try:
            program: Any = quiet_build(cl.Program(self.device.context, self.text), self.flags)
        except (cl.Error, RuntimeError) as error:
            raise refused_kernels(self.device.name, self.text, ".cl", first_error(str(error))) from error
        return program, program.get_info(cl.program_info.BINARIES)[0]


class OpenCLKernels(GroupKernels):
    """The kernels of one module on one device."""

    def __init__(self, device: OpenCLDevice, module: ir.Module, wide_arcs: bool, program: Any, cached: bool) -> None:
        self._opencl = device
        self._program = program
        self.apart = max(device.device.mem_base_addr_align // 8, BOARD_WORD)
        super().__init__(device, module, wide_arcs, cached=cached)

    def entry(self, name: str, parameters: tuple[launch.KernelArgument, ...]) -> Any:
        """The built kernel, told what it takes, which pyopencl would find out anew at every launch. Raises E0608: a
        group has too little local memory for it."""
        cl, device = self._opencl.cl, self._opencl.device
        with self._opencl.faults:
            kernel = cl.Kernel(self._program, name)
            kernel.set_arg_types([self.scalar_type(parameter) for parameter in parameters])
            taken = kernel.get_work_group_info(cl.kernel_work_group_info.LOCAL_MEM_SIZE, device)
        if taken > self._opencl.local_memory:
            raise _too_little_local_memory(self._opencl.name, name, taken, self._opencl.local_memory)
        return kernel

    def start(self, entry: Any, kernel: ir.Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        with self._opencl.faults:
            entry(self._opencl.queue, *launch_range(kernel, size, self._opencl.few_groups), *arguments)

    def start_group(self, entry: Any, arguments: list[Any]) -> None:
        most = self._opencl.cl.kernel_work_group_info.WORK_GROUP_SIZE
        with self._opencl.faults:
            items = min(self._opencl.items_of_group, entry.get_work_group_info(most, self._opencl.device))
            entry(self._opencl.queue, (items,), (items,), *arguments)

    def piece(self, buffer: Buffer, place: int) -> Any:
        with self._opencl.faults:
            return buffer.memory.get_sub_region(place, BOARD_WORD)

    def memory(self, buffer: Buffer) -> Any:
        return buffer.memory


def _too_little_local_memory(device: str, kernel: str, taken: int, most: int) -> DiagnosticError:
    message = f"a work-group of '{kernel}' takes {taken:,} bytes of local memory, and {device} has {most:,}"
    help = "run with --schedule balance=node, where rows take none, or choose another device"
    return DiagnosticError(Diagnostic("E0608", message, help=help), exit_code=ExitCode.NO_DEVICE)


def launch_range(kernel: ir.Kernel, size: LaunchSize, few_groups: int) -> tuple[tuple[int], tuple[int]]:
    """Work-items in all, and in a group."""
    if isinstance(kernel.domain, ir.Once):
        return (1,), (1,)
    if kernel.works_apart:
        return (launch.threads_apart(kernel, size.iterations),), (1,)
    return (launch.groups_of(kernel, size.iterations, few_groups) * launch.GROUP_SIZE,), (launch.GROUP_SIZE,)
