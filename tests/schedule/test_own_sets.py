"""Rounds over flags that the caller sees, or that begin as a copy of others, walk a set of their own in one launch."""

from __future__ import annotations

import pytest

from starplat.algorithms import program
from starplat.backends.scheduled import for_target
from starplat.ir import nodes as ir
from starplat.ir.visitor import loops_of
from starplat.schedule import AUTO
from tests.schedule.near_misses import SETS, changed
from tests.schedule.programs import SSSP, assert_same_answers, scheduled, shape

OF_THE_CALLER = SETS["the flags are a parameter"]
COPIED = changed(
    SSSP,
    ("  propNode<bool> modified;", "  propNode<bool> modified, first;"),
    ("modified = False);", "first = False);"),
    ("  src.modified = True;", "  src.first = True;\n  modified = first;"),
)


def names(module: ir.Module) -> set[str]:
    return {array.name for function in module.functions for array in function.arrays}


@pytest.mark.parametrize("text", [OF_THE_CALLER, COPIED], ids=["flags of the caller", "copied flags"])
def test_the_rounds_are_one_launch_over_sets(text: str) -> None:
    made = shape(scheduled(text))
    assert (made.loops, made.launches) == (1, 0)
    assert made.packed >= 2
    assert_same_answers(text)


def test_the_caller_sees_the_flags_as_they_are_at_the_end() -> None:
    """A loop that ends early leaves some of them."""
    rounds = changed(
        OF_THE_CALLER,
        ("  fixedPoint until (finished : !modified) {", "  for (int i = 0; i < 2; i++) {"),
        ("(modified == True)", "(modified)"),
        ("<nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), True>;", "nbr.modified = True;"),
    )
    assert_same_answers(rounds)


def test_functions_of_a_graph_that_changes_have_such_rounds() -> None:
    module = for_target(program("dynamic_sssp").module(), "cuda", AUTO)
    assert {loop.name for loop in loops_of(module)} == {"Incremental_loop", "follow_loop"}
    packed = {array.name for function in module.functions for array in function.arrays if array.packed}
    assert {"own_modified", "fresh"} <= packed


@pytest.mark.parametrize("name", ["dynamic_sssp", "dynamic_bfs_levels", "dynamic_components"])
def test_a_batch_is_followed_in_one_launch(name: str) -> None:
    module = for_target(program(name).module(), "cuda", AUTO)
    assert [type(op) for op in module.function("follow").body] == [ir.OnDevice]


@pytest.mark.parametrize("schedule", ["frontier=flags", "loop=host"])
def test_flags_stay_as_they_are_where_rounds_are_no_launch_over_sets(schedule: str) -> None:
    assert "own_modified" not in names(scheduled(OF_THE_CALLER, schedule))


def test_flags_stay_as_they_are_where_the_host_drives_rounds() -> None:
    assert "own_modified" not in names(for_target(program("dynamic_sssp").module(), "openmp", AUTO))
