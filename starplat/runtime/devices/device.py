"""The interface of a device: memory, and the kernels of modules.

A target derives a `Device` and a `Kernels` (the built kernels of one module) and fills in the methods whose names start
with an underscore. The public ones count launches, and the bytes that they bring back. Arrays that a caller has on the
device come in by `adopt` and go out by `export`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from time import perf_counter
from typing import Any, ClassVar, NamedTuple

import numpy as np

from starplat.backends.compiled_loops import CompiledFunction
from starplat.backends.launch import MOST_THREADS
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.runtime.attending.attended import SoonOver
from starplat.runtime.attending.progress import Control
from starplat.runtime.devices.buffers import Adopted, Buffer
from starplat.runtime.devices.device_memory import DeviceMemory
from starplat.runtime.elements import Cells, Value
from starplat.runtime.text import dump_program, edited_text_may_be_wrong
from starplat.same import Same

_MOST_BUILT = 64


class LaunchSize(NamedTuple):
    """How many iterations a launch has, and the sizes of the graph."""

    iterations: int
    num_nodes: int
    num_arcs: int


class Device(DeviceMemory):
    """One device. Operations happen in the order they are asked for."""

    target: ClassVar[str]
    capabilities: Capabilities | None = None
    """What schedules may rely on here, where that is not what they may on the target in general."""
    is_host: bool = False
    """Whether the host's cores run the kernels, and its memory holds the arrays."""
    reaches_others: ClassVar[bool] = False
    """Whether devices of the target copy from each other's memory, as arrays that one process has of all of them."""
    most_nodes: ClassVar[int] = 2**31 - 1 - MOST_THREADS
    """Threads count nodes with 32 bits, in steps of all threads of a launch."""
    copies_of_threads: int = 0
    """How many copies a launch makes of an array that each thread has for itself."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.broken = False
        self.turn = RLock()
        """Held by a run: words of kernels and the queue are for one run at a time."""
        self.built: dict[tuple[Same, bool], Kernels] = {}
        """The kernels of the modules last used, by module and width of arcs."""
        self.soon_over = SoonOver()
        """The runs that are known to be short."""
        self.copied_per_second: float | None = None
        """Bytes, as soon as `tracing.work.copy_rate` has measured them."""

    def beside(self, arrays: Iterable[Any]) -> Device:
        """This device in the form in which it can use the caller's `arrays`, as far as it can."""
        return self

    def address(self, buffer: Buffer) -> int:
        """Where a buffer lies, for kernels of other devices, which reach it."""
        raise AssertionError(f"no other device reaches the memory of {self.target}")

    def stop_word(self) -> tuple[Buffer, Cells]:
        """A 64-bit word that kernels read while the host writes it, and its cell on the host."""
        raise AssertionError(f"kernels of {self.target} do not wait for other devices")

    def reach(self, others: Iterable[int]) -> bool:
        """Lets kernels here use the memory of other devices of the target; whether they can."""
        return False

    def as_here(self) -> Callable[[], AbstractContextManager[object]]:
        """What another thread is to be inside of, to ask the device for work as this thread would."""
        return nullcontext

    def belongs(self, device: Device) -> bool:
        """Whether `device` is this one, or a form of it that `beside` gave."""
        return device is self

    def close(self) -> None:
        """Gives back all that is kept here between runs."""
        self.built.clear()
        self.forget_graphs()
        self.trim()

    def adopt(self, array: Any, dtype: np.dtype[Any], count: int) -> Adopted | None:
        """A caller's array to be used where it lies, with all that was asked of it done; None if it lies elsewhere or
        is not `count` cells of `dtype` in a row."""
        return None

    def require_countable(self, num_nodes: int, cells: int = 1) -> None:
        """Refuses what kernels cannot count: the nodes, or so many `cells` for each. Raises E0811: there are too many
        nodes."""
        if num_nodes * cells > self.most_nodes:
            each = "" if cells == 1 else f" with {cells} words for each"
            message = f"the graph has {num_nodes:,} nodes{each}, and kernels of target {self.target} count up to"
            help = "use --target reference" if cells == 1 else "search from fewer sources at once: sources=batch(64)"
            raise DiagnosticError(Diagnostic("E0811", f"{message} {self.most_nodes:,}", help=help))

    def with_arrays(self) -> ArrayDevice:
        """This device, whose memory a caller can have as arrays. Raises E0714: Python has no arrays on such a
        device."""
        message = f"results of target {self.target} cannot stay on the device"
        help = "leave 'device_results' out, or run on cuda, opencl or sycl"
        raise DiagnosticError(Diagnostic("E0714", message, help=help), exit_code=ExitCode.USAGE)

    def has_built(self, module: ir.Module, wide_arcs: bool) -> bool:
        """Whether the module's kernels are at hand."""
        return (Same(module), wide_arcs) in self.built

    def kernels_of(self, module: ir.Module, wide_arcs: bool) -> Kernels:
        """The module's kernels; those of the modules last used are at hand."""
        known, key = self.built, (Same(module), wide_arcs)
        if (kernels := known.get(key)) is None:
            if len(known) >= _MOST_BUILT:
                known.pop(next(iter(known)))
            dump_program(module)
            with edited_text_may_be_wrong(self.target, module):
                kernels = known[key] = self.build(module, wide_arcs=wide_arcs)
        return kernels

    @abstractmethod
    def build(self, module: ir.Module, *, wide_arcs: bool) -> Kernels:
        """The module's kernels, ready to be launched. Raises E0904: the device's compiler refuses them."""

    @abstractmethod
    def synchronise(self) -> None:
        """Waits until everything asked for has happened."""

    def more_follows(self) -> None:
        """Stopwatches go on, whatever the device was last waited for."""

    def stopwatch(self) -> Callable[[], float]:
        """Starts when the device is idle. What it gives is called once, waits until the device is idle again, and says
        how many seconds have passed, by the device's own clock where it has one."""
        self.synchronise()
        started = perf_counter()

        def stop() -> float:
            self.synchronise()
            return perf_counter() - started

        return stop


class ArrayDevice(Device):
    """A device for whose memory Python has arrays."""

    def with_arrays(self) -> ArrayDevice:
        return self

    @abstractmethod
    def export(self, buffer: Buffer) -> Any:
        """The cells as an array that the caller can use on the device; the buffer is the caller's from now on."""


def require_features(device: str, wanted: Iterable[str], has: Callable[[str], bool]) -> None:
    """Lets a device pass that has all that a program needs. Raises E0608: it has not."""
    if missing := [feature for feature in wanted if not has(feature)]:
        message = f"{device} lacks {' and '.join(missing)}, which this program needs"
        help = "choose another device (starplat devices lists them), or --target reference"
        raise DiagnosticError(Diagnostic("E0608", message, help=help), exit_code=ExitCode.NO_DEVICE)


@dataclass(frozen=True, slots=True)
class Uses:
    """What a kernel uses at every launch, looked up once: names of the graph's arrays and of others, of those that it
    may write, and what it ends for the host."""

    kernel: ir.Kernel
    of_graph: tuple[str, ...]
    own: tuple[str, ...]
    written: tuple[str, ...]
    brought_back: tuple[ir.Reduction, ...]


def uses_of(kernel: ir.Kernel) -> Uses:
    cells = tuple(reduction.into for reduction in kernel.reductions if reduction.into is not None)
    arrays = (*kernel.arrays, *cells)
    return Uses(
        kernel,
        tuple(array.name for array in arrays if array.origin is ir.Origin.GRAPH),
        tuple(array.name for array in arrays if array.origin is not ir.Origin.GRAPH),
        tuple(array.name for array in visitor.written_arrays(kernel.body)),
        kernel.brought_back,
    )


@dataclass(frozen=True, slots=True)
class Called:
    """The outcome of a compiled loop: for each swapped array the name of the array whose cells it has now, and the
    scalars that the loop changes."""

    places: Mapping[str, str]
    scalars: Mapping[str, Value]


@dataclass(eq=False)
class Kernels(ABC):
    """The kernels of one module on one device; `cached` tells that building them was spared."""

    device: Device
    module: ir.Module
    wide_arcs: bool
    cached: bool = field(default=False, kw_only=True)

    def launch(
        self, kernel: ir.Kernel, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        """Runs a kernel; gives what its iterations contributed to every reduction, nothing if there are none."""
        if size.iterations == 0:
            return {}
        self.device.traffic.launches += 1
        contributed = self._launch(kernel, arrays, scalars, size)
        for reduction in self.uses[kernel.name].brought_back:
            self.device.traffic.down += word_size(reduction.variable.element, self.wide_arcs)
        return contributed

    @cached_property
    def uses(self) -> Mapping[str, Uses]:
        """What every kernel uses, by its name."""
        return {kernel.name: uses_of(kernel) for kernel in self.module.kernels}

    runs_together: ClassVar[bool] = False
    """Whether `launch_together` is there."""

    def launch_together(
        self, op: ir.OnDevice, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        """Runs the whole operation in one launch; gives what its outcomes came to."""
        self.device.traffic.launches += 1
        outcomes = self._launch_together(op, arrays, scalars, size)
        self.device.traffic.down += sum(word_size(variable.element, self.wide_arcs) for variable in op.outcomes)
        return outcomes

    def _launch_together(
        self, op: ir.OnDevice, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        raise AssertionError(f"{self.device.target} has no grid barrier, so nothing is scheduled for one")

    @property
    def compiled(self) -> Mapping[Same, CompiledFunction]:
        """The loops of the host program that are compiled with the kernels, which `call` runs."""
        return {}

    def call(
        self,
        function: CompiledFunction,
        arrays: Mapping[str, Buffer],
        scalars: Mapping[str, Value],
        size: LaunchSize,
        control: Control,
    ) -> Called:
        """Goes through all rounds of a compiled loop, unless the run's `control` stops it."""
        raise AssertionError(f"loops of {self.device.target} are not compiled")

    @abstractmethod
    def _launch(
        self, kernel: ir.Kernel, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]: ...


def word_size(element: ir.Element, wide_arcs: bool) -> int:
    """Bytes of the one word that a reduction brings back: four for a BOOL."""
    if element in (ir.Element.LONG, ir.Element.DOUBLE) or (element is ir.Element.ARC and wide_arcs):
        return 8
    return 4
