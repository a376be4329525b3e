"""The comparison of the library with NetworKit and rustworkx runs, and its answers agree."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import library

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "library.py"


@pytest.mark.campaign
def test_every_contender_gives_the_same_answer(tmp_path: Path) -> None:
    for needed in ("networkit", "rustworkx"):
        pytest.importorskip(needed, reason="pip install 'starplat[benchmarks]'")
    rows = ["components", "cores", "spanning tree"]
    words = [
        "--quick",
        "--runs",
        "2",
        "--targets",
        "openmp",
        "--algorithms",
        ",".join(rows),
        "--json",
        str(tmp_path / "found.json"),
    ]
    done = subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))["lines"]
    assert [line["algorithm"] for line in lines] == rows * 2
    assert all(len(line["milliseconds"]) >= 3 and not line["faults"] for line in lines)
    assert all(line["milliseconds"] == {name: min(times) for name, times in line["runs"].items()} for line in lines)
    assert all(2 <= len(times) <= 10 for line in lines for times in line["runs"].values())


def test_a_target_that_cannot_run_leaves_the_others_and_threads_that_are_not_bound_all_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cores: list[list[int]] = []
    monkeypatch.setattr(library.os, "sched_setaffinity", lambda _, of: cores.append(of))
    rustworkx = {"closeness_centrality": lambda *_, **__: None, "generators": SimpleNamespace(path_graph=int)}
    monkeypatch.setitem(sys.modules, "rustworkx", SimpleNamespace(**rustworkx))
    monkeypatch.setitem(sys.modules, "networkit", SimpleNamespace(setNumberOfThreads=int))
    monkeypatch.setenv("OMP_PROC_BIND", "FALSE")
    library.begin_threads(["nowhere"], [0, 1])
    assert cores[-1] == [0, 1]
    monkeypatch.setenv("OMP_PROC_BIND", "spread")
    library.begin_threads(["nowhere"], [0, 1])
    assert cores[-1] == [0]
