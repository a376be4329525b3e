"""Loops over the levels of a search become the search, there and back; what looks like them stays, and is right."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.changing import changed
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

LEVELS = """
function f(Graph g, propNode<double> c, SetN<g> sources) {
  g.attachNodeProperty(c = 0.0);
  for (s in sources) {
    propNode<int> d;
    propNode<bool> on;
    propNode<double> paths;
    propNode<double> share;
    int far = 0;
    g.attachNodeProperty(d = INF, on = False, paths = 0.0, share = 0.0);
    s.d = 0;
    s.on = True;
    s.paths = 1.0;
    fixedPoint until (done : !on) {
      forall (v in g.nodes().filter(on == True)) {
        forall (w in g.neighbors(v)) { <w.d, w.on> = <Min(w.d, v.d + 1), True>; }
      }
    }
    forall (v in g.nodes()) { if (v.d != INF) { far = Max(far, v.d); } }
    for (int k = 1; k <= far; k++) {
      forall (v in g.nodes().filter(d == k)) {
        for (u in g.nodes_to(v)) { if (u.d == k - 1) { v.paths += u.paths; } }
      }
    }
    for (int k = far; k >= 1; k--) {
      forall (v in g.nodes().filter(d == k)) {
        for (w in g.neighbors(v)) {
          if (w.d == k + 1) { v.share += v.paths / (1.0 + w.paths) * (1.0 + w.share); }
        }
        v.c += v.share;
      }
    }
  }
}
"""
SEARCH = """
function f(Graph g, propNode<double> c, SetN<g> sources) {
  g.attachNodeProperty(c = 0.0);
  for (s in sources) {
    propNode<double> paths;
    propNode<double> share;
    g.attachNodeProperty(paths = 0.0, share = 0.0);
    s.paths = 1.0;
    iterateInBFS (v in g.nodes() from s) {
      for (u in g.nodes_to(v)) { v.paths += u.paths; }
    }
    iterateInReverse (v != s) {
      for (w in g.neighbors(v)) { v.share += v.paths / (1.0 + w.paths) * (1.0 + w.share); }
      v.c += v.share;
    }
  }
}
"""
FIXED_POINT = LEVELS[LEVELS.index("    fixedPoint") : LEVELS.index("    forall (v in g.nodes()) { if (v.d != INF)")]
FARTHEST = "    forall (v in g.nodes()) { if (v.d != INF) { far = Max(far, v.d); } }\n"
IN_BFS = """
    iterateInBFS (v in g.nodes() from s) {
      forall (w in g.neighbors(v)) { w.d = v.d + 1; }
      far = Max(far, v.d);
    }
"""


def _changed(*changes: tuple[str, str], text: str = LEVELS) -> str:
    return changed(text, *changes)


SEARCHED = _changed((FIXED_POINT, IN_BFS), (FARTHEST, ""), ("    propNode<bool> on;\n", ""), ("    s.on = True;\n", ""))
SEARCHED = SEARCHED.replace("on = False, ", "")
SPELLINGS = {
    "distances by a fixed point": LEVELS,
    "distances and the greatest by a search": SEARCHED,
    "-1 where the search does not reach": SEARCHED.replace("d = INF", "d = -1"),
    "as many levels as nodes": _changed(
        (FARTHEST, ""), ("k <= far", "k < g.num_nodes()"), ("k = far", "k = n - 1")
    ).replace("int far = 0;", "int n = g.num_nodes();"),
    "the level of the node itself": _changed(("u.d == k - 1", "u.d == v.d - 1"), ("w.d == k + 1", "w.d == v.d + 1")),
    "counted from another number": _changed(
        ("k = 1; k <= far", "k = 0; k < far"),
        ("filter(d == k)) {\n        for (u", "filter(d == k + 1)) {\n        for (u"),
    ).replace("u.d == k - 1", "u.d == k"),
    "a level more than there are": _changed(("k <= far", "k <= far + 1"), ("int k = far;", "int k = far + 1;")),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_levels_one_after_another_have_the_operators_of_a_search(spelling: str) -> None:
    assert operators_of(SPELLINGS[spelling]) == operators_of(SEARCH)


def test_rows_of_the_next_level_are_empty_at_the_last() -> None:
    pushed = _changed(
        ("for (u in g.nodes_to(v)) { if (u.d == k - 1) { v.paths += u.paths; } }",
         "for (w in g.neighbors(v)) { if (w.d == k + 1) { w.paths += v.paths; } }"),
        ("k = 1; k <= far", "k = 0; k < far"),
    )  # fmt: skip
    search = SEARCH.replace(
        "for (u in g.nodes_to(v)) { v.paths += u.paths; }", "for (w in g.neighbors(v)) { w.paths += v.paths; }"
    )
    assert operators_of(pushed) == operators_of(search)


NEAR = {
    "a level left out": _changed(("k = 1; k <= far", "k = 2; k <= far")),
    "the last level left out": _changed(("k <= far", "k < far")),
    "the last level left out on the way back": _changed(("int k = far;", "int k = far - 1;")),
    "every other level": _changed(("k--", "k -= 2")),
    "arcs within a level": _changed(("w.d == k + 1", "w.d == k")),
    "all arcs": _changed(("if (w.d == k + 1) { v.share", "if (w.d != INF) { v.share")),
    "arcs from below": _changed(("g.nodes_to(v)", "g.neighbors(v)")),
    "the number of the level": _changed(("(1.0 + w.share)", "(k + w.share)")),
    "distances that change": _changed(("v.c += v.share;", "v.c += v.share; v.d = 7;")),
    "a greatest that changes": _changed(("v.c += v.share;", "v.c += v.share; far = Max(far, 1);")),
    "another node's distance": _changed((FARTHEST, FARTHEST + "    s.d = 3;\n")),
    "another greatest": _changed((FARTHEST, FARTHEST + "    far = 2;\n")),
    "distances of reached nodes only by chance": _changed((FARTHEST, FARTHEST.replace("v.d != INF", "v.d < 2"))),
    "not along every arc": _changed(("{ <w.d", "if (w % 3 != 1) { <w.d")),
    "two arcs for one": _changed(("v.d + 1", "v.d + 2"), ("k + 1", "k + 2"), ("k - 1", "k - 2")),
    "none has its turn": _changed(("    s.on = True;\n", "")),
    "the level before the first, by number": _changed(
        ("k = 1; k <= far", "k = 0; k <= far"), text=SEARCHED.replace("d = INF", "d = -1")
    ),
}


@pytest.mark.parametrize("name", NEAR)
def test_what_only_looks_alike_keeps_its_loops(name: str) -> None:
    assert "count k" in operators_of(NEAR[name]) or "count _" in operators_of(NEAR[name])


def test_distances_that_are_asked_for_are_still_found() -> None:
    text = _changed(
        (
            "v.c += v.share;\n      }\n    }",
            "v.c += v.share;\n      }\n    }\n    forall (v in g.nodes()) { v.c += v.d; }",
        )
    )
    operators = operators_of(text)
    assert "is empty" in operators
    assert "search level by level" in operators
    assert "<- max" not in operators


def test_a_caller_without_a_node_is_still_told() -> None:
    """A search from no node does nothing, a store to its cell is an error."""
    text = """
function f(Graph g, propNode<int> sum, node s) {
  propNode<int> d;
  g.attachNodeProperty(d = INF, sum = 0);
  s.d = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) { <w.d, more> = <Min(w.d, v.d + 1), True>; }
    }
  }
  for (int k = 1; k < g.num_nodes(); k++) {
    forall (v in g.nodes().filter(d == k)) {
      for (u in g.nodes_to(v).filter(d == k - 1)) { v.sum += u.sum + 1; }
    }
  }
}
"""
    assert "search level by level" in operators_of(text)
    with pytest.raises(starplat.DiagnosticError, match="E0709"):
        starplat.compile(text).run(UGLY["ladder"], s=-1, target="reference")


@pytest.mark.campaign
@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    program = starplat.compile((SPELLINGS | NEAR)[name])
    for graph in (UGLY["knot"], UGLY["ladder"], UGLY["one-node"]):
        sources = list(range(graph.num_nodes))
        found, right = (
            program.run(graph, sources=sources, target="reference", checked=checked) for checked in (False, True)
        )
        assert np.allclose(found["c"], right["c"], rtol=1e-9), graph.name
