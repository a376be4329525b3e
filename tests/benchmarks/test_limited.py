"""Runs within limits beside those without: what an aim is compared with, and what is read of what was printed."""

from __future__ import annotations

import re

import pytest

from benchmarks import limited
from benchmarks.limited import Aim, Cell


def test_with_room_for_all_arcs_an_aim_is_compared_with_the_same_memory(capsys: pytest.CaptureFixture[str]) -> None:
    how = ["--graphs", "rmat7", "--target", "reference", "--rows", "pagerank", "--repeat", "1"]
    assert limited.main([*how, "--aims", "--ways", "ondemand"]) == 0
    said = capsys.readouterr().out
    ways = re.findall(r"^  pagerank +(\w+(?: \d+%)?) +[0-9.]+ ms", said, re.MULTILINE)
    assert ways == ["resident", "alike 100%", "ondemand 100%", "ondemand 40%"]
    times = dict(re.findall(r"^  pagerank +(\w+(?: \d+%)?) +([0-9.]+) ms", said, re.MULTILINE))
    shown = re.findall(r"([0-9.]+) times resident, at most 1.05 times", said)
    assert float(shown[0]) == pytest.approx(float(times["ondemand 100%"]) / float(times["alike 100%"]), rel=0.05)


def test_an_aim_is_met_up_to_its_bound() -> None:
    assert Aim(1.5).verdict(15.0, 10.0) == "1.500 times resident, at most 1.5 times resident: yes"
    assert Aim(1.5).verdict(15.1, 10.0).endswith("NO")
    assert Aim(110, in_milliseconds=True).verdict(110.0, 20.0).endswith("at most 110 ms: yes")


def test_cells_are_read_as_they_were_printed() -> None:
    cells = [Cell("bfs", "ondemand 40%", 3.36), Cell("bfs", "chunks 40%", 2398.25, at_least=True)]
    printed = "".join(f"{cell}\n" for cell in (*cells, Cell("sssp", "mapped", why="there is no room")))
    assert list(limited.read(printed)) == cells
