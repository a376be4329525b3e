"""What the executor asks of a device, and the one place where bytes that cross to and from it are counted.

A target derives a `Device` (memory) and a `Kernels` (the built kernels of one module) and fills in the methods whose
names start with an underscore. The public ones here count bytes, keep freed memory for the next run, and leave out
what has nothing to do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir.nodes import Element, Kernel, Module
from starplat.runtime.elements import Cells, Value


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Cells on a device; `memory` is whatever the target holds them in. There is room for one cell at least."""

    dtype: np.dtype[Any]
    count: int
    memory: Any


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


class Device(ABC):
    """One device. Operations happen in the order they are asked for."""

    target: ClassVar[str]

    def __init__(self, name: str) -> None:
        self.name = name
        self.traffic = Traffic()
        self._free: dict[tuple[np.dtype[Any], int], list[Buffer]] = defaultdict(list)

    def allocate(self, dtype: np.dtype[Any], count: int) -> Buffer:
        """Cells with undefined contents.

        Raises:
            DiagnosticError: E0903, the device has not enough memory.
        """
        kept = self._free.get((dtype, count))
        if kept:
            return kept.pop()
        try:
            return Buffer(dtype, count, self._allocate(dtype, max(count, 1)))
        except MemoryError:
            self.trim()
        try:
            return Buffer(dtype, count, self._allocate(dtype, max(count, 1)))
        except MemoryError as error:
            raise _out_of_memory(self.name, dtype.itemsize * count) from error

    def release(self, buffer: Buffer) -> None:
        """Keeps the memory for the next allocation of its size."""
        self._free[buffer.dtype, buffer.count].append(buffer)

    def trim(self) -> None:
        """Gives the memory of released buffers back to the device."""
        self._free.clear()

    def upload(self, buffer: Buffer, cells: Cells) -> None:
        """Host to device; `cells` has the buffer's type and length."""
        if buffer.count:
            assert cells.dtype == buffer.dtype, "what is uploaded has been converted before"
            self.traffic.up += cells.nbytes
            self._upload(buffer, np.ascontiguousarray(cells))

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
        if source.count:
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
        self.device.traffic.down += sum(word_size(r.variable.element, self.wide_arcs) for r in kernel.reductions)
        return contributed

    @abstractmethod
    def _launch(
        self, kernel: Kernel, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]: ...


def word_size(element: Element, wide_arcs: bool) -> int:
    """Bytes of the one word that a reduction brings back: four for a BOOL."""
    if element in (Element.LONG, Element.DOUBLE) or (element is Element.ARC and wide_arcs):
        return 8
    return 4


def device_fault(device: str, reason: str) -> DiagnosticError:
    """E0906: the device gave up."""
    message = f"{device} failed while the program ran: {reason}"
    help = "an index out of range does this: run with --target reference, which checks every index"
    return DiagnosticError(Diagnostic("E0906", message, help=help), exit_code=ExitCode.WRONG_INPUT)


def _out_of_memory(device: str, size: int) -> DiagnosticError:
    message = f"{device} has no room for {size:,} more bytes"
    help = "use a device with more memory (starplat devices lists them), or a smaller graph"
    return DiagnosticError(Diagnostic("E0903", message, help=help), exit_code=ExitCode.NO_DEVICE)
