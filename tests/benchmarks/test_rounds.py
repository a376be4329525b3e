"""What rounds cost, compiled and through Python."""

from __future__ import annotations

import re

import pytest

from benchmarks import rounds
from tests.runtime.devices import device_of


def test_both_ways_are_timed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    device_of("openmp")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(rounds, "ROUNDS", 5)
    monkeypatch.setattr(rounds, "LIBRARY", {"k_core": {}})
    monkeypatch.setattr("sys.argv", ["rounds.py", "--graph", "grid:4", "--runs", "1"])
    assert rounds.main() == 0
    said = capsys.readouterr().out
    assert len(re.findall(r"compiled +[0-9.]+   through Python +[0-9.]+$", said, re.MULTILINE)) == 3
