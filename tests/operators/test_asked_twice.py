"""A loop that asks whether any arc would change something is part of the one that makes the changes; other questions
stay where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

EXAMPLES = Path(__file__).parents[2] / "examples"
ASKED = """
function f(Graph g, propNode<int> dist, propEdge<int> cost, propNode<bool> open, node src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  bool better = True;
  while (better) {
    better = False;
    forall (v in g.nodes().filter(dist != INF)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (v.dist + e.cost < w.dist) { better = True; }
      }
    }
    if (better) {
      forall (v in g.nodes().filter(dist != INF)) {
        forall (w in g.neighbors(v)) {
          edge e = g.get_edge(v, w);
          w.dist = Min(w.dist, v.dist + e.cost);
        }
      }
    }
  }
}
"""
QUESTION = ASKED[ASKED.index("    forall") : ASKED.index("    if (better)")]
CHANGES = ASKED[
    ASKED.index("      forall (v in g.nodes().filter(dist != INF)) {\n        forall") : ASKED.rindex("    }\n  }\n}")
]
BRANCH = f"    if (better) {{\n{CHANGES}    }}\n"
BY_ARCS = """    forall (e in g.edges()) {
      node w = e.destination;
      if (e.source.dist < INF && w.dist > e.source.dist + e.cost) { better = True; }
    }
"""
PULLED = """    for (w in g.nodes()) {
      for (v in g.nodes_to(w)) {
        edge e = g.get_edge(v, w);
        if (w.dist > v.dist + e.cost) { better = True; break; }
      }
    }
"""
SPELLINGS = {
    "asked first": ASKED,
    "changed in any case": changed(ASKED, (BRANCH, CHANGES)),
    "left if none would change": changed(
        ASKED, (BRANCH, f"    if (!better) {{ break; }}\n{CHANGES}"), ("while (better)", "while (True)")
    ),
    "asked in the end": changed(ASKED, (BRANCH, ""), ("    better = False;\n", f"    better = False;\n{CHANGES}")),
    "asked by arcs": changed(ASKED, (QUESTION, BY_ARCS)),
    "asked by the other end": changed(ASKED, (QUESTION, PULLED)),
    "counted": changed(
        ASKED,
        ("bool better = True", "long n = 1"),
        ("better = False", "n = 0"),
        ("better = True", "n += 1"),
        ("better", "n > 0"),
    ),
}
NEAR = {
    "another offer": changed(ASKED, ("v.dist + e.cost <", "v.dist + e.cost + 1 <")),
    "no worse is enough": changed(ASKED, ("v.dist + e.cost < w.dist", "v.dist + e.cost <= w.dist && better")),
    "other arcs": changed(ASKED, (QUESTION, changed(QUESTION, ("g.neighbors(v)", "g.nodes_to(v)")))),
    "some nodes only": changed(ASKED, (QUESTION, changed(QUESTION, ("dist != INF", "dist != INF && open")))),
    "some changes only": changed(ASKED, (CHANGES, changed(CHANGES, ("dist != INF", "dist != INF && open")))),
    "more is changed": changed(ASKED, ("          w.dist = Min", "          v.open = True;\n          w.dist = Min")),
    "asked with the answer": changed(ASKED, ("if (v.dist + e.cost <", "if (!better && v.dist + e.cost <")),
    "something between": changed(ASKED, ("    if (better)", "    src.dist = -1;\n    if (better)")),
    "counts are read": changed(
        ASKED,
        ("  bool better = True;", "  long n = 1;\n  long all = 0;"),
        ("better = False", "n = 0"),
        ("better = True", "n += 1"),
        ("    if (better)", "    all = all + n;\n    if (better)"),
        ("better", "n > 0"),
        ("    }\n  }\n}", "    }\n  }\n  if (all == 3) { src.dist = 7; }\n}"),
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_the_question_is_part_of_the_changes(name: str) -> None:
    found = operators_of(SPELLINGS[name])
    assert found == operators_of(EXAMPLES / "sssp.sp")


@pytest.mark.parametrize("name", NEAR)
def test_another_question_stays(name: str) -> None:
    assert operators_of(NEAR[name]) != operators_of(EXAMPLES / "sssp.sp")


@pytest.mark.parametrize("name", [name for name in NEAR if name not in ("another offer", "other arcs")])
def test_a_near_miss_means_what_it_says(name: str) -> None:
    text = NEAR[name]
    assert_as_written(changed(text, ("e.cost", "max(e.cost, 0)")), (UGLY["knot"], UGLY["ladder"]))
