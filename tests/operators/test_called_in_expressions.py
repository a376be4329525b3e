"""A function that is called in an expression becomes part of the caller where it is called for sure and leaves nothing
but its value; other calls stay."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

CALLED = """
function inflow(Graph g, propNode<double> p, node v) {
  double sum = 0.0;
  for (u in g.nodes_to(v)) { sum += u.p / g.count_outNbrs(u); }
  return sum;
}
function stranded(Graph g, propNode<double> p, propNode<double> _q) {
  double sum = 0.0;
  forall (v in g.nodes()) { if (g.getOutDegree(v) == 0) { sum += v.p; } }
  return sum;
}
function f(Graph g, propNode<double> p, propNode<double> q) {
  for (int i = 0; i < 3; i++) {
    double each = 0.25 + stranded(g, p, q) / 2.0;
    forall (v in g.nodes()) { v.q = each + 0.5 * inflow(g, p, v); }
    p = q;
  }
}
"""
BEHIND = """
function f(Graph g, propNode<double> p, propNode<double> q) {
  for (int i = 0; i < 3; i++) {
    double lost = 0.0;
    forall (v in g.nodes()) { if (g.getOutDegree(v) == 0) { lost += v.p; } }
    double each = 0.25 + lost / 2.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) { sum += u.p / g.count_outNbrs(u); }
      v.q = each + 0.5 * sum;
    }
    p = q;
  }
}
"""
ASKED = changed(CALLED, ("0.25 + stranded(g, p, q) / 2.0;", "0.25;\n    if (stranded(g, p, q) > 1.0) { each = 0.5; }"))
NEAR = {
    "it may not be called": changed(CALLED, ("stranded(g, p, q) / 2.0", "(i > 1 ? stranded(g, p, q) : 0.5)")),
    "it is not asked": changed(ASKED, ("if (stranded", "if (i > 1 && stranded")),
}
STORES = {
    "it stores": changed(CALLED, ("sum += v.p; } }", "sum += v.p; v._q = 1.0; } }"), ("0.25 + str", "Sum(q) + str")),
    "another call stores": changed(
        CALLED,
        ("function f(", "function first(Graph g, propNode<double> p) { p.fill(); return 2.0; }\nfunction f("),
        ("p.fill()", "g.attachNodeProperty(p = 0.5)"),
        ("0.25 + stranded", "first(g, p) + stranded"),
    ),
}


def test_its_statements_stand_before() -> None:
    assert operators_of(CALLED) == operators_of(BEHIND)
    assert "stranded" not in operators_of(ASKED)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_calls_it_where_it_did(name: str) -> None:
    assert "stranded(" in operators_of(NEAR[name])


@pytest.mark.parametrize("text", [CALLED, ASKED, *NEAR.values(), *STORES.values()])
def test_it_means_the_same(text: str) -> None:
    assert_as_written(text, (UGLY["knot"], UGLY["ladder"]))
