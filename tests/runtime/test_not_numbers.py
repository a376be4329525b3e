"""Results that are no finite numbers are reported, unless the program wrote INF itself or the caller gave them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.cli import main
from starplat.graph.graph import Graph

GRAPH = Graph.from_arcs(4, [0, 1, 2], [1, 2, 3], ids=np.array([10, 20, 30, 40]))
GROWS = """function grows(Graph g, propNode<double> x, propNode<double> far, propNode<float> kept) {
  g.attachNodeProperty(x = 1.0, far = INF);
  forall (v in g.nodes()) {
    for (int i = 0; i < v; i = i + 1) { v.x = v.x * 1e200; }
    if (v == 0) { v.far = 0.0; }
  }
}"""


@pytest.fixture(scope="module")
def program() -> starplat.Program:
    return starplat.compile(GROWS)


@pytest.mark.parametrize("target", ["reference", "opencl"])
def test_python_warns_of_infinite_values_that_the_program_did_not_write(program: starplat.Program, target: str) -> None:
    with pytest.warns(starplat.StarplatWarning, match="'x' holds 2 values .* the first of them inf at node 30") as said:
        result = program.run(GRAPH, target=target)
    assert len(said) == len(result.warnings) == 1


def test_nan_is_reported_even_beside_inf() -> None:
    text = "function f(Graph g, propNode<double> x) { g.attachNodeProperty(x = INF); forall (v in g.nodes()) {%s} }"
    program = starplat.compile(text % "if (v == 1) { v.x = v.x - v.x; }")
    with pytest.warns(starplat.StarplatWarning, match="'x' holds one value .* nan at node 20"):
        program.run(GRAPH, target="reference")


def test_what_a_caller_gave_is_the_callers(program: starplat.Program) -> None:
    result = program.run(GRAPH, target="reference", kept=[1.0, np.nan, 2.0, np.inf], results=["kept"])
    assert not result.warnings


def test_the_command_line_warns_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "grows.sp").write_text(GROWS)
    (tmp_path / "g.el").write_text("10 20\n20 30\n30 40\n")
    main(["run", str(tmp_path / "grows.sp"), "-g", str(tmp_path / "g.el"), "-t", "reference"])
    assert capsys.readouterr().err.count("W0701") == 1


def test_an_emitted_program_warns(tmp_path: Path, program: starplat.Program) -> None:
    for name, text in program.artifact("openmp").items():
        (tmp_path / name).write_text(text)
    (source,) = tmp_path.glob("*.cpp")
    built = ["g++", "-std=c++17", "-O0", "-fopenmp", str(source), "-o", str(tmp_path / "grows")]
    subprocess.run(built, check=True, capture_output=True, timeout=120)
    (tmp_path / "g.el").write_text("0 1\n1 2\n2 3\n")
    run = [str(tmp_path / "grows"), str(tmp_path / "g.el")]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60)
    assert done.stderr == "warning: x: 2 of 4 values are no finite numbers, the first of them inf at node 2\n"
