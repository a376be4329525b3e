"""Runs in a part of the memory that they would take: four programs, all, some or none of the arcs on the device.

    python benchmarks/limited.py                         rmat24 on CUDA
    python benchmarks/limited.py --graphs rmat26 --shares 1,0.1 --rows bfs,components --ways ondemand
    python benchmarks/limited.py --graphs rmat22 --ways mapped,ondemand,chunks,unified --shares 0.4,0.1
    python benchmarks/limited.py --quick                 a tiny graph on OpenCL: whether it all works

A limit is what a run takes with all arcs on the host, and a share of the arcs' bytes; `ondemand` and `chunks` run under
the same. `resident` and `unified` have no limit, `mapped` no arcs on the device. Answers are compared with those of
`resident`. A figure is the least of the repetitions after a warm-up, for PageRank of one iteration. Cells are printed
as they are finished, with the bytes that lie on either side, and what was copied to the device in all repetitions, the
first upload included; the table comes last. Exit code 1 if an answer differs or a cell failed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
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

PROGRAMS = ("bfs", "components", "pagerank", "sssp")
ITERATIONS = 5
ON_DEMAND = "memory=ondemand,order=as-is"
WHOLE = {"mapped": "memory=mapped,order=as-is", "unified": "memory=unified,order=as-is"}
LIMITED = {"ondemand": None, "chunks": "memory=chunks"}
"""The schedules of ways to run: without a limit, and within one; `auto` takes `memory=ondemand` by itself."""


@dataclass(frozen=True)
class Cell:
    """One program in one amount of memory: milliseconds, bytes here and there; else why there are none."""

    row: str
    memory: str
    milliseconds: float | None = None
    device: int = 0
    host: int = 0
    copied: int = 0
    why: str = ""


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
    made.add_argument("--kept", type=Path, help="where made-up graphs are kept")
    made.add_argument("--quick", action="store_true", help="a tiny graph, OpenCL")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    target = options.target or ("opencl" if options.quick else "cuda")
    head = report.circumstances(None, (target,))
    print(f"starplat {head['starplat']}; {head['devices']}; driver {head['driver']}", flush=True)
    rows, wrong = options.rows.split(","), False
    for name in (options.graphs or ("rmat10" if options.quick else "rmat24")).split(","):
        began = perf_counter()
        entry = graphs.load(name, None, options.kept, weighted=any(ROWS[row].weighted for row in rows))
        print(f"{name}: {entry.graph.describe()}, made in {perf_counter() - began:.1f} s", flush=True)
        found = list(told(measured(entry, ROWS[row], target, options) for row in rows))
        show(name, found)
        wrong |= any(cell.milliseconds is None for cell in found)
    return int(wrong)


def told(several: Iterator[Iterator[Cell]]) -> Iterator[Cell]:
    """The cells, printed as they come."""
    for cells in several:
        for cell in cells:
            time = "-" if cell.milliseconds is None else f"{cell.milliseconds:.2f} ms"
            where = f"{in_words(cell.device)} on the device, {in_words(cell.host)} on the host"
            where += f", {in_words(cell.copied)} copied"
            print(f"  {cell.row:<11} {cell.memory:<13} {time:>11}  {cell.why or where}", flush=True)
            yield cell


def measured(entry: Entry, row: Row, target: str, options: argparse.Namespace) -> Iterator[Cell]:
    """One program, resident, then in less and less memory."""
    program, given = starplat.compile(Path("examples") / f"{row.program}.sp"), dict(row.arguments(entry))
    if row.name == "pagerank":
        given["max_iterations"] = ITERATIONS
    how: dict[str, Any] = {"target": target, **given}
    first = program.run(entry.graph, repeat=options.repeat + 1, **how)
    yield _cell(row, "resident", first, first)
    ways = options.ways.split(",")
    for way in (way for way in WHOLE if way in ways):
        yield _attempt(row, way, program, entry, first, how | {"schedule": WHOLE[way], "repeat": options.repeat + 1})
    least, arcs = _needed(program, entry, how), entry.graph.num_arcs * (8 if row.weighted else 4)
    for share in map(float, options.shares.split(",")):
        within = how | {"device_memory": least + int(share * arcs), "repeat": options.repeat + 1}
        for way in (way for way in LIMITED if way in ways):
            memory = f"{way} {share:.0%}"
            yield _attempt(row, memory, program, entry, first, within | {"schedule": LIMITED[way]})


def _attempt(
    row: Row, memory: str, program: starplat.Program, entry: Entry, first: starplat.Result, how: dict[str, Any]
) -> Cell:
    try:
        result = program.run(entry.graph, **how)
    except DiagnosticError as failed:
        return Cell(row.name, memory, why=failed.diagnostics[0].message)
    return _cell(row, memory, result, first)


def _needed(program: starplat.Program, entry: Entry, how: dict[str, Any]) -> int:
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
    best = min(result.seconds.run[1:]) * 1e3 / (ITERATIONS if row.name == "pagerank" else 1)
    far = sum(result.estimate.mapped.values())
    return Cell(row.name, memory, best, result.estimate.total, far, result.bytes.up)


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
    Console(width=150).print(table)


if __name__ == "__main__":
    sys.exit(main())
