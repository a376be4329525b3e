"""Oclgrind, a simulator that watches every memory access, finds nothing in the examples' kernels but stale reads.

The language lets a cell that only changes by Min or Max be read while it changes (class (d)): a plain read beside an
atomic operation. OpenCL C 1.2 has no atomic read, so oclgrind calls that a race. Anything else is a failure.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DRIVER = """
import starplat
from starplat.graph import generators
from tests.programs.cases import CASES
for case in CASES:
    graph = case.suits(generators.rmat(3, 2, 1).with_random_weights(1, 9, 1))
    result = starplat.compile(case.path).run(graph, target="opencl", arguments=case.calls(graph)[0], validate=True)
    assert "Oclgrind" in result.device, result.device
    print(case.program, result.validated)
"""
REPORT = re.compile(r"^\S.* at (?:global|local) memory address .*\n(?:\t.*\n|\n)*", re.MULTILINE)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    if shutil.which("oclgrind") is None:
        pytest.skip("oclgrind is not installed (apt-get install oclgrind)")
    environment = os.environ | {"STARPLAT_CACHE_DIR": str(tmp_path_factory.mktemp("cache")), "PYTHONPATH": str(ROOT)}
    environment.pop("OCL_ICD_VENDORS", None)
    command = ["oclgrind", "--data-races", "--max-errors", "100000", sys.executable, "-c", DRIVER]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


def test_every_example_ran_and_was_right(output: str) -> None:
    assert len(re.findall(r"^\w+ True$", output, re.MULTILINE)) == len(list((ROOT / "examples").glob("*.sp")))


def test_nothing_is_read_or_written_out_of_bounds(output: str) -> None:
    assert "Invalid" not in output


def test_races_are_stale_reads_only(output: str) -> None:
    wrong = [report for report in REPORT.findall(output) if "race" in report and not _is_stale_read(report)]
    assert not wrong, wrong[0]


def _is_stale_read(report: str) -> bool:
    """A load on one side, an atomic operation on the other."""
    accesses = re.findall(r"(?:First|Second) entity:.*\n\s*(.*)", report)
    return (
        len(accesses) == 2
        and any(" load " in a for a in accesses)
        and any("call" in a and "atom" in a for a in accesses)
    )
