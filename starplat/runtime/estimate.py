"""The memory of a run before anything is launched: how much it takes, and where arrays of arcs lie.

Counted are the arrays of the graph that kernels use, the program's properties and sets, and what its functions allocate
while they run, those of the functions that they call and of threads included. Code and single words are not.

Arrays of arcs that may be in the host's memory are on the device as far as there is room: one after another gets the
room that is left, in the order in which the module names them. The last may be split: its first cells are on the
device, the rest in mapped memory of the host, at consecutive addresses, so that kernels are the same in every case.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from starplat.backends.launch import SET_WORDS
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir import nodes as ir
from starplat.ir.launches import calls_in
from starplat.ir.visitor import thread_arrays
from starplat.runtime.elements import dtype_of, needs_wide_arcs
from starplat.same import Same
from starplat.sizes import in_words


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
    num_updates: int = 0
    num_heads: int = 0
    num_copies: int = 0
    """Of what each thread has for itself."""

    def of(self, array: ir.Array) -> int:
        """Bytes of an array on the device."""
        if array.origin is ir.Origin.HOST:
            return 0
        if array.packed is not None:
            return 4 * SET_WORDS[array.packed].for_nodes(self.num_nodes)
        dtype = dtype_of(array.element, wide_arcs=needs_wide_arcs(self.num_arcs))
        return dtype.itemsize * max(self.cells(array), 1)

    def cells(self, array: ir.Array) -> int:
        """How many cells an array has."""
        return array.extent.cells(self.num_nodes, self.num_arcs, self.num_updates, self.num_heads)

    def all(self, arrays: Iterable[ir.Array]) -> int:
        """Bytes of several arrays."""
        return sum(map(self.of, arrays))


def temporaries(module: ir.Module, sizes: Sizes) -> int:
    """The most that the module's functions hold at one time: the entry, or one that makes arrays of the graph."""
    return _temporaries(Same(module), sizes)


@lru_cache(maxsize=128)
def _temporaries(of: Same, sizes: Sizes) -> int:
    """The same, kept: repeated runs of a program ask several times each."""
    module: ir.Module = of.thing
    peaks: dict[str, int] = {}

    def peak(function: ir.HostFunction) -> int:
        if function.name not in peaks:
            below = max((peak(module.function(name)) for name in sorted(calls_in(function))), default=0)
            peaks[function.name] = sizes.all(function.arrays) + below
        return peaks[function.name]

    first = (module.entry, *(one.function for one in module.prepared))
    of_threads = max((sizes.all(thread_arrays(kernel.body)) for kernel in module.kernels), default=0)
    return max(peak(module.function(name)) for name in first) + sizes.num_copies * of_threads


def too_large(program: str, device: str, needed: int, free: int, least: int | None = None) -> DiagnosticError:
    """E0908: it would not fit; of a limit, the `least` that it has to allow."""
    message = f"{program} needs {in_words(needed)} more on {device}, which has {in_words(free)} free"
    help = "use a device with more memory (starplat devices lists them), or a smaller graph"
    if least is not None:
        message = f"{program} needs {least:,} bytes on {device} at least, and may have {in_words(free)}"
        help = f"allow as much (--device-memory {least}, device_memory=), {help}"
    return DiagnosticError(Diagnostic("E0908", message, help=help), exit_code=ExitCode.NO_DEVICE)


def too_large_for_host(program: str, least: int, free: int) -> DiagnosticError:
    """E0908: what the device leaves over does not fit in what the run may have of the host's memory."""
    message = f"{program} needs {least:,} bytes of the host's memory at least, and may have {in_words(free)}"
    help = f"allow as much (--host-memory {least}, host_memory=), or more of the device's (--device-memory)"
    return DiagnosticError(Diagnostic("E0908", message, help=help), exit_code=ExitCode.NO_DEVICE)


KEPT_FROM = 0.9
"""Of the cells that could be on the device so many there are left as they are."""

_SPARE = 32
"""One part in so many of what the system says is free stays free: pages, fragments, other programs."""


class Whereabouts(NamedTuple):
    """The placement of an array, and of a split one how many cells are on the device."""

    placement: ir.Placement = ir.Placement.DEVICE
    near: int = 0

    def size_on_device(self, size: int, cell: int) -> int:
        """Bytes there of an array of `size` bytes, `cell` each."""
        return {ir.Placement.MAPPED: 0, ir.Placement.SPLIT: self.near * cell}.get(self.placement, size)


ON_DEVICE = Whereabouts()
MAPPED = Whereabouts(ir.Placement.MAPPED)
MANAGED = Whereabouts(ir.Placement.MANAGED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An array of arcs: the memory that it stands for, its cells, the bytes of one, and how many are there already."""

    memory: Hashable
    count: int
    cell: int
    there: int


def divided(arrays: Iterable[Candidate], room: int | None, unit: int | None) -> dict[Hashable, Whereabouts]:
    """Where each lies, if all of them have so many bytes of the device, None for any number, and the device splits
    arrays at multiples of `unit` bytes, if at all."""
    found: dict[Hashable, Whereabouts] = {}
    for one in arrays:
        size = one.count * one.cell
        if room is None or size <= room:
            near = one.count
        else:
            near = 0 if unit is None or room <= 0 else room // unit * unit // one.cell
        if near * KEPT_FROM <= one.there <= near:
            near = one.there
        room = None if room is None else room - near * one.cell
        split = Whereabouts(ir.Placement.SPLIT, near)
        found[one.memory] = ON_DEVICE if near == one.count else split if near else MAPPED
    return found


def spare(free: int) -> int:
    """Bytes that are left alone of those that the system says are free."""
    return free // _SPARE
