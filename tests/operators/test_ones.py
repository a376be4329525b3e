"""Sums of cells that hold 0 or 1 are counts, and a count of what a loop goes through is made there."""

from __future__ import annotations

import pytest

from starplat import pipeline
from starplat.source import SourceFile
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

SUMMED = """
function f(Graph g, propNode<int> core, propNode<int> x) {
  propNode<int> in;
  propNode<int> deg;
  g.attachNodeProperty(core = 0, in = 1);
  int k = 1;
  long left = g.num_nodes();
  while (left > 0) {
    bool changed = True;
    while (changed) {
      changed = False;
      forall (v in g.nodes()) {
        int sum = 0;
        for (u in g.nodes_to(v)) { sum += u.in; }
        v.deg = sum;
      }
      forall (v in g.nodes().filter(in == 1)) {
        if (v.deg < k) { v.in = 0; changed = True; }
      }
    }
    forall (v in g.nodes().filter(in == 1)) { v.core = k; }
    left = Sum(in);
    k++;
  }
}
"""
LAST = "    forall (v in g.nodes().filter(in == 1)) { v.core"
COUNTED = changed(
    SUMMED,
    ("sum += u.in;", "if (u.in == 1) { sum += 1; }"),
    ("{ v.core = k; }", "{ v.core = k; left += 1; }"),
    (LAST, "    left = 0;\n" + LAST),
    ("    left = Sum(in);\n", ""),
)  # fmt: skip
FLAGS = changed(
    SUMMED,
    ("propNode<int> in", "propNode<bool> in"), ("in = 1", "in = True"), ("v.in = 0", "v.in = False"),
    ("sum += u.in;", "if (u.in) { sum += 1; }"), ("Sum(in)", "Count(in)"),
    ("filter(in == 1)) {\n      ", "filter(in)) {\n      "), ("filter(in == 1)) { v", "filter(in)) { v"),
)  # fmt: skip
NEAR_MISSES = {
    "cells that hold two": ("v.in = 0;", "v.in = 0; v.x = v.in;"),
    "cells that rise": ("v.in = 0;", "v.in -= 1;"),
    "a sum of what others get": ("sum += u.in;", "sum += u.x;"),
    "a sum of twice that": ("sum += u.in;", "sum += 2 * u.in;"),
    "all others": ("{ v.core = k; }\n    left = Sum(in);", "{ v.core = k; }\n    left = g.num_nodes() - Sum(in) - k;"),
    "a count before they leave": ("    left = Sum(in);", "    left = Sum(in); forall (v in g.nodes()) { v.in = 0; }"),
    "a loop over others": ("filter(in == 1)) { v.core", "filter(in == 0)) { v.core"),
    "a loop over some": ("filter(in == 1)) { v.core", "filter(in == 1 && x > 1)) { v.core"),
    "a loop that takes them out": ("{ v.core = k; }", "{ v.core = k; if (k > 2) { v.in = 0; } }"),
}


def _operators(text: str) -> str:
    return pipeline.operators(pipeline.check(SourceFile("ones.sp", text)))


@pytest.mark.parametrize("text", [COUNTED, FLAGS], ids=["counts", "flags"])
def test_sums_of_ones_are_counts(text: str) -> None:
    assert operators_of(SUMMED) == operators_of(text)
    assert "frontier peeling" in _operators(text)
    assert_as_written(text, UGLY.values())


def test_sums_of_ones_come_to_what_they_say() -> None:
    assert_as_written(SUMMED, UGLY.values())


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_other_sums_keep_their_answers(name: str) -> None:
    text = changed(SUMMED, NEAR_MISSES[name])
    assert operators_of(text) != operators_of(SUMMED)
    assert_as_written(text, UGLY.values())
