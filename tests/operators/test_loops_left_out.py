"""A condition that leaves out arcs from a node to itself goes where nodes offer themselves nothing; others stay."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
LEVELS = """
function f(Graph g, propNode<int> x) {
  bool more = True;
  g.attachNodeProperty(x = INF);
  node src = 2;
  src.x = 0;
  while (more) {
    more = False;
    forall (v in g.nodes()) { forall (w in g.neighbors(v)) {
      if (w != v) { <w.x, more> = <Min(w.x, v.x + 1), True>; }
    } }
  }
}
"""
MARKS = """
function f(Graph g, propNode<bool> x) {
  propNode<bool> on;
  propNode<bool> next;
  g.attachNodeProperty(x = False, on = False);
  node src = 2;
  src.x = True;
  src.on = True;
  fixedPoint until (done : !on) {
    g.attachNodeProperty(next = False);
    forall (v in g.nodes().filter(on)) { forall (w in g.neighbors(v)) {
      if (w != v && !w.x) { w.x = True; w.next = True; }
    } }
    on = next;
  }
}
"""
LOOP = "w != v"


@pytest.mark.parametrize(("text", "asks"), [(LEVELS, f"if ({LOOP}) "), (MARKS, f"{LOOP} && ")])
def test_arcs_from_a_node_to_itself_need_not_be_left_out(text: str, asks: str) -> None:
    assert operators_of(text) == operators_of(changed(text, (asks, "")))
    assert_as_written(text, GRAPHS)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (LEVELS, LOOP, "w != src"),
        (LEVELS, "v.x + 1", "v.x + v % 2"),
        (MARKS, LOOP, "w != src"),
        (MARKS, "src.x = True;", "node other = 1; other.x = True;"),
        (MARKS, "  src.on = True;", "  src.on = True; node other = 1; other.on = True;"),
    ],
)
def test_a_condition_that_leaves_out_more_stays(text: str, old: str, new: str) -> None:
    text = changed(text, (old, new))
    assert "!=" in operators_of(text)
    assert_as_written(text, GRAPHS)
