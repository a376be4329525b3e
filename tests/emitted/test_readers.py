"""Emitted programs read every graph file of the tests as Python does, and refuse what Python refuses."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starplat.graph import Graph, generators, write
from tests.emitted.readers import File, answers, disagreement

TESTS = Path(__file__).parents[1]
EXAMPLES = TESTS.parent / "examples"


def test_every_graph_file_is_read_as_python_reads_it(built: Path) -> None:
    folders = [TESTS / "data", TESTS / "graph", EXAMPLES / "graphs"]
    paths = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    paths = [path for path in paths if path.suffix not in (".py", ".pyc", ".md", ".json")]
    files = [File(path, undirected) for path in paths for undirected in (False, True)]
    said = list(answers(built, files))
    wrong = [disagreement(file, answer) for file, answer in zip(files, said, strict=True)]
    assert not list(filter(None, wrong))
    assert sum(answer.startswith("graph") for answer in said) > 80


USES = """
#include <iostream>

#include "starplat_read_graph.hpp"

using namespace starplat;

int main(int, char **arguments) {
    HostGraph graph = read_graph(arguments[1], false);
    if (graph.in_row_offsets.empty() || !graph.in_arcs.empty()) return 3;
    graph.add_in_arcs();
    if (graph.in_arcs.size() != graph.columns.size()) return 4;
    long long sum = 0;
    if (truncate(arguments[1], 0) != 0) return 5;
    std::cout << "shorter" << std::endl;
    for (const int node : graph.columns) sum += node;
    std::cout << sum << std::endl;
    return 0;
}
"""


def test_a_file_that_becomes_shorter_ends_the_program_with_a_sentence(built: Path, tmp_path: Path) -> None:
    """And of a file's incoming arcs, their numbers are taken only when they are asked for."""
    graph, path = generators.rmat(10, seed=1), tmp_path / "graph.spg"
    assert graph.reverse
    write(graph, path)
    (tmp_path / "uses.cpp").write_text(USES)
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror", f"-I{built.parent}", "uses.cpp"]
    subprocess.run([*command, "-o", "uses"], cwd=tmp_path, check=True)
    ran = subprocess.run([tmp_path / "uses", path], capture_output=True, text=True, check=False)
    assert ran.stdout == "shorter\n"
    assert (ran.returncode, ran.stderr) == (1, f"error: {path}: has become shorter while this program used it\n")


def answer_for(built: Path, path: Path) -> str:
    """What both readers say of a file."""
    file = File(path)
    (answer,) = answers(built, [file])
    assert disagreement(file, answer) is None
    return answer


Header = dict[str, Any]


def place_of_columns(header: Header, what: int, value: object) -> None:
    header["arrays"]["columns"][what] = value


WRONG_HEADERS: dict[str, Callable[[Header], object]] = {
    "it is cut short": lambda header: place_of_columns(header, 2, 2**62),
    "cut short, and bytes that overflow": lambda header: place_of_columns(header, 2, 2**61 + 1),
    "an array that is none, behind -64": lambda header: place_of_columns(header, 1, -64),
    "an array that is none, not aligned": lambda header: place_of_columns(header, 1, 4),
    "an array of an unknown type": lambda header: place_of_columns(header, 0, ""),
    "no whole numbers": lambda header: place_of_columns(header, 0, "<f8"),
    "different sizes": lambda header: header.update(arcs=9),
    "no proper 'directed'": lambda header: header.pop("directed"),
    "no proper 'index_base'": lambda header: header.update(index_base=True),
    "only versions 1 and 2": lambda header: header.update(version=3),
}


@pytest.fixture
def spg(tmp_path: Path) -> Path:
    path = tmp_path / "graph.spg"
    write(Graph.from_arcs(4, [0, 0, 1, 2], [1, 3, 2, 3], [5, 4, 3, 2]), path)
    return path


def header_of(path: Path) -> Header:
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data, 8)
    found: Header = json.loads(data[16 : 16 + length])
    return found


@pytest.mark.parametrize("reason", WRONG_HEADERS)
def test_a_spg_is_refused_for_its_header(reason: str, spg: Path, built: Path) -> None:
    data, header = spg.read_bytes(), header_of(spg)
    (length,) = struct.unpack_from("<Q", data, 8)
    WRONG_HEADERS[reason](header)
    text = json.dumps(header).encode()
    text += b" " * (-(16 + len(text)) % 64)
    spg.write_bytes(data[:8] + struct.pack("<Q", len(text)) + text + data[16 + length :])
    answer = answer_for(built, spg)
    assert answer.startswith(f"refused {spg}: this .spg is damaged or of another version: ")
    assert reason.partition(",")[0] in answer


def test_a_header_that_ends_inside_a_string_is_refused(spg: Path, built: Path) -> None:
    data = spg.read_bytes()
    text = b'{"version": 1, "name": "' + b"x" * (64 - 16 - 24)
    spg.write_bytes(data[:8] + struct.pack("<Q", len(text)) + text)
    assert "its header is no JSON" in answer_for(built, spg)


@pytest.mark.parametrize(("name", "cells"), [("row_offsets", [0, 3, 2, 4, 4]), ("columns", [1, 3, 2, 4])])
def test_rows_that_are_none_are_refused(name: str, cells: list[int], spg: Path, built: Path) -> None:
    data, (kind, offset, _) = bytearray(spg.read_bytes()), header_of(spg)["arrays"][name]
    (length,) = struct.unpack_from("<Q", data, 8)
    changed, start = np.array(cells, kind).tobytes(), 16 + length + offset
    data[start : start + len(changed)] = changed
    spg.write_bytes(data)
    assert answer_for(built, spg).startswith("refused")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("short.gr", "p sp 3 2\na 1 2 5\n", "promises 2 arcs and holds 1"),
        (
            "long.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n2 3\n",
            "promises 1 arcs and holds 2",
        ),
        ("absent.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 4\n", ":3: there is no node 4"),
    ],
)
def test_what_a_header_promises_must_come(name: str, text: str, reason: str, tmp_path: Path, built: Path) -> None:
    (tmp_path / name).write_text(text)
    assert reason in answer_for(built, tmp_path / name)


def test_directories_and_pipes_are_refused(tmp_path: Path, built: Path) -> None:
    assert answer_for(built, tmp_path) == f"refused {tmp_path}: is a directory"
    assert "is a pipe or a device" in answer_for(built, Path("/dev/null"))
    assert answer_for(built, tmp_path / "nowhere").endswith("No such file or directory")


@pytest.mark.parametrize(
    ("comment", "arcs"),
    [
        ("# directed, not undirected", 1),
        ("# Undirected graph", 2),
        ("# not directed", 2),
        ("% NOT\tundirected", 1),
        ("# undirectedness", 1),
        ("# notundirected\n# undirected", 2),
    ],
)
def test_the_first_word_on_directions_counts(comment: str, arcs: int, tmp_path: Path, built: Path) -> None:
    path = tmp_path / "graph.txt"
    path.write_text(f"{comment}\n1 2\n")
    assert answer_for(built, path).startswith(f"graph 2 {arcs} ")
