"""Foresees what a run in parts exchanges, and how many times as fast as one device it is, before anything runs.

Takes the modules that parts would run, and the graph's figures. Bytes are those of the exchanges in the modules; the
times are a model, whose rates stand in this file with the place that they were measured at.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from math import ceil, log2
from typing import Any

import numpy as np

from starplat.backends.launch import MOST_PARTS
from starplat.ir import nodes as ir, points
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.members import membership
from starplat.ir.visitor import blocks_of, loops_of, walk_host, walk_kernel, walks_rows
from starplat.ir.work import EARLY, cost_of
from starplat.runtime.divided.planning import in_each_part, sources_apart
from starplat.runtime.elements import needs_wide_arcs
from starplat.runtime.estimate import Sizes
from starplat.runtime.tracing.trace import crossing_of
from starplat.schedule.facts import GraphFacts
from starplat.sizes import in_words


@dataclass(frozen=True, slots=True)
class Link:
    """What carries cells: the seconds that an exchange takes between two parts if it is small, how many more for each
    doubling of their number, those that a single number takes, and the bytes that a part gives in a second."""

    what: str
    least: float
    doubling: float
    number: float
    rate: float
    begin: float = 0.0
    """Seconds that a run takes longer for it."""


PEERS = Link("inside of launches, NVLink", 8e-6, 0.0, 4e-6, 347e9, 0.2e-3)
"""Two meetings, each of a barrier of all GPUs (1.5 us) between two of a grid (1.25 us). A GPU writes 64 MiB to another
in 194 us (four H200). Launches that wait for each other take 0.2 ms more (decision 0052)."""

NCCL = Link("NCCL, NVLink", 96e-6, 16e-6, 30e-6, 300e9)
"""Sharing 64 KiB takes 93 to 98 us on two H100, 30 of them to meet on the host (decision 0042). All-reduce and
all-gather of 64 KiB take 36 us between two H200 and 52 between four; 64 to 512 MiB run at 277 to 325 GB/s."""

NETWORK = Link("NCCL, a network of 400 Gb/s for each GPU", 96e-6, 16e-6, 30e-6, 50e9)
"""Not measured: the line rate of a usual adapter, with the delays of `NCCL`."""

HOSTS = Link("by way of the hosts, as MPI", 10e-6, 10e-6, 10e-6, 2e9)
"""All-reduce of 8 bytes takes 6.5 to 10 us between two processes of one machine, 4 to 16 MiB run at 2 GB/s (MPICH)."""


class Walk(Enum):
    """How a program goes over arcs."""

    ALL = "all arcs in every round"
    ACTIVE = "arcs of active nodes, each once in all rounds"
    EARLY = "arcs of active nodes or until one is found, each once in all rounds"
    NEAREST = "near nodes first, in all rounds"
    JOINING = "arcs that join trees, once"
    SEARCHES = "a search from each source"


PICOSECONDS: Mapping[Walk, tuple[float, float, float]] = {
    Walk.ALL: (10.1, 10.4, 12.0),
    Walk.ACTIVE: (10.1, 10.4, 12.0),
    Walk.EARLY: (2.5, 2.0, 2.1),
    Walk.NEAREST: (43.6, 58.2, 80.9),
    Walk.JOINING: (1.6, 1.5, 1.9),
    Walk.SEARCHES: (48.8, 65.1, 65.1),
}
"""Of one NVIDIA H100 for an arc of rmat22, rmat24 and rmat26, everything counted (docs/parts.md): PageRank (ACTIVE is
taken to be as fast), levels, shortest paths, components, and betweenness from 64 nodes."""

SCALES = (22, 24, 26)
OCCUPANCY = 40 / 32
"""When two H100 were measured, a launch in parts took 40 registers where one device's takes 32 (PageRank), so fewer
threads waited for memory at a time. Since decision 0111 PageRank's takes 32, which two H100 have not run yet."""

COPIED = 3.0e12
"""Bytes that an H100 reads and writes in a second, taken for passes over nodes that every part does in full."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """An exchange of a run, in every round or once: bytes that parts give together, each cell by the part that has it,
    and bytes that each of them gives. One without either is of a number."""

    what: str
    shared: int
    by_each: int
    every_round: bool
    messages: int = 1

    def bytes(self, parts: int) -> int:
        """What all parts give together."""
        return self.shared + parts * (self.by_each or (0 if self.shared else 8))

    def seconds(self, parts: int, link: Link) -> float:
        """What the exchange takes."""
        if not self.shared and not self.by_each:
            return link.number
        others = (parts - 1) if link is PEERS else 2 * (parts - 1) / parts  # peers each write all; a ring goes twice
        given = self.shared * (parts - 1) / parts + self.by_each * others
        return self.messages * (link.least + link.doubling * max(log2(parts) - 1, 0)) + given / link.rate

    def __str__(self) -> str:
        """A line of the listing."""
        sizes = [in_words(self.shared)] if self.shared else []
        sizes += [f"{in_words(self.by_each)} of each part"] if self.by_each else []
        when = "every round" if self.every_round else "once"
        return f"{when:<11}  {self.what}: {' and '.join(sizes) or '8 bytes of each part'}"

    def to_json(self) -> dict[str, Any]:
        sizes = {"bytes_shared": self.shared, "bytes_of_each_part": self.by_each}
        return {"what": self.what, "every_round": self.every_round, **sizes}


@dataclass(frozen=True, slots=True)
class Form:
    """A module of parts as the model sees it: what crosses, how its heavy kernels walk, and the bytes of nodes that
    every part goes over in full, in a round and once."""

    in_launches: bool
    crossings: tuple[Crossing, ...]
    walks: frozenset[Walk]
    nodes_in_round: int
    nodes_once: int


@dataclass(frozen=True, slots=True)
class Row:
    """A run in so many parts; the seconds of kernels are None where no rate is known."""

    parts: int
    link: Link | None
    kernels: float | None
    exchanges: float
    bytes: int

    @property
    def total(self) -> float | None:
        """Seconds of the run."""
        return None if self.kernels is None else self.kernels + self.exchanges


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What is expected of runs in parts: `forms` with the least number of parts that have each, `rows` by number."""

    by: str
    facts: GraphFacts
    rounds: int
    forms: tuple[tuple[int, Form], ...]
    rows: tuple[Row, ...]

    def times_as_fast(self, row: Row) -> float | None:
        """How many times as fast as one device a row is."""
        alone = self.rows[0].total
        return None if alone is None or not row.total else alone / row.total

    @property
    def assumed(self) -> list[str]:
        """What the figures stand on, a sentence each."""
        said = [_counted(self.rounds, "source") + " (--rounds)"]
        if self.by == "nodes":
            rounds = f"{_counted(self.rounds, 'round')} of every loop (--rounds)"
            said = [f"{rounds}; `run --trace` counts them on a smaller graph"]
        if self.rows[0].kernels is None:
            said.append("no rates of kernels are known for this target: there are times of exchanges alone")
        else:
            said += [f"kernels: {walk.value}" for walk in sorted(self.forms[0][1].walks, key=lambda walk: walk.name)]
            said.append("an arc takes one device as long as an NVIDIA H100 for graphs made by R-MAT of this size")
            if not 2 ** SCALES[0] <= self.facts.num_nodes <= 2 ** SCALES[-1]:
                said.append("it was measured for 2^22 to 2^26 nodes: of this graph the times of kernels say little")
            said.append("rates fit runs on one and two NVIDIA H100, and have not been compared with more")
            said.append("parts have equally much to do, and arrays cross whole where a set does not tell what changed")
        links = dict.fromkeys(row.link for row in self.rows if row.link is not None)
        said += [
            f"{link.what}: {link.rate / 1e9:g} GB/s, {link.least * 1e6:g} us an exchange"
            + (", which has not been measured" if link is NETWORK else "")
            for link in links
        ]
        return said

    def __str__(self) -> str:
        """A short listing and a table."""
        lines = [f"in parts, by {self.by}, on {self.facts}"]
        for least, form in self.forms:
            how = "inside of launches" if form.in_launches else "between launches"
            lines.append(f"  from {least} parts on they exchange {how}:")
            lines += [f"    {crossing}" for crossing in form.crossings] or ["    nothing"]
        cells = [("parts", "kernels", "exchanges", "total", "bytes", "times as fast")]
        for row in self.rows:
            fast = self.times_as_fast(row)
            times = _ms(row.kernels), _ms(row.exchanges), _ms(row.total)
            cells.append((str(row.parts), *times, f"{row.bytes:,}", "-" if fast is None else _times(fast)))
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines += ["  " + "  ".join(map(str.rjust, line, widths)) for line in cells]
        return "\n".join([*lines, "  assumed:", *(f"    {sentence}" for sentence in self.assumed)])

    def to_json(self) -> dict[str, Any]:
        """The same as data."""
        rows = [
            {
                "parts": row.parts,
                "link": None if row.link is None else row.link.what,
                "kernel_seconds": row.kernels,
                "exchange_seconds": row.exchanges,
                "bytes": row.bytes,
                "times_as_fast": self.times_as_fast(row),
            }
            for row in self.rows
        ]
        forms = [
            {"from": least, "in_launches": form.in_launches, "exchanges": [each.to_json() for each in form.crossings]}
            for least, form in self.forms
        ]
        return {"by": self.by, "rounds": self.rounds, "forms": forms, "rows": rows, "assumed": self.assumed}


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:,.3f} ms"


def _times(fast: float) -> str:
    return f"{fast:.2f}" if fast >= 0.01 else "< 0.01"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" + "s" * (number != 1)


def foreseen(
    module: ir.Module,
    target: str,
    able: Capabilities,
    facts: GraphFacts,
    most: int,
    *,
    rounds: int = 1,
    ranks: bool = False,
) -> Foreseen:
    """What is expected of runs in 1, 2, 4 and so on up to `most` parts: devices of one process, as far as they go, or
    `ranks`. `rounds` are those of every loop, or the sources that the program searches from. Raises E0668: the program
    cannot be divided."""
    apart = None if ranks else sources_apart(module)
    by_host = ranks or not able.peers
    many = _form(apart or in_each_part(module, target, able, facts, peers=False), facts, on_host=by_host, once=apart)
    few = many
    if apart is None and not by_host:
        few = _form(in_each_part(module, target, able, facts, peers=True), facts, on_host=False)
    numbers = sorted({2**power for power in range(most.bit_length()) if 2**power <= most} | {most})
    rows = []
    for parts in numbers:
        form = few if parts <= MOST_PARTS else many
        on_gpus = PEERS if form.in_launches else NCCL if parts <= MOST_PARTS else NETWORK
        link = HOSTS if by_host else on_gpus
        rows.append(_row(form, link, parts, facts, rounds, known=able.peers))
    forms = [(2, few)] + ([] if few is many or most <= MOST_PARTS else [(MOST_PARTS + 1, many)])
    return Foreseen("nodes" if apart is None else "sources", facts, rounds, tuple(forms), tuple(rows))


def _row(form: Form, link: Link, parts: int, facts: GraphFacts, rounds: int, *, known: bool) -> Row:
    """A run of a form in so many parts."""
    alone = sum(_arcs(walk, facts) * (rounds if walk in (Walk.ALL, Walk.SEARCHES) else 1) for walk in form.walks)
    if parts == 1:
        return Row(1, None, alone if known else None, 0.0, 0)
    share = ceil(rounds / parts) / rounds if Walk.SEARCHES in form.walks else 1 / parts
    in_full = (form.nodes_in_round * rounds + form.nodes_once) / COPIED
    kernels = alone * share * (OCCUPANCY if form.in_launches else 1) + in_full
    times = [(crossing, rounds if crossing.every_round else 1) for crossing in form.crossings]
    exchanges = link.begin + sum(crossing.seconds(parts, link) * count for crossing, count in times)
    given = sum(crossing.bytes(parts) * count for crossing, count in times)
    return Row(parts, link, kernels if known else None, exchanges, given)


def _arcs(walk: Walk, facts: GraphFacts) -> float:
    """Seconds that one device takes for all arcs."""
    scale = log2(max(facts.num_nodes, 1))
    return facts.num_arcs * float(np.interp(scale, SCALES, PICOSECONDS[walk])) * 1e-12


# --- what a module exchanges and does --------------------------------------------------------------------------------


def _form(module: ir.Module, facts: GraphFacts, *, on_host: bool, once: ir.Module | None = None) -> Form:
    """A module as the model sees it; `once` where each source is searched from by one part, and all comes together
    once."""
    sizes = Sizes(facts.num_nodes, facts.num_arcs)
    steps = list(_steps(module.function(module.entry).body, module, (), ()))
    crossings = tuple(found for op, loops in steps for found in _crossings(op, bool(loops), sizes, on_host=on_host))
    in_launches = any(op.in_parts for op in loops_of(module))
    if once is not None:
        return Form(in_launches, tuple(c for c in crossings if not c.every_round), frozenset({Walk.SEARCHES}), 0, 0)
    own = {v for f in module.functions for op in walk_host(f.body) for v in _of_part(op)}
    launches = [(op, loops, module.kernel(op.kernel)) for op, loops in steps if isinstance(op, ir.Launch)]
    walks = frozenset(_walk(op, loops, kernel, module) for op, loops, kernel in launches if _goes_over_arcs(kernel))
    if Walk.JOINING in walks:  # looks at some arcs beforehand, which its rate has counted
        walks = frozenset({Walk.JOINING})
    in_round = in_all = 0.0
    for kernel, loops in ((kernel, loops) for _, loops, kernel in launches if own.isdisjoint(kernel.scalars)):
        if _goes_over_arcs(kernel) or not isinstance(kernel.domain, ir.AllNodes | ir.Listed):
            continue
        each, joined = _bytes_of_nodes(kernel, facts)
        in_round, in_all = (in_round + each, in_all + joined) if loops else (in_round, in_all + each + joined)
    for op, loops in steps:
        if isinstance(op, ir.Fill | ir.CopyArray):
            size = sizes.of(op.array) if isinstance(op, ir.Fill) else 2 * sizes.of(op.destination)
            in_round, in_all = (in_round + size, in_all) if loops else (in_round, in_all + size)
    return Form(in_launches, crossings, walks, round(in_round), round(in_all))


Loops = tuple[ir.HostOp, ...]


def _steps(
    ops: Iterable[ir.HostOp], module: ir.Module, loops: Loops, called: tuple[str, ...]
) -> Iterator[tuple[ir.HostOp, Loops]]:
    """Every operation of a run with the loops around it, those of called functions too."""
    for op in ops:
        yield op, loops
        around = (*loops, op) if isinstance(op, ir.HostLoop) else loops
        for block in blocks_of(op):
            yield from _steps(block, module, around, called)
        if isinstance(op, ir.HostCall) and op.function not in called:
            yield from _steps(module.function(op.function).body, module, loops, (*called, op.function))


def _crossings(op: ir.HostOp, every_round: bool, sizes: Sizes, *, on_host: bool) -> Iterator[Crossing]:
    """What crosses by one operation. Of cells beside a set those cross that change: each once in all rounds."""
    if (found := crossing_of(op)) is None:
        return
    what = f"{found[0].value} {found[1]}"

    def size(*arrays: ir.Array | None) -> int:
        """Hosts send flags as bits."""
        cells = [array for array in arrays if array is not None]
        return sum(sizes.of(a) // (8 if on_host and a.element is ir.Element.BOOL else 1) for a in cells)

    match op:
        case ir.Together() | ir.TakeFirst():
            yield Crossing(what, 0, 0, every_round)
        case ir.ShareParts(array):
            yield Crossing(what, size(array), 0, every_round)
        case ir.CombineParts(array, _, carried, among):
            messages = 1 + len(carried) + bool(carried) + (among is not None)
            yield Crossing(what, 0, size(array, among, *carried), every_round, messages)
        case ir.CombineChanged(array):
            yield Crossing(what, 0, size(array), every_round)
        case ir.ExchangeCells(arrays, None, by):
            whole = size(*arrays)
            yield Crossing(what, 0 if by else whole, whole if by else 0, every_round)
        case ir.ExchangeCells(arrays, among, by):
            bits = size(among)
            yield Crossing(what, 0 if by else bits, bits if by else 0, every_round)
            if arrays and not op.common:
                yield Crossing(f"{what}, cells that change", size(*arrays), 0, False, 0)


def _of_part(op: ir.HostOp) -> tuple[ir.Variable, ...]:
    match op:
        case ir.TakePart(first, end):
            return first, end
        case ir.TakeNumber(number, parts):
            return number, parts
    return ()


def _goes_over_arcs(kernel: ir.Kernel) -> bool:
    return isinstance(kernel.domain, ir.AllArcs | ir.NodeNeighbors) or walks_rows(kernel)


def _walk(op: ir.Launch, loops: Loops, kernel: ir.Kernel, module: ir.Module) -> Walk:
    if any(isinstance(loop, ir.Loop) and isinstance(loop.driver, ir.NearestFirst) for loop in loops):
        return Walk.NEAREST
    bodies = (kernel.body, *(module.helper(name).body for name in _called(kernel)))
    if any(isinstance(inner, ir.CompareSwap) for body in bodies for inner in walk_kernel(body)):
        return Walk.JOINING
    ends_early = points.arcs_walked(kernel) is not None and EARLY in cost_of(kernel, wide_arcs=False).missing
    if op.members is not None or ends_early:
        return Walk.EARLY
    return Walk.ACTIVE if loops and membership(kernel) is not None else Walk.ALL


def _called(kernel: ir.Kernel) -> Iterator[str]:
    return (op.call.function for op in walk_kernel(kernel.body) if isinstance(op, ir.KernelCall))


def _bytes_of_nodes(kernel: ir.Kernel, facts: GraphFacts) -> tuple[float, float]:
    """The bytes of a pass over all nodes in a round; of one over a set those of its bits, and of its members in all."""
    cost = cost_of(kernel, wide_arcs=needs_wide_arcs(facts.num_arcs))
    of_members = facts.num_nodes * cost.kept.bytes
    if isinstance(kernel.domain, ir.Listed) or membership(kernel) is not None:
        return facts.num_nodes / 8, of_members
    return facts.num_nodes * cost.tested.bytes + of_members, 0.0
