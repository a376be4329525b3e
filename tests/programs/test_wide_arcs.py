"""Graphs of 2^31 arcs and more have arc ids of 64 bits: the same programs, the same answers, forced on small graphs."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.graph import Graph
from starplat.runtime import elements
from starplat.runtime.resident import on_device
from tests.programs.cases import CASES, Case
from tests.programs.targets import REFERENCE, Target, compiled, every_device
from tests.runtime import test_executor
from tests.runtime.devices import device_of, every_target as runtime_devices
from tests.runtime.test_parts import CAN_BE_DIVIDED
from tests.zoo import ZOO

PROGRAMS = ("sssp", "bfs", "pagerank", "triangle_count", "minimum_spanning_tree", "betweenness", "label_propagation")
SOME = [case for case in CASES if case.program in PROGRAMS]

EDGES = """
function edges(Graph g, propNode<edge> last, propNode<edge> least, propEdge<edge> same, propEdge<int> twice, node src) {
    g.attachNodeProperty(last = -1, least = -1);
    long found = 0;
    int self = 0;
    forall (v in g.nodes()) {
        for (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            v.last = e;
            if (v.least == -1) { v.least = e; }
            e.same = e;
            found += e.weight;
        }
    }
    forall (e in g.edges()) {
        e.twice = 2 * e.weight;
        if (e.source == e.destination) { self += 1; }
    }
    for (w in g.neighbors(src)) {
        edge e = g.get_edge(src, w);
        e.twice = e.twice + self;
        found += e.twice;
    }
    edge absent = g.get_edge(src, src);
    if (absent == -1) { found += 1000; }
    return found + g.num_edges();
}
"""


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "WIDE_ARCS_FROM", 0)


def fresh(graph: Graph) -> Graph:
    """Another graph with the same arcs: what is resident elsewhere has narrow arcs."""
    return graph.with_weights(None if graph.weights is None else graph.weights.copy())


@pytest.mark.thin(plain=4)
@every_device
@pytest.mark.parametrize("case", SOME, ids=lambda case: case.program)
@pytest.mark.parametrize("name", ["random", "ids-from-one"])
def test_examples_are_right_with_wide_arcs(case: Case, target: Target, name: str) -> None:
    graph = fresh(case.suits(ZOO[name]))
    for call in case.calls(graph):
        result = target.run(compiled(case.path), graph, call)
        case.check(graph, call, {p: result[p] for p in case.properties}, result.returned)


@pytest.mark.parametrize("case", [case for case in SOME if case in CAN_BE_DIVIDED], ids=lambda case: case.program)
def test_parts_are_right_with_wide_arcs(case: Case) -> None:
    graph = fresh(case.suits(ZOO["random"]))
    for call in case.calls(graph)[:1]:
        result = compiled(case.path).run(graph, target="reference", devices=3, arguments=call)
        assert result.parts is not None
        case.check(graph, call, {p: result[p] for p in case.properties}, result.returned)


@every_device
def test_edges_as_values_are_64_bits(target: Target) -> None:
    graph = Graph.from_arcs(5, [0, 0, 2, 1, 3, 3, 2], [1, 2, 1, 3, 0, 3, 1], [7, 3, 1, 2, 9, 5, 4])
    program = starplat.compile(EDGES)
    found = target.run(program, graph, {"src": 0})
    expected = REFERENCE.run(program, graph, {"src": 0})
    assert found.returned == expected.returned
    for name in ("last", "least", "same", "twice"):
        assert found[name].tolist() == expected[name].tolist()
        assert found[name].dtype == (np.int32 if name == "twice" else np.int64)
    assert found["least"].tolist() == [0, 2, 3, 5, -1]
    again = target.run(program, graph, {"src": 0, "last": found["last"], "least": [-1, 0, 1, 2**40, 3]})
    assert again["least"].tolist() == found["least"].tolist()


@every_device
def test_edges_that_the_caller_gives_are_64_bits(target: Target) -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2])
    program = starplat.compile(
        "function f(Graph g, propNode<edge> p, propNode<bool> q) { forall (v in g.nodes()) { v.q = v.p == -1; } }"
    )
    result = target.run(program, graph, {"p": [-1, 2**40, 1]})
    assert result["p"].tolist() == [-1, 2**40, 1]
    assert result["q"].tolist() == [True, False, False]


@runtime_devices
def test_kernels_of_every_domain_take_wide_arcs(target: str) -> None:
    device = device_of(target)
    device.forget_graphs([test_executor.GRAPH])
    try:
        test_executor.test_kernels_over_arcs_neighbors_and_once(target)
        assert on_device(device, test_executor.GRAPH).wide_arcs
    finally:
        device.forget_graphs([test_executor.GRAPH])
