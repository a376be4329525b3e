"""Estimates the device memory of a run before anything is launched, from the module and the graph's size.

Counted are the arrays of the graph that kernels use, the program's properties and sets, and what its functions allocate
while they run, those of the functions that they call included. Code and single words are not.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from starplat.backends.launch import SET_WORDS
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.runtime.elements import dtype_of, needs_wide_arcs

_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("bytes", 1))


@dataclass(frozen=True, slots=True)
class Estimate:
    """Bytes that a run takes.

    Attributes:
        graph: its arrays on the device, those that are there already included.
        properties: the entry's properties and sets, with the copies of what the caller gave and the program changes.
        temporaries: the most that functions hold of their own at one time.
        mapped: by name, the arrays that lie in mapped host memory instead.
    """

    graph: int = 0
    properties: int = 0
    temporaries: int = 0
    mapped: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All that is on the device."""
        return self.graph + self.properties + self.temporaries


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of the arrays of programs on one graph."""

    num_nodes: int
    num_arcs: int

    def of(self, array: ir.Array) -> int:
        """Bytes of an array on the device."""
        if array.origin is ir.Origin.HOST:
            return 0
        if array.packed is not None:
            return 4 * SET_WORDS[array.packed].for_nodes(self.num_nodes)
        dtype = dtype_of(array.element, wide_arcs=needs_wide_arcs(self.num_arcs))
        return dtype.itemsize * max(array.extent.cells(self.num_nodes, self.num_arcs), 1)

    def all(self, arrays: Iterable[ir.Array]) -> int:
        """Bytes of several arrays."""
        return sum(map(self.of, arrays))


def temporaries(module: ir.Module, sizes: Sizes) -> int:
    """The most that the module's functions hold at one time: the entry, or one that makes arrays of the graph."""
    peaks: dict[str, int] = {}

    def peak(function: ir.HostFunction) -> int:
        if function.name not in peaks:
            called = {op.function for op in walk_host(function.body) if isinstance(op, ir.HostCall)}
            below = max((peak(module.function(name)) for name in sorted(called)), default=0)
            peaks[function.name] = sizes.all(function.arrays) + below
        return peaks[function.name]

    first = (module.entry, *(one.function for one in module.prepared))
    return max(peak(module.function(name)) for name in first)


def too_large(program: str, device: str, needed: int, free: int) -> DiagnosticError:
    """E0908: it would not fit."""
    message = f"{program} needs {in_words(needed)} more on {device}, which has {in_words(free)} free"
    help = "use a device with more memory (starplat devices lists them), or a smaller graph"
    return DiagnosticError(Diagnostic("E0908", message, help=help), exit_code=ExitCode.NO_DEVICE)


def in_words(size: int) -> str:
    """Bytes in the largest unit that they reach."""
    name, unit = next((row for row in _UNITS if size >= row[1]), _UNITS[-1])
    return f"{size} bytes" if unit == 1 else f"{size / unit:.1f} {name}"


def host_memory() -> int | None:
    """Bytes of memory that the host has left; None if unknown."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (OSError, ValueError, AttributeError):
        return None


def at_most_host_memory(left: int) -> int:
    """The free memory of a device that lives in the host's memory."""
    host = host_memory()
    return left if host is None else min(left, host)
