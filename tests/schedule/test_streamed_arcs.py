"""Sums over the arcs of all nodes of a large graph: what is read once is not to stay in the caches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import Graph
from starplat.runtime.facts import facts_of
from starplat.runtime.text import kernels_text_to_run
from starplat.schedule.facts import GraphFacts
from tests.backends.emulated import Machine, emulated
from tests.backends.test_cuda import to_machine_code

PRODUCTS = """
function products(Graph g, propNode<{kind}> value, propEdge<{kind}> toll, propEdge<bool> open, propNode<{kind}> sums) {{
  for (int i = 0; i < 3; i++) {{
    forall (v in g.nodes(){filter}) {{
      {kind} sum = 0;
      for (w in g.neighbors(v)) {{
        edge e = g.get_edge(v, w);
        {added}
      }}
      v.sums = sum;
    }}
    forall (v in g.nodes()) {{ v.value = v.sums / 9; }}
  }}
}}
"""
PLAIN = {"kind": "double", "filter": "", "added": "if (e.open) { sum += w.value * e.toll; }"}
LARGE = GraphFacts(2**22, 2**27, 2**17, symmetric=True, far_arcs=0.56)
GRAPHS = {"long rows": (300, 9000), "fewer nodes than threads": (90, 160), "no arcs": (300, 0), "no nodes": (0, 0)}


def text(facts: GraphFacts, target: str = "cuda", **change: str) -> str:
    module = starplat.compile(PRODUCTS.format(**{**PLAIN, **change})).module()
    return kernels_text_to_run(target, for_target(module, target, None, facts))


@pytest.mark.parametrize("even", [False, True], ids=["uneven", "even"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_sums_are_the_same(graph: str, even: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GraphFacts, "outgrows_caches", True)
    nodes, arcs = GRAPHS[graph]
    draw = np.random.default_rng(5)
    ends = draw.integers(0, max(nodes, 1), (2, arcs))
    ends[0][: arcs // 3] = 0
    made = Graph.from_arcs(nodes, ends[0], ends[1]).deduplicated()
    program = starplat.compile(PRODUCTS.format(**PLAIN))
    given = {"value": draw.random(nodes), "toll": draw.random(made.num_arcs), "open": draw.random(made.num_arcs) < 0.7}
    expected = program.run(made, target="reference", arguments=given)["value"]
    monkeypatch.setattr(GraphFacts, "has_even_rows", even)
    with emulated(Machine(3, 64)):
        found = program.run(made, target="cuda", arguments=given)
    made_text = text(facts_of(made))
    assert "__ldcs(" in made_text
    assert ("gather_evenly(num_nodes" in made_text) is not even
    np.testing.assert_allclose(found["value"], expected)


def test_few_long_rows_are_cut_into_pieces() -> None:
    assert "gather_evenly(num_nodes" in text(LARGE)
    assert "gather_evenly" not in text(replace(LARGE, max_degree=4 * 32))


def test_several_sums_of_a_kernel_share_the_place_for_values(tmp_path: Path) -> None:
    facts = GraphFacts(2**25, 2**29, 100_000, far_arcs=0.9)
    made = kernels_text_to_run("cuda", for_target(starplat.compile("hits").module(), "cuda", None, facts))
    assert made.count("gather_evenly(num_nodes") > 1
    to_machine_code(made, tmp_path)


def test_what_arcs_have_is_read_past_the_caches_and_what_nodes_have_is_not() -> None:
    made = text(LARGE)
    assert "__ldcs(&columns[e])" in made
    assert "__ldcs(&toll[e])" in made
    assert made.count("__ldcs(") == 2


@pytest.mark.parametrize(
    ("facts", "target", "change"),
    [
        (replace(LARGE, far_arcs=0.4), "cuda", {}),
        (replace(LARGE, num_arcs=2**23), "cuda", {}),
        (LARGE, "hip", {}),
        (LARGE, "opencl", {}),
        (LARGE, "cuda", {"kind": "int"}),
        (LARGE, "cuda", {"filter": ".filter(value > 0)"}),
        (LARGE, "cuda", {"added": "sum = min(sum, w.value * e.toll);"}),
    ],
    ids=["near each other", "few arcs", "HIP", "OpenCL", "whole numbers", "some nodes", "the least"],
)
def test_other_kernels_read_arcs_as_they_did(facts: GraphFacts, target: str, change: dict[str, str]) -> None:
    assert "__ldcs(" not in text(facts, target, **change)
