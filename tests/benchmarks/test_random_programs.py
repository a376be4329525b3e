"""The campaign of random programs counts what ran, and goes on behind a program that ends the process."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import random_programs
from tests.programs.targets import REFERENCE, Target

WORKER = """
import os, signal, sys
_, _, label, start, stop = sys.argv
for seed in range(int(start), int(stop)):
    if seed == 3:
        sys.exit("the driver said so")
    if seed == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    print({4: "left out", 6: "x[0] is 1, not 2"}.get(seed, "agrees"), flush=True)
"""
ANYTHING = Target("anything", "anything")


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program in the place of the one that looks at programs."""
    path = tmp_path / "worker.py"
    path.write_text(WORKER, encoding="utf-8")
    monkeypatch.setattr(random_programs, "__file__", str(path))
    monkeypatch.setattr(random_programs, "CHUNK", 4)


@pytest.mark.usefixtures("worker")
def test_a_program_that_ends_the_process_differs_and_the_next_has_its_turn() -> None:
    found = random_programs.campaign(ANYTHING, 7, 0, 2, 60)
    assert (found.ran, found.left_out) == (7, 1)
    assert found.different == {
        3: "anything: the process ended with 1: the driver said so",
        5: "anything: the process ended with -9: without a word",
        6: "x[0] is 1, not 2",
    }


@pytest.mark.usefixtures("worker")
def test_it_ends_when_the_time_is_over() -> None:
    assert random_programs.campaign(ANYTHING, 100, 0, 1, 0).ran == 0


def test_a_program_says_what_the_interpreter_says() -> None:
    assert random_programs.verdict(1, REFERENCE) == random_programs.AGREES
