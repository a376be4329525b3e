"""Emitted text is read: no line is too long, and none says what it need not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from starplat.backends.folding import WIDEST, folded

GENERATED = Path(__file__).parents[2] / "generated"
FLAGS = ("-std=c++17", "-fwrapv", "-fopenmp", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only")
SOME = ("sssp", "betweenness", "connected_components", "minimum_spanning_tree")


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


@pytest.mark.parametrize("name", [*SOME, pytest.param("*", marks=pytest.mark.nightly)])
def test_programs_are_clean_of_warnings(name: str) -> None:
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    for path in GENERATED.glob(f"openmp/{name}.cpp"):
        read = subprocess.run(
            ["g++", *FLAGS, f"-I{GENERATED / 'common'}", path], capture_output=True, text=True, check=False
        )
        assert read.returncode == 0, read.stderr
