"""Searches that only mark and count are marks that spread; near misses stay right."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

SEARCH = """
function f(Graph g, propNode<bool> seen, propNode<int> x, node src) {
  long found = 0;
  g.attachNodeProperty(x = 0, seen = False);
  iterateInBFS (v in g.nodes() from src) {
    v.seen = True;
    v.x = v + 1;
    found += v;
  }
  return found;
}
"""
SPREAD = """
function f(Graph g, propNode<bool> seen, propNode<int> x, node src) {
  long found = 0;
  g.attachNodeProperty(x = 0, seen = False);
  if (src >= 0) { src.seen = True; }
  bool more = False;
  do {
    more = False;
    forall (v in g.nodes().filter(seen)) {
      forall (w in g.neighbors(v)) {
        if (!w.seen) { w.seen = True; more = True; }
      }
    }
  } while (more);
  forall (v in g.nodes().filter(seen)) { v.x = v + 1; found += v; }
  return found;
}
"""
FILL = "  g.attachNodeProperty(x = 0, seen = False);\n"
NEAR = {
    "all are marked at first": [("seen = False", "seen = True")],
    "one is marked already": [(FILL, FILL + "  node other = 3;\n  other.seen = True;\n")],
    "no mark": [("v.seen = True;\n", "")],
    "a mark taken back": [("v.seen = True;", "v.seen = False;")],
    "the level counts": [("v.x = v + 1;", "forall (w in g.neighbors(v)) { w.x = v.x + 1; }")],
    "what is counted changes": [("found += v;", "found += v.x;")],
    "two counts of one": [("found += v;", "found += v; found += 1;")],
    "not all are counted": [("found += v;", "if (v % 2 == 0) { found += v; }")],
    "the greatest": [("found += v;", "found = Max(found, v);")],
    "one of those after it": [("v.x = v + 1;", "forall (w in g.neighbors(v)) { w.x += 1; }")],
    "back again": [("  return", "  iterateInReverse (v != src) { v.x += 2; }\n  return")],
}


def test_marks_spread_in_place_of_the_search() -> None:
    assert operators_of(SEARCH) == operators_of(SPREAD)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_searches_by_levels(name: str) -> None:
    assert "level by level" in operators_of(changed(SEARCH, *NEAR[name]))


@pytest.mark.parametrize("name", ["", *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written(changed(SEARCH, *NEAR.get(name, [])), (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))
    nowhere = changed(
        SEARCH, *NEAR.get(name, []), ("from src", "from nowhere"), ("  long", "  node nowhere = -1;\n  long")
    )
    assert_as_written(nowhere, (UGLY["islands"],))
