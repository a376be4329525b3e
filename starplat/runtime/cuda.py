"""The device of target `cuda`, through CuPy: memory from its pool, kernels built by NVRTC from the emitted text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from starplat.backends import BACKENDS
from starplat.backends.launch import GROUP_SIZE
from starplat.ir.nodes import Kernel, Module, Once
from starplat.runtime.device import Buffer, Device, Kernels, LaunchSize, device_fault
from starplat.runtime.elements import Cells
from starplat.runtime.words import WordKernels
from starplat.toolchain.cache import key_of, open_cache
from starplat.toolchain.refused import refused_kernels

FLAGS = ("-std=c++17", "-lineinfo")
WIDE_ARCS_FLAG = "-DARC_64"
BLOCKS_PER_MULTIPROCESSOR = 16


class CudaDevice(Device):
    """One NVIDIA GPU; everything happens on CuPy's current stream, in order."""

    target = "cuda"

    def __init__(self, cupy: Any, index: int) -> None:
        properties = cupy.cuda.runtime.getDeviceProperties(index)
        super().__init__(properties["name"].decode())
        self.cupy = cupy
        self.device = cupy.cuda.Device(index)
        self.architecture = f"sm_{properties['major']}{properties['minor']}"
        self.most_blocks = BLOCKS_PER_MULTIPROCESSOR * properties["multiProcessorCount"]

    def build(self, module: Module, *, wide_arcs: bool) -> Kernels:
        text = BACKENDS[self.target].kernels_text(module)
        flags = (*FLAGS, WIDE_ARCS_FLAG) if wide_arcs else FLAGS
        image, cached = self._image(text, flags)
        with self.device, self.faults():
            loaded = self.cupy.cuda.function.Module()
            loaded.load(image)
        return CudaKernels(self, module, wide_arcs, loaded, cached)

    def _image(self, text: str, flags: tuple[str, ...]) -> tuple[bytes, bool]:
        """The cubin of a kernel text, and whether it was at hand."""
        nvrtc = self.cupy.cuda.nvrtc.getVersion()
        key = key_of(text, *flags, self.architecture, f"nvrtc {nvrtc}")
        cache = open_cache(self.target)
        found = cache.get(key)
        if found is not None:
            return found, True
        with cache.locked(key):
            found = cache.get(key)
            if found is None:
                found = self._compiled(text, flags)
                cache.put(key, found)
        return found, False

    def _compiled(self, text: str, flags: tuple[str, ...]) -> bytes:
        from cupy.cuda import compiler

        options = (*flags, f"-arch={self.architecture}")
        try:
            program = compiler._NVRTCProgram(text, "kernels.cu")
            image, _ = program.compile(options)
        except compiler.CompileException as error:
            raise refused_kernels(self.name, text, ".cu", str(error)) from error
        return bytes(image)

    def synchronise(self) -> None:
        with self.device, self.faults():
            self.cupy.cuda.get_current_stream().synchronize()

    def trim(self) -> None:
        super().trim()
        with self.device:
            self.cupy.get_default_memory_pool().free_all_blocks()

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Errors of the driver and the runtime as diagnostics."""
        try:
            yield
        except (self.cupy.cuda.driver.CUDADriverError, self.cupy.cuda.runtime.CUDARuntimeError) as error:
            raise device_fault(self.name, str(error)) from error

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        try:
            with self.device:
                padded = -(-count * dtype.itemsize // 4) * 4 // dtype.itemsize
                return self.cupy.empty(padded, dtype)
        except self.cupy.cuda.memory.OutOfMemoryError as error:
            raise MemoryError(str(error)) from error

    def _upload(self, buffer: Buffer, cells: Cells) -> None:
        with self.device, self.faults():
            buffer.memory[: buffer.count].set(cells)

    def _download(self, buffer: Buffer, cells: Cells) -> None:
        with self.device, self.faults():
            buffer.memory[: buffer.count].get(out=cells)

    def _fill(self, buffer: Buffer, value: Any) -> None:
        with self.device, self.faults():
            buffer.memory.fill(value)

    def _copy(self, destination: Buffer, source: Buffer) -> None:
        with self.device, self.faults():
            destination.memory.data.copy_from_device_async(
                source.memory.data, source.count * source.dtype.itemsize, self.cupy.cuda.get_current_stream()
            )

    def _read_cell(self, buffer: Buffer, index: int) -> Any:
        with self.device, self.faults():
            return buffer.memory[index : index + 1].get()[0]

    def _write_cell(self, buffer: Buffer, index: int, value: Any) -> None:
        with self.device, self.faults():
            buffer.memory[index : index + 1].set(np.full(1, value, buffer.dtype))


class CudaKernels(WordKernels):
    """The kernels of one module on one GPU."""

    device: CudaDevice

    def __init__(self, device: CudaDevice, module: Module, wide_arcs: bool, loaded: Any, cached: bool) -> None:
        self._module = loaded
        super().__init__(device, module, wide_arcs, cached=cached)

    def entry(self, name: str) -> Any:
        return self._module.get_function(name)

    def start(self, entry: Any, kernel: Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        blocks, threads = self._grid(kernel, size)
        with self.device.device, self.device.faults():
            entry((blocks,), (threads,), arguments)

    def _grid(self, kernel: Kernel, size: LaunchSize) -> tuple[int, int]:
        """Blocks and their threads; the kernels stride over what is more than the device runs at once."""
        if isinstance(kernel.domain, Once):
            return 1, 1
        return min(-(-size.iterations // GROUP_SIZE), self.device.most_blocks), GROUP_SIZE

    def memory(self, buffer: Buffer) -> Any:
        return buffer.memory
