"""The device of target `cuda`, through CuPy: memory from its pool, kernels built by NVRTC from the emitted text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from starplat.backends.cuda import CUDA
from starplat.backends.cuda_family import BLOCKS_PER_MULTIPROCESSOR, blocks_together
from starplat.backends.launch import GROUP_SIZE, GROUPS_OF_A_UNIT, THREADS_TOGETHER, KernelArgument
from starplat.ir.nodes import Kernel, Module, Once, OnDevice
from starplat.ir.visitor import loops_of
from starplat.runtime.buffers import Adopted, Buffer
from starplat.runtime.device import ArrayDevice, Kernels, LaunchSize
from starplat.runtime.device_faults import device_fault
from starplat.runtime.elements import Cells, Value
from starplat.runtime.lent import CUDA_DEVICES, cell_run, cuda_interface, dlpack_device
from starplat.runtime.text import kernels_text_to_run
from starplat.runtime.together import Board, board_for
from starplat.runtime.words import WordKernels
from starplat.toolchain.cache import key_of, open_cache
from starplat.toolchain.refused import refused_kernels

FLAGS = ("-std=c++17", "-lineinfo")
WIDE_ARCS_FLAG = "-DARC_64"


class CudaDevice(ArrayDevice):
    """One NVIDIA GPU; everything happens on CuPy's current stream, in order."""

    target = "cuda"

    def __init__(self, cupy: Any, index: int) -> None:
        self.cupy = cupy
        try:
            properties = cupy.cuda.runtime.getDeviceProperties(index)
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise device_fault(f"GPU {index}", str(error), "does not answer") from error
        super().__init__(properties["name"].decode())
        self.device = cupy.cuda.Device(index)
        self.architecture = f"sm_{properties['major']}{properties['minor']}"
        self.multiprocessors = int(properties["multiProcessorCount"])
        self.most_blocks = BLOCKS_PER_MULTIPROCESSOR * properties["multiProcessorCount"]
        self._waiting: Any = None  # the event with which a stopwatch begins, until there is something to do
        self._operation = _Operation(self)

    def build(self, module: Module, *, wide_arcs: bool) -> Kernels:
        text = kernels_text_to_run(self.target, module)
        flags = (*FLAGS, WIDE_ARCS_FLAG) if wide_arcs else FLAGS
        image, cached = self._image(text, flags)
        with self.faults(), self.device:
            loaded = self.cupy.cuda.function.Module()
            loaded.load(image)
        return CudaKernels(self, module, wide_arcs, loaded, cached)

    def _image(self, text: str, flags: tuple[str, ...]) -> tuple[bytes, bool]:
        """The cubin of a kernel text, and whether it was at hand."""
        nvrtc = self.cupy.cuda.nvrtc.getVersion()
        key = key_of(text, *flags, self.architecture, f"nvrtc {nvrtc}")
        return open_cache(self.target).get_or_build(key, lambda: self._compiled(text, flags))

    def _compiled(self, text: str, flags: tuple[str, ...]) -> bytes:
        from cupy.cuda import compiler

        options = (*flags, f"-arch={self.architecture}")
        try:
            program = compiler._NVRTCProgram(text, "kernels.cu")
            image, _ = program.compile(options)
        except compiler.CompileException as error:
            raise refused_kernels(self.name, text, ".cu", str(error)) from error
        return bytes(image)

    def most_blocks_together(self, entry: Any) -> int:
        """How many blocks of a kernel whose threads wait for each other a multiprocessor has room for."""
        driver = import_module("cupy_backends.cuda.api.driver")
        with self.faults(), self.device:
            return int(driver.occupancyMaxActiveBlocksPerMultiprocessor(entry.ptr, THREADS_TOGETHER, 0))

    def synchronise(self) -> None:
        with self.faults(), self.device:
            self.cupy.cuda.get_current_stream().synchronize()

    def stopwatch(self) -> Callable[[], float]:
        """Its clock begins with the first operation that the device is asked for."""
        self.synchronise()
        with self.faults(), self.device:
            begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        self._waiting = begin

        def stop() -> float:
            with self.operation():
                end.record()
                end.synchronize()
                return float(self.cupy.cuda.get_elapsed_time(begin, end)) / 1e3

        return stop

    def operation(self) -> _Operation:
        """Something that the device is asked to do."""
        return self._operation

    def begin_clock(self) -> None:
        """Starts a stopwatch that waits for something to do."""
        if self._waiting is not None:
            self._waiting.record()
            self._waiting = None

    def trim(self) -> None:
        super().trim()
        with self.faults(), self.device:
            self.cupy.get_default_memory_pool().free_all_blocks()

    def adopt(self, array: Any, dtype: np.dtype[Any], count: int) -> Adopted | None:
        with self.faults(), self.device:
            found = self._own(array, dtype, count) if count else None
            if found is None:
                return None
            view, read_only = found
            self.device.synchronize()  # whatever stream it was made on
        start, size = int(view.data.ptr), int(view.nbytes)
        room = int(view.data.mem.ptr) + int(view.data.mem.size) - start
        loose = start % 4 != 0 or room < _whole_words(size)
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

    def _free_memory(self, ours: int) -> int | None:
        with self.faults(), self.device:
            free, _ = self.cupy.cuda.runtime.memGetInfo()
            return int(free) + int(self.cupy.get_default_memory_pool().free_bytes())

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Errors of the driver and the runtime as diagnostics."""
        try:
            yield
        except self.errors as error:
            raise device_fault(self.name, str(error)) from error

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """Those of the driver and the runtime."""
        return self.cupy.cuda.driver.CUDADriverError, self.cupy.cuda.runtime.CUDARuntimeError

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        try:
            with self.faults(), self.device:
                return self.cupy.empty(_whole_words(count * dtype.itemsize) // dtype.itemsize, dtype)
        except self.cupy.cuda.memory.OutOfMemoryError as error:
            raise MemoryError(str(error)) from error

    def _upload(self, buffer: Buffer, cells: Cells) -> None:
        with self.operation():
            buffer.memory[: buffer.count].set(cells)

    def _download(self, buffer: Buffer, cells: Cells) -> None:
        with self.operation():
            buffer.memory[: buffer.count].get(out=cells)

    def _fill(self, buffer: Buffer, value: Any) -> None:
        with self.operation():
            buffer.memory.fill(value)

    def _copy(self, destination: Buffer, source: Buffer) -> None:
        with self.operation():
            destination.memory.data.copy_from_device_async(
                source.memory.data, source.count * source.dtype.itemsize, self.cupy.cuda.get_current_stream()
            )

    def _read_cell(self, buffer: Buffer, index: int) -> Any:
        with self.operation():
            return buffer.memory[index : index + 1].get()[0]

    def _write_cell(self, buffer: Buffer, index: int, value: Any) -> None:
        with self.operation():
            buffer.memory[index : index + 1].set(np.full(1, value, buffer.dtype))


class _Operation:
    """Around whatever a device is asked to do, many thousand times in a run: it is the current one meanwhile, clocks
    begin, and errors become diagnostics."""

    __slots__ = ("device",)

    def __init__(self, device: CudaDevice) -> None:
        self.device = device

    def __enter__(self) -> None:
        try:
            self.device.device.__enter__()
            self.device.begin_clock()
        except self.device.errors as error:
            raise device_fault(self.device.name, str(error)) from error

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        try:
            self.device.device.__exit__(kind, error, trace)
        except self.device.errors as late:
            raise device_fault(self.device.name, str(error or late)) from late
        if isinstance(error, self.device.errors):
            raise device_fault(self.device.name, str(error)) from error


def _whole_words(size: int) -> int:
    """Bytes up to the end of a 32-bit word: single bytes are changed in the word around them."""
    return -(-size // 4) * 4


@dataclass(frozen=True, slots=True)
class _Loop:
    """The kernel of an `OnDevice` operation as the driver has it; `words` are its places on the board."""

    entry: Any
    arguments: tuple[KernelArgument, ...]
    board: Board
    words: Mapping[int, Any]
    most_blocks: int


class CudaKernels(WordKernels):
    """The kernels of one module on one GPU."""

    device: CudaDevice
    runs_together = True

    def __init__(self, device: CudaDevice, module: Module, wide_arcs: bool, loaded: Any, cached: bool) -> None:
        self._module = loaded
        super().__init__(device, module, wide_arcs, cached=cached)

        self._loops = {op.name: self._load_loop(op) for op in loops_of(module)}

    def _load_loop(self, op: OnDevice) -> _Loop:
        name, arguments = CUDA.loop(self.module, op)
        entry = self.entry(name)
        board = board_for(self.device, arguments, wide_arcs=self.wide_arcs)
        words = {number: board.buffer.memory[place:] for number, place in board.places.items()}
        return _Loop(entry, arguments, board, words, self.device.most_blocks_together(entry))

    def _launch_together(
        self, op: OnDevice, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        loop = self._loops[op.name]
        board = loop.board
        given = [
            loop.words[number] if number in loop.words else self.given(argument, arrays, scalars, size)
            for number, argument in enumerate(loop.arguments)
        ]
        blocks = self.device.multiprocessors * min(loop.most_blocks, blocks_together(op, size.num_arcs))
        self.device.copy(board.buffer, board.fresh)
        with self.device.operation():
            loop.entry((blocks,), (THREADS_TOGETHER,), given, enable_cooperative_groups=True)
        if not board.outcomes:
            return {}
        return board.read(self.device.download_words(board.buffer))

    def entry(self, name: str) -> Any:
        with self.device.faults(), self.device.device:
            return self._module.get_function(name)

    def start(self, entry: Any, kernel: Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        blocks, threads = self._grid(kernel, size)
        with self.device.operation():
            entry((blocks,), (threads,), arguments)

    def _grid(self, kernel: Kernel, size: LaunchSize) -> tuple[int, int]:
        """Blocks and their threads; the kernels stride over what is more than the device runs at once."""
        if isinstance(kernel.domain, Once):
            return 1, 1
        blocks = -(-size.iterations // GROUP_SIZE)
        if kernel.shares_arcs:
            blocks = max(blocks, GROUPS_OF_A_UNIT * self.device.multiprocessors)
        return min(blocks, self.device.most_blocks), GROUP_SIZE

    def memory(self, buffer: Buffer) -> Any:
        return buffer.memory
