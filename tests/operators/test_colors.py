"""Numbers that say one of several things are flags, and a frontier that its own loop drains is emptied behind it."""

from __future__ import annotations

import pytest

from starplat import pipeline
from starplat.analysis import walk
from starplat.frontend import typed
from starplat.operators.canonical.labels.colors import with_flags_for_colors
from starplat.source import SourceFile
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

COLORS = """
function f(Graph g, propNode<int> d, node src) {
  propNode<int> color;
  propNode<bool> turn;
  g.attachNodeProperty(d = INF, color = 0, turn = False);
  src.d = 0;
  src.color = 1;
  int step = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (u in g.nodes().filter(color == 1)) {
      forall (w in g.neighbors(u)) { if (w.color == 0) { w.turn = True; } }
      u.color = 2;
    }
    step += 1;
    forall (v in g.nodes().filter(turn)) {
      v.turn = False;
      if (v.color == 0) { v.color = 1; v.d = step; more = True; }
    }
  }
}
"""
LEVELS = """
function f(Graph g, propNode<int> d, node src) {
  g.attachNodeProperty(d = INF);
  src.d = 0;
  int step = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (u in g.nodes().filter(d == step)) {
      forall (w in g.neighbors(u)) { if (w.d == INF) { w.d = step + 1; more = True; } }
    }
    step += 1;
  }
}
"""
FLAGS = changed(
    COLORS,
    ("propNode<int> color;", "propNode<bool> seen; propNode<bool> front;"),
    ("color = 0,", "seen = False, front = False,"),
    ("src.color = 1;", "src.seen = True; src.front = True;"), ("filter(color == 1)", "filter(front)"),
    ("w.color == 0", "!w.seen"), ("u.color = 2", "u.front = False"),
    ("v.color == 0", "!v.seen"), ("v.color = 1;", "v.seen = True; v.front = True;"),
)  # fmt: skip
SPELLINGS = {
    "as in the textbook": COLORS,
    "other numbers": changed(
        COLORS, ("color = 0,", "color = -4,"), ("color == 0", "color == -4"), ("color = 2", "color = 7")
    ),
    "not white": changed(COLORS, ("(w.color == 0)", "(!(w.color != 0))")),
    "flags": FLAGS,
}
NEAR = {
    "a color is compared by size": changed(COLORS, ("w.color == 0", "w.color < 1")),
    "colors of neighbors": changed(COLORS, ("w.turn = True;", "w.turn = True; w.color = 3;")),
    "counted colors": changed(COLORS, ("v.d = step;", "v.d = step + v.color;")),
    "white again": changed(COLORS, ("u.color = 2", "u.color = 0"), ("more = True;", "more = step < 7;")),
    "gray again": changed(COLORS, ("u.color = 2;", "u.color = 2; if (u == 3) { u.color = 1; } more = step < 9;")),
    "no round for those there already": changed(
        COLORS, ("if (v.color == 0) {", "if (v.color == 0 && v != 4) {")
    ),
    "taken out of the frontier before": changed(
        FLAGS, ("u.front = False;", "if (u != 2) { u.front = False; }"), ("more = True;", "more = step < 9;")
    ),
    "asked again when it is seen": changed(FLAGS, ("v.turn = False;", "v.turn = False; v.seen = True;")),
    "asked for something else": changed(FLAGS, ("if (!v.seen) {", "if (!v.seen && v.d > step) {")),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_search_by_colors_is_one_by_levels(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(LEVELS)
    assert_as_written(SPELLINGS[name], (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))


@pytest.mark.parametrize("name", NEAR)
def test_what_only_looks_like_it_keeps_its_meaning(name: str) -> None:
    assert operators_of(NEAR[name]) != operators_of(LEVELS)
    assert_as_written(NEAR[name], (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))


def test_a_store_behind_another_in_an_iteration_is_made() -> None:
    text = """
function f(Graph g, propNode<int> d) {
  propNode<int> color;
  g.attachNodeProperty(color = 1);
  forall (v in g.nodes()) { if (v % 3 == 0) { v.color = 0; } }
  forall (v in g.nodes().filter(color == 1)) { v.color = 2; if (v % 2 == 0) { v.color = 1; } }
  forall (v in g.nodes()) { if (v.color == 1) { v.d = 1; } else if (v.color == 2) { v.d = 2; } }
}
"""
    (function,) = pipeline.check(SourceFile("colors.sp", text)).facts.program.functions
    flagged = with_flags_for_colors(function.body)
    stores = [
        s for s in walk.statements(flagged) if isinstance(s, typed.Assign) and s.place.symbol.name == "color_not_1"
    ]
    assert [s.value for s in stores] == [typed.TRUE, typed.TRUE, typed.FALSE]
