"""A command ends when it is told to, whatever its kernel does, and says meanwhile how far it has come."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from starplat.cli.progress import Following
from starplat.runtime import Progress
from starplat.runtime.attending.progress import Step
from starplat.toolchain.devices import report
from tests.cli.conftest import Outcome
from tests.runtime.test_stopping import SPINNING

FOR_EVER = """function f(Graph g, propNode<int> x) {
  int i = 0;
  while (i >= 0) {
    forall (v in g.nodes()) { v.x = v.x + 1; }
    i = 1 - i;
  }
}
"""


def on_a_cpu() -> tuple[str, ...]:
    """A target whose kernels do not hear of signals."""
    found = next((d for t in ("opencl", "openmp") for d in report(t) if d.usable and not d.is_gpu), None)
    if found is None:
        pytest.skip("no OpenCL or OpenMP on a CPU here")
    return ("--target", found.target, "--device", str(found.index))


@pytest.mark.skipif(sys.platform != "linux", reason="commands have one process here")
def test_a_kernel_that_does_not_end_keeps_no_command(program: Callable[..., Path], roads: Path) -> None:
    command = [sys.executable, "-m", "starplat", "run", str(program(SPINNING)), "--graph", str(roads), *on_a_cpu()]
    environment = {name: value for name, value in os.environ.items() if name != "STARPLAT_DEBUG"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as started:
        assert started.stderr is not None
        said = next(line for line in started.stderr if line.startswith("running "))
        started.send_signal(signal.SIGTERM)
        assert started.wait(120) == 130
        assert started.stderr.read().endswith("interrupted\n")
    assert re.fullmatch(r"running p: \d+ s\n", said)


def test_rounds_and_time_end_a_run_with_a_sentence(
    starplat: Callable[..., Outcome], program: Callable[..., Path], roads: Path
) -> None:
    words = ("run", program(FOR_EVER), "--graph", roads, "--target", "reference")
    rounds = starplat(*words, "--max-rounds", "3")
    assert (rounds.code, rounds.out) == (1, "")
    assert "error[E0730]: a loop was not done after 3 rounds" in rounds.err
    late = starplat(*words, "--time-limit", "0.2")
    assert (late.code, late.out) == (1, "")
    assert "error[E0731]: the run was ended after 0.2 s" in late.err


def test_a_run_is_told_of_now_and_then_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    followed, progress = Following("running p", None), Progress()
    for seconds in (0.0, 1.9, 2.1, 3.0, 6.0, 7.2, 8.0, 18.0):
        progress.begin(Step.RUNNING)
        progress.step_began -= seconds
        progress.began = progress.step_began
        followed.look(progress)
    assert capsys.readouterr().err == "running p: 2 s\nrunning p: 7 s\nrunning p: 18 s\n"


def test_a_terminal_shows_the_step_too(capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []
    followed, progress = Following("running p", shown.append), Progress()
    progress.begin(Step.BUILDING)
    followed.look(progress)
    progress.began -= 4.0
    followed.look(progress)
    assert shown == ["running p: 4 s, building the kernels"]
    assert capsys.readouterr().err == ""
