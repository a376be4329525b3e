"""A bound of as many rounds as there are nodes, beside what else ends a loop, ends no search; others do."""

from __future__ import annotations

import pytest

from starplat import pipeline
from starplat.ir import nodes as ir
from starplat.ir.visitor import host_ops
from starplat.source import SourceFile
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

LEVELS = """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more && depth < g.num_nodes()) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) { if (w.level == INF) { w.level = depth + 1; more = True; } }
    }
    depth++;
  }
}
"""
BOUND = "more && depth < g.num_nodes()"
LAST = ("    depth++;\n  }\n", "    depth++;\n  } while (more && g.num_nodes() > depth);\n")
FLAGS = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> here;
  g.attachNodeProperty(level = INF, here = False);
  src.level = 0;
  src.here = True;
  bool more = True;
  for (int k = 1; k < g.num_nodes() && more; k++) {
    propNode<bool> there;
    g.attachNodeProperty(there = False);
    more = False;
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v)) { <w.level, w.there, more> = <Min(w.level, v.level + 1), True, True>; }
    }
    here = there;
  }
}
"""
SPELLINGS = {
    "beside a flag": LEVELS,
    "in front of it": changed(LEVELS, (BOUND, "depth < g.num_nodes() && more")),
    "in a local": changed(
        LEVELS, ("  bool more", "  int n = g.num_nodes();\n  bool more"), ("< g.num_nodes()", "<= n")
    ),
    "asked at the end": changed(LEVELS, (f"while ({BOUND})", "do"), LAST),
    "by a counter of its own": changed(
        LEVELS,
        ("  bool more", "  int k = 0;\n  bool more"),
        (BOUND, "more && k < g.num_nodes()"),
        ("depth++", "k++; depth++"),
    ),
    "of a counted loop over flags": FLAGS,
}
NEAR = {
    "too few rounds": changed(LEVELS, (BOUND, "more && depth < 3")),
    "half as many": changed(LEVELS, (BOUND, "more && 2 * depth < g.num_nodes()")),
    "it begins at 2": changed(
        LEVELS,
        ("  bool more", "  int k = 2;\n  bool more"),
        (BOUND, "more && k < g.num_nodes()"),
        ("depth++", "k++; depth++"),
    ),
    "the counter goes by two": changed(
        LEVELS,
        ("  bool more", "  int k = 0;\n  bool more"),
        (BOUND, "more && k < g.num_nodes()"),
        ("depth++", "k += 2; depth++"),
    ),
    "it counts twice": changed(
        LEVELS,
        ("  bool more", "  int k = 0;\n  bool more"),
        (BOUND, "more && k < g.num_nodes()"),
        ("depth++", "k++; k++; depth++"),
    ),
    "the bound falls": changed(
        LEVELS, ("  bool more", "  int n = g.num_nodes();\n  bool more"), ("g.num_nodes()) {", "n) {\n    n = n - 2;")
    ),
    "the counter is read": changed(LEVELS, ("depth++;\n  }\n", "depth++;\n  }\n  src.level = depth;\n")),
    "one bound or the other": changed(LEVELS, ("more &&", "more ||"), ("bool more = True", "bool more = False")),
    "no round": changed(LEVELS, ("bool more = True", "bool more = False")),
    "nodes wait for a round": changed(
        FLAGS,
        ("  propNode<bool> here;\n", "  propNode<bool> here;\n  propNode<bool> late;\n"),
        ("here = False)", "here = False, late = False)"),
        ("    more = False;\n", ""),
        ("    here = there;\n", "    here = late;\n    late = there;\n"),
    ),
}
GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
WEIGHTED = """
function f(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  int k = 0;
  bool more = True;
  while (more && k < g.num_nodes()) {
    more = False;
    forall (v in g.nodes().filter(dist < INF)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (v.dist + e.weight < w.dist) { w.dist = v.dist + e.weight; more = True; }
      }
    }
    k++;
  }
}
"""


COUNTED = "  for (int k = 0; k < g.num_nodes(); k++) {\n"


@pytest.mark.parametrize("name", SPELLINGS)
def test_it_is_a_search_by_levels(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(BFS)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_is_none(name: str) -> None:
    assert operators_of(NEAR[name]) != operators_of(BFS)


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_both_do_as_they_are_written(name: str) -> None:
    assert_as_written((SPELLINGS | NEAR)[name], GRAPHS)


def test_weights_are_asked_where_they_may_take_away() -> None:
    operators = operators_of(WEIGHTED)
    asked, _, as_written = operators.partition("else")
    assert "loop until" in asked
    assert "while" in as_written
    assert_as_written(WEIGHTED, GRAPHS)


def test_only_the_rounds_without_a_bound_settle_where_weights_may_be_negative() -> None:
    counted = changed(
        WEIGHTED,
        ("  int k = 0;\n  bool more = True;\n  while (more && k < g.num_nodes()) {\n    more = False;\n", COUNTED),
        (" more = True;", ""),
        ("    k++;\n", ""),
    )
    module = pipeline.lower(pipeline.check(SourceFile("program.sp", counted)))
    assert [loop.settles for loop in host_ops(module) if isinstance(loop, ir.Loop)] == [True, False]
