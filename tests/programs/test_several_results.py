"""Several returned values come back from every target, the command line and emitted programs."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import starplat
from starplat import DiagnosticError, Graph, Program
from starplat.cli.app import command_line
from tests.backends.built import built
from tests.programs.targets import Target, every_target
from tests.zoo import ZOO

PROGRAM = """
function f(Graph g, node src, long near = 3) {
  double sum = 0.0;
  int most = 0;
  forall (v in g.nodes()) {
    sum += g.degree(v);
    most = max(most, g.degree(v));
  }
  if (g.num_edges() == 0) {
    return src, 0, -1, False, near << 40;
  }
  return src, sum / 2, most, most > 1, near;
}
"""


@cache
def program() -> Program:
    return starplat.compile(PROGRAM)


def wanted(graph: Graph, near: int) -> tuple[Any, ...]:
    degrees = np.diff(graph.row_offsets)
    first = graph.original_id(0)
    if not graph.num_arcs:
        return first, 0.0, -1, False, near << 40
    most = int(degrees.max())
    return first, float(degrees.sum()) / 2, most, most > 1, near


@every_target
def test_all_of_them_come_back(target: Target) -> None:
    for name in ("one-node", "one-loop", "parallel", "islands", "ids-from-one", "random"):
        graph = ZOO[name]
        found = target.run(program(), graph, {"src": graph.original_id(0), "near": 5}).returned
        assert found == wanted(graph, 5)
        assert list(map(type, found)) == [int, float, int, bool, int]


def test_they_do_from_a_checked_run_and_are_validated() -> None:
    graph = ZOO["ids-from-one"]
    given = {"src": graph.original_id(0)}
    assert program().run(graph, target="reference", checked=True, **given).returned == wanted(graph, 3)
    result = program().run(graph, target="reference", validate=True, **given)
    assert result.validated
    assert result.to_json()["returned"] == list(wanted(graph, 3))
    assert f"returned {', '.join(map(str, wanted(graph, 3)))}" in repr(result)


def test_the_command_line_prints_and_keeps_them(tmp_path: Path) -> None:
    (tmp_path / "f.sp").write_text(PROGRAM)
    (tmp_path / "g.el").write_text("0 1\n1 2\n1 3\n")
    command = ["run", str(tmp_path / "f.sp"), "-g", str(tmp_path / "g.el"), "-a", "src=1", "--target", "reference"]
    out = tmp_path / "out.npz"
    done = CliRunner().invoke(command_line(), [*command, "--out", str(out)])
    assert "returned 1, 1.5, 2, True, 3\n" in done.stdout
    kept = np.load(out)
    assert [kept[f"returned_{number}"].item() for number in range(1, 6)] == [1, 1.5, 2, True, 3]
    done = CliRunner().invoke(command_line(), [*command, "--json"])
    assert json.loads(done.stdout)["returned"] == [1, 1.5, 2, True, 3]


def test_an_emitted_program_prints_them(tmp_path: Path) -> None:
    executable = built(program().artifact("openmp"), tmp_path)
    (tmp_path / "g.el").write_text("0 1\n1 2\n1 3\n")
    words = [str(executable), str(tmp_path / "g.el"), "--src", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "returned 1, 1.5, 2, 1, 3\n" in done.stdout


def test_an_emitted_library_hands_them_over(tmp_path: Path) -> None:
    files = program().artifact("openmp", library=True)
    header = next(text for name, text in files.items() if name.endswith("program.h"))
    assert "int64_t *returned_1" in header
    assert "double *returned_2" in header
    built(files, tmp_path)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("function f(int k) { if (k > 1) { return 1, 2; } return 1; }", "E0330"),
        ("function f(int k) { if (k > 1) { return 1, 2; } return 1, True; }", "E0330"),
        ("function h(int k) { return k, k; } function f(int k) { int x = h(k); return x; }", "E0325"),
        ("function h(int k) { return k, k; } function f(int k) { h(k); return k; }", "E0325"),
        ("function f(int k) { return k, ; }", "E0101"),
    ],
)
def test_mistakes_are_said(text: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(text)
    assert [d.code for d in caught.value.diagnostics] == [code]
