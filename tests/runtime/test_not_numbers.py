"""Results that are no finite numbers are reported, unless the program wrote INF itself or the caller gave them."""

from __future__ import annotations

import ctypes
import json
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.cli import main
from starplat.graph.graph import Graph
from starplat.toolchain.devices import report
from tests.backends.built import built

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


@pytest.mark.parametrize("target", ["reference", "all"])
def test_json_holds_the_warning(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "grows.sp").write_text(GROWS)
    (tmp_path / "g.el").write_text("0 1\n1 2\n2 3\n")
    main(["run", str(tmp_path / "grows.sp"), "-g", str(tmp_path / "g.el"), "-t", target, "--json"])
    found = json.loads(capsys.readouterr().out)
    runs = [run for run in found["runs"] if run["seconds"]] if target == "all" else [found]
    assert runs
    for run in runs:
        (warning,) = run["warnings"]
        assert (warning["code"], warning["severity"]) == ("W0701", "warning")
        assert warning["message"] == "'x' holds 2 values that are no finite numbers, the first of them inf at node 2"


@pytest.mark.parametrize("target", ["reference", "opencl"])
def test_what_stays_on_the_device_is_looked_at_when_it_comes_down(target: str, program: starplat.Program) -> None:
    if not any(device.usable for device in report(target)):
        pytest.skip(f"{target} has no device here")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = program.run(GRAPH, target=target, device_results=True)
        result.on_host("far")
        result.on_host("x")
    messages = [str(one.message) for one in said if issubclass(one.category, starplat.StarplatWarning)]
    assert len(messages) == 1
    assert "'x' holds 2 values that are no finite numbers, the first of them inf at node 30" in messages[0]


def test_an_emitted_program_warns(tmp_path: Path, program: starplat.Program) -> None:
    (tmp_path / "g.el").write_text("0 1\n1 2\n2 3\n")
    run = [str(built(program.artifact("openmp"), tmp_path)), str(tmp_path / "g.el")]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=300)
    assert done.stderr == "warning: x: 2 of 4 values are no finite numbers, the first of them inf at node 2\n"


def test_a_library_tells_by_its_message(tmp_path: Path, program: starplat.Program) -> None:
    """`far` is INF because the program says so, `kept` is the caller's own, and what is not wanted is not looked at."""
    files = program.artifact("openmp", library=True)
    loaded = ctypes.CDLL(str(built(files, tmp_path, "-Wall", "-Wextra", "-Wshadow")))
    loaded.grows_message.restype = ctypes.c_char_p
    rows, columns, ids = np.array([0, 1, 2, 3, 3]), np.array([1, 2, 3], np.int32), np.array([10, 20, 30, 40])
    graph = (ctypes.c_int64 * 5)(4, 3, rows.ctypes.data, columns.ctypes.data, ids.ctypes.data)
    x, far, kept = np.zeros(4), np.zeros(4), np.array([1.0, np.nan, 2.0, 3.0], np.float32)

    def said(*arrays: np.ndarray[Any, Any] | None) -> bytes:
        given = [None if array is None else ctypes.c_void_p(array.ctypes.data) for array in arrays]
        assert loaded.grows(graph, ctypes.c_int32(0), *given) == 0
        return bytes(loaded.grows_message())

    warning = b"warning: x: 2 of 4 values are no finite numbers, the first of them inf at node 30\n"
    assert said(x, far, kept) == warning
    assert np.isinf(x[2:]).all()
    assert said(None, far, kept) == b""


def test_what_is_returned_is_looked_at_too(tmp_path: Path) -> None:
    text = "function f(Graph g) { double x = 1.0; for (int i = 0; i < 9; i++) { x = x * 1e200; } return x; }"
    (tmp_path / "g.el").write_text("0 1\n")
    command = [str(built(starplat.compile(text).artifact("openmp"), tmp_path)), str(tmp_path / "g.el")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == "warning: what f returned is no finite number: inf\n"
