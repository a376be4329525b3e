"""Target `cuda`: builds kernels by NVRTC from the emitted text and launches them through CuPy."""

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from struct import Struct
from typing import Any

import numpy as np

from starplat.backends.cuda import CUDA
from starplat.backends.cuda_family import blocks_together
from starplat.backends.launch import (
    GROUP_SIZE,
    GROUPS_OF_A_CLUSTER,
    GROUPS_OF_A_UNIT,
    THREADS_TOGETHER,
    KernelArgument,
    threads_of,
)
from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import reached_in
from starplat.ir.shapes.rows_of_arcs import row_of_arc
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.cupy_device import CupyDevice
from starplat.runtime.devices.device import Kernels, LaunchSize
from starplat.runtime.devices.together import Board, board_for
from starplat.runtime.devices.words import Given, WordKernels, always
from starplat.runtime.elements import Value
from starplat.runtime.text import kernels_text_to_run
from starplat.toolchain.cache import key_of, open_cache
from starplat.toolchain.description import refused_kernels

FLAGS = ("-std=c++17", "-lineinfo")
WIDE_ARCS_FLAG = "-DARC_64"

SHARED_SIZE_BYTES, MAX_DYNAMIC_SHARED_SIZE_BYTES, NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 1, 8, 14
"""The driver's numbers of a kernel's attributes."""

WORD = 4
"""Bytes of a word of bits."""

LARGE_CLUSTERS = (9, 10)
"""The major compute capabilities of GPUs that have room for `GROUPS_OF_A_CLUSTER` blocks in a cluster."""


def capabilities_on(cupy: Any, index: int) -> Capabilities:
    """What kernels may rely on there."""
    major = cupy.cuda.runtime.getDeviceProperties(index)["major"]
    return replace(CUDA.capabilities, clusters=major in LARGE_CLUSTERS)


class CudaDevice(CupyDevice):
    """One NVIDIA GPU, and the compiler of its kernels."""

    target = "cuda"

    def __init__(self, cupy: Any, index: int) -> None:
        super().__init__(cupy, index)
        self.capabilities = capabilities_on(cupy, index)

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        text = kernels_text_to_run(self.target, module)
        flags = (*FLAGS, WIDE_ARCS_FLAG) if wide_arcs else FLAGS
        image, cached = self._image(text, flags)
        with self.faults, self.device:
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

    @cached_property
    def driver(self) -> Any:
        """The driver's functions."""
        return import_module("cupy_backends.cuda.api.driver")

    def most_blocks_together(self, entry: "Entry") -> int:
        """How many blocks of a persistent kernel a multiprocessor has room for."""
        with self.faults, self.device:
            return int(self.driver.occupancyMaxActiveBlocksPerMultiprocessor(entry.address, THREADS_TOGETHER, 0))

    def allow_large_cluster(self, entry: "Entry") -> None:
        """Lets a kernel have a cluster of more blocks than every device with clusters has room for."""
        with self.faults, self.device:
            self.driver.funcSetAttribute(entry.address, NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)

    def room_for_bits(self, entry: "Entry") -> int:
        """Lets a kernel have as much shared memory as there is; returns how many bytes its launches can ask for."""
        with self.faults, self.device:
            most = self.device.attributes["MaxSharedMemoryPerBlockOptin"]
            room = int(most - self.driver.funcGetAttribute(SHARED_SIZE_BYTES, entry.address)) // WORD * WORD
            self.driver.funcSetAttribute(entry.address, MAX_DYNAMIC_SHARED_SIZE_BYTES, room)
            return room

    def launch(
        self,
        entry: "Entry",
        blocks: int,
        threads: int,
        arguments: Sequence[Any],
        *,
        together: bool = False,
        near: int = 0,
    ) -> None:
        """Launches a kernel, `together` where its blocks wait for each other, which have so many bytes `near` them. All
        is ready when the clock begins."""
        stream = self.cupy.cuda.get_current_stream().ptr
        shape = entry.address, blocks, 1, 1, threads, 1, 1, near, stream, entry.with_arguments(arguments)
        with self.operation():
            if together:
                self.driver.launchCooperativeKernel(*shape)
            else:
                self.driver.launchKernel(*shape, 0)


_FORMATS = {
    np.dtype(np.int32): "i4x",
    np.dtype(np.int64): "q",
    np.dtype(np.float32): "f4x",
    np.dtype(np.float64): "d",
    np.dtype(np.uint8): "B7x",
}
"""How `struct` writes the numbers that kernels take to 8 bytes each."""


class Entry:
    """A kernel as the driver has it, and the memory from which the driver takes the arguments of a launch.

    Attributes:
        address: of the function.
    """

    def __init__(self, function: Any, types: Iterable[np.dtype[Any] | None]) -> None:
        """Of the `types` of its parameters, None stands for memory."""
        formats = ["Q" if one is None else _FORMATS[one] for one in types]
        self._function = function  # which lives as long
        self.address = int(function.ptr)
        self._layout = Struct("=" + "".join(formats))
        self._words = (ctypes.c_uint64 * len(formats))()
        first, size = ctypes.addressof(self._words), ctypes.sizeof(ctypes.c_uint64)
        self._places = (ctypes.c_void_p * len(formats))(*(first + size * number for number in range(len(formats))))

    def with_arguments(self, arguments: Sequence[Any]) -> int:
        """The address of the places where the driver finds these."""
        self._layout.pack_into(self._words, 0, *arguments)
        return ctypes.addressof(self._places)


@dataclass(frozen=True, slots=True)
class _Loop:
    """The kernel of an `OnDevice` operation as the driver has it; a cluster has `room` for bits, in bytes."""

    entry: Entry
    arguments: tuple[Given, ...]
    board: Board
    most_blocks: int
    room: int = 0


class CudaKernels(WordKernels):
    """The kernels of one module on one GPU."""

    device: CudaDevice
    runs_together = True

    def __init__(self, device: CudaDevice, module: ir.Module, wide_arcs: bool, loaded: Any, cached: bool) -> None:
        self._module = loaded
        super().__init__(device, module, wide_arcs, cached=cached)

        self._fresh_boards = set[str]()  # of loops that can begin at once, without a copy that they wait for
        self._loops = {op.name: self._load_loop(op) for op in visitor.loops_of(module)}
        self._rows_of_arcs = {kernel.name for kernel in module.kernels if row_of_arc(kernel) is not None}

    def _load_loop(self, op: ir.OnDevice) -> _Loop:
        name, parameters = CUDA.loop(self.module, op)
        entry = self.entry(name, parameters)
        board = board_for(self.device, parameters, wide_arcs=self.wide_arcs)
        words = {number: always(self.memory(board.buffer) + place) for number, place in board.places.items()}
        given = self.all_given(parameters, pieces=words)
        if op.cluster:
            self.device.allow_large_cluster(entry)
            return _Loop(entry, given, board, 1, self.device.room_for_bits(entry) if reached_in(op) else 0)
        return _Loop(entry, given, board, self.device.most_blocks_together(entry))

    def _launch_together(
        self, op: ir.OnDevice, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        loop = self._loops[op.name]
        board = loop.board
        arguments = [given(arrays, scalars, size) for given in loop.arguments]
        blocks = self.device.multiprocessors * min(loop.most_blocks, blocks_together(op, size.num_nodes, size.num_arcs))
        near = 0
        if op.cluster:
            blocks = GROUPS_OF_A_CLUSTER
            near = min(loop.room, WORD * (size.num_nodes // (8 * WORD * blocks) + 1))
        if op.name in self._fresh_boards:
            self._fresh_boards.remove(op.name)
        else:
            self.device.copy(board.buffer, board.fresh)
        self.device.launch(loop.entry, blocks, threads_of(op), arguments, together=not op.cluster, near=near)
        if op.in_parts:  # other GPUs may still look at it
            return board.read(self.device.download_words(board.buffer)) if board.outcomes else {}
        found: dict[str, Value] = {}
        if board.outcomes:
            found = board.read(self.device.take_words(board.buffer, partial(self._renew, board)))
        else:
            self._renew(board)
        self._fresh_boards.add(op.name)
        return found

    def _renew(self, board: Board) -> None:
        if board.changes:
            self.device.copy(board.buffer, board.fresh)

    def entry(self, name: str, parameters: tuple[KernelArgument, ...]) -> Entry:
        with self.device.faults, self.device.device:
            return Entry(self._module.get_function(name), map(self.scalar_type, parameters))

    def start(self, entry: Entry, kernel: ir.Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        self.device.launch(entry, *self._grid(kernel, size), arguments)

    def _grid(self, kernel: ir.Kernel, size: LaunchSize) -> tuple[int, int]:
        """Blocks and their threads; the kernels stride over what is more than the device runs at once."""
        if isinstance(kernel.domain, ir.Once):
            return 1, 1
        blocks = -(-size.iterations // GROUP_SIZE)
        if kernel.shares_arcs:
            at_once = GROUPS_OF_A_UNIT * self.device.multiprocessors
            # as many blocks as run at once share the rows of a part best, and note the most of few arcs
            is_few = kernel.is_of_part or kernel.name in self._rows_of_arcs
            blocks = at_once if is_few else max(blocks, at_once)
        return min(blocks, self.device.most_blocks), GROUP_SIZE

    def memory(self, buffer: Buffer) -> int:
        return self.device.address(buffer)
