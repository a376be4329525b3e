"""The trace of a run: for every round the active nodes, how they were held, the time; and the same for every kernel.

Of a run in parts it has the exchanges of parts too, and is made from the trace of each part."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from starplat.ir import nodes as ir
from starplat.ir.points import Way
from starplat.runtime.tracing.reads import Reads, total


class Crossing(Enum):
    """How cells of parts become what all of them have, or those of the host the device's."""

    SHARE = "share"  # each part gives its own cells to the others
    COMBINE = "combine"  # an operator makes one cell of those of all parts
    TOGETHER = "together"  # the same for a scalar
    CHUNKS = "chunks"  # the host copies the rows that a launch reads


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange of an array or a scalar, or of rows for the kernel of that name; `bytes` are what all parts together
    gave, or the host."""

    crossing: Crossing
    name: str
    bytes: int

    def to_json(self) -> dict[str, Any]:
        return {"exchange": self.crossing.value, "name": self.name, "bytes": self.bytes}


def crossing_of(op: ir.HostOp) -> tuple[Crossing, str] | None:
    """How a host operation exchanges cells, and the name of their array or scalar; None if it exchanges nothing."""
    match op:
        case ir.ShareParts(array):
            return Crossing.SHARE, array.name
        case ir.CombineParts(array, among=ir.Array() as among):
            return Crossing.COMBINE, f"{array.name}, {among.name}"
        case ir.CombineParts(array) | ir.CombineChanged(array):
            return Crossing.COMBINE, array.name
        case ir.Together(variable) | ir.TakeFirst(variable):
            return Crossing.TOGETHER, variable.name
        case ir.ExchangeCells():
            names = ", ".join(array.name for array in (*op.arrays, op.among) if array is not None)
            return (Crossing.SHARE if op.by is None else Crossing.COMBINE), names
        case _:
            return None


SCHEMA = 1
MOST_ROUNDS = 65_536
"""Rounds that a trace holds; the rest are counted only."""


class Held(Enum):
    """How the iterations of a kernel are held."""

    ALL = "all"  # every node, and no condition
    TESTED = "tested"  # every node is asked whether a condition holds
    FLAGS = "flags"  # every node is asked for its flag
    BITS = "bits"  # the bits of a set are gone through
    LAYERS = "two layers"  # the words of its bits that are not zero are
    LIST = "list"  # the members are listed
    ARCS = "all arcs"
    ROW = "one row"  # the neighbors of one node
    SHARES = "shares"
    ONE = "one thread"

    @property
    def each_part_in_full(self) -> bool:
        """Whether every part of a run goes through all of it, or counts it so."""
        return self in (Held.ROW, Held.SHARES, Held.ONE)


@dataclass(frozen=True, slots=True)
class Walk:
    """A kernel in a round. `active` is how many nodes it goes over, `arcs` how many arcs these have in the direction in
    which it walks them; None is not known. Where a kernel looks for members of a set, they are those of the set.
    `reads` is what it reads of arrays of arcs."""

    kernel: str
    line: int | None
    active: int | None
    arcs: int | None
    direction: Way
    held: Held
    reads: Reads | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "kernel": self.kernel,
            "line": self.line,
            "active": self.active,
            "arcs": self.arcs,
            "direction": None if self.direction is Way.NONE else self.direction.value,
            "representation": self.held.value,
            "reads": None if self.reads is None else self.reads.to_json(),
        }


_FILTERS = (Held.FLAGS, Held.BITS, Held.LAYERS, Held.LIST, Held.TESTED)


@dataclass(frozen=True, slots=True)
class Round:
    """One iteration of a loop, without the loops in it. `line` is the loop's, `number` counts from 1 whenever the loop
    begins anew. `exchanges` are what parts of a run exchange in it."""

    line: int | None
    number: int
    walks: tuple[Walk, ...]
    seconds: float
    exchanges: tuple[Exchange, ...] = ()

    @property
    def chief(self) -> Walk:
        """The kernel that says what the round is about: the first that walks arcs of chosen nodes, if there is one."""
        chosen = [walk for walk in self.walks if walk.held in _FILTERS]
        walking = [walk for walk in chosen or self.walks if walk.arcs is not None]
        return (walking or chosen or list(self.walks))[0]

    @property
    def reads(self) -> Reads:
        """What its kernels read of arrays of arcs, as far as it is known."""
        return total(walk.reads for walk in self.walks)

    def to_json(self) -> dict[str, Any]:
        chief = self.chief.to_json()
        return {
            "line": self.line,
            "round": self.number,
            "frontier": chief["active"],
            "arcs": chief["arcs"],
            "direction": chief["direction"],
            "representation": chief["representation"],
            "seconds": self.seconds,
            "reads": self.reads.to_json(),
            "kernels": [walk.to_json() for walk in self.walks],
            **({"exchanges": [one.to_json() for one in self.exchanges]} if self.exchanges else {}),
        }


@dataclass(frozen=True, slots=True)
class Filled:
    """An array that was filled or copied, `times` times: so many cells of `size` bytes."""

    cells: int
    size: int
    copied: bool
    times: int = 1

    @property
    def bytes(self) -> int:
        """What was written, and read where it was copied."""
        return self.cells * self.size * self.times * (2 if self.copied else 1)


@dataclass(frozen=True, slots=True)
class Work:
    """Of one run: bytes of cells and operations, at least; `missing` says what there is besides."""

    bytes: int
    operations: int
    missing: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"bytes": self.bytes, "operations": self.operations, "not_counted": list(self.missing)}


@dataclass(frozen=True, slots=True)
class Trace:
    """Of one run, which was not among those that were timed.

    Attributes:
        rounds: in the order in which they ended.
        left_out: rounds after the first `MOST_ROUNDS`, or what a launch had no room to tell.
        on_device: whether any round was timed by the device's own clock.
        seconds: what the watched run took, the time for looking included.
        outside: kernels that were launched outside every loop.
        filled: what was filled and copied.
        work: what the run touched and computed.
        taken_apart: whether rounds were launched one by one that share a launch, or are launched ahead, in other runs.
        exchanged_outside: what parts of a run exchanged in no round of `rounds`.
    """

    rounds: tuple[Round, ...] = ()
    left_out: int = 0
    on_device: bool = False
    seconds: float = 0.0
    outside: tuple[Walk, ...] = ()
    filled: tuple[Filled, ...] = field(default=(), repr=False)
    work: Work | None = None
    taken_apart: bool = False
    exchanged_outside: tuple[Exchange, ...] = ()

    @property
    def walks(self) -> tuple[Walk, ...]:
        """Every kernel that was launched."""
        return (*self.outside, *(walk for one in self.rounds for walk in one.walks))

    @property
    def reads(self) -> Reads:
        """What all of them read of arrays of arcs, except those of `unread`."""
        return total(walk.reads for walk in self.walks)

    @property
    def reads_of_lines(self) -> Mapping[int | None, Reads]:
        """The same by the line of the program that a kernel came from, None for what is in no line of it."""
        by_line: dict[int | None, list[Reads | None]] = {}
        for walk in self.walks:
            by_line.setdefault(walk.line, []).append(walk.reads)
        return {line: total(reads) for line, reads in by_line.items()}

    @property
    def unread(self) -> tuple[str, ...]:
        """The kernels of whose launches it is not known what they read of arrays of arcs."""
        return tuple(sorted({walk.kernel for walk in self.walks if walk.reads is None}))

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """All that parts of a run exchanged: in rounds, then outside of them."""
        in_rounds = (one for each in self.rounds for one in each.exchanges)
        return (*in_rounds, *self.exchanged_outside)

    def plot(self) -> Any:
        """A picture of the rounds: matplotlib's axes, with the active nodes by direction, and the time on the right.

        Raises:
            DiagnosticError: E0813, matplotlib is not installed.
        """
        from starplat.runtime.tracing.plotted import plotted

        chiefs = [one.chief for one in self.rounds]
        active = [chief.active or 0 for chief in chiefs]
        return plotted(active, [chief.direction for chief in chiefs], [one.seconds for one in self.rounds])

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "clock": "device" if self.on_device else "host",
            "seconds": self.seconds,
            "left_out": self.left_out,
            "work": None if self.work is None else self.work.to_json(),
            "reads": {**self.reads.to_json(), "not_counted": list(self.unread)},
            "reads_of_lines": [{"line": line, **reads.to_json()} for line, reads in self.reads_of_lines.items()],
            "rounds": [one.to_json() for one in self.rounds],
            **({"exchanged_outside": [one.to_json() for one in self.exchanged_outside]} if self.exchanges else {}),
        }


def of_all_parts(traces: Sequence[Trace], *, alike: bool) -> Trace:
    """The trace of a run from those of its parts: nodes, arcs and bytes of all of them, and the longest time.

    `alike`: whether all parts have the same rounds, each for its nodes; else the rounds are those of the first part,
    with the exchanges of all.
    """
    first = traces[0]
    sizes = map(sum, zip(*([one.bytes for one in trace.exchanges] for trace in traces), strict=True))
    if alike:
        rounds = tuple(map(_round_of_all, zip(*(trace.rounds for trace in traces), strict=True)))
        outside = tuple(map(_walk_of_all, zip(*(trace.outside for trace in traces), strict=True)))
        first = replace(first, rounds=rounds, outside=outside)
    rounds = tuple(replace(one, exchanges=_with_sizes(one.exchanges, sizes)) for one in first.rounds)
    exchanged = _with_sizes(first.exchanged_outside, sizes)
    seconds = max(trace.seconds for trace in traces)
    return replace(first, rounds=rounds, exchanged_outside=exchanged, seconds=seconds, work=None)


def _with_sizes(exchanges: Sequence[Exchange], sizes: Iterator[int]) -> tuple[Exchange, ...]:
    return tuple(replace(one, bytes=next(sizes)) for one in exchanges)


def _round_of_all(rounds: Sequence[Round]) -> Round:
    walks = tuple(map(_walk_of_all, zip(*(one.walks for one in rounds), strict=True)))
    return replace(rounds[0], walks=walks, seconds=max(one.seconds for one in rounds))


def _walk_of_all(walks: Sequence[Walk]) -> Walk:
    """The walks of a kernel in all parts as one. A kernel that each part runs in full counts once."""
    first = walks[0]
    known = [walk.reads for walk in walks]
    reads = None if None in known else total(known)
    if first.held.each_part_in_full:
        return replace(first, reads=reads)
    return replace(first, active=_sum(w.active for w in walks), arcs=_sum(w.arcs for w in walks), reads=reads)


def _sum(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    return None if None in found else sum(filter(None, found))
