"""Emitted text is read: no line is too long, and none says what it need not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from starplat.backends.text.folding import LAID_OUT, WIDEST, folded, folded_host
from tests.backends.test_artifacts import require_headers

GENERATED = Path(__file__).parents[2] / "generated"
FLAGS = ("-std=c++17", "-fwrapv", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only")
SOME = ("betweenness", "connected_components")
READ_BY_GNU = {"openmp": "-fopenmp", "openacc": "-fopenacc", "opencl": "-DCL_TARGET_OPENCL_VERSION=120"}
"""Targets whose programs the host's compiler reads, with what it has to know."""


def test_no_line_is_too_long() -> None:
    """But for commands, which are copied."""
    paths = [path for path in GENERATED.rglob("*") if path.is_file() and path.suffix != ".md"]
    assert len(paths) > 100
    lines = ((path, line) for path in paths for line in path.read_text(encoding="utf-8").splitlines())
    assert [(path.name, line) for path, line in lines if len(line) > WIDEST and "// build: " not in line] == []


def test_a_line_is_cut_where_its_parentheses_are_least_deep() -> None:
    line = f'    if (first_condition({"a" * 40}, b) && second_condition({"c" * 40}, "x && y, z") || third) {{'
    first = f"    if (first_condition({'a' * 40}, b)"
    assert folded([line]) == (first, " " * 12 + line.removeprefix(f"{first} "))
    assert folded(["short", f"#pragma {'a, ' * 60}"]) == ("short", f"#pragma {'a, ' * 60}")
    assert folded([f"#define {'a, ' * 40}b"]) == (f"#define {'a, ' * 36}a, \\", "    a, a, a, b")
    assert folded([f"  // {'word ' * 30}"]) == (f"  // {' '.join(['word'] * 23)}", f"  // {' '.join(['word'] * 7)}")


def test_a_long_call_has_its_arguments_in_lines_of_their_own() -> None:
    arguments = [f"argument_{number}" for number in range(12)]
    lines = folded_host([f"    device.launch({', '.join(arguments)}, f(a, b));"])
    assert (lines[0], lines[-1]) == ("    device.launch(", "    );")
    assert " ".join(line.strip() for line in lines[1:-1]) == f"{', '.join(arguments)}, f(a, b)"
    assert all(line.startswith("        argument") for line in lines[1:-1])
    assert max(map(len, lines)) <= LAID_OUT
    chain = f"    atomic(cells[{'a' * 60}]).fetch_add({'b' * 60});"
    assert folded_host([chain])[0] != "    atomic(", "its parentheses are not those of one call"


@pytest.mark.parametrize("name", [*SOME, pytest.param("*", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("folder", READ_BY_GNU)
def test_programs_are_clean_of_warnings(folder: str, name: str) -> None:
    if folder == "opencl":
        require_headers()
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    paths = list(GENERATED.glob(f"{folder}/{name}.cpp"))
    assert paths
    for path in paths:
        command = ["g++", *FLAGS, READ_BY_GNU[folder], f"-I{GENERATED / 'common'}", path]
        read = subprocess.run(command, capture_output=True, text=True, check=False)
        assert read.returncode == 0, read.stderr
