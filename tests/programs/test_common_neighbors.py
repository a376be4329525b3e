"""Loops over common neighbors run over them on every target, ascending, and count triangles as other spellings do."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import starplat
from starplat import DiagnosticError, Graph, Program, pipeline
from starplat.source import SourceFile
from tests.backends.emulated import Machine, emulated
from tests.programs.targets import Target, every_target
from tests.zoo import ZOO

PROGRAM = """
function f(Graph g, propEdge<int> common, propEdge<long> order, propEdge<int> above, propNode<int> met, node src) {
  forall (e in g.edges()) {
    for (w in g.common_neighbors(e.source, e.destination)) {
      e.common += 1;
      e.order = (e.order * 31 + w + 1) % 1000003;
    }
  }
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v)) {
      edge e = g.get_edge(v, u);
      node other = u;
      for (w in g.common_neighbors(v, other).filter(w > v)) {
        other = -1;
        e.above += 1;
        v.met += w;
      }
    }
  }
  int around = 0;
  forall (w in g.common_neighbors(src, g.neighbor(src, 0) == -1 ? src : g.neighbor(src, 0))) {
    around += 1;
  }
  return around;
}
"""
GRAPHS = ("one-node", "one-loop", "parallel", "parallel-undirected", "islands", "both-ways", "random", "random-dense")


@cache
def program() -> Program:
    return starplat.compile(PROGRAM)


def check(graph: Graph, result: Any) -> None:
    rows = [graph.columns[a:b].tolist() for a, b in zip(graph.row_offsets[:-1], graph.row_offsets[1:], strict=True)]
    common = [[w for w in rows[u] if w in rows[v]] for u, v in zip(graph.sources, graph.columns, strict=True)]
    met = [0] * graph.num_nodes
    for e, u in enumerate(graph.sources.tolist()):
        order = 0
        for w in common[e]:
            order = (order * 31 + w + 1) % 1000003
            met[u] += w if w > u else 0
        assert (result["common"][e], result["order"][e]) == (len(common[e]), order)
        assert result["above"][e] == sum(w > u for w in common[e])
    assert result["met"].tolist() == met
    other = rows[0][0] if rows[0] else 0
    assert result.returned == sum(w in rows[other] for w in rows[0])


@every_target
def test_they_are_the_neighbors_of_both(target: Target) -> None:
    for name in GRAPHS:
        check(ZOO[name], target.run(program(), ZOO[name], {"src": int(ZOO[name].original_id(0))}))


def test_they_are_in_a_checked_run_and_in_emulated_cuda() -> None:
    for name in GRAPHS:
        given = {"src": int(ZOO[name].original_id(0))}
        check(ZOO[name], program().run(ZOO[name], target="reference", checked=True, **given))
        with emulated(Machine(seed=1)):
            check(ZOO[name], program().run(ZOO[name], target="cuda", arguments=given))


def test_no_graph_has_none() -> None:
    text = """
function f(Graph g, propNode<int> k) {
  forall (v in g.nodes()) { forall (w in g.common_neighbors(v, v)) { v.k += 1; } }
}
"""
    for name in ("empty", "parallel", "islands"):
        found = starplat.compile(text).run(ZOO[name], target="reference")["k"]
        np.testing.assert_array_equal(found, np.diff(ZOO[name].row_offsets))


TRIANGLES = """
function f(Graph g) {{
  long count = 0;
  forall (v in g.nodes()) {{
    forall (u in g.neighbors(v).filter(u > v)) {{
      {loop}
    }}
  }}
  return count;
}}
"""


def test_counting_them_is_counting_triangles() -> None:
    spellings = (
        "forall (w in g.common_neighbors(v, u).filter(w > u)) { count += 1; }",
        "forall (w in g.neighbors(v).filter(w > u)) { if (g.is_an_edge(u, w)) { count += 1; } }",
    )
    texts = [
        pipeline.operators(pipeline.check(SourceFile("f.sp", TRIANGLES.format(loop=loop))), anonymous=True)
        for loop in spellings
    ]
    assert "intersect" in texts[0]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("for (w in g.common_neighbors(v)) { v.k += 1; }", "E0314"),
        ("for (w in g.common_neighbors(v, 1.5)) { v.k += 1; }", "E0301"),
        ("v.k = g.common_neighbors(v, v);", "E0308"),
    ],
)
def test_mistakes_are_said(text: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        starplat.compile(f"function f(Graph g, propNode<int> k) {{ forall (v in g.nodes()) {{ {text} }} }}")
    assert code in [d.code for d in caught.value.diagnostics]
