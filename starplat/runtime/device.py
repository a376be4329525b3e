"""What the executor asks of a device, and the one place where bytes that cross to and from it are counted.

A target derives a `Device` (memory) and a `Kernels` (the built kernels of one module) and fills in the methods whose
names start with an underscore. The public ones here count bytes, keep freed memory for the next run, and leave out
what has nothing to do. Arrays that a caller has on the device come in by `adopt` and go out by `export`.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from starplat.backends.launch import MOST_THREADS
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Element, Kernel, Module, OnDevice
from starplat.ir.visitor import written_arrays
from starplat.runtime.buffers import Adopted, Buffer
from starplat.runtime.device_faults import out_of_memory
from starplat.runtime.elements import Cells, Value


@dataclass(slots=True)
class Traffic:
    """Bytes that went up to the device and came down, and how many kernels were launched."""

    up: int = 0
    down: int = 0
    launches: int = 0


@dataclass(frozen=True, slots=True)
class LaunchSize:
    """How many iterations a launch has, and the sizes of the graph."""

    iterations: int
    num_nodes: int
    num_arcs: int


_MOST_RELIEFS = 64


class Device(ABC):
    """One device. Operations happen in the order they are asked for."""

    target: ClassVar[str]
    capabilities: Capabilities | None = None
    """What schedules may rely on here, where that is not what they may on the target in general."""
    most_nodes: ClassVar[int] = 2**31 - 1 - MOST_THREADS
    """Threads count nodes with 32 bits, in steps of all threads of a launch."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.traffic = Traffic()
        self.broken = False
        self.relief: Callable[[], bool] = lambda: False
        """Gives up something on the device that can be brought back, a graph; False where there is nothing."""
        self._free: dict[tuple[np.dtype[Any], int], list[Buffer]] = defaultdict(list)
        self._ours: weakref.WeakSet[Buffer] = weakref.WeakSet()

    def allocate(self, dtype: np.dtype[Any], count: int) -> Buffer:
        """Cells with undefined contents.

        Raises:
            DiagnosticError: E0903, the device has not enough memory.
        """
        kept = self._free.get((dtype, count))
        if kept:
            return kept.pop()
        room = self._room(dtype, max(count, 1))
        buffer = Buffer(dtype, count, room)
        self._ours.add(buffer)
        return buffer

    def _room(self, dtype: np.dtype[Any], count: int) -> Any:
        """New memory; where there is none, after what is kept has been given up, then graphs that are not in use."""
        give_up: Iterable[Callable[[], bool]] = (self._trimmed, *([self.relief] * _MOST_RELIEFS))
        for more in give_up:
            with suppress(MemoryError):
                return self._allocate(dtype, count)
            if not more():
                break
        raise out_of_memory(self.name, dtype.itemsize * count)

    def _trimmed(self) -> bool:
        self.trim()
        return True

    def release(self, buffer: Buffer) -> None:
        """Keeps the memory for the next allocation of its size."""
        if not buffer.lent:
            self._free[buffer.dtype, buffer.count].append(buffer)

    def trim(self) -> None:
        """Gives the memory of released buffers back to the device."""
        self._free.clear()

    def free_memory(self) -> int | None:
        """Bytes that a run could have, what is kept from earlier runs included; None where nobody can tell."""
        left = self._free_memory(sum(buffer.size for buffer in self._ours))
        return None if left is None else left + sum(b.size for buffers in self._free.values() for b in buffers)

    def beside(self, arrays: Iterable[Any]) -> Device:
        """This device in the form in which it can use the caller's `arrays`, as far as it can."""
        return self

    def belongs(self, device: Device) -> bool:
        """Whether `device` is this one, or a form of it that `beside` gave."""
        return device is self

    def adopt(self, array: Any, dtype: np.dtype[Any], count: int) -> Adopted | None:
        """A caller's array to be used where it lies, with all that was asked of it done; None if it lies elsewhere or
        is not `count` cells of `dtype` in a row."""
        return None

    def require_countable(self, num_nodes: int) -> None:
        """Refuses what kernels cannot count.

        Raises:
            DiagnosticError: E0811, there are too many nodes.
        """
        if num_nodes > self.most_nodes:
            message = f"the graph has {num_nodes:,} nodes, and kernels of target {self.target} count up to"
            raise DiagnosticError(Diagnostic("E0811", f"{message} {self.most_nodes:,}", help="use --target reference"))

    def with_arrays(self) -> ArrayDevice:
        """This device, whose memory a caller can have as arrays.

        Raises:
            DiagnosticError: E0714, Python has no arrays on such a device.
        """
        message = f"results of target {self.target} cannot stay on the device"
        help = "leave 'device_results' out, or run on cuda, opencl or sycl"
        raise DiagnosticError(Diagnostic("E0714", message, help=help), exit_code=ExitCode.USAGE)

    def upload(self, buffer: Buffer, cells: Cells) -> None:
        """Host to device; `cells` has the buffer's type and length."""
        if buffer.count:
            assert cells.dtype == buffer.dtype, "what is uploaded has been converted before"
            self.traffic.up += cells.nbytes
            self._upload(buffer, np.ascontiguousarray(cells))

    def upload_words(self, buffer: Buffer, cells: Cells) -> None:
        """What launches begin with: nobody's data, and not counted."""
        self._upload(buffer, cells)

    def download_words(self, buffer: Buffer) -> Cells:
        """What a launch leaves behind; `Kernels.launch_together` counts its bytes."""
        cells: Cells = np.empty(buffer.count, buffer.dtype)
        self._download(buffer, cells)
        return cells

    def download(self, buffer: Buffer) -> Cells:
        """Device to host."""
        cells: Cells = np.empty(buffer.count, buffer.dtype)
        if buffer.count:
            self.traffic.down += cells.nbytes
            self._download(buffer, cells)
        return cells

    def fill(self, buffer: Buffer, value: Value) -> None:
        """Every cell becomes `value`; nothing crosses."""
        if buffer.count:
            self._fill(buffer, buffer.dtype.type(value))

    def copy(self, destination: Buffer, source: Buffer) -> None:
        """Device to device; both have one type and length."""
        if source.count and source is not destination:
            self._copy(destination, source)

    def read_cell(self, buffer: Buffer, index: int) -> Any:
        """One cell, as a NumPy scalar."""
        self.traffic.down += buffer.dtype.itemsize
        return self._read_cell(buffer, index)

    def read_word(self, buffer: Buffer) -> Any:
        """The word of a reduction; `Kernels.launch` counts its bytes."""
        return self._read_cell(buffer, 0)

    def write_cell(self, buffer: Buffer, index: int, value: Value) -> None:
        """One cell."""
        self.traffic.up += buffer.dtype.itemsize
        self._write_cell(buffer, index, buffer.dtype.type(value))

    @abstractmethod
    def build(self, module: Module, *, wide_arcs: bool) -> Kernels:
        """The module's kernels, ready to be launched.

        Raises:
            DiagnosticError: E0904, the device's compiler refuses them.
        """

    @abstractmethod
    def synchronise(self) -> None:
        """Waits until everything asked for has happened."""

    def stopwatch(self) -> Callable[[], float]:
        """Starts when the device is idle. What it gives is called once, waits until the device is idle again, and says
        how many seconds have passed, by the device's own clock where it has one."""
        self.synchronise()
        started = perf_counter()

        def stop() -> float:
            self.synchronise()
            return perf_counter() - started

        return stop

    def _free_memory(self, ours: int) -> int | None:
        """Bytes that the device has left, of which `ours` have been allocated here; None where nobody can tell."""
        return None

    @abstractmethod
    def _allocate(self, dtype: np.dtype[Any], count: int) -> Any:
        """Memory for `count` cells, one at least; MemoryError where there is none."""

    @abstractmethod
    def _upload(self, buffer: Buffer, cells: Cells) -> None: ...

    @abstractmethod
    def _download(self, buffer: Buffer, cells: Cells) -> None: ...

    @abstractmethod
    def _fill(self, buffer: Buffer, value: Any) -> None: ...

    @abstractmethod
    def _copy(self, destination: Buffer, source: Buffer) -> None: ...

    @abstractmethod
    def _read_cell(self, buffer: Buffer, index: int) -> Any: ...

    @abstractmethod
    def _write_cell(self, buffer: Buffer, index: int, value: Any) -> None: ...


class ArrayDevice(Device):
    """A device for whose memory Python has arrays."""

    def with_arrays(self) -> ArrayDevice:
        return self

    @abstractmethod
    def export(self, buffer: Buffer) -> Any:
        """The cells as an array that the caller can use on the device; the buffer is the caller's from now on."""


@dataclass(eq=False)
class Kernels(ABC):
    """The kernels of one module on one device; `cached` tells that building them was spared."""

    device: Device
    module: Module
    wide_arcs: bool
    cached: bool = field(default=False, kw_only=True)

    def launch(
        self, kernel: Kernel, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        """Runs a kernel; gives what its iterations contributed to every reduction, nothing if there are none."""
        if size.iterations == 0:
            return {}
        self.device.traffic.launches += 1
        contributed = self._launch(kernel, arrays, scalars, size)
        self.device.traffic.down += sum(word_size(r.variable.element, self.wide_arcs) for r in kernel.brought_back)
        return contributed

    @cached_property
    def written(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the arrays that a kernel may write, by its name."""
        return {k.name: tuple(array.name for array in written_arrays(k.body)) for k in self.module.kernels}

    runs_together: ClassVar[bool] = False
    """Whether `launch_together` is there."""

    def launch_together(
        self, op: OnDevice, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        """Runs the whole operation in one launch; gives what its outcomes came to."""
        self.device.traffic.launches += 1
        outcomes = self._launch_together(op, arrays, scalars, size)
        self.device.traffic.down += sum(word_size(variable.element, self.wide_arcs) for variable in op.outcomes)
        return outcomes

    def _launch_together(
        self, op: OnDevice, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        raise AssertionError(f"{self.device.target} has no grid barrier, so nothing is scheduled for one")

    @abstractmethod
    def _launch(
        self, kernel: Kernel, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]: ...


def word_size(element: Element, wide_arcs: bool) -> int:
    """Bytes of the one word that a reduction brings back: four for a BOOL."""
    if element in (Element.LONG, Element.DOUBLE) or (element is Element.ARC and wide_arcs):
        return 8
    return 4
