"""Filtered sums of whole numbers over arcs have no branch where threads are cores."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.schedule import AUTO, PLAIN
from tests.changing import changed

SUM = """function total(Graph g, propEdge<int> weight, propEdge<bool> chosen, int limit) {
  long sum = 0;
  int number = 0;
  forall (e in g.edges().filter(weight <= limit)) {
    sum += e.weight;
    number += 1;
  }
  return sum * 1000 + number;
}
"""
WITHOUT = {
    "sum": SUM,
    "by a flag": changed(SUM, ("weight <= limit", "chosen")),
    "by its opposite": changed(SUM, ("weight <= limit", "!chosen")),
    "computed": changed(SUM, ("sum += e.weight", "sum += 3 * e.weight - limit")),
}
WITH = {
    "two conditions": changed(SUM, ("weight <= limit", "weight <= limit && chosen")),
    "a division": changed(SUM, ("weight <= limit", "weight != 0"), ("sum += e.weight", "sum += limit / e.weight")),
    "a real": changed(SUM, ("long sum = 0", "double sum = 0.0"), ("return sum * 1000", "return long(sum) * 1000")),
    "the least": changed(SUM, ("sum += e.weight;", "sum = Min(sum, e.weight);")),
    "cells of the ends": changed(SUM, ("sum += e.weight", "node v = e.source; sum += g.degree(v)")),
}


def keeps_filter(text: str, target: str) -> bool:
    made = for_target(starplat.compile(text).module(), target, AUTO, None)
    (kernel,) = made.kernels
    return kernel.filter is not None or not isinstance(kernel.domain, ir.AllArcs)


@pytest.mark.parametrize("name", [*WITHOUT, *WITH])
def test_only_numbers_that_are_at_hand_are_added_in_any_case(name: str) -> None:
    text = {**WITHOUT, **WITH}[name]
    assert keeps_filter(text, "openmp") is (name in WITH)
    assert keeps_filter(text, "cuda")


def graphs() -> list[Graph]:
    drawn = np.random.default_rng(3)
    ugly = Graph.from_arcs(40, drawn.integers(0, 40, 512), drawn.integers(0, 40, 512), drawn.integers(-4, 4, 512))
    huge = Graph.from_arcs(2, [0, 1, 1], [1, 0, 1], [2**31 - 2, -(2**31), 5])
    return [ugly, huge, generators.rmat(8, 16, weights=(1, 9)), Graph.from_arcs(0, [], [])]


@pytest.mark.parametrize("name", [*WITHOUT, *WITH])
def test_the_sums_are_the_same(name: str) -> None:
    program = starplat.compile({**WITHOUT, **WITH}[name])
    for graph in graphs():
        given = {"limit": 2, "chosen": np.random.default_rng(1).integers(0, 2, graph.num_arcs).astype(bool)}
        expected = program.run(graph, arguments=given, target="reference", schedule=PLAIN).returned
        assert program.run(graph, arguments=given, target="openmp").returned == expected
