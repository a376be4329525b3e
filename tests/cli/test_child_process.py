"""A crash inside of a command ends in a sentence, and who sends signals to a command reaches whoever works for it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from starplat.toolchain.devices import report
from tests.cli.conftest import Outcome
from tests.cli.test_conventions import opened_when_read

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="one process does everything here")

CRASHES = {
    "openmp-SIGSEGV": ("openmp", r'(extern "C" void \w+\([^{]*\) \{)', "*reinterpret_cast<volatile int *>(8) = 1;"),
    "openmp-SIGABRT": ("openmp", r'(extern "C" void \w+\([^{]*\) \{)', "__builtin_abort();"),
    "opencl-SIGSEGV": ("opencl", r"(__kernel void \w+\([^{]*\) \{)", "*(volatile __global int *)8 = 1;"),
}
"""A target, where its kernels begin, and what to write there."""


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("case", CRASHES)
def test_a_crash_is_one_sentence_and_the_next_run_works(
    case: str, process: Callable[..., Outcome], examples: Path, roads: Path, tmp_path: Path
) -> None:
    target, beginning, action = CRASHES[case]
    first = next((device for device in report(target) if device.usable), None)
    if first is None or first.is_gpu:
        pytest.skip(f"{target} has no device here that is the host")
    words = ("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", "--target", target, "--json")
    assert process(*words, STARPLAT_DUMP=str(tmp_path)).code == 0
    (kernels,) = tmp_path.glob(f"sssp.sssp.{target}.*")
    text, changes = re.subn(beginning, rf"\1 {action}", kernels.read_text(encoding="utf-8"))
    assert changes
    kernels.write_text(text, encoding="utf-8")
    crashed = process(*words, STARPLAT_OVERRIDE=str(tmp_path))
    assert crashed.code == 3
    assert crashed.json["diagnostics"][0]["code"] == "E0913"
    (sentence,) = re.findall(r"^error\[.*", crashed.err, re.MULTILINE)
    assert sentence.startswith("error[E0913]: a kernel, a driver or its compiler crashed")
    assert sentence.endswith(f"({case.partition('-')[2]})")
    assert process(*words).json["properties"]["dist"]["sum"] == 12
    debugged = process(*words, STARPLAT_OVERRIDE=str(tmp_path), STARPLAT_DEBUG="1")
    assert debugged.code == -getattr(signal, case.partition("-")[2])


WRITING = """
import pathlib, sys, time
from starplat.cli import child_process, files, process
hours = iter(range(0, 10**9, 3600))
child_process.monotonic = lambda: next(hours)
def slow(path):
    with files.replacing(pathlib.Path("r.npz")) as temporary:
        temporary.write_text("half")
        print("half", flush=True)
        while True:
            time.sleep(0.05)
files.read_program = slow
process.run()
"""


def test_work_that_cleans_up_is_not_killed_where_the_machine_stood_still(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITING, "inspect", "p.sp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "half\n"
        started.send_signal(signal.SIGTERM)
        _, err = started.communicate(timeout=300)
    assert (started.returncode, err) == (130, "interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)])
def test_what_is_sent_to_a_command_reaches_the_work(tmp_path: Path, number: signal.Signals, code: int) -> None:
    program = tmp_path / "slow.sp"
    os.mkfifo(program)  # reading it waits for a writer that has nothing to say
    command = [sys.executable, "-m", "starplat", "run", str(program), "--graph", "absent.gr", "--target", "reference"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as started:
        writer = opened_when_read(program)
        started.send_signal(number)
        try:
            _, err = started.communicate(timeout=10)  # which ends when nobody has the pipe any more
        except subprocess.TimeoutExpired:  # a signal that came just before the reading began is looked at when it ends
            os.close(writer)
            _, err = started.communicate(timeout=300)
    assert started.returncode == code
    assert "Traceback" not in err
