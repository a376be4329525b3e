"""One value for all nodes or arcs is as an array of it, on every target, and nothing of it crosses the bus."""

from __future__ import annotations

import math

import numpy as np
import pytest

import starplat
from starplat.graph import Graph, generators
from tests.programs.targets import Target, every_target

SUMS = """function f(Graph g, propNode<{type}> x, propEdge<{type}> w, propNode<{type}> seen, propEdge<{type}> kept) {{
  for (int i = 0; i < 3; i++) {{
    forall (v in g.nodes()) {{
      {type} sum = x.v;
      for (u in g.nodes_to(v)) {{
        edge e = g.get_edge(u, v);
        sum += u.x * e.w;
      }}
      v.seen = sum;
    }}
    forall (v in g.nodes()) {{
      v.x = v.seen;
    }}
  }}
  {changes}
}}
"""
CHANGES = "forall (v in g.nodes()) { for (u in g.neighbors(v)) { edge e = g.get_edge(v, u); e.w = e.w + e.kept; } }"
GRAPHS = {
    "skewed": generators.rmat(6, 4, 1),
    "one arc": Graph.from_arcs(3, np.array([2]), np.array([0])),
    "no arcs": Graph.from_arcs(3, np.zeros(0, np.int64), np.zeros(0, np.int64)),
    "nothing": Graph.from_arcs(0, np.zeros(0, np.int64), np.zeros(0, np.int64)),
}
TYPES = {"int": np.int32, "long": np.int64, "float": np.float32, "double": np.float64}


def program(type: str, changes: str = "") -> starplat.Program:
    return starplat.compile(SUMS.format(type=type, changes=changes).replace("x.v", "v.x"))


@every_target
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("changes", ["", CHANGES], ids=["read", "changed"])
def test_one_value_gives_what_an_array_of_it_gives(target: Target, type: str, changes: str) -> None:
    dtype, made = TYPES[type], program(type, changes)
    for graph in GRAPHS.values():
        n, m = graph.num_nodes, graph.num_arcs
        for weight in (2, 3):  # one run after another
            one = {"x": 1, "w": weight, "kept": 5}
            each = {"x": np.ones(n, dtype), "w": np.full(m, weight, dtype), "kept": np.full(m, 5, dtype)}
            found, expected = (target.run(made, graph, given) for given in (one, each))
            for name in ("x", "w", "seen", "kept"):
                assert np.array_equal(found[name], expected[name])
                assert found[name].dtype == expected[name].dtype


@every_target
@pytest.mark.parametrize("value", [-0.0, math.nan, math.inf, 5e-324])
def test_every_bit_of_one_value_arrives(target: Target, value: float) -> None:
    text = "function f(Graph g, propNode<double> x, propNode<double> y) { forall (v in g.nodes()) { v.y = v.x; } }"
    found = target.run(starplat.compile(text), GRAPHS["skewed"], {"x": value})
    expected = np.full(GRAPHS["skewed"].num_nodes, value)
    for name in ("x", "y"):
        assert np.array_equal(found[name].view(np.int64), expected.view(np.int64))


@every_target
def test_nothing_crosses_for_one_value(target: Target) -> None:
    graph, made = GRAPHS["skewed"], program("double")
    crossed = [target.run(made, graph, {"x": 1.0, "w": weight, "results": []}).bytes.up for weight in (2.0, 3.0)]
    assert crossed[1] == 0


@every_target
@pytest.mark.parametrize("memory", ["mapped", "ondemand", "chunks"])
def test_one_value_lies_where_the_schedule_has_it(target: Target, memory: str) -> None:
    graph, made = GRAPHS["skewed"], program("double")
    expected = made.run(graph, target="reference", x=1.0, w=2.0)
    try:
        found = target.run(made, graph, {"x": 1.0, "w": 2.0, "schedule": f"memory={memory}"})
    except starplat.DiagnosticError as error:
        if error.diagnostics[0].code == "E0665":  # the target has no such memory
            return
        raise
    for name in ("x", "w"):
        assert np.allclose(found[name], expected[name])
