"""Rounds in which nodes are discovered first and then get their level are rounds of one step; near misses stay
right."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.changing import changed
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

TWO_STEPS = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> here;
  propNode<bool> there;
  propNode<bool> visited;
  g.attachNodeProperty(level = INF, here = False, there = False, visited = False);
  src.level = 0;
  src.visited = True;
  src.here = True;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    depth++;
    forall (v in g.nodes().filter(here == True)) {
      forall (w in g.neighbors(v)) {
        if (!w.visited && w != v) { w.there = True; }
      }
    }
    forall (v in g.nodes()) {
      v.here = v.there;
      if (v.here) { v.visited = True; v.level = depth; more = True; }
      v.there = False;
    }
  }
}
"""
TAKEN = """    forall (v in g.nodes()) {
      v.here = v.there;
      if (v.here) { v.visited = True; v.level = depth; more = True; }
      v.there = False;
    }
"""
TELLS = """    forall (v in g.nodes().filter(here == True)) {
      forall (w in g.neighbors(v)) {
        if (!w.visited && w != v) { w.there = True; }
      }
    }
"""
GATHERS = """    forall (w in g.nodes()) {
      bool any = False;
      for (v in g.nodes_to(w)) { any ||= v.here; }
      w.there = any && !w.visited;
    }
"""
LOOKS = """    forall (w in g.nodes().filter(visited == False)) {
      for (v in g.nodes_to(w)) { if (v.here) { w.there = True; break; } }
    }
"""
FINDS = """    forall (w in g.nodes()) {
      if (w.level == INF) {
        bool any = False;
        for (v in g.nodes_to(w).filter(here)) { any = True; break; }
        if (any) { w.there = True; }
      }
    }
"""
COPIED = """    forall (v in g.nodes().filter(there)) { v.visited = True; v.level = depth; more = True; }
    here = there;
    g.attachNodeProperty(there = False);
"""


def _changed(*changes: tuple[str, str], text: str = TWO_STEPS) -> str:
    return changed(text, *changes)


STARTS = "  src.here = True;\n"
ENDS = "      v.there = False;\n    }\n"
COUNTS = "    depth++;\n"
KEPT = COPIED.replace("    g.attachNodeProperty(there = False);\n", "")
CLEARED = COUNTS + "    g.attachNodeProperty(there = False);\n"
STORED = GATHERS.replace("w.there = any && !w.visited;", "if (!w.visited) { w.there = any; }")
NOT_LONG = ("while (more) {", "while (more && depth < 9) {")
BY_LEVEL = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> found;
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    g.attachNodeProperty(found = False);
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v).filter(level == INF)) { w.found = True; }
    }
    forall (v in g.nodes().filter(found)) { v.level = depth + 1; more = True; }
    depth++;
  }
}
"""
SPELLINGS = {
    "the flag of the rounds is set as they tell": changed(
        BY_LEVEL, ("{ w.found = True; }", "{ w.found = True; more = True; }"), ("depth + 1; more = True;", "depth + 1;")
    ),
    "it is set twice": changed(BY_LEVEL, ("{ w.found = True; }", "{ w.found = True; more = True; }")),
    "those at a level tell": BY_LEVEL,
    "those at a level tell, and the counter is ahead of the store": changed(
        BY_LEVEL,
        ("    depth++;\n", ""),
        (
            "    forall (v in g.nodes().filter(found)) { v.level = depth + 1;",
            "    depth++;\n    forall (v in g.nodes().filter(found)) { v.level = depth;",
        ),
    ),
    "node by node": TWO_STEPS,
    "property by property": _changed((TAKEN, COPIED)),
    "cleared as a round begins": _changed((TAKEN, KEPT), (COUNTS, CLEARED)),
    "no level yet": _changed(("!w.visited", "w.level == INF")),
    "a later level": _changed(("!w.visited", "w.level > depth")),
    "gathered": _changed((TELLS, GATHERS)),
    "gathered, never cleared": _changed((TELLS, GATHERS), ("      v.there = False;\n", "")),
    "looked for": _changed((TELLS, LOOKS)),
    "looked for by those that lack a level": _changed((TELLS, FINDS)),
    "counted in the end": _changed((COUNTS, ""), ("= depth;", "= depth + 1;"), (ENDS, ENDS + COUNTS)),
    "how many there are": _changed(
        ("bool more = True", "int more = 1"),
        ("(more)", "(more > 0)"),
        ("more = False", "more = 0"),
        ("more = True", "more += 1"),
    ),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_rounds_of_two_steps_have_the_operators_of_a_search(spelling: str) -> None:
    assert operators_of(SPELLINGS[spelling]) == operators_of(BFS)


NEAR = {
    "the flag of the rounds is set for others": changed(
        BY_LEVEL,
        ("{ w.found = True; }", "{ w.found = True; }\n      if (v.level == 1) { more = True; }"),
        ("depth + 1; more = True;", "depth + 1;"),
    ),
    "those of the level before tell": changed(BY_LEVEL, ("level == depth)", "level == depth - 1)")),
    "the counter is ahead of those that tell": changed(
        BY_LEVEL,
        ("    depth++;\n", ""),
        ("    more = False;\n", "    more = False;\n    depth++;\n"),
        ("depth + 1", "depth"),
    ),
    "those that were found are found again": changed(
        BY_LEVEL,
        ("    g.attachNodeProperty(found = False);\n", ""),
        ("level = INF)", "level = INF, found = False)"),
        ("bool more", "long rounds = 0;\n  bool more"),
        ("while (more)", "while (more && rounds < 9)"),
        ("    depth++", "    rounds++;\n    depth++"),
    ),
    "another level is given": changed(BY_LEVEL, ("depth + 1", "depth + 2")),
    "counted twice": _changed((COUNTS, COUNTS + COUNTS)),
    "counted from another number": _changed(("int depth = 0", "int depth = 4")),
    "another begins": _changed((STARTS, STARTS + "  node first = 0;\n  first.here = True;\n")),
    "one is visited already": _changed((STARTS, STARTS + "  node first = 2;\n  first.visited = True;\n")),
    "one is discovered already": _changed((STARTS, STARTS + "  node first = 2;\n  first.there = True;\n")),
    "discovered nodes are never forgotten": _changed(("      v.there = False;\n", ""), NOT_LONG),
    "the level of the round before": _changed(("v.level = depth", "v.level = depth - 1"), NOT_LONG),
    "the number of the node": _changed(("v.level = depth", "v.level = v")),
    "not all that are discovered": _changed(("if (v.here) {", "if (v.here && v % 3 != 1) {")),
    "not along every arc": _changed(("w != v", "w % 3 != 1")),
    "gathered by members": _changed((TELLS, STORED)),
    "gathered from those after it": _changed((TELLS, GATHERS), ("nodes_to(w)", "neighbors(w)")),
    "gathered from one of them": _changed((TELLS, GATHERS), ("any ||= v.here", "any = v.here")),
    "gathered from a flag of its own": _changed(
        (TELLS, GATHERS), ("any ||= v.here", "any ||= v.here || v.there"), NOT_LONG
    ),
    "gathered for others": _changed((TELLS, GATHERS), ("any && !w.visited", "any || w == 2"), NOT_LONG),
    "gathered to begin with": _changed((TELLS, GATHERS), ("bool any = False", "bool any = w == 2"), NOT_LONG),
    "discovered again": _changed(("!w.visited && ", ""), NOT_LONG),
    "discovering nodes stay": _changed(("v.here = v.there;", "if (v.there) { v.here = True; }"), NOT_LONG),
    "discovering nodes are asked for": _changed((ENDS, ENDS + "    if (depth == 2) { src.here = True; }\n")),
    "visited nodes are asked for": _changed(
        (ENDS + "  }\n", ENDS + "  }\n  forall (v in g.nodes()) { if (v.visited) { v.level += 1; } }\n")
    ),
    "the last discovered are discovered again": _changed((TAKEN, KEPT), NOT_LONG),
    "the signal is forgotten": _changed((ENDS, ENDS + "    more = False;\n")),
}


@pytest.mark.parametrize("name", NEAR)
def test_what_only_looks_alike_keeps_its_steps(name: str) -> None:
    assert operators_of(NEAR[name]) != operators_of(BFS)


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    program = starplat.compile((SPELLINGS | NEAR)[name])
    for graph in (UGLY["knot"], UGLY["ladder"]):
        for src in (0, graph.num_nodes // 2):
            found, right = (
                program.run(graph, src=src, target="reference", checked=checked)["level"] for checked in (False, True)
            )
            assert np.array_equal(found, right), graph.name
