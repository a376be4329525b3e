"""Rounds that visit nodes after they have been discovered, count a set to see it grow, or number levels that are only
asked whether there is one, are rounds of one step; near misses stay right."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_truths import FLAGS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

LATER = """
function f(Graph g, propNode<bool> r, node src) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(r = False, here = False, there = False);
  src.here = True;
  for (int i = 0; i <= g.num_nodes(); i++) {
    bool some = False;
    forall (v in g.nodes().filter(here)) { v.r = True; some = True; }
    if (!some) { break; }
    forall (v in g.nodes().filter(here)) { forall (w in g.neighbors(v)) { if (!w.r) { w.there = True; } } }
    here = there;
    g.attachNodeProperty(there = False);
  }
}
"""
ROUNDS = """  for (int i = 0; i <= g.num_nodes(); i++) {
    bool some = False;
"""
WHILE = """  bool some = True;
  while (some) {
    some = False;
"""
LEAVES = "    if (!some) { break; }\n"
MARKS = "    forall (v in g.nodes().filter(here)) { v.r = True; some = True; }\n"
TELLS = "{ if (!w.r) { w.there = True; } }"
MOVES = "    here = there;\n"
FORGETS = "    g.attachNodeProperty(there = False);\n"
SOME = ("{ w.there = True; }", "{ w.there = True; some = True; }")
QUIET = ("v.r = True; some = True;", "v.r = True;")
QUIETLY = "    forall (v in g.nodes().filter(here)) { v.r = True; }\n"
BEGINS = "  src.here = True;\n"
GROWS = """
function f(Graph g, propNode<bool> r, node src) {
  g.attachNodeProperty(r = False);
  src.r = True;
  int last = 0;
  int size = 1;
  while (size > last) {
    last = size;
    forall (v in g.nodes()) { for (u in g.nodes_to(v)) { v.r ||= u.r; } }
    size = Count(r);
  }
}
"""
ADDS = """
function f(Graph g, propNode<bool> r, node src) {
  g.attachNodeProperty(r = False);
  src.r = True;
  long last = 0;
  long size = 1;
  while (size != last) {
    last = size;
    long more = 0;
    forall (v in g.nodes().filter(r == False)) {
      int from = 0;
      for (u in g.nodes_to(v)) { if (u.r) { from += 1; } }
      if (from > 0) { v.r = True; more += 1; }
    }
    size = last + more;
  }
}
"""
LEVELS = """
function f(Graph g, propNode<bool> r, node src) {
  propNode<int> level;
  g.attachNodeProperty(level = -1);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) { if (w.level == -1) { w.level = depth + 1; more = True; } }
    }
    depth++;
  }
  forall (v in g.nodes()) { v.r = v.level >= 0; }
}
"""
OFFERS = """
function f(Graph g, propNode<bool> r, node src) {
  propNode<int> level;
  propNode<bool> fresh;
  g.attachNodeProperty(level = INF, fresh = False);
  src.level = 1;
  src.fresh = True;
  fixedPoint until (done : !fresh) {
    forall (v in g.nodes().filter(fresh)) {
      forall (w in g.neighbors(v)) { <w.level, w.fresh> = <Min(w.level, v.level + 1), True>; }
    }
  }
  forall (v in g.nodes()) { v.r = v.level != INF; }
}
"""
COUNTED = """
function f(Graph g, propNode<bool> r, node src) {
  g.attachNodeProperty(r = False);
  src.r = True;
  for (int i = 1; i < g.num_nodes(); i++) {
    forall (v in g.nodes().filter(r)) { forall (w in g.neighbors(v)) { w.r = True; } }
  }
}
"""
DRAINED = """
function f(Graph g, propNode<bool> r, node src) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(r = False, here = False, there = False);
  src.here = True;
  src.r = True;
  bool some = True;
  while (some) {
    forall (v in g.nodes().filter(here)) { forall (w in g.neighbors(v)) { if (!w.r) { w.there = True; } } }
    some = False;
    forall (v in g.nodes()) {
      if (v.here) { v.here = False; }
      if (v.there) { v.there = False; v.here = True; v.r = True; some = True; }
    }
  }
}
"""
STEP = DRAINED[DRAINED.index("    forall (v in g.nodes()) {\n") : DRAINED.index("  }\n}")]
GUARDED = "      if (v.here) { v.here = False; }\n"
JOINS = "      if (v.there) { v.there = False; v.here = True; v.r = True; some = True; }\n"
ALL_JOIN = STEP.replace(GUARDED, "")
ASKED = changed(
    DRAINED, ("propNode<bool> here;", "propNode<bool> here; propNode<bool> seen;"), ("here = False, there",
    "here = False, seen = False, there"), ("src.r", "src.seen"), ("!w.r", "!w.seen"), ("v.r = True", "v.seen = True"),
    ("  }\n}\n", "  }\n  forall (v in g.nodes()) { v.r = v.seen && !v.here; }\n}\n"),
)  # fmt: skip
NUMBERS = changed(
    DRAINED, ("propNode<bool> here;", "propNode<int> here;"), ("here = False, there", "here = 0, there"),
    ("src.here = True", "src.here = 1"), ("  src.r = True;\n", ""), ("filter(here)", "filter(here == 1)"),
    ("!w.r", "w.here == 0"), ("if (v.here) { v.here = False; }", "if (v.here == 1) { v.here = 2; }"),
    ("v.here = True; v.r = True;", "v.here = 1;"),
    ("  }\n}\n", "  }\n  forall (v in g.nodes()) { v.r = v.here == 2; }\n}\n"),
)  # fmt: skip
SPELLINGS = {
    "those here leave if they are": DRAINED,
    "all leave": changed(DRAINED, (GUARDED, "      v.here = False;\n")),
    "all leave before": changed(DRAINED, (STEP, "    g.attachNodeProperty(here = False);\n" + ALL_JOIN)),
    "those there take over": changed(
        DRAINED, (STEP, "    here = there;\n    forall (v in g.nodes().filter(there)) { v.there = False; v.r = True;"
        " some = True; }\n"),
    ),
    "none is here in the end": ASKED,
    "done, here, or neither": NUMBERS,
    "done or here": changed(NUMBERS, ("v.here == 2; }", "v.here != 0; }")),
    "left where none is here": LATER,
    "discovered until none is": changed(LATER, (ROUNDS, WHILE), (LEAVES, ""), SOME, QUIET),
    "until none was here": changed(LATER, (ROUNDS, WHILE), (LEAVES, "")),
    "cleared as a round begins": changed(LATER, (FORGETS, ""), (ROUNDS, ROUNDS + FORGETS)),
    "visited as a round ends": changed(
        LATER, (ROUNDS, WHILE), (LEAVES, ""), SOME, QUIET, (QUIETLY, ""),
        (FORGETS, FORGETS + QUIETLY), (BEGINS, BEGINS + "  src.r = True;\n"),
    ),
    "a set that grows": GROWS,
    "a set that is no larger": changed(GROWS, ("size > last", "size != last")),
    "a set that is summed": changed(
        GROWS, ("size = Count(r);", "size = 0; forall (v in g.nodes().filter(r)) { size += 1; }")
    ),
    "those that join are added": ADDS,
    "the set has become larger": changed(ADDS, ("size != last", "last < size"), ("last + more", "more + last")),
    "levels": LEVELS,
    "levels that nodes offer": OFFERS,
    "as many rounds as nodes": COUNTED,
}  # fmt: skip
NEAR = {
    "not all that are there come": changed(DRAINED, ("v.here = True", "v.here = v != 3")),
    "they leave at once": changed(DRAINED, (GUARDED + JOINS, JOINS + GUARDED)),
    "none leaves": changed(DRAINED, (GUARDED, "")),
    "one does not leave": changed(DRAINED, ("if (v.here) {", "if (v.here && v != 2) {")),
    "some are here in the end": changed(
        ASKED, ("{ w.there = True; }", "{ w.there = True; some = True; }"),
        ("    some = False;\n    forall (v in g", "    if (!some) { break; }\n    forall (v in g"),
        ("  while (some) {\n", "  while (True) {\n    some = False;\n"),
        ("v.seen = True; some = True;", "v.seen = True;"),
    ),
    "two rounds of numbers": changed(NUMBERS, ("while (some) {", "for (int i = 0; i < 2; i++) {")),
    "done is forgotten": changed(NUMBERS, ("{ v.here = 2; }", "{ v.here = 3; }")),
    "never visited again": changed(LATER, (MOVES, "")),
    "discovered ones are forgotten": changed(LATER, (MOVES + FORGETS, FORGETS + MOVES)),
    "discovered in the round before": changed(LATER, (MOVES, ""), (ROUNDS, ROUNDS + MOVES), (FORGETS, "")),
    "none is here in the first round": changed(LATER, (MOVES, ""), (FORGETS, ""), (ROUNDS, ROUNDS + MOVES + FORGETS)),
    "each comes as a round begins": changed(
        LATER, (MOVES, ""), (FORGETS, ""),
        (MARKS, "    forall (v in g.nodes()) {\n      v.here = v.there; v.there = False;\n"
        "      if (v.here) { v.r = True; some = True; }\n    }\n"),
    ),
    "those discovered before are visited": changed(
        LATER, (ROUNDS, WHILE), (LEAVES, ""), SOME, QUIET, (MOVES + FORGETS, MOVES),
        (QUIETLY, QUIETLY.replace("here", "there") + FORGETS),
    ),
    "nodes come before they discover": changed(
        LATER, (MOVES, ""), (FORGETS, ""), (ROUNDS, WHILE + MOVES + FORGETS), (LEAVES, "")
    ),
    "not enough rounds": changed(LATER, ("i <= g.num_nodes()", "i < 2")),
    "all discover": changed(LATER, ("filter(here)) { forall", "filter(!there)) { forall")),
    "visited nodes are discovered": changed(LATER, ("!w.r", "w != v")),
    "left before any is visited": changed(LATER, (MARKS + LEAVES, LEAVES + MARKS)),
    "the sign is given too late": changed(LATER, (ROUNDS, WHILE), (LEAVES, ""), (MARKS, MARKS + "    some = False;\n")),
    "the sign is always given": changed(LATER, (MARKS, MARKS + "    some = i < 2;\n")),
    "two reasons to leave": changed(
        LATER, (ROUNDS, WHILE.replace("(some)", "(some && depth < 3)")),
        ("  bool some", "  int depth = 0;\n  bool some"), (MOVES, MOVES + "    depth++;\n"),
    ),
    "the source is discovered only": changed(
        LATER, (ROUNDS, WHILE), (LEAVES, ""), SOME, QUIET,
        (QUIETLY, ""), (FORGETS, FORGETS + QUIETLY),
    ),
    "nodes that are here are seen": changed(
        LATER, ("  }\n}\n", "  }\n  forall (v in g.nodes().filter(here)) { v.r = False; }\n}\n")
    ),
    "the set begins larger": changed(
        GROWS, ("src.r = True;", "src.r = True; forall (v in g.nodes()) { v.r = v > 3; }")
    ),
    "the size begins wrong": changed(GROWS, ("int size = 1", "int size = 3")),
    "no round": changed(GROWS, ("int last = 0", "int last = 2")),
    "some leave": changed(GROWS, ("size = Count", "src.r = False; size = Count")),
    "the size is asked": changed(GROWS, ("size = Count(r);\n  }\n", "size = Count(r);\n  }\n  src.r = size > 3;\n")),
    "one is added twice": changed(ADDS, ("last + more", "more + more")),
    "more than those that join are added": changed(
        ADDS, ("size = last", "more += 1; if (last > 3) { more = 0; } size = last")
    ),
    "the sum is read": changed(ADDS, ("more += 1; }\n    }\n    size = last + more;\n  }\n", "more += 1; }\n    }\n"
    "    size = last + more;\n  }\n  src.r = size > 3;\n")),
    "no round that adds": changed(ADDS, ("long last = 0", "long last = 1")),
    "a sum that falls": changed(ADDS, ("size != last", "size > last"), ("last + more", "last - more")),
    "level 2 is none": changed(LEVELS, ("v.level >= 0", "v.level > 2")),
    "the first level is asked": changed(OFFERS, ("v.level != INF", "v.level == 1")),
    "another level is none": changed(LEVELS, ("v.level >= 0", "v.level != 1")),
    "two rounds": changed(COUNTED, ("g.num_nodes()", "3")),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_rounds_are_of_one_step(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(FLAGS)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_does_not_reach_it(name: str) -> None:
    assert operators_of(NEAR[name]) != operators_of(FLAGS)


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written((SPELLINGS | NEAR)[name], (UGLY[graph] for graph in ("knot", "ladder", "islands")))
