"""Lines of the host's memory that kernels read, counted and seen by a profiler."""

from __future__ import annotations

import json

import pytest

from benchmarks import lines
from benchmarks.measured import graphs
from starplat.runtime.tracing import reads


@pytest.mark.parametrize("row", sorted(lines.PROGRAMS))
def test_a_trace_counts_lines(row: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "LINE", reads.LINE)
    assert lines.main(["--counted", row, "--scale", "7", "--target", "reference"]) == 0
    counted, sectors = json.loads(capsys.readouterr().out)
    assert 0 < counted <= sectors <= 4 * counted


def test_all_arcs_take_so_many_lines(capsys: pytest.CaptureFixture[str]) -> None:
    how = ["--scale", "7", "--target", "reference", "--share", "0.1"]
    assert lines.main(["--counted", "components", *how]) == lines.main(["--counted", "sssp", *how]) == 0
    of_columns, with_weights = (json.loads(line)[0] for line in capsys.readouterr().out.splitlines())
    assert of_columns == -(-4 * graphs.load("rmat7").graph.num_arcs // 128)
    assert with_weights in (2 * of_columns, 2 * of_columns - 1)


def test_without_a_profiler_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert lines.main([]) == 3
    assert capsys.readouterr().out == "ncu is not installed\n"
