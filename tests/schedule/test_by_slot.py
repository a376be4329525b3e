"""Values of arcs that every round reads of the arcs into nodes are put in the order of their rows before the loop."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.launches import launched_kernels
from starplat.ir.visitor import walk_host
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.by_slot import one_for_all
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


WRITTEN_BEFORE = changed(SUMS, ("for (int i = 0; i < 3; i++)", "w = q; for (int i = 0; i < 3; i++)"))


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


def of_one_value(text: str) -> tuple[ir.Module, ir.Module]:
    """A program as the passes leave it, before and after all values of arcs are known to be alike."""
    given = starplat.compile(text).module()
    return given, one_for_all(given, *(array for array in given.inputs if array.extent is ir.Extent.ARCS))


@pytest.mark.parametrize("text", ORDERED.values(), ids=ORDERED)
def test_rounds_get_a_number_in_place_of_equal_values(text: str) -> None:
    _, made = of_one_value(text)
    assert not copies(for_target(made, "openmp", AUTO, None))
    assert "in_arcs" not in {array.name for array in made.graph_arrays}
    names = ["w", "q"] if "e.q" in text else ["w"]
    reads = [op for op in walk_host(made.functions[0].body) if isinstance(op, ir.ReadCell)]
    assert [(op.variable.name, op.array.name) for op in reads] == [(f"{name}_of_all", name) for name in names]
    given = {variable.name for kernel in made.kernels for variable in kernel.scalars}
    assert {f"{name}_of_all" for name in names} <= given


@pytest.mark.parametrize("text", [*LEFT_ALONE.values(), WRITTEN_BEFORE], ids=[*LEFT_ALONE, "written before the loop"])
def test_equal_values_stay_where_they_are_if_they_change_or_few_are_read(text: str) -> None:
    given, made = of_one_value(text)
    assert made is given


@pytest.mark.parametrize("text", [*ORDERED.values(), WRITTEN_BEFORE], ids=[*ORDERED, "written before the loop"])
def test_equal_values_give_the_same_answers(text: str) -> None:
    graph = generators.rmat(6, 8, 1)
    program = starplat.compile(text)
    rng = np.random.default_rng(1)
    x, q = rng.integers(0, 9, graph.num_nodes, np.int32), rng.integers(0, 9, graph.num_arcs, np.int32)
    for given in ({"w": 3, "q": q}, {"w": 3, "q": 2}, {"w": np.full(graph.num_arcs, 3, np.int32), "q": 2}):
        expected, found = (program.run(graph, target=target, x=x, **given) for target in ("reference", "openmp"))
        for name in ("x", "w", "q"):
            assert np.array_equal(found[name], expected[name])


def test_weights_that_a_graph_does_not_have_are_one_value() -> None:
    arcs = [0, 0, 1, 2, 3], [1, 2, 2, 3, 0]
    program = starplat.compile(SUMS.replace("propEdge<int> w,", "propEdge<int> weight,").replace("e.w", "e.weight"))
    for weights in (None, [5, 4, 3, 2, 1]):
        graph = Graph.from_arcs(4, *map(np.array, arcs), None if weights is None else np.array(weights))
        runs = (program.run(graph, target=target, x=2, results=["x"]) for target in ("reference", "openmp"))
        expected, found = (run["x"] for run in runs)
        assert np.array_equal(found, expected)


def test_one_value_for_all_is_neither_put_in_order_nor_uploaded() -> None:
    graph, score = generators.grid(8), []
    for weight in (0.5, np.full(graph.num_arcs, 0.5)):
        runs = [starplat.eigenvector_centrality(graph, target="openmp", weight=weight) for _ in range(2)]
        assert runs[1].bytes.up == (0 if isinstance(weight, float) else weight.nbytes)
        score.append(runs[1]["score"])
    assert np.allclose(score[0], score[1], rtol=1e-12)


def test_one_value_for_all_in_a_graph_without_arcs() -> None:
    graph = Graph.from_arcs(3, np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert starplat.compile(SUMS).run(graph, target="openmp", x=4, w=3)["x"].tolist() == [0, 0, 0]
