"""What several GPUs of one host gain: each row on one device under `auto` and in parts on more; a short table last.

    python benchmarks/devices.py --graphs rmat22,rmat26 --devices 1,2,4
    python benchmarks/devices.py --target openmp --graphs rmat12          without a GPU: whether it works

Graphs are made on the device, answers on many devices are compared with those on one in the same process: numbers are
equal, reals within 1e-6. Times are medians of the runs after the first, of one iteration for PageRank. Exit code 1 if
an answer differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from rich.console import Console
from rich.table import Table

import starplat
from benchmarks.measured import graphs
from benchmarks.measured.graphs import ROOT, Entry

ROUNDS = 20


@dataclass(frozen=True)
class Row:
    """One program and how it is called; `of` says of what the time is."""

    program: str
    arguments: Callable[[Entry, int], dict[str, Any]]
    weighted: bool = False
    of: str = ""


def _source(entry: Entry, _: int) -> dict[str, Any]:
    return {"src": entry.graph.original_id(entry.source)}


def _sources(entry: Entry, count: int) -> dict[str, Any]:
    joined = np.flatnonzero(entry.graph.out_degrees)
    chosen = np.random.default_rng(1).choice(joined, min(count, len(joined)), replace=False)
    return {"sources": [entry.graph.original_id(int(node)) for node in chosen]}


def _rounds(_: Entry, __: int) -> dict[str, Any]:
    return {"tolerance": 0.0, "max_iterations": ROUNDS}


ROWS = {
    "pagerank": Row("pagerank", _rounds, of="iteration"),
    "bfs": Row("bfs_levels", _source),
    "components": Row("connected_components", lambda entry, count: {}),
    "sssp": Row("sssp", _source, weighted=True),
    "betweenness": Row("betweenness", _sources),
    "closeness": Row("closeness", lambda entry, count: {}),
}


@dataclass
class Measured:
    """A row on a graph and so many devices."""

    row: str
    graph: str
    devices: int
    milliseconds: float
    speedup: float
    verdict: str
    crossed: str


def measured(options: argparse.Namespace) -> Iterator[Measured]:
    """Every row on every graph on all numbers of devices, as they come."""
    deadline = time.monotonic() + options.budget
    for name in options.graphs.split(","):
        rows = [row for row in options.rows.split(",") if row != "closeness"]
        yield from _on_graph(name, rows, options, deadline)
    if "closeness" in options.rows.split(","):
        yield from _on_graph(options.closeness, ["closeness"], options, deadline)


def _on_graph(name: str, rows: list[str], options: argparse.Namespace, deadline: float) -> Iterator[Measured]:
    if not rows:
        return
    started = time.monotonic()
    entry = graphs.load(name, kept=options.kept, weighted=any(ROWS[row].weighted for row in rows))
    print(f"{name}: {entry.graph.num_arcs:,} arcs, made in {time.monotonic() - started:.1f} s", flush=True)
    for row in rows:
        alone: tuple[float, starplat.Result] | None = None
        for devices in map(int, options.devices.split(",")):
            if time.monotonic() > deadline:
                print(f"{row} on {name}, {devices} devices: no time left", flush=True)
                continue
            began = time.monotonic()
            try:
                took, result = _run(row, entry, devices, options)
            except starplat.DiagnosticError as error:
                words = str(error).splitlines()[0]
                yield Measured(row, name, devices, float("nan"), float("nan"), words, "")
                continue
            alone = alone or (took, result)
            verdict = _compared(alone[1], result)
            crossed = "" if result.parts is None else f"{result.parts.bytes:,} in {result.parts.exchanges:,}"
            made = Measured(row, name, devices, took * 1e3, alone[0] / took, verdict, crossed)
            spent = time.monotonic() - began
            print(
                f"{row} {name} {devices}: {made.milliseconds:.4g} ms, {made.speedup:.2f}x, {verdict}; {crossed}; "
                f"{result.launches} launches; runs {[round(s * 1e3, 3) for s in result.seconds.run]}; {spent:.1f} s",
                flush=True,
            )
            yield made


def _run(row: str, entry: Entry, devices: int, options: argparse.Namespace) -> tuple[float, starplat.Result]:
    program = starplat.compile(ROOT / "examples" / f"{ROWS[row].program}.sp")
    arguments = ROWS[row].arguments(entry, options.sources)
    result = program.run(
        entry.graph, target=options.target, devices=devices, arguments=arguments, repeat=options.repeat + 1
    )
    return median(result.seconds.run[1:]) / (ROUNDS if ROWS[row].of else 1), result


def _compared(expected: starplat.Result, found: starplat.Result) -> str:
    for name, cells in expected.properties.items():
        have = found[name]
        if cells.dtype.kind == "f":
            if not np.allclose(have, cells, rtol=1e-6, atol=1e-12, equal_nan=True):
                return f"wrong: {name} differs by {np.nanmax(np.abs(have - cells)):g}"
        elif not np.array_equal(have, cells):
            return f"wrong: {name} differs in {np.count_nonzero(have != cells):,} cells"
    return "right"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default="rmat22", help="with commas: rmat22, urand22, grid4096 and so on")
    parser.add_argument("--devices", default="1,2", help="numbers of devices, the one to compare with first (1,2)")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"of {', '.join(ROWS)}")
    parser.add_argument("--closeness", default="rmat14", help="the graph for closeness, from all nodes (rmat14)")
    parser.add_argument("--sources", type=int, default=64, help="from how many betweenness is asked (64)")
    parser.add_argument("--target", default="cuda", help="what to run on (cuda)")
    parser.add_argument("--repeat", type=int, default=5, help="measured runs after the warm-up (5)")
    parser.add_argument("--budget", type=float, default=600, help="seconds after which nothing more is begun (600)")
    parser.add_argument("--kept", type=Path, help="where made graphs are kept")
    options = parser.parse_args(arguments)
    found = list(measured(options))
    table = Table(title=f"on several devices, {options.target}")
    for column in ("row", "graph", "devices", "ms", "times as fast", "answer", "bytes and exchanges"):
        table.add_column(column, justify="left" if column in ("row", "graph", "answer") else "right")
    for one in found:
        speed = f"{one.speedup:.2f}"
        table.add_row(one.row, one.graph, str(one.devices), f"{one.milliseconds:.4g}", speed, one.verdict, one.crossed)
    Console(width=130).print(table)
    return 1 if any(one.verdict.startswith("wrong") for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
