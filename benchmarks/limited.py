"""Runs in a part of the memory that they would take: six programs, all, some or none of the arcs on the device.

    python benchmarks/limited.py                         rmat24 on CUDA
    python benchmarks/limited.py --graphs rmat26 --rows bfs,components,pagerank,sssp --aims --ways ondemand
    python benchmarks/limited.py --graphs rmat26 --aims --shares 0.4 --ways mapped,ondemand,chunks --patience 3
    python benchmarks/limited.py --graphs rmat26,urand26,grid16384 --ways mapped,ondemand,chunks --patience 3
    python benchmarks/limited.py --told rmat26.txt,urand26.txt,grid16384.txt       the means of what these runs printed
    python benchmarks/limited.py --graphs rmat22 --ways ondemand --shares 0.4 --count
    python benchmarks/limited.py --quick                 a tiny graph on OpenCL: whether it all works

A limit is what a run takes with all arcs on the host, and a share of the arcs' bytes; `ondemand`, `chunks` and `alike`,
which is `memory=resident` with room for all, run under the same. Chunks that need more get what they need and the share
beside it. `resident` and `unified` have no limit, `mapped` no arcs on the device. Answers are compared with those of
the first way. `--aims` runs the programs and shares that an aim was set for, besides any that are asked for, with
`resident` and `alike`, and says whether it is met: with room for all against `alike`, else against `resident`, which
may take memory that no limit has room for. Where chunks take longer than `--patience` and five times as long as
`ondemand`, they are given up, and that time counts as theirs, less what it takes to lock the arcs' pages: their mean is
then too low. A figure is the least of the repetitions after a warm-up, for PageRank of one iteration. Chunks come last.
Cells are printed as they are finished, with the bytes that lie on either side and the seconds that all took. What a run
moves is told in passes over all arcs: by `chunks` as the runtime counts it; under `--count` by `ondemand` too, the
lines of 128 bytes of a run that is traced, whose rounds the host begins (slow where rounds and nodes are many).
PageRank goes over the host's part once an iteration: its bytes by the whole time are told, and ahead the rate of the
link's copies. Geometric means over all programs and graphs so far come after each program: how many times as long as
`ondemand` the others take. A table for each graph comes last. Exit code 1 if an answer differs or a cell failed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from rich.console import Console
from rich.table import Table

import starplat
from benchmarks.measured import graphs, report
from benchmarks.measured.graphs import Entry
from benchmarks.measured.rows import ROWS, Row
from starplat.diagnostics import DiagnosticError
from starplat.runtime.attending.progress import Progress
from starplat.sizes import in_words

PROGRAMS = ("bfs", "components", "pagerank", "sssp", "betweenness", "independent")
SHARES = "1,0.4,0.1"
ITERATIONS = 5
ON_DEMAND = "memory=ondemand,order=as-is"
WHOLE = {"resident": None, "mapped": "memory=mapped,order=as-is", "unified": "memory=unified,order=as-is"}
CHUNKS = "memory=chunks"
LIMITED = {"alike": "memory=resident", "ondemand": None, "chunks": CHUNKS}
COUNTED = "memory=ondemand,loop=host,order=as-is"
"""The schedules of ways to run: without a limit, and within one; `auto` takes `memory=ondemand` by itself."""
LINE, COPIED, LOCKED = 128, 1 << 30, 10e9
"""Bytes: of a line of the host's memory, of the copies whose rate is told, and of pages that are locked in a second."""
TIMES = 5
"""How many times as long as `ondemand` chunks may take."""
COMPARED = 1 << 22
"""Cells of answers that a thread compares at a time."""


@dataclass(frozen=True)
class Aim:
    """The most that a run within a share of the arcs' bytes is to take."""

    most: float
    in_milliseconds: bool = False

    def verdict(self, found: float, resident: float) -> str:
        """The aim, and whether it is met."""
        unit, taken = ("ms", found) if self.in_milliseconds else ("times resident", found / resident)
        met = "yes" if taken <= self.most else "NO"
        return f"{found / resident:.3f} times resident, at most {self.most:g} {unit}: {met}"


AIMS = {
    ("bfs", 0.1): Aim(1.5),
    ("components", 0.1): Aim(2.0),
    ("sssp", 0.4): Aim(350.0, in_milliseconds=True),
    ("pagerank", 0.4): Aim(110.0, in_milliseconds=True),
    **{(row, 1.0): Aim(1.05) for row in ("bfs", "components", "sssp", "pagerank")},
}
"""By program and share; those in milliseconds are of rmat26."""


@dataclass(frozen=True)
class Cell:
    """One program in one amount of memory: milliseconds, or how many it takes `at_least`, bytes here and there, passes
    over all arcs that are moved, seconds with all preparation, and those of uploads among them; else why there are
    none."""

    row: str
    memory: str
    milliseconds: float | None = None
    device: int = 0
    host: int = 0
    passes: float | None = None
    why: str = ""
    aim: str = ""
    at_least: bool = False
    seconds: float = 0.0
    uploads: float = 0.0

    def __str__(self) -> str:
        """The line that is printed, which `read` reads."""
        sign = ">" if self.at_least else ""
        time = "-" if self.milliseconds is None else f"{sign}{self.milliseconds:.2f} ms"
        return f"  {self.row:<11} {self.memory:<13} {time:>11}  {self.why or self.where()}"

    def where(self) -> str:
        """What lies where, and what is moved."""
        words = [f"{in_words(self.device)} on the device", f"{in_words(self.host)} on the host"]
        words += [] if self.passes is None else [f"{self.passes:.3f} passes moved"]
        if self.row == "pagerank" and self.host and self.milliseconds:
            words.append(f"{self.host / self.milliseconds / 1e6:.1f} GB/s")
        words.append(f"{self.seconds:.1f} s in all, {self.uploads:.1f} to upload")
        return ", ".join([*words, self.aim] if self.aim else words)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--graphs", help="their names, with commas (rmat24)")
    made.add_argument("--rows", default=",".join(PROGRAMS), help=f"of {', '.join(PROGRAMS)}")
    made.add_argument("--shares", help="of the arcs' bytes, with commas (1,0.4,0.1; under --aims none)")
    ways = ", ".join([*WHOLE, *LIMITED])
    made.add_argument("--ways", default="resident,mapped,ondemand", help=f"of {ways} (resident,mapped,ondemand)")
    made.add_argument("--target", help="what to run on (cuda)")
    made.add_argument("--repeat", type=int, default=3, help="measured runs after the warm-up (3)")
    made.add_argument("--patience", type=float, help="seconds after which chunks are given up")
    made.add_argument("--told", help="files with what earlier runs printed: only their means")
    made.add_argument("--aims", action="store_true", help="what aims were set for, beside resident")
    lines = "also count the lines that ondemand reads on the host, by all or these of the rows"
    made.add_argument("--count", nargs="?", const=",".join(PROGRAMS), default="", metavar="ROWS", help=lines)
    made.add_argument("--kept", type=Path, help="where made-up graphs are kept")
    made.add_argument("--quick", action="store_true", help="a tiny graph, OpenCL")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.told:
        show_means([list(read(Path(file).read_text())) for file in options.told.split(",")])
        return 0
    target = options.target or ("opencl" if options.quick else "cuda")
    head = report.circumstances(None, (target,))
    print(f"starplat {head['starplat']}; {head['devices']}; driver {head['driver']}", flush=True)
    if target == "cuda":
        print(f"copies to the device: {copy_rate():.1f} GB/s", flush=True)
    rows, all_cells = options.rows.split(","), list[list[Cell]]()
    all_ways = [*options.ways.split(","), *(["resident", "alike"] if options.aims else [])]
    for name in (options.graphs or ("rmat10" if options.quick else "rmat24")).split(","):
        began = perf_counter()
        entry = graphs.load(name, None, options.kept, weighted=any(ROWS[row].weighted for row in rows))
        print(f"{name}: {entry.graph.describe()}, made in {perf_counter() - began:.1f} s", flush=True)
        all_cells.append([])
        benches = [Bench.of(entry, ROWS[row], target, options.repeat) for row in rows]
        for bench in benches:  # this takes off the device what lies there
            bench.look(chunks="chunks" in all_ways)
        for ways in ([way for way in all_ways if way != "chunks"], ["chunks"] if "chunks" in all_ways else []):
            for bench in benches if ways else ():
                for cell in measured(bench, ways, options):
                    print(cell, flush=True)
                    all_cells[-1].append(cell)
                show_means(all_cells)
        show(name, all_cells[-1])
        del entry, benches, bench
    return int(any(cell.milliseconds is None for cells in all_cells for cell in cells))


def copy_rate() -> float:
    """How many GB/s are copied to the GPU from page-locked memory."""
    import cupy

    there, here = cupy.empty(COPIED, np.uint8), cupy.cuda.alloc_pinned_memory(COPIED)
    rates = []
    for _ in range(3):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        there.data.copy_from_host_async(here.ptr, COPIED)
        end.record()
        end.synchronize()
        rates.append(COPIED / cupy.cuda.get_elapsed_time(begin, end) / 1e6)
    del there, here
    cupy.get_default_memory_pool().free_all_blocks()
    cupy.get_default_pinned_memory_pool().free_all_blocks()
    return max(rates)


def show_means(all_cells: list[list[Cell]]) -> None:
    """The geometric means, of every limit's `ondemand` with the ways that have been measured beside it."""
    memories = dict.fromkeys(cell.memory for cells in all_cells for cell in cells)
    for ours in (memory for memory in memories if memory.startswith("ondemand")):
        share = ours.removeprefix("ondemand")
        for other in (memory for memory in memories if memory in (*WHOLE, f"chunks{share}")):
            ratios = list[float]()
            for cells in all_cells:
                times = {(cell.row, cell.memory): cell.milliseconds for cell in cells}
                both = ((times.get((row, other)), times.get((row, ours))) for row in {cell.row for cell in cells})
                ratios += [theirs / own for theirs, own in both if theirs and own]
            if ratios:
                given_up = sum(cell.at_least for cells in all_cells for cell in cells if cell.memory == other)
                least = f", at least: {given_up} were given up" if given_up else ""
                mean = float(np.exp(np.mean(np.log(ratios))))
                print(f"{other} takes {mean:.2f} times as long as {ours} (geometric mean of {len(ratios)}{least})")
    sys.stdout.flush()


def read(printed: str) -> Iterator[Cell]:
    """The cells that an earlier run printed."""
    for row, memory, sign, time in re.findall(r"^  (\w+) +(\w+(?: \d+%)?) +(>?)([0-9.]+) ms  ", printed, re.MULTILINE):
        yield Cell(row, memory, float(time), at_least=bool(sign))


def measured(bench: Bench, ways: list[str], options: argparse.Namespace) -> Iterator[Cell]:
    """One program, resident, then in less and less memory."""
    row, resident = bench.row, 0.0
    for way in (way for way in WHOLE if way in ways):
        cell = bench.cell(way, {"schedule": WHOLE[way]})
        resident = (cell.milliseconds or 0.0) if way == "resident" else resident
        yield cell
    asked = [float(share) for share in (options.shares or ("" if options.aims else SHARES)).split(",") if share]
    aimed = {share: aim for (name, share), aim in AIMS.items() if options.aims and name == row.name}
    for share in sorted({*asked, *aimed}, reverse=True):
        aim, room, beside = aimed.get(share), int(share * bench.arcs), resident
        fitting = {"alike": share >= 1, "ondemand": True, "chunks": share in asked}
        for way in (way for way in LIMITED if way in ways and fitting[way]):
            within = {"schedule": LIMITED[way], "device_memory": bench.needed[ON_DEMAND] + room}
            patience = None
            if way == "chunks":
                within["device_memory"] = max(bench.needed.values()) + room
                patience = options.patience and max(options.patience, TIMES * bench.ours.get(share, 0.0))
            cell = bench.cell(f"{way} {share:.0%}", within, patience)
            if way == "ondemand" and cell.milliseconds:
                bench.ours[share] = cell.milliseconds * _iterations(row) / 1e3
                cell = replace(cell, aim=aim.verdict(cell.milliseconds, beside)) if aim and beside else cell
            beside = (cell.milliseconds or 0.0) if way == "alike" else beside
            yield cell
            if row.name in options.count.split(",") and way == "ondemand" and cell.host:
                how = bench.how | within | {"schedule": COUNTED, "trace": True}
                passes = _counted(bench.program.run(bench.entry.graph, **how)) / _iterations(row) / bench.arcs
                print(f"  {row.name:<11} {cell.memory:<13} reads {passes:.3f} passes on the host", flush=True)


class GivenUpError(Exception):
    """A run takes too long; it has taken so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass
class Bench:
    """One program on one graph; `known` has the answers of the first way, once there are any, `ours` the seconds of
    `ondemand` by share, `needed` the bytes of the device that it takes with no arcs there, by schedule."""

    entry: Entry
    row: Row
    program: starplat.Program
    repeat: int
    how: dict[str, Any]
    known: dict[str, Any] = field(default_factory=dict)
    ours: dict[float, float] = field(default_factory=dict)
    needed: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: Entry, row: Row, target: str, repeat: int) -> Bench:
        """A program that ships, as the row calls it."""
        how = {"target": target, **row.arguments(entry)} | (
            {"max_iterations": ITERATIONS} if row.name == "pagerank" else {}
        )
        return cls(entry, row, starplat.compile(Path("examples") / f"{row.program}.sp"), repeat, how)

    @property
    def arcs(self) -> int:
        """The bytes of all arcs."""
        return _arcs(self.row, self.entry)

    def look(self, *, chunks: bool) -> None:
        """Asks what the program needs."""
        for schedule in (ON_DEMAND, CHUNKS) if chunks else (ON_DEMAND,):
            self.needed[schedule] = needed(self.program, self.entry, self.how, schedule)

    def cell(self, memory: str, more: dict[str, Any], patience: float | None = None) -> Cell:
        """The figures of one way; a run that takes more seconds than the patience is given up."""
        began, how = perf_counter(), self.how | more
        try:
            if patience:
                self.program.run(self.entry.graph, follow=partial(_give_up, patience), **how)
            result = self.program.run(self.entry.graph, repeat=self.repeat + 1, **how)
        except DiagnosticError as failed:
            return Cell(self.row.name, memory, why=failed.diagnostics[0].message)
        except GivenUpError as late:
            least = (late.seconds - self.arcs / LOCKED) * 1e3 / _iterations(self.row)
            return Cell(self.row.name, memory, least, at_least=True, seconds=perf_counter() - began)
        cell = self._right(memory, result)
        chunks = result.bytes.chunks / len(result.seconds.run) / _iterations(self.row)
        passes = chunks / self.arcs if chunks else None
        return replace(cell, passes=passes, seconds=perf_counter() - began)

    def _right(self, memory: str, result: starplat.Result) -> Cell:
        """The figures of a result whose answers are those that are known."""
        for name in self.row.properties:
            if not alike(result[name], self.known.setdefault(name, result[name])):
                return Cell(self.row.name, memory, why="another answer than that of the first way")
        best = min(result.seconds.run[1:]) * 1e3 / _iterations(self.row)
        far = sum(result.estimate.mapped.values())
        return Cell(self.row.name, memory, best, result.estimate.total, far, uploads=result.seconds.upload)


def _give_up(patience: float, progress: Progress) -> None:
    if progress.is_running and progress.seconds_of_step > patience:
        raise GivenUpError(progress.seconds_of_step)


def alike(found: Any, known: Any) -> bool:
    """Whether these answers are the same but for 0.01 % of each; compared by many threads."""

    def near(first: int) -> bool:
        part = slice(first, first + COMPARED)
        same = np.array_equal(found[part], known[part])
        return same or np.allclose(found[part], known[part], rtol=1e-4, atol=0)

    with ThreadPoolExecutor() as threads:
        return all(threads.map(near, range(0, len(known), COMPARED)))


def _arcs(row: Row, entry: Entry) -> int:
    """The bytes of all arcs."""
    return entry.graph.num_arcs * (8 if row.weighted else 4)


def _iterations(row: Row) -> int:
    return ITERATIONS if row.name == "pagerank" else 1


def _counted(result: starplat.Result) -> int:
    """The bytes of the host's lines that a traced run has read; what is not counted is told."""
    assert result.trace is not None
    if result.trace.unread:
        print(f"  not counted: {', '.join(result.trace.unread)}", flush=True)
    return LINE * (result.trace.reads.lines or 0)


def needed(program: starplat.Program, entry: Entry, how: dict[str, Any], schedule: str = ON_DEMAND) -> int:
    """The bytes of the device that the program takes with all arcs on the host, or with chunks of the longest row, as
    it says where there is no room."""
    try:
        return program.run(entry.graph, device_memory=1, schedule=schedule, **how).estimate.total
    except DiagnosticError as refused:
        said = re.search("needs ([0-9,]+) bytes", refused.diagnostics[0].message)
        if said is None:
            raise
        return int(said[1].replace(",", ""))


def show(graph: str, cells: list[Cell]) -> None:
    """One table, with a line for each program."""
    memories = tuple(dict.fromkeys(cell.memory for cell in cells))
    table = Table(title=f"{graph}: milliseconds, and how many times those of {memories[0]}")
    for head in ("", *memories):
        table.add_column(head, justify="right" if head else "left", no_wrap=True)
    for row in dict.fromkeys(cell.row for cell in cells):
        found = {cell.memory: cell for cell in cells if cell.row == row}
        first = found[memories[0]].milliseconds
        texts = (_in_table(found.get(memory), first) for memory in memories)
        table.add_row(ROWS[row].title, *texts)
    Console(width=30 + 20 * len(memories)).print(table)


def _in_table(cell: Cell | None, first: float | None) -> str:
    """A cell of the table beside the first one's milliseconds; nothing where it was not measured."""
    if cell is None:
        return ""
    if cell.milliseconds is None or first is None:
        return "failed"
    return f"{'>' * cell.at_least}{cell.milliseconds:.2f} ({cell.milliseconds / first:.2f})"


if __name__ == "__main__":
    sys.exit(main())
