"""Step `frontier`: flags that are only a set become one, by any name; whatever else is done with flags, they stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from starplat.ir import nodes as ir
from starplat.ir.shapes.members import membership
from starplat.ir.visitor import loops_of, walk_host
from starplat.schedule.apply import decided
from starplat.schedule.schedule import Schedule
from tests.programs.cases import EXAMPLES
from tests.schedule import near_misses
from tests.schedule.programs import (
    CUDA,
    PEELING,
    RENAMED,
    SSSP,
    TWO_FLAGS,
    assert_same_answers,
    module_of,
    scheduled,
    shape,
)

SETS = {"one flag": SSSP, "two flags": TWO_FLAGS, "renamed": RENAMED, "peeling": PEELING}

FLAGS = (
    "others clear the flag during the walk", "the walk adds what is not a constant",
    "the flags are handed to a function", "all flags begin as true",
)  # fmt: skip
"""Those of the near misses that have no set."""


@pytest.mark.parametrize("text", SETS.values(), ids=SETS)
def test_active_nodes_are_a_set(text: str) -> None:
    made = shape(scheduled(text))
    assert made.packed >= 1
    assert made.walks >= 1


@pytest.mark.parametrize("text", SETS.values(), ids=SETS)
def test_what_is_walked_is_emptied_by_the_walk(text: str) -> None:
    """So that nobody clears it in a round."""
    module = scheduled(text)
    assert shape(module).takes == 1
    (loop,) = loops_of(module)
    rounds = [inner for op in loop.body for inner in walk_host((op,)) if hasattr(inner, "test_last")]
    cleared = [op for one in rounds for op in walk_host(one.body) if isinstance(op, ir.Fill) and op.array.packed]
    assert cleared == []


@pytest.mark.parametrize(
    "example", ["sssp", "sssp_two_flags", "bfs_levels", "bfs", "k_core", "radii", "closeness", "betweenness"]
)
def test_examples_keep_their_active_nodes_as_sets(example: str) -> None:
    assert shape(scheduled((EXAMPLES / f"{example}.sp").read_text(encoding="utf-8"))).packed >= 1


@pytest.mark.parametrize("text", near_misses.SETS.values(), ids=near_misses.SETS)
def test_what_is_no_set_or_a_special_one_stays_right(text: str) -> None:
    assert_same_answers(text)


@pytest.mark.parametrize("name", FLAGS)
def test_what_is_no_set_stays_flags(name: str) -> None:
    assert shape(scheduled(near_misses.SETS[name])).packed == 0


@pytest.mark.parametrize("name", ["the flag is read elsewhere in the round", "neighbors ask for the flag"])
def test_a_set_may_be_asked_who_is_in_it(name: str) -> None:
    """But then nobody leaves it while others ask."""
    made = shape(scheduled(near_misses.SETS[name]))
    assert made.packed == 2
    assert made.takes == 0


def test_who_is_walked_is_noted_in_a_set_of_its_own_where_the_walk_changes_it() -> None:
    module = scheduled(near_misses.SETS["one of two walks adds to its set"])
    found = {m.members.name for kernel in module.kernels if (m := membership(kernel)) is not None}
    assert "chosen" in found


@pytest.mark.parametrize("name", ["a set that only every other round empties", "some rounds walk a set again"])
def test_a_set_to_which_not_the_same_happens_in_every_round_is_not_emptied(name: str) -> None:
    assert shape(scheduled(near_misses.SETS[name])).takes == 0


@pytest.mark.parametrize("text", near_misses.SETS.values(), ids=near_misses.SETS)
def test_only_whole_sets_are_emptied_by_a_walk(text: str) -> None:
    """A walk over some of the members may not take out all of them."""
    module = scheduled(text)
    used = {op.kernel for f in module.functions for op in walk_host(f.body) if isinstance(op, ir.Launch)}
    for kernel in module.kernels:
        found = membership(kernel)
        if kernel.name in used and found is not None and found.takes:
            assert found.keep is None


@pytest.mark.parametrize("way", ["frontier=flags", "loop=host", "target"])
def test_nothing_is_packed_where_nobody_asks_or_nobody_can(way: str) -> None:
    if way == "target":
        module = decided(module_of(SSSP), Schedule(), replace(CUDA, shared_arcs=False)).module
    else:
        module = scheduled(SSSP, way)
    assert shape(module).packed == 0


def test_where_a_flag_is_asked_for_in_a_conjunction_it_is_a_set() -> None:
    text = near_misses.changed(SSSP, ("filter(modified == True)", "filter(v % 5 != 3 && modified)"))
    assert shape(scheduled(text)).packed >= 1
    assert_same_answers(text)
