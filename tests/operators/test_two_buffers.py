"""Nodes that go on because their next value is better are a frontier, and functions that kernels call are read with
them; near misses stay right."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

BUFFERS = """
function f(Graph g, propNode<int> level, node src) {
  propNode<int> next;
  propNode<bool> on;
  g.attachNodeProperty(level = INF, next = INF, on = False);
  src.level = 0;
  src.next = 0;
  src.on = True;
  bool more = True;
  while (more) {
    forall (v in g.nodes().filter(on)) {
      forall (w in g.neighbors(v)) { w.next = Min(w.next, v.level + 1); }
    }
    more = False;
    forall (v in g.nodes()) {
      v.on = v.next < v.level;
      if (v.on) { v.level = v.next; more = True; }
    }
  }
}
"""
TAKES = """    forall (v in g.nodes()) {
      v.on = v.next < v.level;
      if (v.on) { v.level = v.next; more = True; }
    }
"""
FILLS = """    g.attachNodeProperty(on = False);
    forall (v in g.nodes()) {
      if (v.next < v.level) { v.on = True; v.level = v.next; more = True; }
    }
"""
OFFERS = "forall (w in g.neighbors(v)) { w.next = Min(w.next, v.level + 1); }"
CALLED = """
function relax(propNode<int> level, node a, node b) {
  int far = a.level + 1;
  b.level = Min(b.level, far);
}
function f(Graph g, propNode<int> level, node src) {
  propNode<int> old;
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    old = level;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) { relax(level, v, w); }
    }
    more = False;
    forall (v in g.nodes().filter(level != old)) { more = True; }
  }
}
"""
ASKED = """
function has_parent(Graph g, propNode<int> level, node v, int depth) {
  bool found = False;
  for (u in g.nodes_to(v)) { if (u.level == depth) { found = True; } }
  return found;
}
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      if (v.level == INF && has_parent(g, level, v, depth)) { v.level = depth + 1; more = True; }
    }
    depth++;
  }
}
"""
LOCAL = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> on;
  g.attachNodeProperty(level = INF, on = False);
  src.level = 0;
  src.on = True;
  bool busy = True;
  while (busy) {
    busy = False;
    forall (v in g.nodes().filter(on)) {
      v.on = False;
      bool fell = False;
      forall (w in g.neighbors(v)) {
        if (w.level > v.level + 1) { w.level = Min(w.level, v.level + 1); w.on = True; fell = True; }
      }
      if (fell) { busy = True; }
    }
  }
}
"""
SPELLINGS = {
    "a local says that a cell has changed": LOCAL,
    "a flag says whose value is better": BUFFERS,
    "flags are taken back first": changed(BUFFERS, (TAKES, FILLS)),
    "a function offers": CALLED,
    "a function looks for a parent": ASKED,
    "it is asked in a branch of its own": changed(
        ASKED, ("v.level == INF && has_parent(g, level, v, depth)", "v.level == INF"),
        ("{ v.level = depth + 1;", "if (has_parent(g, level, v, depth)) { v.level = depth + 1;"),
    ),
}  # fmt: skip
NEAR = {
    "the local is asked for something else": changed(
        LOCAL, ("if (fell) { busy = True; }", "if (fell) { busy = True; } else { v.level = v.level + 0 * src; }")
    ),
    "the local begins true": changed(LOCAL, ("bool fell = False", "bool fell = depth < 3"),
        ("  bool busy", "  int depth = 0;\n  bool busy"), ("    busy = False;\n", "    busy = False;\n    depth++;\n")),
    "the local ends the rounds": changed(LOCAL, ("if (fell) { busy = True; }", "if (fell) { busy = depth < 2; }"),
        ("  bool busy", "  int depth = 0;\n  bool busy"), ("    busy = False;\n", "    busy = False;\n    depth++;\n")),
    "the flag stays": changed(BUFFERS, (TAKES, FILLS), ("    g.attachNodeProperty(on = False);\n", "")),
    "it is taken back too early": changed(
        BUFFERS, (TAKES, FILLS), ("    g.attachNodeProperty(on = False);\n", ""),
        ("    forall (v in g.nodes().filter(on)) {\n", "    g.attachNodeProperty(on = False);\n"
         "    forall (v in g.nodes().filter(on)) {\n"),
    ),
    "others go on too": changed(BUFFERS, (TAKES, TAKES + "    src.on = depth < 3;\n    depth++;\n"),
        ("  bool more", "  int depth = 0;\n  bool more")),
    "the flag is asked by its neighbors": changed(BUFFERS, ("w.next = Min", "if (!w.on) w.next = Min")),
    "those that are equal": changed(BUFFERS, ("v.next < v.level", "v.next <= v.level && depth < 4"),
        ("  bool more", "  int depth = 0;\n  bool more"), ("    more = False;\n", "    more = False;\n    depth++;\n")),
    "a flag that is asked for after it is changed": changed(
        BUFFERS, ("if (v.on) { v.level", "if (v.on) { v.on = v.level > 3; v.level")
    ),
    "copies of what has changed between": changed(
        BUFFERS, ("v.next < v.level", "v.next != v.level"),
        ("level = INF, next = INF, on = False);\n  src.level = 0;\n  src.next = 0;\n",
         "first = INF, on = False);\n  next = first;\n  src.first = 0;\n  level = first;\n"),
        ("  propNode<int> next;\n", "  propNode<int> next;\n  propNode<int> first;\n"),
    ),
    "a copy of what was there before": changed(
        BUFFERS, ("level = INF, next = INF, on = False);", "level = 3, on = False);\n"
         "  g.attachNodeProperty(level = INF, next = level);")
    ),
    "the function stores": changed(CALLED, ("b.level = Min(b.level, far);", "if (far < b.level) b.level = far - 1;")),
    "the function asks for another level": changed(ASKED, ("u.level == depth", "u.level == depth - 1")),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_it_is_a_search_by_levels(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(BFS)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_is_none(name: str) -> None:
    assert operators_of(NEAR[name]) != operators_of(BFS)


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written((SPELLINGS | NEAR)[name], (UGLY[graph] for graph in ("knot", "ladder", "islands")))


KEPT = """
function f(Graph g, propNode<int> level, node src) {
  propNode<int> old;
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int fallen = 1;
  while (fallen > 0) {
    old = level;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) { <w.level> = <Min(w.level, v.old + 1)>; }
    }
    fallen = 0;
    forall (v in g.nodes().filter(level < old)) { fallen += 1; }
  }
}
"""
NOT_KEPT = {
    "only the first round keeps its values": changed(
        KEPT, ("    old = level;\n", ""), ("int fallen = 1;", "int fallen = 1; old = level;"),
        ("level < old)) {", "level < old)) { v.old = v.level;"),
    ),
    "values from before the loop are asked for, too": changed(
        KEPT, ("int fallen = 1;", "int fallen = 1; propNode<int> first; first = level;"),
        ("v.old + 1)", "v.old + (v.first == INF ? 2 : 1))"), ("level < old)", "level < old && level < 4)"),
    ),
    "the loop ends where few have fallen": changed(KEPT, ("while (fallen > 0)", "while (fallen > 1)")),
    "what is kept is changed in the round": changed(
        KEPT, ("    forall (v in g.nodes()) {", "    src.old = 0 - 2;\n    forall (v in g.nodes()) {")
    ),
    "what is kept is asked for in the end": changed(
        KEPT, ("+= 1; }\n  }", "+= 1; }\n  }\n  forall (v in g.nodes().filter(old == 2)) { v.level = 9; }")
    ),
}  # fmt: skip


def test_a_round_may_keep_the_values_that_it_begins_with() -> None:
    assert operators_of(KEPT) == operators_of(BFS)
    assert operators_of(changed(KEPT, ("level < old", "old != level"))) == operators_of(BFS)


@pytest.mark.parametrize("name", NOT_KEPT)
def test_rounds_that_keep_something_else_stay(name: str) -> None:
    assert operators_of(NOT_KEPT[name]) != operators_of(BFS)
    assert_as_written(NOT_KEPT[name], [graph for graph in UGLY.values() if graph.num_nodes > 2])
