"""Devices change their graph by themselves: cells of every type stay with their arcs, and no arc crosses."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat import Graph
from starplat.diagnostics import DiagnosticError
from starplat.graph import generators
from starplat.graph.updates import ADD, DELETE, Updates
from tests.programs.targets import Target, every_target

CARRY = """
Dynamic carry(Graph g, propEdge<long> weight, propEdge<bool> flag, propEdge<int> number, propEdge<float> single,
              propEdge<double> real, propEdge<node> end, propNode<long> strength, propNode<int> sources,
              updates<g> U, int size) {
  Batch (U : size) {
    g.updateCSRDel(U);
    g.updateCSRAdd(U);
    forall (v in g.nodes()) {
      v.strength = 0;
      v.sources = 0;
      for (w in g.nodes_to(v)) {
        edge e = g.get_edge(w, v);
        v.strength += e.weight;
        v.sources += w;
      }
    }
    forall (e in g.edges()) {
      e.end = e.end == -1 ? e.destination : e.end;
      e.number += e.source;
    }
  }
}"""


def updates_for(graph: Graph, count: int, seed: int = 1) -> Updates:
    """Arcs that there are and others, added and deleted, some of them again and again."""
    draw = np.random.default_rng(seed)
    n, arcs = graph.num_nodes, draw.integers(0, graph.num_arcs, count)
    known = draw.random(count) < 0.7
    sources = np.where(known, graph.sources[arcs], draw.integers(0, min(n, 9), count))
    destinations = np.where(known, graph.columns[arcs], draw.integers(0, min(n, 9), count))
    kinds = np.where(draw.random(count) < 0.5, ADD, DELETE)
    return Updates.of(graph, kinds, sources, destinations, draw.integers(1, 99, count))


def cells_of_arcs(graph: Graph) -> dict[str, np.ndarray]:
    numbers = np.arange(graph.num_arcs)
    return {
        "flag": numbers % 3 == 0,
        "number": numbers,
        "single": numbers / 2,
        "real": numbers / 4,
        "end": graph.sources,
    }


@every_target
@pytest.mark.parametrize("directed", [True, False])
def test_cells_of_every_type_stay_with_their_arcs(target: Target, directed: bool) -> None:
    drawn = generators.rmat(5, 4, 1, weights=(1, 255))
    graph = Graph.from_arcs(drawn.num_nodes, drawn.sources, drawn.columns, drawn.weights, directed=directed)
    call = {**cells_of_arcs(graph), "U": updates_for(graph, 60), "size": 13}
    program = starplat.compile(CARRY)
    found, right = target.run(program, graph, call), program.run(graph, checked=True, **call)
    for name in right:
        np.testing.assert_array_equal(found[name], right[name], name)
    for array in ("row_offsets", "columns", "weights"):
        np.testing.assert_array_equal(getattr(found.graph, array), getattr(right.graph, array))


@pytest.mark.parametrize("target", ["openmp", "opencl"])
def test_batches_bring_their_updates_to_the_device_and_no_arc(target: str) -> None:
    graph = generators.rmat(10, 16, 1, weights=(1, 255))
    program, updates = starplat.compile(CARRY), updates_for(graph, 64)
    one, many = (
        program.run(graph, target=target, U=updates, size=size, results=[], **cells_of_arcs(graph)) for size in (64, 4)
    )
    assert many.bytes.up - one.bytes.up < graph.num_arcs


def test_weights_of_updates_that_a_property_cannot_hold_are_refused() -> None:
    graph = generators.rmat(4, 4, 1, weights=(1, 9))
    with pytest.raises(DiagnosticError) as refused:
        starplat.dynamic_sssp(graph, target="openmp", src=0, changes=[("a", 1, 2, 0.5)])
    assert [d.code for d in refused.value.diagnostics] == ["E0708"]


INTO_ONE_NODE = """
Dynamic f(Graph g, propEdge<long> weight, propNode<long> into, node v, updates<g> U, int size) {
  Batch (U : size) {
    g.updateCSRDel(U);
    g.updateCSRAdd(U);
    forall (u in g.nodes_to(v).filter(u > 1)) {
      edge e = g.get_edge(u, v);
      u.into += e.weight;
    }
  }
}"""


@pytest.mark.parametrize("target", ["openmp", "opencl"])
def test_weights_of_arcs_into_one_node_are_those_of_the_graph_as_it_is_then(target: str) -> None:
    graph = generators.rmat(4, 4, 1, weights=(1, 255))
    program, call = starplat.compile(INTO_ONE_NODE), {"U": updates_for(graph, 40), "size": 7, "v": 2}
    found, right = program.run(graph, target=target, **call), program.run(graph, checked=True, **call)
    np.testing.assert_array_equal(found["into"], right["into"])
