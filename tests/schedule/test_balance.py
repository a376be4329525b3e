"""Step `balance`: threads share arcs where an arc is a step of its own, and never where arcs belong together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from starplat.ir.nodes import AllNodes
from starplat.schedule.apply import decided
from starplat.schedule.schedule import Schedule
from tests.programs.cases import EXAMPLES
from tests.schedule import near_misses
from tests.schedule.programs import CUDA, RENAMED, SSSP, TWO_FLAGS, assert_same_answers, module_of, scheduled, shape

SHARED = (
    "a continue among the arcs",
    "gathering with filters",
)
ALONE = (
    "a break among the arcs", "arcs whose order matters", "what is ahead of the arcs changes",
    "something after the arcs", "arcs of another node",
)  # fmt: skip


@pytest.mark.parametrize("text", [SSSP, TWO_FLAGS, RENAMED], ids=["one flag", "two flags", "renamed"])
def test_relaxations_share_arcs(text: str) -> None:
    assert shape(scheduled(text)).shares >= 1


@pytest.mark.parametrize("example", ["sssp", "bfs", "k_core", "radii", "closeness", "betweenness", "pagerank"])
def test_kernels_of_examples_share_arcs(example: str) -> None:
    assert shape(scheduled((EXAMPLES / f"{example}.sp").read_text(encoding="utf-8"))).shares >= 1


@pytest.mark.parametrize("text", near_misses.SHARES.values(), ids=near_misses.SHARES)
def test_what_is_special_stays_right(text: str) -> None:
    assert_same_answers(text)


@pytest.mark.parametrize("name", ALONE)
def test_arcs_that_belong_together_stay_together(name: str) -> None:
    assert shape(scheduled(near_misses.SHARES[name])).shares == 0


@pytest.mark.parametrize("name", SHARED)
def test_arcs_that_are_steps_of_their_own_are_shared(name: str) -> None:
    assert shape(scheduled(near_misses.SHARES[name])).shares == 1


@pytest.mark.parametrize("way", ["balance=node", "loop=host", "target"])
def test_nothing_is_shared_where_nobody_asks_or_nobody_can(way: str) -> None:
    if way == "target":
        module = decided(module_of(SSSP), Schedule(), replace(CUDA, shared_arcs=False)).module
    else:
        module = scheduled(SSSP, way)
    assert shape(module).shares == 0


@pytest.mark.parametrize("text", near_misses.ALL.values(), ids=near_misses.ALL)
def test_only_kernels_over_nodes_share_arcs(text: str) -> None:
    for kernel in scheduled(text).kernels:
        assert not kernel.shares_arcs or isinstance(kernel.domain, AllNodes)
