"""Cells as a table for people and as JSON for other programs, with what made them."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import starplat
from benchmarks.measured.cells import Cell
from benchmarks.measured.graphs import ROOT
from benchmarks.measured.rows import PREPARATION_INCLUDED, ROWS, TARGETS_MS

SCHEMA = 1
CAPTION = "in brackets what was promised; after a + what preparing the graph took, where a program has that done"


def circumstances(commit: str | None, targets: Sequence[str]) -> dict[str, Any]:
    """Devices, drivers, versions and the commit that cells were measured with."""
    from starplat.toolchain.devices import REPORTS, report

    devices = {target: [device.name for device in report(target)] for target in targets if target in REPORTS}
    return {
        "schema": SCHEMA,
        "starplat": starplat.__version__,
        "commit": commit or _commit(),
        "devices": devices,
        "driver": _driver(),
        "python": platform.python_version(),
        "machine": platform.processor() or platform.machine(),
    }


def _commit() -> str:
    """The commit that is checked out, with a plus if files have been changed since."""
    try:
        command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--abbrev=12"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _driver() -> str:
    """NVIDIA's, where one is here."""
    try:
        command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"


def promised(cell: Cell) -> float | None:
    """The milliseconds that were promised for this cell: on CUDA, under schedule auto."""
    if (cell.target, cell.schedule) != ("cuda", "auto"):
        return None
    return TARGETS_MS.get(cell.row, {}).get(cell.graph)


def keeps_promise(cell: Cell) -> bool | None:
    """Whether it is right and as fast as promised; None where nothing was."""
    limit = promised(cell)
    if limit is None:
        return None
    time = cell.with_preparation if cell.row in PREPARATION_INCLUDED else cell.milliseconds
    return cell.status == "right" and time is not None and time <= limit


def write_json(path: Path, head: dict[str, Any], cells: Iterable[Cell]) -> None:
    """All of it in one file, written anew each time, so that a run that is cut short leaves what it found."""
    rows = [{**cell.to_json(), "promised": promised(cell), "kept": keeps_promise(cell)} for cell in cells]
    path.write_text(json.dumps({**head, "cells": rows}, indent=1) + "\n", encoding="utf-8")


def line(cell: Cell) -> str:
    """One cell in one line, told as soon as it is there."""
    where = f"{cell.graph:>9} {cell.row:<11} {cell.target:<8}"
    if cell.milliseconds is None:
        return f"{where} {cell.status}: {cell.remark}"
    return (
        f"{where} {spelt(cell.milliseconds):>9} ms  (n {len(cell.times)}, {spelt(min(cell.times))}"
        f"..{spelt(max(cell.times))}, first {spelt(cell.first or 0)}, preparation {spelt(cell.preparation)}, "
        f"{cell.launches} launches, {cell.bytes / 2**20:,.0f} MiB, checked in {cell.check_seconds:.1f} s) "
        f"{_verdict(cell)} {cell.remark}"
    )


def _verdict(cell: Cell) -> str:
    kept = keeps_promise(cell)
    mark = {True: "✓", False: "✗", None: ""}[kept]
    return f"{cell.status} {mark}".strip() + (f" ≤ {promised(cell):g}" if kept is not None else "")


def spelt(milliseconds: float) -> str:
    """Three digits."""
    return f"{milliseconds:,.0f}" if milliseconds >= 1000 else f"{milliseconds:.3g}"


def show(cells: Sequence[Cell], graphs: Sequence[str], targets: Sequence[str]) -> None:
    """One table for every target: ✓ and ✗ tell whether a promise is kept; only right answers have figures."""
    console = Console(width=34 + 24 * len(graphs))
    for target in targets:
        found = {(cell.row, cell.graph): cell for cell in cells if cell.target == target}
        table = Table(title=f"milliseconds on {target}", caption=CAPTION)
        table.add_column("")
        for graph in graphs:
            table.add_column(graph, justify="right")
        for name in dict.fromkeys(cell.row for cell in cells):
            table.add_row(ROWS[name].title, *(_figure(found.get((name, graph))) for graph in graphs))
        console.print(table)


def _figure(cell: Cell | None) -> str:
    if cell is None:
        return ""
    limit, kept = promised(cell), keeps_promise(cell)
    wish = "" if limit is None else f" (≤ {limit:g})"
    if cell.status != "right" or cell.milliseconds is None:
        return f"[red]{cell.status}[/]{wish}"
    time = spelt(cell.milliseconds) + (f" + {spelt(cell.preparation)}" if cell.preparation else "")
    few = f" n={len(cell.times)}" if len(cell.times) < 5 else ""
    return f"{time}{few}{wish}" + {True: " [green]✓[/]", False: " [red]✗[/]", None: ""}[kept]
