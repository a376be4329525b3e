"""A device of target `cuda` that needs no GPU: emitted kernels, built by g++, with fibers for threads.

`host_cuda/cuda_on_host.hpp` is the device side, `cuda_on_host.cpp` runs threads. What runs is the text that CUDA, or
HIP in its stead, gets but for four things: shared memory is a variable, a loop that waits for another block lets it
run, the clock is the host's, and limits of the helper functions are small, so that small graphs go beyond them. New
memory holds nonsense.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starplat.backends.cuda import CUDA
from starplat.backends.cuda_family import Family
from starplat.backends.launch import KernelArgument
from starplat.backends.text.names import Names
from starplat.ir import nodes as ir
from starplat.ir.visitor import launched_alone, loops_of
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Kernels, LaunchSize
from starplat.runtime.devices.reference import ReferenceDevice
from starplat.runtime.devices.together import Board, board_for
from starplat.runtime.devices.words import Given, WordKernels, always
from starplat.runtime.elements import Cells, Value
from starplat.runtime.session import default_session
from tests.kept import kept, kept_file

HERE = Path(__file__).parent / "host_cuda"
HEADER = HERE / "cuda_on_host.hpp"
MACHINE = HERE / "cuda_on_host.cpp"

LIMITS = {
    "MOST_NEW": 3,
    "MUCH_NEW": 2,
    "MOST_LISTED": 16,
    "LONG_ROW": 6,
    "MOST_LONG": 2,
    "HUGE_ROW": 9,
    "MOST_HUGE": 1,
    "FEW_ARCS": 2,
    "MOST_COUNTED": 5,
    "FEW_FOR_A_WARP": 1,
    "FEW_AHEAD": 1,
    "MOST_ALONE": 2,
    "MOST_CELLS": 32,
    "TRIED_AT_ONCE": 3,
    "MOST_KEPT": 48,
    "ASKED_AHEAD": 3,
}
"""What the helper functions of emitted kernels are limited to here."""


@dataclass(frozen=True)
class Machine:
    """How many blocks and threads a launch has and a warp, what chance decides, and whose text runs."""

    blocks: int = 3
    threads: int = 64
    seed: int = 1
    limits: bool = True
    warp: int = 32
    family: Family = CUDA
    peers: bool = False


def require_compiler() -> None:
    """Skips where there is no C++ compiler."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")


def host_text(module: ir.Module, *, limits: bool, family: Family = CUDA) -> str:
    """The kernels as g++ gets them, each with a function that launches it."""
    text = family.kernels_text(module).replace("#include <hip/hip_runtime.h>\n", "")
    text = text.replace("*peers->end == 0)) {}", "*peers->end == 0)) on_host::wait_for_peer();")
    text = re.sub(r"^(\s*while \(.*\)) \{\}$", r"\1 on_host::spin();", text, flags=re.MULTILINE)
    text = re.sub(r"asm volatile\(.*globaltimer.*\);", "now = on_host::nanoseconds();", text)
    text = re.sub(r"asm volatile\(\"atom.add.*\);", "before = atomicAdd(arrived, share);", text)
    text = re.sub(r"asm volatile\(\"ld.acquire.*\);", "now = *arrived, on_host::spin();", text)
    text = text.replace('asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");', "on_host::meet_all();")
    text = text.replace('asm volatile("fence.acq_rel.cluster;" ::: "memory");', "{}")
    text = text.replace('asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");', "")
    text = re.sub(r"asm volatile\(\"prefetch.*\((.*)\)\);", r"(void)*(volatile const char *)(\1);", text)
    text = re.sub(r"asm\(\"mapa.*\);", "there = on_host::in_block(cell, block);", text)
    text = text.replace("extern __shared__ int words_reached[];", f"__shared__ int words_reached[{WORDS_REACHED}];")
    text = re.sub(r"asm\(\"mov.u32 %0, %%dynamic_smem_size;.*\);", "bytes = sizeof(words_reached);", text)
    for name, small in LIMITS.items() if limits else ():
        text = re.sub(rf"^#define {name} \d+", f"#define {name} {small}", text, flags=re.MULTILINE)
    names = [Names(module, (), ()).kernel(kernel.name) for kernel in launched_alone(module)]
    names += [family.loop(module, op)[0] for op in loops_of(module)]
    launches = (f"LAUNCHED({name})" for name in names)
    return "\n".join(['#include "cuda_on_host.hpp"', text, '#line 1 "launches"', *launches])


WORDS_REACHED = 3
"""What a block of a cluster has room for here, in words of bits."""

OPTIONS = ("-std=c++17", "-O1", "-fwrapv", "-ffp-contract=off", "-w", "-fPIC")
APART = ("-fvisibility=hidden", "-fno-gnu-unique")
"""A library's variables are its own."""


@cache
def built(text: str, flags: tuple[str, ...]) -> ctypes.CDLL:
    """The shared library of a text."""
    require_compiler()
    library = kept(lambda: compiled(text, flags), text, *flags, HEADER.read_bytes(), MACHINE.read_bytes())
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(library)
        file.flush()
        return ctypes.CDLL(file.name)


def compiled(text: str, flags: tuple[str, ...]) -> bytes:
    """What g++ makes of it; the header comes compiled, and what runs the threads too, in a third of the time."""
    header = compiled_once(f"{HEADER.name}.gch", "-x", "c++-header", str(HEADER), *flags)
    folders = (header.parent, HERE) if header else (HERE,)
    sources = ("-x", "c++", "-", "-x", "none", str(machine(*flags)))
    return output_of(
        ["g++", *OPTIONS, *APART, *flags, *(f"-I{folder}" for folder in folders), "-shared", *sources], text
    )


def machine(*flags: str) -> Path:
    """What runs the threads of launches, to be linked."""
    return compiled_once(f"{MACHINE.stem}.o", "-O2", "-c", str(MACHINE), *flags) or MACHINE


@cache
def compiled_once(name: str, *command: str) -> Path | None:
    """A part of many libraries or programs, in a file of that name; None where there is no safe folder."""
    words = ("g++", *OPTIONS, *APART, *command)
    return kept_file(name, lambda: output_of([*words], ""), *words, HEADER.read_bytes(), MACHINE.read_bytes())


def output_of(command: list[str], given: str) -> bytes:
    """The file that a compiler writes."""
    with tempfile.TemporaryDirectory(prefix="emulated-") as folder:
        file = Path(folder) / "output"
        asked = [*command, "-o", str(file)]
        done = subprocess.run(asked, input=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        return file.read_bytes()


class EmulatedDevice(ReferenceDevice):
    """The host's memory, and fibers."""

    target = "cuda"

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.name = "emulated GPU"
        self.machine = machine
        self.capabilities = machine.family.capabilities
        self.random = np.random.default_rng(machine.seed)

    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        text = host_text(module, limits=self.machine.limits, family=self.machine.family)
        flags = (f"-DWARP_SIZE={self.machine.warp}", *(("-DARC_64",) if wide_arcs else ()))
        library = built.__wrapped__ if self.machine.peers else built  # launches on peers run at the same time
        return EmulatedKernels(self, module, wide_arcs, library(text, flags))

    def _allocate(self, dtype: np.dtype[Any], count: int) -> Cells:
        cells: Cells = np.empty(count, dtype)
        junk = self.random.integers(0, 2 if dtype == np.uint8 else 256, min(cells.nbytes, 4096), np.uint8)
        cells.view(np.uint8)[: len(junk)] = junk
        return cells

    def address(self, buffer: Buffer) -> int:
        return int(buffer.memory.ctypes.data)

    def stop_word(self) -> tuple[Buffer, Cells]:
        word = self.allocate_word(np.dtype(np.int64))
        return word, word.memory

    def reach(self, others: Iterable[int]) -> bool:
        return self.machine.peers

    def launch(self, entry: Any, blocks: int, threads: int, arguments: list[Any]) -> None:
        """Runs a kernel on so many threads; arguments are arrays or NumPy scalars."""
        kept = [np.array(a.ctypes.data, np.uintp) if isinstance(a, np.ndarray) else np.asarray(a) for a in arguments]
        places = (ctypes.c_void_p * len(kept))(*(cell.ctypes.data for cell in kept))
        said = entry(blocks, threads, places, int(self.random.integers(2**31)))
        if said is not None:
            raise AssertionError(f"{entry.__name__}: {said.decode()}")


@dataclass(frozen=True)
class _Loop:
    entry: Any
    arguments: tuple[Given, ...]
    board: Board


class EmulatedKernels(WordKernels):
    """As the GPU's, but that an argument's memory is a NumPy array."""

    device: EmulatedDevice
    runs_together = True

    def __init__(self, device: EmulatedDevice, module: ir.Module, wide_arcs: bool, library: ctypes.CDLL) -> None:
        self._library = library
        super().__init__(device, module, wide_arcs, cached=False)
        self._loops = {op.name: self._loop(op) for op in loops_of(module)}

    def _loop(self, op: ir.OnDevice) -> _Loop:
        name, parameters = self.device.machine.family.loop(self.module, op)
        board = board_for(self.device, parameters, wide_arcs=self.wide_arcs)
        words = {number: always(board.buffer.memory[place:]) for number, place in board.places.items()}
        return _Loop(self.entry(name, parameters), self.all_given(parameters, pieces=words), board)

    def entry(self, name: str, parameters: tuple[KernelArgument, ...]) -> Any:
        entry = self._library[f"launch_{name}"]
        entry.restype = ctypes.c_char_p
        return entry

    def start(self, entry: Any, kernel: ir.Kernel, size: LaunchSize, arguments: list[Any]) -> None:
        machine = self.device.machine
        blocks, threads = (1, 1) if isinstance(kernel.domain, ir.Once) else (machine.blocks, machine.threads)
        self.device.launch(entry, blocks, threads, arguments)

    def _launch_together(
        self, op: ir.OnDevice, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        loop, board, machine = self._loops[op.name], self._loops[op.name].board, self.device.machine
        self.device.copy(board.buffer, board.fresh)
        arguments = [given(arrays, scalars, size) for given in loop.arguments]
        self.device.launch(loop.entry, machine.blocks, machine.threads, arguments)
        return board.read(board.buffer.memory) if board.outcomes else {}

    def memory(self, buffer: Buffer) -> Any:
        return buffer.memory


@contextmanager
def emulated(machine: Machine) -> Iterator[EmulatedDevice]:
    """Target `cuda`, device 0, is such a device inside."""
    require_compiler()
    device = EmulatedDevice(machine)
    with pytest.MonkeyPatch.context() as instead:
        instead.setitem(default_session()._devices, ("cuda", 0), device)
        yield device
