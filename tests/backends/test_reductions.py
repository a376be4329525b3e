"""What many iterations contribute to one word is combined by groups before anything is written to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.schedule import AUTO, PLAIN, Schedule
from tests.programs.targets import FULL

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = ("pagerank", "sssp", "triangle_count", "k_core")
ATOMIC = re.compile(r"atomic|fetch_")
PART = re.compile(r"\b\w+_part\b")
"""What a thread has found of a reduction."""


@pytest.mark.parametrize("schedule", [PLAIN, AUTO], ids=str)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("target", FULL)
def test_one_operation_of_a_group_writes_a_word(target: str, program: str, schedule: Schedule) -> None:
    module = starplat.compile(EXAMPLES / f"{program}.sp").module()
    scheduled = pipeline.scheduled(module, target, schedule)
    text = pipeline.kernels_text(module, target, schedule)
    if BACKENDS[target].capabilities.structured_loops:
        assert text.count("reduction(") >= sum(len(kernel.reductions) for kernel in scheduled.kernels)
        return
    lines = text.splitlines()
    for number, line in enumerate(lines):
        part = PART.search(line)
        if part is not None and ATOMIC.search(line):
            combined = rf"{part[0]} = (group_\w+|sycl::reduce_over_group)\("
            assert re.search(combined, "\n".join(lines[max(0, number - 4) : number])), line
