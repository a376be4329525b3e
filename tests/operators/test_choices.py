"""A round that goes one of two ways, as the host chooses, does what both do where they offer the same."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.changing import changed
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

PUSH_OR_PULL = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(level = INF, here = False);
  src.level = 0;
  src.here = True;
  long size = 1;
  int depth = 0;
  while (size > 0) {
    g.attachNodeProperty(there = False);
    depth += 1;
    if (size * 20 > g.num_nodes()) {
      forall (v in g.nodes().filter(level == INF)) {
        for (u in g.nodes_to(v)) { if (u.here) { v.level = depth; v.there = True; } }
      }
    } else {
      forall (u in g.nodes().filter(here)) {
        forall (v in g.neighbors(u)) { if (v.level == INF) { v.level = depth; v.there = True; } }
      }
    }
    here = there;
    size = Count(here);
  }
}
"""
BY_LEVELS = """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    if (depth % 2 == 0) {
      forall (v in g.nodes().filter(level == depth)) {
        forall (w in g.neighbors(v)) { if (w.level == INF) { w.level = depth + 1; more = True; } }
      }
    } else {
      forall (w in g.nodes()) {
        if (w.level == INF) {
          for (v in g.nodes_to(w)) { if (v.level == depth) { w.level = depth + 1; more = True; break; } }
        }
      }
    }
    depth++;
  }
}
"""
NEAR = {
    "one way gives another level": (BY_LEVELS, "depth + 1; more = True; break;", "depth + 2; more = True; break;"),
    "one way leaves out nodes": (BY_LEVELS, "forall (w in g.nodes()) {", "forall (w in g.nodes().filter(w > 2)) {"),
    "one way leaves out arcs": (BY_LEVELS, "v.level == depth) {", "v.level == depth && v > w) {"),
    "one way goes along arcs": (BY_LEVELS, "g.nodes_to(w)", "g.neighbors(w)"),
    "one way tells nobody": (
        PUSH_OR_PULL,
        "if (u.here) { v.level = depth; v.there = True; }",
        "if (u.here) { v.level = depth; }",
    ),
    "one way counts the depth": (
        BY_LEVELS,
        "      forall (w in g.nodes()) {",
        "      depth++; depth--;\n      forall (w in g.nodes()) {",
    ),
    "one way ends the rounds": (BY_LEVELS, "w.level = depth + 1; more = True; break;", "w.level = depth + 1; break;"),
}


@pytest.mark.parametrize("spelling", [PUSH_OR_PULL, BY_LEVELS])
def test_rounds_that_push_or_pull_have_the_operators_of_a_search(spelling: str) -> None:
    assert operators_of(spelling) == operators_of(BFS)


@pytest.mark.filterwarnings("ignore::starplat.StarplatWarning")
@pytest.mark.parametrize("name", NEAR)
def test_what_only_looks_alike_has_its_own_answers(name: str) -> None:
    text, *change = NEAR[name]
    near = changed(text, (change[0], change[1]))
    assert operators_of(near) != operators_of(BFS)
    program = starplat.compile(near)
    for graph in (UGLY["knot"], UGLY["ladder"], UGLY["one-node"]):
        for src in {0, graph.num_nodes // 2}:
            found, right = (program.run(graph, src=src, target="reference", checked=c) for c in (False, True))
            assert np.array_equal(found["level"], right["level"]), graph.name
