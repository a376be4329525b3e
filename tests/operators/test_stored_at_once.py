"""A local that only becomes a node's own cell is that cell; a function over neighbors that one place calls is part of
it."""

from __future__ import annotations

import random
import re

import pytest

from starplat import pipeline
from starplat.source import SourceFile
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
LOCAL = """
function f(Graph g, propNode<double> rank, propNode<double> next, propNode<float> near) {
  double moved = 0.0;
  forall (v in g.nodes()) {
    double sum = 0.0;
    for (u in g.nodes_to(v)) { sum += u.rank; }
    double new_rank = 0.5 * sum + 0.25;
    moved += abs(new_rank - v.rank);
    v.next = new_rank;
  }
  return moved;
}
"""
CELL = changed(LOCAL, ("    v.next = new_rank;\n", ""), ("double new_rank", "v.next"), ("new_rank", "v.next"))
KEPT = {
    "is changed meanwhile": ("moved += abs(new_rank - v.rank);", "new_rank += 1.0; moved += new_rank;"),
    "the cell is read meanwhile": ("abs(new_rank - v.rank)", "abs(new_rank - v.next)"),
    "the cell is another's": ("v.next = new_rank;", "for (w in g.neighbors(v)) { w.next = new_rank; break; }"),
    "the cell holds less": ("v.next = new_rank;", "v.near = float(new_rank);"),
    "only some are stored": ("v.next = new_rank;", "if (new_rank > 0.5) { v.next = new_rank; }"),
    "nodes that are left out": ("moved +=", "if (new_rank > 0.5) { continue; } moved +="),
    "neighbors are told": ("v.next = new_rank;", "for (w in g.neighbors(v)) { moved += new_rank; } v.next = new_rank;"),
    "the filter asks the cell": ("g.nodes()) {\n    double", "g.nodes().filter(next > 0.5)) {\n    double"),
}
HELPER = """
function received(Graph g, propNode<double> rank, node v) {
  double sum = 0.0;
  for (u in g.nodes_to(v)) { sum += u.rank; }
  return sum;
}
""" + changed(
    CELL,
    ("    for (u in g.nodes_to(v)) { sum += u.rank; }\n", ""),
    ("double sum = 0.0;", "double sum = received(g, rank, v);"),
)


def test_a_local_that_becomes_a_cell_is_the_cell() -> None:
    assert operators_of(LOCAL) == operators_of(CELL)
    assert_as_written(LOCAL, GRAPHS)


@pytest.mark.parametrize("name", KEPT)
def test_other_locals_stay(name: str) -> None:
    text = changed(LOCAL, KEPT[name])
    assert re.search(
        r"^ {4}\w+ := \(0\.5 \* ", pipeline.operators(pipeline.check(SourceFile("f.sp", text))), re.MULTILINE
    )
    if "break" not in text:
        assert_as_written(text, GRAPHS)


def test_a_function_over_neighbors_is_part_of_its_one_caller() -> None:
    assert operators_of(HELPER) == operators_of(CELL)


def test_a_function_that_two_places_call_stays() -> None:
    text = changed(
        HELPER, ("return moved;", "forall (v in g.nodes()) { v.rank = received(g, next, v); } return moved;")
    )
    assert "received(" in operators_of(text)
    assert_as_written(text, GRAPHS)


@pytest.mark.parametrize("seed", range(8))
def test_any_order_of_statements_keeps_its_answer(seed: int) -> None:
    draw = random.Random(seed)
    statements = [
        *("moved += x;", "v.a = x;", "v.b = x;", "v.b = y;", "y += 1;", "x += v.a;", "moved += v.b;"),
        *("int z = y + v.c; v.c = z;", "if (x > 2) { v.b = 7; }", "for (w in g.neighbors(v)) { y += w.d; }"),
    ]
    body = "".join(draw.sample(statements, 6))
    head = "function f(Graph g, propNode<int> a, propNode<int> b, propNode<int> c, propNode<int> d) { int moved = 0;"
    loop = f"forall (v in g.nodes()) {{ int x = v.d + 1; int y = x * 2; {body} }} return moved; }}"
    assert_as_written(head + loop, GRAPHS[:3])
