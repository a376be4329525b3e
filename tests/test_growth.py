"""What the compiler does for a program grows as the program does."""

from __future__ import annotations

import cProfile
import pstats

import pytest

from benchmarks.compiler import compile_all, nested, straight
from starplat.source import SourceFile
from tests.spellings.corpus import FOLDER


def steps(source: SourceFile, target: str) -> int:
    """Calls of Python functions: what a clock would say, on a machine that does nothing else."""
    profile = cProfile.Profile()
    profile.runcall(compile_all, source, target)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("target", ["opencl", "cuda"])
def test_a_function_of_twice_the_lines_takes_twice_as_long(target: str) -> None:
    compile_all(straight(20), target)  # imports everything
    short, long = steps(straight(150), target), steps(straight(450), target)
    assert long < 4 * short


def test_a_loop_around_loops_adds_and_does_not_multiply() -> None:
    compile_all(nested(1), "cuda")
    four, eight = steps(nested(4), "cuda"), steps(nested(8), "cuda")
    assert eight < 3 * four


@pytest.mark.campaign
def test_orders_of_many_numbers_are_tried_by_their_places_alone() -> None:
    """What joins components is proved over all orders of labels; hashing each number for each order took 21 M calls."""
    path = FOLDER / "connected_components" / "near" / "heavy_arcs_only.sp"
    source = SourceFile(path.name, path.read_text(encoding="utf-8"))
    compile_all(source, "openmp")
    assert steps(source, "openmp") < 8_000_000
