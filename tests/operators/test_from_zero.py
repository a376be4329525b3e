"""Levels that are counted from another number than 0 on are those counted from 0; what else is asked of them stays."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
FROM_1 = """
function f(Graph g, propNode<double> sum, node home) {
  propNode<int> ring;
  propNode<double> ways;
  g.attachNodeProperty(sum = 0.0, ring = 0, ways = 0.0);
  home.ring = 1;
  home.ways = 1.0;
  int last = 1;
  bool grew = True;
  while (grew) {
    grew = False;
    forall (v in g.nodes().filter(ring == last)) {
      forall (w in g.neighbors(v)) {
        if (w.ring == 0) { w.ring = last + 1; grew = True; }
      }
    }
    forall (v in g.nodes().filter(ring == last)) {
      forall (w in g.neighbors(v)) {
        if (w.ring == last + 1) { w.ways += v.ways; }
      }
    }
    last++;
  }
  for (int k = last; k >= 1; k--) {
    forall (v in g.nodes().filter(ring == k)) {
      for (w in g.neighbors(v)) {
        if (w.ring == k + 1) { v.sum += w.ways; }
      }
    }
  }
}
"""
FROM_0 = [
    ("ring = 0,", "ring = INF,"),
    ("home.ring = 1", "home.ring = 0"),
    ("w.ring == 0", "w.ring == INF"),
    ("int last = 1", "int last = 0"),
    ("k >= 1", "k >= 0"),
]
SPELLINGS = {
    "as above": [],
    "from 7 on": [("home.ring = 1", "home.ring = 7"), ("int last = 1", "int last = 7"), ("k >= 1", "k >= 7")],
    "INF for none": FROM_0[:1] + FROM_0[2:3],
    "a number below for none": [("ring = 0,", "ring = -3,"), ("w.ring == 0", "w.ring == -3")],
}
NEAR = {
    "its rounds are a result": [("    last++;", "    last++; home.sum = last;")],
    "levels are a result": [("v.sum += w.ways", "v.sum += w.ring")],
    "levels are numbers of nodes": [("v.sum += w.ways", "v.sum += g.neighbor(v, w.ring - k - 1)")],
    "counted twice from two numbers": [
        ("  bool grew", "  int other = 5;\n  bool grew"),
        ("last++;", "last++; other++;"),
        ("v.sum += w.ways;", "if (w.ring < other) { v.sum += w.ways; }"),
    ],
    "levels are multiplied": [("int k = last; k >= 1", "int k = last; k >= 1 && k < 2 * last")],
    "a number near the end of its type": [("ring = 0,", "ring = 2147483646,"), ("w.ring == 0", "w.ring == 2147483646")],
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_levels_are_counted_from_0(name: str) -> None:
    from_0 = operators_of(changed(FROM_1, *FROM_0))
    assert "level by level" in from_0
    text = changed(FROM_1, *SPELLINGS[name])
    assert operators_of(text) == from_0
    assert_as_written(text, GRAPHS)


def test_levels_may_be_compared_where_a_cell_lies() -> None:
    text = changed(
        FROM_1,
        ("  int last", "  list<int> found;\n  found.push(0);\n  found.push(0);\n  int last"),
        ("  for (int k", "  found[home.ring == 1 ? 1 : 0] = 3;\n  home.sum = found[1];\n  for (int k"),
    )
    assert ":= -1\n" in operators_of(text)
    assert_as_written(text, GRAPHS)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_keeps_its_numbers(name: str) -> None:
    text = changed(FROM_1, *NEAR[name])
    assert ":= 1\n" in operators_of(text)
    assert_as_written(text, GRAPHS)
