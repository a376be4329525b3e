"""Runs in a part of the memory that they would take: six programs, all, some or none of the arcs on the device.

    python benchmarks/limited.py                         rmat24 on CUDA
    python benchmarks/limited.py --graphs rmat26 --aims --repeat 2
    python benchmarks/limited.py --graphs rmat26,urand26 --ways mapped,ondemand,chunks --shares 0.4 --repeat 1
    python benchmarks/limited.py --graphs rmat22 --ways ondemand --shares 0.4 --count
    python benchmarks/limited.py --quick                 a tiny graph on OpenCL: whether it all works

A limit is what a run takes with all arcs on the host, and a share of the arcs' bytes; `ondemand`, `chunks` and `alike`,
which is `memory=resident` with room for all, run under the same. `resident` and `unified` have no limit, `mapped` no
arcs on the device. Answers are compared with those of `resident`. `--aims` runs the programs and shares that an aim was
set for, and says whether it is met. Chunks that take longer than `--patience` are given up and in no mean. A figure is
the least of the repetitions after a warm-up, for PageRank of one iteration. Cells are printed as they are finished,
with the bytes that lie on either side. What a run moves is told in passes over all arcs: by `chunks` as the runtime
counts it; under `--count` by `ondemand` too, the lines of 128 bytes of a run that is traced, whose rounds the host
begins (slow where rounds and nodes are many). PageRank goes over the host's part once an iteration: its bytes by the
whole time are told, and ahead the rate of the link's copies. A table for each graph comes last, then geometric means
over all programs and graphs: how many times as long as `ondemand` the others take. Exit code 1 if an answer differs or
a cell failed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from starplat.sizes import in_words

PROGRAMS = ("bfs", "components", "pagerank", "sssp", "betweenness", "independent")
ITERATIONS = 5
ON_DEMAND = "memory=ondemand,order=as-is"
WHOLE = {"mapped": "memory=mapped,order=as-is", "unified": "memory=unified,order=as-is"}
LIMITED = {"alike": "memory=resident", "ondemand": None, "chunks": "memory=chunks"}
COUNTED = "memory=ondemand,loop=host,order=as-is"
LINE, COPIED = 128, 1 << 30
"""Bytes: of a line of the host's memory, and of the copies whose rate is told."""
"""The schedules of ways to run: without a limit, and within one; `auto` takes `memory=ondemand` by itself."""


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
    """One program in one amount of memory: milliseconds, bytes here and there, passes over all arcs that are moved;
    else why there are none."""

    row: str
    memory: str
    milliseconds: float | None = None
    device: int = 0
    host: int = 0
    passes: float | None = None
    why: str = ""
    aim: str = ""

    def where(self) -> str:
        """What lies where, and what is moved."""
        words = [f"{in_words(self.device)} on the device", f"{in_words(self.host)} on the host"]
        words += [] if self.passes is None else [f"{self.passes:.3f} passes moved"]
        if self.row == "pagerank" and self.host and self.milliseconds:
            words.append(f"{self.host / self.milliseconds / 1e6:.1f} GB/s")
        return ", ".join([*words, self.aim] if self.aim else words)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--graphs", help="their names, with commas (rmat24)")
    made.add_argument("--rows", default=",".join(PROGRAMS), help=f"of {', '.join(PROGRAMS)}")
    made.add_argument("--shares", default="1,0.4,0.1", help="of the arcs' bytes, with commas (1,0.4,0.1)")
    ways = ", ".join([*WHOLE, *LIMITED])
    made.add_argument("--ways", default="mapped,ondemand", help=f"of {ways} (mapped,ondemand)")
    made.add_argument("--target", help="what to run on (cuda)")
    made.add_argument("--repeat", type=int, default=3, help="measured runs after the warm-up (3)")
    made.add_argument("--patience", type=float, help="seconds after which chunks are given up")
    made.add_argument("--aims", action="store_true", help="only what aims were set for (ondemand, shares 1, 0.4, 0.1)")
    lines = "also count the lines that ondemand reads on the host, by all or these of the rows"
    made.add_argument("--count", nargs="?", const=",".join(PROGRAMS), default="", metavar="ROWS", help=lines)
    made.add_argument("--kept", type=Path, help="where made-up graphs are kept")
    made.add_argument("--quick", action="store_true", help="a tiny graph, OpenCL")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    target = options.target or ("opencl" if options.quick else "cuda")
    head = report.circumstances(None, (target,))
    print(f"starplat {head['starplat']}; {head['devices']}; driver {head['driver']}", flush=True)
    if target == "cuda":
        print(f"copies to the device: {copy_rate():.1f} GB/s", flush=True)
    rows, all_cells = options.rows.split(","), list[list[Cell]]()
    for name in (options.graphs or ("rmat10" if options.quick else "rmat24")).split(","):
        began = perf_counter()
        entry = graphs.load(name, None, options.kept, weighted=any(ROWS[row].weighted for row in rows))
        print(f"{name}: {entry.graph.describe()}, made in {perf_counter() - began:.1f} s", flush=True)
        all_cells.append(list(told(measured(entry, ROWS[row], target, options) for row in rows)))
        show(name, all_cells[-1])
        del entry
    for line in means(all_cells):
        print(line, flush=True)
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


def means(all_cells: list[list[Cell]]) -> Iterator[str]:
    """The geometric means, of every limit's `ondemand` with the ways that have been measured beside it."""
    memories = dict.fromkeys(cell.memory for cells in all_cells for cell in cells)
    for ours in (memory for memory in memories if memory.startswith("ondemand")):
        share = ours.removeprefix("ondemand")
        for other in (memory for memory in memories if memory in ("resident", *WHOLE, f"chunks{share}")):
            ratios = []
            for cells in all_cells:
                times = {(cell.row, cell.memory): cell.milliseconds for cell in cells}
                both = ((times.get((row, other)), times.get((row, ours))) for row in {cell.row for cell in cells})
                ratios += [theirs / own for theirs, own in both if theirs and own]
            if ratios:
                mean = float(np.exp(np.mean(np.log(ratios))))
                yield f"{other} takes {mean:.2f} times as long as {ours} (geometric mean of {len(ratios)})"


def told(several: Iterator[Iterator[Cell]]) -> Iterator[Cell]:
    """The cells, printed as they come."""
    for cells in several:
        for cell in cells:
            time = "-" if cell.milliseconds is None else f"{cell.milliseconds:.2f} ms"
            print(f"  {cell.row:<11} {cell.memory:<13} {time:>11}  {cell.why or cell.where()}", flush=True)
            yield cell


def measured(entry: Entry, row: Row, target: str, options: argparse.Namespace) -> Iterator[Cell]:
    """One program, resident, then in less and less memory."""
    program, given = starplat.compile(Path("examples") / f"{row.program}.sp"), dict(row.arguments(entry))
    if row.name == "pagerank":
        given["max_iterations"] = ITERATIONS
    how: dict[str, Any] = {"target": target, **given}
    least, arcs = needed(program, entry, how), _arcs(row, entry)
    first = program.run(entry.graph, repeat=options.repeat + 1, **how)
    resident = _cell(row, "resident", first, first)
    yield resident
    how |= {"repeat": options.repeat + 1}
    ways = options.ways.split(",")
    for way in (way for way in WHOLE if way in ways):
        yield _attempt(row, way, program, entry, first, how | {"schedule": WHOLE[way]})
    for share in map(float, options.shares.split(",")):
        aim = AIMS.get((row.name, share)) if options.aims else None
        if options.aims and aim is None:
            continue
        within = how | {"device_memory": least + int(share * arcs)}
        for way in (way for way in LIMITED if way in ways and (way != "alike" or share >= 1)):
            memory = f"{way} {share:.0%}"
            limits = {"schedule": LIMITED[way], "time_limit": options.patience if way == "chunks" else None}
            cell = _attempt(row, memory, program, entry, first, within | limits)
            if aim and way == "ondemand" and cell.milliseconds and resident.milliseconds:
                cell = replace(cell, aim=aim.verdict(cell.milliseconds, resident.milliseconds))
            yield cell
            if row.name in options.count.split(",") and way == "ondemand" and cell.host:
                traced = program.run(entry.graph, **within | {"schedule": COUNTED, "repeat": 1, "trace": True})
                passes = _counted(traced) / _iterations(row) / _arcs(row, entry)
                print(f"  {row.name:<11} {memory:<13} reads {passes:.3f} passes on the host", flush=True)


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


def _attempt(
    row: Row, memory: str, program: starplat.Program, entry: Entry, first: starplat.Result, how: dict[str, Any]
) -> Cell:
    try:
        result = program.run(entry.graph, **how)
    except DiagnosticError as failed:
        return Cell(row.name, memory, why=failed.diagnostics[0].message)
    cell = _cell(row, memory, result, first)
    chunks = result.bytes.chunks / len(result.seconds.run) / _iterations(row)
    return replace(cell, passes=chunks / _arcs(row, entry)) if chunks else cell


def needed(program: starplat.Program, entry: Entry, how: dict[str, Any]) -> int:
    """The bytes of the device that the program takes with all arcs on the host, as it says where there is no room."""
    try:
        return program.run(entry.graph, device_memory=1, schedule=ON_DEMAND, **how).estimate.total
    except DiagnosticError as refused:
        said = re.search("needs ([0-9,]+) bytes", refused.diagnostics[0].message)
        if said is None:
            raise
        return int(said[1].replace(",", ""))


def _cell(row: Row, memory: str, result: starplat.Result, first: starplat.Result) -> Cell:
    if not all(np.allclose(result[name], first[name], rtol=1e-4) for name in row.properties):
        return Cell(row.name, memory, why="another answer than with all arcs on the device")
    best = min(result.seconds.run[1:]) * 1e3 / _iterations(row)
    return Cell(row.name, memory, best, result.estimate.total, sum(result.estimate.mapped.values()))


def show(graph: str, cells: list[Cell]) -> None:
    """One table, with a line for each program."""
    memories = tuple(dict.fromkeys(cell.memory for cell in cells))
    table = Table(title=f"{graph}: milliseconds, and how many times those of resident")
    for head in ("", *memories):
        table.add_column(head, justify="right" if head else "left", no_wrap=True)
    for row in dict.fromkeys(cell.row for cell in cells):
        found = {cell.memory: cell.milliseconds for cell in cells if cell.row == row}
        least = found["resident"]
        texts = ("failed" if ms is None or least is None else f"{ms:.2f} ({ms / least:.2f})" for ms in found.values())
        table.add_row(ROWS[row].title, *texts)
    Console(width=30 + 20 * len(memories)).print(table)


if __name__ == "__main__":
    sys.exit(main())
