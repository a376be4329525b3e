"""Values of arcs that every round reads of the arcs into nodes are put in the order of their rows before the loop."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import generators
from starplat.ir import nodes as ir
from starplat.ir.launches import launched_kernels
from starplat.ir.visitor import walk_host
from starplat.schedule import AUTO, PLAIN
from tests.changing import changed

SUMS = """function f(Graph g, propNode<int> x, propEdge<int> w, propEdge<int> q) {
  propNode<int> y;
  for (int i = 0; i < 3; i++) {
    forall (v in g.nodes()) {
      int sum = 0;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        sum += u.x * e.w;
      }
      v.y = sum;
    }
    forall (v in g.nodes()) {
      v.x = v.y % 1000;
    }
  }
}
"""
ORDERED = {
    "a factor": SUMS,
    "of two properties": changed(SUMS, ("* e.w", "* e.w + e.q")),
    "beside a condition": changed(SUMS, ("sum += u.x * e.w;", "sum += u.x * e.w; if (u.x > e.q) { sum += e.w; }")),
    "in a loop in a loop": changed(
        SUMS, ("for (int i = 0; i < 3; i++) {", "for (int j = 0; j < 2; j++) { for (int i = 0; i < 3; i++) {"),
        ("1000;\n    }\n  }", "1000;\n    }\n  } }"),
    ),
}  # fmt: skip
LEFT_ALONE = {
    "changed in the loop": changed(
        SUMS, ("    forall (v in g.nodes()) {\n      v.x", "    w = q;\n    forall (v in g.nodes()) {\n      v.x")
    ),
    "of some nodes": changed(SUMS, ("g.nodes()) {\n      int", "g.nodes().filter(x > 3)) {\n      int")),
    "of some arcs": changed(SUMS, ("sum += u.x * e.w;", "if (u.x > 3) { sum += e.w; }")),
    "of arcs out of nodes": changed(SUMS, ("nodes_to", "neighbors"), ("(u, v)", "(v, u)")),
    "in no loop": changed(SUMS, ("for (int i = 0; i < 3; i++)", "if (Count(x) > 0)")),
    "in a round of the host's choice": changed(
        SUMS, ("    forall (v in g.nodes()) {\n      int", "    if (i == 2) forall (v in g.nodes()) {\n      int")
    ),
}  # fmt: skip


def module(text: str, target: str = "openmp") -> ir.Module:
    return for_target(starplat.compile(text).module(), target, AUTO, None)


def copies(made: ir.Module) -> set[str]:
    return {array.name for array in made.functions[0].arrays if array.extent is ir.Extent.SLOTS}


@pytest.mark.parametrize("text", ORDERED.values(), ids=ORDERED)
def test_values_are_put_in_order_once_where_threads_are_cores(text: str) -> None:
    made = module(text)
    assert copies(made) == {"w_by_slot"} | ({"q_by_slot"} if "e.q" in text else set())
    (before,) = [op.kernel for op in made.functions[0].body if isinstance(op, ir.Launch)]
    assert "in_arcs" in {array.name for array in made.kernel(before).arrays}
    inside = launched_kernels((op for op in walk_host(made.functions[0].body) if op != ir.Launch(before)), made)
    read = {array.name for kernel in inside for array in kernel.arrays}
    assert "w_by_slot" in read
    assert not read & {"w", "in_arcs"}
    assert not copies(module(text, "cuda"))


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_values_stay_where_they_are_if_they_change_or_few_are_read(text: str) -> None:
    assert not copies(module(text))


@pytest.mark.parametrize("text", [*ORDERED.values(), *LEFT_ALONE.values()], ids=[*ORDERED, *LEFT_ALONE])
def test_the_answers_are_the_same(text: str) -> None:
    graph = generators.rmat(6, 8, 1)
    program = starplat.compile(text)
    rng = np.random.default_rng(1)
    x = rng.integers(0, 9, graph.num_nodes, np.int32)
    w, q = (rng.integers(0, 9, graph.num_arcs, np.int32) for _ in range(2))
    expected = program.run(graph, target="reference", x=x.copy(), w=w.copy(), q=q.copy())["x"]
    for schedule in (AUTO, PLAIN):
        found = program.run(graph, target="openmp", schedule=schedule, x=x.copy(), w=w.copy(), q=q.copy())
        assert np.array_equal(found["x"], expected)
