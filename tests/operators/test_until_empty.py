"""Rounds while a set has members; programs that look like them give the answers that they give as written."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

COUNTED = """
function f(Graph g, propNode<int> x, node src) {
  propNode<bool> now;
  propNode<bool> later;
  g.attachNodeProperty(x = INF, now = False, later = False);
  src.x = 0;
  src.now = True;
  while (Count(now) > 0) {
    forall (v in g.nodes().filter(now)) {
      forall (w in g.neighbors(v)) { <w.x, w.later> = <Min(w.x, v.x + 1), True>; }
    }
    now = later;
    g.attachNodeProperty(later = False);
  }
}
"""
WHILE = "while (Count(now) > 0) {"
END = "g.attachNodeProperty(later = False);\n  }"
KEPT = ((WHILE, "long size = 1; while (size > 0) {"), (END, END.replace("}", "size = Count(now); }")))
ALIKE = {
    "in other words": ((WHILE, "while (Count(now) >= 1) {"),),
    "not none": ((WHILE, "while (Count(now) != 0) {"),),
    "the number in a scalar": KEPT,
    "at least once": ((WHILE, "do {"), (END, END.replace("}", "} while (Count(now) > 0);"))),
    "filled node by node": (
        ("x = INF, now = False, ", "x = INF, "),
        ("src.x = 0;", "forall (v in g.nodes()) { v.now = False; } src.x = 0;"),
    ),
}
GRAPHS = [UGLY[name] for name in ("knot", "ladder", "islands")]
NEAR_MISSES = {
    "no member at first": (("src.now = True;", ""),),
    "a member that leaves again": (("src.now = True;", "src.now = True; src.now = False;"),),
    "more than one": ((WHILE, "while (Count(now) > 1) {"),),
    "the number of another set": ((WHILE, "int k = 0; while (Count(later) == 0 && k < 3) { k += 1;"),),
    "nodes that stay": (("now = later;", "forall (v in g.nodes()) { v.now = v.later && v != src; }"),),
    "a set that only grows": (
        (WHILE, "int k = 0; while (Count(now) > 0) { k += 1; if (k > 3) { break; }"),
        ("now = later;", "forall (v in g.nodes().filter(later)) { v.now = True; }"),
    ),
    "a scalar that is no number of it": (*KEPT, ("size = Count(now);", "size = size - 1;")),
    "a scalar that is 0 at first": (*KEPT, ("long size = 1", "long size = 0")),
    "rounds by number": ((WHILE, "for (int i = 1; i < 2; i++) {"),),
}


@pytest.mark.parametrize("name", ALIKE)
def test_rounds_while_a_set_has_members_are_a_fixed_point(name: str) -> None:
    fixed_point = changed(COUNTED, (WHILE, "fixedPoint until (done : !now) {"))
    assert operators_of(changed(COUNTED, *ALIKE[name])) == operators_of(COUNTED) == operators_of(fixed_point)


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_programs_that_look_alike_keep_their_answers(name: str) -> None:
    program = changed(COUNTED, *NEAR_MISSES[name])
    assert operators_of(program) != operators_of(COUNTED)
    assert_as_written(program, GRAPHS)


def test_a_number_that_is_asked_for_again_stays() -> None:
    program = changed(COUNTED, *KEPT, ("function f(Graph g,", "function f(Graph g, propNode<int> y,"))
    assert_as_written(changed(program, ("now = later;", "now = later; if (size > 2) { src.y += 1; }")), GRAPHS)


GROWING = """
function f(Graph g, propNode<int> x, node src) {
  propNode<bool> seen;
  g.attachNodeProperty(x = INF, seen = False);
  src.x = 0;
  src.seen = True;
  long last = 0;
  long size = 1;
  int depth = 0;
  while (size > last) {
    last = size;
    forall (v in g.nodes().filter(x == depth)) {
      forall (w in g.neighbors(v)) { if (!w.seen) { w.seen = True; w.x = depth + 1; } }
    }
    size = Count(seen);
    depth++;
  }
}
"""
AFTER = "size = Count(seen);"
NOT_GROWING = {
    "a node that leaves after it was counted": (AFTER, AFTER + " src.seen = depth > 0;"),
    "a node that joins after it was counted": (AFTER, AFTER + " if (depth == 1) { node one = 0; one.seen = True; }"),
    "the number raised after it was counted": (AFTER, AFTER + " if (depth < 2) { size = size + 1; }"),
    "nodes that are asked for another": ("if (!w.seen)", "if (!v.seen || w.x == INF)"),
    "a node that leaves beside": ("w.seen = True;", "w.seen = True; w.seen = w != src + 1;"),
}


def test_a_set_may_be_counted_before_the_end_of_a_round() -> None:
    assert operators_of(GROWING) == operators_of(BFS)
    assert_as_written(GROWING, GRAPHS)


@pytest.mark.parametrize("name", NOT_GROWING)
def test_a_set_that_is_not_what_was_counted_stays(name: str) -> None:
    program = changed(GROWING, NOT_GROWING[name])
    assert operators_of(program) != operators_of(BFS)
    assert_as_written(program, GRAPHS)
