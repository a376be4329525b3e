"""The examples are what they are for: documented in their first line, formatted, and free of races and warnings."""

from __future__ import annotations

from pathlib import Path

import pytest

import starplat
from starplat.diagnostics import Severity
from starplat.frontend.unparse import format_source
from starplat.pipeline import check
from starplat.program_text import read_program
from tests.programs.cases import EXAMPLES

every_example = pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.sp")), ids=lambda path: path.stem)


@every_example
def test_first_line_says_what_it_computes(path: Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("// ")
    assert first.endswith(".")


@every_example
def test_is_formatted(path: Path) -> None:
    source = read_program(path)
    assert format_source(source) == source.text


@every_example
def test_is_deterministic_and_without_warnings(path: Path) -> None:
    checked = check(read_program(path), strict=True)
    assert [d.message for d in checked.warnings if d.severity is not Severity.NOTE] == []


def test_a_waiting_node_has_its_window_where_its_color_will_be() -> None:
    function = starplat.compile(EXAMPLES / "graph_coloring.sp").module().functions[0]
    assert sorted((array.name, array.element.name) for array in function.arrays) == [
        ("full", "BOOL"),
        ("taken", "INT"),
        ("wins", "BOOL"),
    ]
