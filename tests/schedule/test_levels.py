"""Step `levels`: a breadth-first level that is known by a number is a set; numbers that mean more stay numbers."""

from __future__ import annotations

import pytest

from tests.programs.cases import EXAMPLES
from tests.schedule import near_misses
from tests.schedule.programs import BY_NUMBER, LEVELS, assert_same_answers, scheduled, shape

RENAMED = """function warp(Graph grid, propNode<int> block, node insert) {
  grid.attachNodeProperty(block = INF);
  insert.block = 0;
  iterateInBFS (kernel in grid.nodes() from insert) {
    forall (signed in grid.neighbors(kernel)) {
      <signed.block> = <Min(signed.block, kernel.block + 1)>;
    }
  }
}"""

AROUND = """function levels(Graph g, propNode<int> level, node src) {
  int again = 0;
  while (again < 2) {
    if (again == 1) {
      g.attachNodeProperty(level = INF);
      src.level = 0;
      iterateInBFS (v in g.nodes() from src) {
        forall (w in g.neighbors(v)) {
          <w.level> = <Min(w.level, v.level + 1)>;
        }
      }
    }
    again += 1;
  }
}"""


@pytest.mark.parametrize(
    "text", [LEVELS, RENAMED, AROUND, BY_NUMBER], ids=["as it is", "renamed", "in other control flow", "by hand"]
)
def test_a_level_is_a_set(text: str) -> None:
    assert shape(scheduled(text)).packed == 2
    assert_same_answers(text)


@pytest.mark.parametrize("example", ["bfs", "radii", "closeness", "betweenness", "betweenness_push"])
def test_levels_of_examples_are_sets(example: str) -> None:
    assert shape(scheduled((EXAMPLES / f"{example}.sp").read_text(encoding="utf-8"))).packed == 2


@pytest.mark.parametrize("text", near_misses.NUMBERS.values(), ids=near_misses.NUMBERS)
def test_what_only_looks_like_levels_stays_right(text: str) -> None:
    assert_same_answers(text)


@pytest.mark.parametrize("name", [
    "depth changes twice", "depth goes on by two", "cells are lowered to depth + 2", "depth changes in the middle",
    "another kernel changes levels", "two nodes begin", "levels do not begin as INF",
    "the first level has another number",
])  # fmt: skip
def test_what_only_looks_like_levels_stays_a_number(name: str) -> None:
    assert shape(scheduled(near_misses.NUMBERS[name])).packed == 0


def test_the_host_has_no_sets() -> None:
    """Where loops stay with the host, nobody would walk them."""
    assert shape(scheduled(LEVELS, "loop=host")).packed == 0
    assert shape(scheduled(LEVELS, "frontier=flags")).packed == 0
