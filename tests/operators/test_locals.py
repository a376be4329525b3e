"""Locals that hold the numbers of nodes are nodes, and a cell is not offered what it holds."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.changing import changed
from tests.operators.test_labels import COMPONENTS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

LEAST_OF_THE_ROW = """
function f(Graph g, propNode<node> c) {
  forall (v in g.nodes()) { v.c = v; }
  bool fell;
  do {
    fell = False;
    forall (v in g.nodes()) {
      int least = v.c;
      for (w in g.neighbors(v)) { least = min(least, w.c); }
      for (w in g.nodes_to(v)) { if (w.c < least) { least = w.c; } }
      if (least < v.c) { v.c = least; fell = True; }
    }
  } while (fell);
}
"""
LESSER_OF_BOTH_ENDS = """
function f(Graph g, propNode<int> c) {
  forall (v in g.nodes()) { v.c = v; }
  bool fell = True;
  while (fell) {
    fell = False;
    forall (e in g.edges()) {
      node u = e.source;
      node w = e.destination;
      int low = min(u.c, w.c);
      if (u.c > low) { u.c = low; fell = True; }
      if (w.c > low) { w.c = Min(w.c, low); fell = True; }
    }
  }
}
"""


@pytest.mark.parametrize("spelling", [LEAST_OF_THE_ROW, LESSER_OF_BOTH_ENDS])
def test_a_spelling_has_the_operators_of_labels(spelling: str) -> None:
    assert operators_of(spelling) == operators_of(COMPONENTS)


NEAR = {
    "a number that is counted up": (LEAST_OF_THE_ROW, "v.c = least;", "least += 0; v.c = least;"),
    "a number that is no node's": (LEAST_OF_THE_ROW, "int least = v.c;", "int least = v.c + 1;"),
    "a number beside which another stands": (LEAST_OF_THE_ROW, "least = w.c;", "least = w.c / 2;"),
    "a number that is compared to another": (LEAST_OF_THE_ROW, "w.c < least", "w.c < least / 2"),
    "one cell's number less one": (LESSER_OF_BOTH_ENDS, "min(u.c, w.c)", "max(0, min(u.c, w.c) - 1)"),
    "the greater of both ends": (LESSER_OF_BOTH_ENDS, "min(u.c, w.c)", "max(u.c, w.c)"),
    "the lesser of one end and a number": (LESSER_OF_BOTH_ENDS, "min(u.c, w.c)", "min(u.c, 2)"),
}


@pytest.mark.filterwarnings("ignore::starplat.StarplatWarning")
@pytest.mark.parametrize("name", NEAR)
def test_what_only_looks_alike_has_its_own_answers(name: str) -> None:
    text, *change = NEAR[name]
    near = changed(text, (change[0], change[1]))
    assert operators_of(near) != operators_of(COMPONENTS)
    program = starplat.compile(near)
    for graph in (UGLY["knot"], UGLY["ladder"], UGLY["one-node"]):
        found, right = (program.run(graph, target="reference", checked=checked) for checked in (False, True))
        assert np.array_equal(found["c"], right["c"]), graph.name
