"""`benchmarks/against.py` compares answers and says which property differs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import starplat
from benchmarks import against

QUICK = (
    "--graphs",
    "rmat6",
    "--targets",
    "reference",
    "--programs",
    "sssp,pagerank",
    "--repeat",
    "1",
    "--skip-emitted",
)


def test_equal_answers_are_fine(capsys: pytest.CaptureFixture[str]) -> None:
    assert against.main(["memory=mapped", *QUICK]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "sssp                  same: auto" in first
    assert "'weight'" in first
    assert "pagerank              same: auto" in second


def test_other_answers_are_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    own = starplat.Program.run

    def run(self: starplat.Program, graph: starplat.Graph, **options: Any) -> Any:
        result = own(self, graph, **options)
        if options["schedule"] != "auto" and "dist" in result:
            result.properties["dist"] += np.int32(1)  # type: ignore[index]
        return result

    monkeypatch.setattr(starplat.Program, "run", run)
    assert against.main(["memory=mapped", *QUICK]) == 1
    assert "WRONG: dist" in capsys.readouterr().out
