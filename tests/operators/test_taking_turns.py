"""Rounds in which two frontiers take turns are rounds over one."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.corpus import FOLDER
from tests.spellings.graphs import UGLY

WIDEST = FOLDER / "widest_path" / "round_flag.sp"

TURNS = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(level = INF, here = False, there = False);
  src.level = 0;
  src.here = True;
  int depth = 0;
  bool busy = True;
  while (busy) {
    busy = False;
    depth += 1;
    forall (v in g.nodes().filter(here)) {
      v.here = False;
      forall (w in g.neighbors(v)) { if (w.level == INF) { w.level = depth; w.there = True; busy = True; } }
    }
    depth += 1;
    forall (u in g.nodes().filter(there)) {
      u.there = False;
      forall (x in g.neighbors(u)) { if (x.level == INF) { x.level = depth; x.here = True; busy = True; } }
    }
  }
}
"""
JOINED = "x.here = True; busy = True;"
NEAR = {
    "another step": [("depth += 1;\n    forall (u", "depth += 2;\n    forall (u")],
    "another row": [("x in g.neighbors(u)", "x in g.nodes_to(u)")],
    "the depth is read": [("    }\n  }\n}", "    }\n  }\n  src.level = depth;\n}")],
    "both begin with nodes": [("src.here = True;", "src.here = True; src.there = True;")],
    "one half says nothing": [(JOINED, "x.here = True;")],
    "nodes that join say nothing": [
        (JOINED, "x.here = True; } if (x.level > 1) { busy = True;"),
        ("w.there = True; busy = True;", "w.there = True; } if (w.level > 1) { busy = True;"),
    ],
    "a half leaves its nodes": [("      u.there = False;\n", "")],
    "one frontier": [
        ("u in g.nodes().filter(there)", "u in g.nodes().filter(here)"),
        ("u.there", "u.here"),
        ("x.here = True", "x.there = True"),
    ],
    "the flag is read": [("if (x.level == INF)", "if (x.level == INF && !busy)")],
    "something between": [("    depth += 1;\n    forall (u", "    src.here = False;\n    forall (u")],
}
OFFERS = """
function f(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> here;
  propNode<bool> there;
  propNode<bool> third;
  g.attachNodeProperty(width = 0, here = False, there = False, third = False);
  src.width = INF;
  src.here = True;
  bool busy = True;
  while (busy) {
    busy = False;
    forall (v in g.nodes().filter(here)) {
      v.here = False;
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        int through = e.weight;
        if (v.width < through) { through = v.width; }
        if (w.width < through) { <w.width, w.there> = <Max(w.width, through), True>; busy = True; }
      }
    }
    forall (u in g.nodes().filter(there)) {
      u.there = False;
      forall (x in g.neighbors(u)) {
        edge e = g.get_edge(u, x);
        <x.width, x.here, busy> = <Max(x.width, min(u.width, e.weight)), True, True>;
      }
    }
  }
}
"""
BETTER = "<Max(x.width, min(u.width, e.weight)), True, True>;"
OTHER_OFFERS = {
    "more is offered": [(BETTER, "<Max(x.width, min(u.width, e.weight + 1)), True, True>;")],
    "against arcs": [("g.neighbors(u)", "g.nodes_to(u)"), ("g.get_edge(u, x)", "g.get_edge(x, u)")],
    "one offers twice": [(BETTER, BETTER + "\n        <x.width, x.third> = <Max(x.width, 1), True>;")],
    "another leaves too": [("u.there = False;", "u.there = False; u.third = False;")],
    "another joins too": [("x.here, busy>", "x.here, busy, x.third>"), (", True, True>;", ", True, True, True>;")],
    "nodes are left out": [("x in g.neighbors(u)", "x in g.neighbors(u).filter(x != src)")],
    "what has not won counts": [("if (w.width < through) {", "if (w.width < through + 2) {")],
}


def test_halves_that_offer_the_same_are_one_however_they_say_it() -> None:
    assert operators_of(OFFERS) == operators_of(WIDEST)
    assert_as_written(OFFERS, (UGLY["knot"], UGLY["ladder"]))


@pytest.mark.parametrize("name", OTHER_OFFERS)
def test_halves_that_offer_other_things_stay(name: str) -> None:
    program = changed(OFFERS, *OTHER_OFFERS[name])
    assert operators_of(program) != operators_of(WIDEST)
    assert_as_written(program, (UGLY["knot"], UGLY["ladder"]))


def test_frontiers_that_take_turns_are_one() -> None:
    assert operators_of(TURNS) == operators_of(BFS)
    assert_as_written(TURNS, (UGLY["knot"], UGLY["ladder"]))


@pytest.mark.parametrize("name", NEAR)
def test_what_only_looks_like_it_stays(name: str) -> None:
    program = changed(TURNS, *NEAR[name])
    assert operators_of(program) != operators_of(BFS)
    if name != "the flag is read":  # which is a race
        assert_as_written(program, (UGLY["knot"], UGLY["ladder"]))
