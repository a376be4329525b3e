"""Loops that count triangles are one operator, however they are spelled; what counts something else is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from starplat import pipeline
from starplat.source import SourceFile
from tests.changing import changed
from tests.passes.counting_triangles import OTHERS, TRIANGLES, UPWARDS

EXAMPLE = Path(__file__).parents[2] / "examples" / "triangle_count.sp"
TEXT = """\
triangle_count(g)
  triangles := 0
  intersect u -> w when u < w: common x > w
    triangles <- sum 1
    symmetric in u, w, x: any orientation
    where arcs lead both ways and none is twice; elsewhere each pair of neighbors is tried
  return triangles
"""
SIX_TIMES = """
function f(Graph g) {
  long sum = 0;
  forall (u in g.nodes()) {
    forall (v in g.neighbors(u)) {
      forall (w in g.neighbors(v)) {
        if (u != v && v != w && w != u && g.is_an_edge(w, u)) { sum += 1; }
      }
    }
  }
  return sum / 6;
}
"""
NO_SHARES = {
    "another share": ("sum / 6", "sum / 3"),
    "beside the whole": ("sum / 6", "sum / 6 + sum"),
    "of more than triangles": ("long sum = 0", "long sum = 1"),
    "of what is added after": ("return", "sum += 2; return"),
}


def operators(text: str) -> str:
    return pipeline.operators(pipeline.check(SourceFile("count.sp", text)))


def test_the_example_prints_as_an_intersection() -> None:
    assert operators(EXAMPLE.read_text()) == TEXT


@pytest.mark.parametrize("name", TRIANGLES)
def test_every_spelling_is_an_intersection(name: str) -> None:
    assert "intersect u -> w" in operators(TRIANGLES[name])


@pytest.mark.parametrize("name", OTHERS)
def test_what_counts_something_else_is_none(name: str) -> None:
    assert "intersect" not in operators(OTHERS[name])


def test_a_sixth_of_six_is_one() -> None:
    assert "sum <- sum 1\n" in operators(SIX_TIMES)
    assert "return sum\n" in operators(SIX_TIMES)


@pytest.mark.parametrize("name", NO_SHARES)
def test_a_sum_that_is_not_asked_for_by_sixths_is_of_six(name: str) -> None:
    assert "sum <- sum 6\n" in operators(changed(SIX_TIMES, NO_SHARES[name]))


def test_names_of_the_program_stay_apart_from_the_three_nodes() -> None:
    text = operators(changed(UPWARDS, ("triangles", "x")))
    assert "common x_2 > w" in text
    assert "x <- sum 1" in text
