"""Measures emitted programs beside runs: the same program on the same graph, built by the command in its first comment.

The emitted program reads the graph from a file and says what the median of its runs took, which is divided as the run's
own. A target whose compiler is not here is told as such.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import starplat
from benchmarks.measured.cells import Cell
from benchmarks.measured.graphs import Entry
from benchmarks.measured.rows import ROWS
from starplat.graph import write

BUILD = re.compile(r"^// build: (.*)$", re.MULTILINE)
RUN = re.compile(r"^seconds: .*\brun ([0-9.e+-]+)", re.MULTILINE)
MOST = 1.1
"""How many times a run's time an emitted program may take."""


@dataclass(frozen=True)
class Emitted:
    """What came of one: milliseconds as in `run`, or what went wrong."""

    cell: Cell
    milliseconds: float | None
    remark: str = ""

    @property
    def ratio(self) -> float | None:
        """To the run's time."""
        known = self.milliseconds is not None and self.cell.milliseconds
        return self.milliseconds / self.cell.milliseconds if known else None

    def line(self) -> str:
        """For people."""
        head = f"{self.cell.row:<12} {self.cell.graph:<10} {self.cell.target:<8}"
        if self.ratio is None:
            return f"{head} {self.remark or 'no run to compare with'}"
        much = "" if self.ratio <= MOST else f"  more than {MOST}"
        times = f"run {self.cell.milliseconds:10.3f} ms, emitted {self.milliseconds:10.3f} ms"
        return f"{head} {times}, x{self.ratio:.2f}{much}"


def measured(cells: Sequence[Cell], entry: Entry, repeat: int) -> Iterator[Emitted]:
    """Each right cell of a graph with its emitted program."""
    with tempfile.TemporaryDirectory(prefix="starplat-emitted-") as name:
        folder = Path(name)
        file = folder / "graph.spg"
        write(entry.graph, file)
        for cell in cells:
            if cell.status != "right" or cell.graph != entry.name:
                continue
            try:
                seconds = median_of(cell, entry, file, folder / f"{cell.row}-{cell.target}", repeat)
                yield Emitted(cell, 1e3 * seconds / cell.rounds)
            except (OSError, ValueError, subprocess.CalledProcessError) as error:
                told = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
                yield Emitted(cell, None, remark=" ".join(str(told).split())[:200])


def median_of(cell: Cell, entry: Entry, file: Path, folder: Path, repeat: int) -> float:
    """Builds the program and has it run so often, after a run to warm up; the seconds that it names.

    Raises:
        OSError, subprocess.CalledProcessError: it is not built, or does not run.
        ValueError: it does not say how long it took.
    """
    row = ROWS[cell.row]
    program = built(row.program, cell, folder)
    command = [str(program), str(file), *flags(row.arguments(entry)), "--repeat", str(repeat)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    said = RUN.search(done.stdout)
    if said is None:
        raise ValueError(f"{program.name} does not say how long it ran")
    return float(said[1])


def built(name: str, cell: Cell, folder: Path) -> Path:
    """The program that `compile` writes for the cell's target and schedule, built as its first comment says."""
    folder.mkdir()
    files = starplat.compile(name).artifact(cell.target, schedule=cell.schedule)
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    said = next(found for text in files.values() if (found := BUILD.search(text)))
    words = [word.replace("$SYCL", sys.prefix) for word in shlex.split(said[1])]
    subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return folder / words[words.index("-o") + 1]


def flags(arguments: dict[str, Any]) -> list[str]:
    """Arguments as an emitted program takes them."""
    return [
        word
        for name, value in arguments.items()
        for word in (f"--{name}", ",".join(map(str, value)) if isinstance(value, list) else str(value))
    ]
