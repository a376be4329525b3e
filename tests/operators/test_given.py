"""A number that is asked whether a node has been given it says whether the node is reached; others say more."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

FLAGS = """
function f(Graph g, propNode<int> level, propNode<node> parent, node src) {
  propNode<bool> here;
  propNode<bool> there;
  g.attachNodeProperty(level = INF, parent = -1, here = False, there = False);
  src.level = 0;
  src.parent = src;
  src.here = True;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v)) {
        if (w.parent == -1) { w.parent = v; w.level = depth + 1; w.there = True; more = True; }
      }
    }
    here = there;
    g.attachNodeProperty(there = False);
    depth++;
  }
}
"""
CANONICAL = """
function f(Graph g, propNode<int> level, propNode<node> parent, node src) {
  propNode<bool> here;
  g.attachNodeProperty(level = INF, parent = -1, here = False);
  src.level = 0;
  src.parent = src;
  src.here = True;
  fixedPoint until (done : !here) {
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v)) { <w.level, w.parent, w.here> = <Min(w.level, v.level + 1), v, True>; }
    }
  }
}
"""
LEVELS = changed(
    FLAGS,
    ("  propNode<bool> here;\n  propNode<bool> there;\n", ""),
    (", here = False, there = False", ""),
    ("  src.here = True;\n", ""),
    ("filter(here)", "filter(level == depth)"),
    (" w.there = True;", ""),
    ("    here = there;\n    g.attachNodeProperty(there = False);\n", ""),
)
PULLED = (
    ("forall (v in g.nodes().filter(level == depth))", "forall (w in g.nodes().filter(parent < 0))"),
    ("forall (w in g.neighbors(v)) {", "forall (v in g.nodes_to(w)) {"),
    ("if (w.parent == -1)", "if (v.level == depth)"),
)
SPELLINGS = {
    "flags in two buffers": FLAGS,
    "levels": LEVELS,
    "it is below 0": changed(LEVELS, ("parent == -1", "parent < 0")),
    "it is not from 0 on": changed(LEVELS, ("w.parent == -1", "!(w.parent >= 0)")),
    "nodes look for a parent": changed(LEVELS, *PULLED),
    "a number for a node": changed(LEVELS, ("propNode<node>", "propNode<int>")),
}
NEAR = {
    "the source has none": changed(LEVELS, ("  src.parent = src;\n", "")),
    "the first in the row": changed(
        LEVELS,
        *PULLED,
        ("forall (v in g.nodes_to", "for (v in g.nodes_to"),
        ("more = True; }", "more = True; break; }"),
    ),
    "it asks for one parent": changed(LEVELS, ("parent == -1", "parent == 0"), ("parent = -1", "parent = 0")),
    "nodes begin with 0": changed(LEVELS, ("parent = -1", "parent = 0")),
    "all have one parent": changed(
        LEVELS, ("propNode<node>", "propNode<int>"), ("w.parent = v", "w.parent = depth - 1")
    ),
    "it is taken back": changed(LEVELS, ("    depth++;", "    if (depth == 1) { src.parent = -1; }\n    depth++;")),
    "it comes from elsewhere": changed(
        LEVELS,
        ("propNode<node> parent, node src", "propNode<node> parent, propNode<node> old, node src"),
        ("  int depth", "  parent = old;\n  int depth"),
    ),
    "it is filled again": changed(
        LEVELS, ("    depth++;", "    if (depth == 1) { g.attachNodeProperty(parent = -1); }\n    depth++;")
    ),
}
LISTED = """
function f(Graph g, propNode<int> out) {
  propNode<int> parent;
  list<int> some;
  some.push(-1);
  some.push(2);
  g.attachNodeProperty(parent = -1, out = 0);
  for (i in some) {
    forall (v in g.nodes()) { if (v.parent == -1) { v.parent = i; v.out = v.out + 1; } }
  }
}
"""
ONLY = changed(
    FLAGS,
    ("propNode<int> level, ", ""),
    ("level = INF, ", ""),
    ("  src.level = 0;\n", ""),
    (" w.level = depth + 1;", ""),
)
MARKED = changed(
    ONLY,
    ("propNode<node> parent", "propNode<bool> reached, propNode<node> parent"),
    ("parent = -1,", "parent = -1, reached = False,"),
    ("  src.parent = src;\n", "  src.reached = True;\n"),
    ("w.parent == -1", "!w.reached"),
    ("w.parent = v;", "w.reached = True; w.parent = v;"),
)
GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]


@pytest.mark.parametrize("name", SPELLINGS)
def test_it_is_a_search_that_carries_the_parent(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(CANONICAL)


def test_parents_alone_are_carried_by_levels() -> None:
    assert operators_of(ONLY).partition("loop until")[2] == operators_of(CANONICAL).partition("loop until")[2]


@pytest.mark.parametrize("carried", ["v", "7"])
def test_what_is_marked_besides_is_marked_behind(carried: str) -> None:
    operators = operators_of(changed(MARKED, ("<node> parent", "<int> parent"), ("= v;", f"= {carried};")))
    assert "carrying" in operators
    assert operators.splitlines()[-1].strip().endswith(":= True")


def test_the_source_may_give_up_its_own_in_the_end() -> None:
    given_up = changed(LEVELS, ("    depth++;\n  }", "    depth++;\n  }\n  src.parent = -1;"))
    assert "carrying" in operators_of(given_up)
    assert_as_written(given_up, GRAPHS)


def test_elements_of_lists_may_be_below_0() -> None:
    assert_as_written(LISTED, GRAPHS)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_carries_none(name: str) -> None:
    assert "carrying" not in operators_of(NEAR[name])


@pytest.mark.parametrize(
    "program", [*(s for s in SPELLINGS.values() if "nodes_to" not in s), *NEAR.values(), ONLY, MARKED]
)
def test_all_do_as_they_are_written(program: str) -> None:
    assert_as_written(program, GRAPHS)
