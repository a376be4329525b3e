"""A parent that is the first in a row is found behind the search, as the least of those one level nearer; near misses
stay as they are written."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

FIRST = """
function f(Graph g, propNode<int> level, propNode<node> parent, propNode<bool> open, node src) {
  g.attachNodeProperty(level = INF, parent = -1);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == INF)) {
      for (u in g.nodes_to(v)) {
        if (u.level == depth) { v.level = depth + 1; v.parent = u; more = True; break; }
      }
    }
    depth++;
  }
}
"""
BEHIND = """
function f(Graph g, propNode<int> level, propNode<node> parent, propNode<bool> open, node src) {
  propNode<bool> active;
  g.attachNodeProperty(level = INF, parent = -1, active = False);
  src.level = 0;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) { <w.level, w.active> = <Min(w.level, v.level + 1), True>; }
    }
  }
  forall (v in g.nodes().filter(level != INF && level > 0)) {
    int first = INF;
    for (u in g.nodes_to(v)) { if (v.level == u.level + 1) { first = min(first, u); } }
    v.parent = first;
  }
}
"""
ROW = FIRST[FIRST.index("      for (u") : FIRST.index("    }\n    depth++")]
LOCAL = """      node found = -1;
      for (u in g.nodes_to(v)) { if (u.level == depth) { found = u; break; } }
      if (found >= 0) { v.level = depth + 1; v.parent = found; more = True; }
"""
GUARDED = ("{ found = u; break; }", "{ if (found == -1) { found = u; } }")
SPELLINGS = {
    "in the row": FIRST,
    "parent first": changed(FIRST, ("v.level = depth + 1; v.parent = u;", "v.parent = u; v.level = depth + 1;")),
    "in a local": changed(FIRST, (ROW, LOCAL)),
    "in a local that is asked": changed(
        FIRST, (ROW, changed(LOCAL, ("== depth)", "== depth && found == -1)"), ("break;", "")))
    ),
    "in a local that is not -1": changed(FIRST, (ROW, changed(LOCAL, ("found >= 0", "found != -1")))),
    "as a number": changed(FIRST, (ROW, changed(LOCAL, ("node found", "int found")))),
}
ARCS = {
    "along arcs against them": changed(FIRST, ("g.nodes_to", "g.neighbors")),
    "along some arcs": changed(FIRST, ("if (u.level == depth)", "if (u.level == depth && (u + v) % 3 != 1 && u.open)")),
    "levels from 3": changed(FIRST, ("src.level = 0", "src.level = 3"), ("depth = 0", "depth = 3")),
    "in long numbers": changed(FIRST, ("propNode<node> parent", "propNode<long> parent")),
    "from two": changed(FIRST, ("src.level = 0;", "src.level = 0;\n  node other = 0;\n  other.level = 0;")),
}
NEAR = {
    "last of a row": changed(FIRST, (" break; }", " }")),
    "last in a local": changed(FIRST, (ROW, changed(LOCAL, (" break; }", " }")))),
    "one after another": changed(FIRST, ("forall (v", "for (v")),
    "other levels": changed(FIRST, ("depth + 1", "depth + 1 + v % 2")),
    "two rounds only": changed(FIRST, ("while (more)", "while (more && depth < 2)")),
    "asked in the row": changed(FIRST, ("if (u.level == depth)", "if (u.level == depth && u.parent != v)")),
    "from two levels": changed(FIRST, ("src.level = 0;", "src.level = 0;\n  node other = 0;\n  other.level = 1;")),
    "the local is read": changed(FIRST, (ROW, LOCAL + "      v.open = found > 1;\n")),
    "the local begins elsewhere": changed(FIRST, (ROW, changed(LOCAL, ("found = -1", "found = 1")))),
    "a second is asked": changed(FIRST, (ROW, changed(LOCAL, ("found >= 0", "found >= 1")))),
    "left in any case": changed(FIRST, ("more = True; break; }", "more = True; } break;")),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_it_is_found_behind_the_search(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(BEHIND)


@pytest.mark.parametrize("name", ARCS)
def test_it_is_along_other_arcs_too(name: str) -> None:
    assert "loop until" in operators_of(ARCS[name])


def test_a_truth_that_spreads_gets_levels_for_it() -> None:
    spread = changed(
        FIRST,
        ("propNode<int> level", "propNode<bool> level"),
        ("level = INF", "level = False"),
        ("src.level = 0", "src.level = True"),
        ("filter(level == INF)", "filter(!level)"),
        ("u.level == depth", "u.level"),
        ("v.level = depth + 1", "v.level = True"),
        ("  int depth = 0;\n", ""),
        ("    depth++;\n", ""),
    )
    assert "loop until" in (found := operators_of(spread))
    assert "carrying" not in found


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_stays(name: str) -> None:
    found = operators_of(NEAR[name])
    assert found != operators_of(BEHIND)
    assert "loop until" not in found


@pytest.mark.parametrize("text", [*SPELLINGS.values(), *ARCS.values(), *NEAR.values()])
def test_it_means_what_is_written(text: str) -> None:
    assert_as_written(text, [graph for graph in UGLY.values() if graph.num_nodes > 2])
