"""What a search begins with is what its cells hold when the loop begins: later fills, and later values of the scalars
that were stored, tell."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

LEVELS = """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  int depth = 0;
  src.level = depth;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) { if (w.level == INF) { w.level = depth + 1; more = True; } }
    }
    depth++;
  }
}
"""
OFFERS = """
function f(Graph g, propNode<int> level, propNode<int> last, node src) {
  g.attachNodeProperty(level = INF);
  int first = 0;
  src.level = first;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) { forall (w in g.neighbors(v)) { <w.level, more> = <Min(w.level, v.level + 1), True>; } }
  }
  forall (v in g.nodes()) { v.last = first; }
}
"""
FLAGS = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(level = INF, here = False, there = False);
  node at = src;
  at.level = 0;
  at.here = True;
  int depth = 1;
  while (Count(here) > 0) {
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v)) { if (w.level == INF) { w.level = depth; w.there = True; } }
    }
    here = there;
    g.attachNodeProperty(there = False);
    depth++;
  }
}
"""
MARKS = """
function f(Graph g, propNode<bool> seen, node src) {
  bool found = True;
  g.attachNodeProperty(seen = False);
  src.seen = found;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(seen)) {
      forall (w in g.neighbors(v)) { if (!w.seen) { w.seen = True; more = True; } }
    }
  }
}
"""
NEAR = {
    "another level": changed(LEVELS, ("bool more", "depth = 1; bool more")),
    "none below another level": changed(
        LEVELS, ("INF", "-1"), ("int depth = 0;", "int depth = 3;"), ("bool more", "depth = 0; bool more")
    ),
    "another first": changed(OFFERS, ("bool more", "first = 5; bool more")),
    "filled later": changed(
        FLAGS, ("at.level = 0;", ""), ("g.attachNodeProperty(level =", "src.level = 0; g.attachNodeProperty(level =")
    ),
    "a flag of another node": changed(FLAGS, ("at.here", "at = 0; at.here")),
    "another truth": changed(
        MARKS, ("bool more", "found = False; bool more"), ("  }\n}", "  }\n  if (found) { src.seen = False; }\n}")
    ),
}


@pytest.mark.parametrize("program", [LEVELS, OFFERS, FLAGS, MARKS])
def test_rounds_from_a_node_run_over_a_frontier(program: str) -> None:
    assert "is empty" in operators_of(program)


def test_levels_that_may_come_to_the_end_of_their_type_are_counted_as_written() -> None:
    assert "is empty" not in operators_of(changed(LEVELS, ("int depth = 0;", "int depth = 2147483646;")))


@pytest.mark.parametrize("name", NEAR)
def test_what_a_loop_begins_with_is_what_cells_hold_then(name: str) -> None:
    assert_as_written(NEAR[name], (UGLY["knot"], UGLY["ladder"]))
