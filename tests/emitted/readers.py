"""Holds the graph reader of emitted programs against Python's: the same graph from a file, or a refusal from both."""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starplat.backends.files.layout import header
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, read
from starplat.ir import nodes as ir
from starplat.runtime.resident import weights_as

DRIVER = Path(__file__).with_name("read_graph_driver.cpp")
HEADERS = ("starplat_graph.hpp", "starplat_read_graph.hpp")
SANITIZED = ("-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
WEIGHTS = (ir.Element.INT, ir.Element.LONG, ir.Element.FLOAT, ir.Element.DOUBLE)
READ_BY_PROGRAMS = ("starplat graph", "edge list", "GAP edge list", "Matrix Market", "DIMACS", "PACE")


@dataclass(frozen=True, slots=True)
class File:
    """A file to read, perhaps as an undirected graph."""

    path: Path
    undirected: bool = False


def driver(folder: Path, flags: Iterable[str] = SANITIZED) -> Path:
    """The program that says what emitted programs read, built with those flags; one for all who share the folder."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = folder / "read_graph_driver"
        if not built.exists():
            for name in HEADERS:
                (folder / name).write_text(header(name), encoding="utf-8")
            command = [
                "g++",
                "-std=c++17",
                *flags,
                "-Wall",
                "-Wextra",
                "-Wshadow",
                "-Werror",
                f"-I{folder}",
                str(DRIVER),
            ]
            subprocess.run([*command, "-o", str(built)], check=True)
    return built


def answers(built: Path, files: list[File]) -> Iterator[str]:
    """What the program says of every file; it fails where a sanitizer finds something."""
    lines = "".join(f"{'+' if file.undirected else '-'}{file.path}\n" for file in files)
    words = [str(built)]
    run = subprocess.run(words, input=lines, capture_output=True, text=True, errors="replace", check=False)
    said = run.stdout.split("\n")[:-1]
    assert run.returncode == 0, f"{files[min(len(said), len(files) - 1)]}: {run.stderr}"
    assert len(said) == len(files)
    yield from said


def disagreement(file: File, answer: str) -> str | None:
    """In which way Python reads a file otherwise than an emitted program does, which gave that answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            graph = read(file.path, undirected=file.undirected)
        except DiagnosticError as error:
            return None if answer.startswith("refused") else f"{file}: {answer}, but {error}"
    if answer.startswith("refused"):
        return None if is_left_out(file, graph, answer) else f"{file}: {answer}, but {graph.describe()}"
    expected = description(graph)
    return None if answer == expected else f"{file}: {answer}, but {expected}"


def is_left_out(file: File, graph: Graph, answer: str) -> bool:
    """Whether the file is of a kind that emitted programs do not read, and was refused for that."""
    if graph.format not in READ_BY_PROGRAMS:
        return True
    packed = re.search(r"is compressed; decompress it first", answer) is not None
    odd_ids = graph.ids is not None and (graph.ids.dtype != np.int64)
    dictionaries = b"{" in file.path.read_bytes() and graph.format == "edge list"
    return packed or odd_ids or ("by this program" in answer and dictionaries)


def description(graph: Graph) -> str:
    """The driver's line for a graph."""
    back = graph.reverse
    arrays = [graph.row_offsets, graph.columns, graph.original_ids, back.row_offsets, back.columns, back.arc_ids]
    hashes = [*map(hash_of, arrays), *(weights_of(graph, element) for element in WEIGHTS)]
    return " ".join(map(str, ["graph", graph.num_nodes, graph.num_arcs, *hashes]))


def weights_of(graph: Graph, element: ir.Element) -> str:
    """The hash of the weights as cells of a type, or "unfit"."""
    try:
        return str(hash_of(weights_as(graph, element)))
    except DiagnosticError:
        return "unfit"


def hash_of(values: Any) -> int:
    """The driver's hash of an array."""
    if values.dtype.kind == "f":
        patterns = (values.astype(np.float64) + 0.0).view(np.uint64)
    else:
        patterns = values.astype(np.int64).view(np.uint64)
    with np.errstate(over="ignore"):
        products = patterns * np.uint64(0x9E3779B97F4A7C15)
        factors = 2 * np.arange(len(values), dtype=np.uint64) + np.uint64(1)
        return int((factors * (products ^ (products >> np.uint64(29)))).sum(dtype=np.uint64))
