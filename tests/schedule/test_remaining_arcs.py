"""Rounds that take arcs out for good go over a list of those that are left."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.backends.scheduled import for_target
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.runtime import run_module
from starplat.schedule import AUTO, PLAIN
from tests.changing import changed
from tests.zoo import ZOO

TREE = (Path(__file__).parents[2] / "examples" / "minimum_spanning_tree.sp").read_text(encoding="utf-8")
ROUNDS = """function rounds(Graph g, propNode<int> label, propNode<int> seen, propEdge<int> weight) {
  propEdge<bool> open;
  propEdge<int> state;
  g.attachEdgeProperty(open = True, state = 0);
  g.attachNodeProperty(seen = 0);
  int round = 0;
  while (round < 12) {
    forall (e in g.edges().filter(open)) {
      node a = e.source;
      node b = e.destination;
      if (a.label + round >= b.label) {
        e.open = False;
      } else {
        b.seen += 1;
      }
    }
    forall (e in g.edges().filter(open)) {
      node b = e.destination;
      if (e.source != b) {
        b.seen += 100;
      }
    }
    round += 1;
  }
}
"""


def each_round(ops: str) -> str:
    """The program with more operations in every round."""
    return changed(ROUNDS, ("    round += 1;\n", f"    {ops}\n    round += 1;\n"))


LISTED = {
    "rounds": ROUNDS,
    "the opposite": changed(
        ROUNDS, ("open = True", "open = False"), ("filter(open)", "filter(!open)"), ("e.open = False", "e.open = True")
    ),
    "a number": changed(ROUNDS, ("filter(open)", "filter(state == 0)"), ("e.open = False", "e.state = 7")),
    "one condition of two": changed(
        ROUNDS, ("filter(open)", "filter(open && state < 3)"), ("b.seen += 1;", "b.seen += 1;\n        e.state += 1;")
    ),
    "what is stored is computed": changed(ROUNDS, ("e.open = False;", "e.open = b.label > 3 * round;")),
    "taken out elsewhere too": each_round("forall (e in g.edges()) { if (e.weight == round) { e.open = False; } }"),
    "let in again now and then": each_round(
        "if (round % 5 == 4) { forall (e in g.edges()) { e.open = e.weight % 2 == 0; } }"
    ),
    "all let in again once": each_round("if (round == 2) { g.attachEdgeProperty(open = True); }"),
    "in an inner loop": changed(
        ROUNDS,
        (
            "  while (round < 12) {\n",
            "  for (int i = 0; i < 3; i++) { g.attachEdgeProperty(open = True); round = i; while (round < 12) {\n",
        ),
        ("round += 1;\n  }\n", "round += 1;\n  } }\n"),
    ),
}
LEFT_ALONE = {
    "let in again in every round": each_round("forall (e in g.edges()) { if (e.weight == round) { e.open = True; } }"),
    "filled in every round": each_round("g.attachEdgeProperty(open = True);"),
    "never taken out": changed(ROUNDS, ("e.open = False;", "a.seen += 3;")),
    "a bound that moves": changed(
        ROUNDS, ("filter(open)", "filter(state <= round)"), ("e.open = False", "e.state = round + 2")
    ),
    "what is left asks its ends": changed(ROUNDS, ("filter(open)", "filter(e.source.label > round)")),
    "another's flag in the same launch": changed(
        ROUNDS, ("e.open = False;", "if (g.is_an_edge(b, a)) { edge r = g.get_edge(b, a); r.open = False; }")
    ),
    "what is left divides by a number that another condition keeps from 0": changed(
        ROUNDS,
        ("filter(open)", "filter(open && 12 / state > 1)"),
        ("e.open = False", "e.state += 5"),
        ("round = 0;", "round = 0;\n  forall (e in g.edges()) { e.state = e.weight % 3; e.open = e.weight % 3 != 0; }"),
    ),
    "in no loop": changed(ROUNDS, ("while (round < 12)", "if (round < 12)")),
}


@cache
def module(text: str, target: str = "openmp") -> ir.Module:
    return for_target(starplat.compile(text).module(), target, AUTO, None)


def listings(made: ir.Module) -> int:
    return sum(kernel.comment.startswith("lists the arcs for which") for kernel in made.kernels)


@pytest.mark.parametrize("text", [TREE, *LISTED.values()], ids=["tree", *LISTED])
def test_cores_go_over_the_arcs_that_are_left(text: str) -> None:
    assert listings(module(text)) == 1
    assert not any(isinstance(k.domain, ir.AllArcs) and k.filter is not None for k in module(LISTED["rounds"]).kernels)
    for target in ("cuda", "hip", "openacc"):
        assert not listings(module(text, target))


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_all_arcs_are_asked_where_more_may_change_the_filter(text: str) -> None:
    assert not listings(module(text))


def graphs() -> list[Graph]:
    """With loops and parallel arcs, one whose arcs fill whole pieces, and without any node."""
    drawn = np.random.default_rng(3)
    ugly = Graph.from_arcs(40, drawn.integers(0, 40, 512), drawn.integers(0, 40, 512), drawn.integers(1, 4, 512))
    return [ugly, generators.rmat(8, 16, weights=(1, 9)), *list(ZOO.values())[::3]]


@pytest.mark.parametrize("name", [*LISTED, *LEFT_ALONE])
def test_the_answer_is_the_same(name: str) -> None:
    text = {**LISTED, **LEFT_ALONE}[name]
    program = starplat.compile(text)
    for graph in graphs():
        given = {"label": np.random.default_rng(1).integers(0, 12, graph.num_nodes)}
        expected = program.run(graph, arguments=given, target="reference", schedule=PLAIN)["seen"]
        np.testing.assert_array_equal(program.run(graph, arguments=given, target="openmp")["seen"], expected)
        found = run_module(module(text), graph, target="reference", arguments=given, schedule=PLAIN)
        np.testing.assert_array_equal(found["seen"], expected)


def test_trees_are_the_same() -> None:
    program = starplat.compile(TREE)
    for graph in (*graphs(), generators.grid(90, weights=(1, 5)).undirected()):
        expected = program.run(graph, target="openmp", schedule=PLAIN)
        found = program.run(graph, target="openmp")
        assert found.returned == expected.returned
        np.testing.assert_array_equal(found["in_tree"], expected["in_tree"])


def test_a_piece_is_one_threads_and_what_is_left_moves_up_without_a_branch() -> None:
    text = BACKENDS["openmp"].kernels_text(module(ROUNDS))
    assert "if (open_[e])" not in text
    assert "if (open_[e])" in BACKENDS["openmp"].kernels_text(module(LISTED["taken out elsewhere too"]))
    assert "open_arcs[stays] = e;\n            stays += (arc_t)open_[e];\n" in text
    assert "#pragma omp parallel for schedule(static)\n    for (int block = 0;" in text
