"""Sums over short rows: a thread has the arcs of two nodes under way, and begins the next round with their sums."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends.hip import HIP
from starplat.backends.scheduled import for_target
from starplat.graph import Graph
from starplat.runtime.facts import facts_of
from starplat.runtime.text import kernels_text_to_run
from starplat.schedule.facts import GraphFacts
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated

SUMS = """
function sums(Graph g, propNode<{kind}> given, propNode<{kind}> found) {{
  for (int i = 0; i < 3; i++) {{
    forall (v in g.nodes(){filter}) {{
      {kind} sum = 0;
      for (w in g.nodes_to(v)) {{ sum += {value}; }}
      v.found = sum / 3 + 1;
    }}
    forall (v in g.nodes()) {{ v.given = v.found; }}
  }}
}}
"""
GRID = GraphFacts(2**24, 2**25, 4, symmetric=True)
GRAPHS = {
    "rows of up to twelve arcs": (400, 900),
    "fewer nodes than threads": (90, 160),
    "a node more than threads": (193, 300),
    "no arcs": (300, 0),
    "no nodes": (0, 0),
}
MACHINES = {"warps": Machine(3, 64), "wide warps": Machine(3, 64, warp=64, family=HIP)}


def text(facts: GraphFacts, target: str = "cuda", source: str | None = None) -> str:
    program = starplat.compile("pagerank" if source is None else source)
    return repr(for_target(program.module(), target, None, facts).kernels)


def takes_short_rows(facts: GraphFacts, target: str = "cuda", source: str | None = None) -> bool:
    return "short_rows=True" in text(facts, target, source)


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("machine", MACHINES)
def test_ranks_are_the_same(graph: str, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GraphFacts, "has_short_rows", True)
    nodes, arcs = GRAPHS[graph]
    ends = np.random.default_rng(5).integers(0, max(nodes, 1), (2, arcs))
    made, program = Graph.from_arcs(nodes, ends[0], ends[1]), starplat.compile("pagerank")
    expected = program.run(made, target="reference", max_iterations=4)["rank"]
    with emulated(MACHINES[machine]):
        found = program.run(made, target="cuda", max_iterations=4)
    assert takes_short_rows(facts_of(made))
    np.testing.assert_allclose(found["rank"], expected, rtol=1e-12)


@pytest.mark.parametrize("target", ["cuda", "hip"])
def test_threads_add_up_short_rows_and_begin_the_next_round(target: str) -> None:
    assert takes_short_rows(GRID, target)
    assert "for the next round" in text(GRID, target)


@pytest.mark.parametrize(
    "facts",
    [GraphFacts(2**24, 2**25, 9), GraphFacts(2**24, 5 * 2**24, 8), GraphFacts(2**16, 2**17, 4)],
    ids=["longer rows", "more arcs", "fewer nodes than threads"],
)
def test_other_graphs_keep_their_rows(facts: GraphFacts) -> None:
    assert not takes_short_rows(facts)


@pytest.mark.parametrize(
    ("changed", "taken"),
    [
        ({}, True),
        ({"kind": "long"}, False),
        ({"filter": ".filter(given > 1)"}, False),
        ({"value": "w.given + v.given"}, True),
        ({"value": "w.found"}, False),
    ],
    ids=["reals", "whole numbers", "some nodes", "what the node has too", "what is changed meanwhile"],
)
def test_only_sums_of_reals_of_all_nodes(changed: dict[str, str], taken: bool) -> None:
    source = SUMS.format(**{"kind": "double", "filter": "", "value": "w.given", **changed})
    assert takes_short_rows(GRID, source=source) is taken


@pytest.mark.parametrize(("memory", "short"), [("resident", True), ("mapped", False)])
def test_arcs_of_the_host_are_read_from_several_places(memory: str, short: bool) -> None:
    schedule = parse_schedule(f"memory={memory}")
    module = for_target(starplat.compile("pagerank").module(), "cuda", schedule, GRID)
    made = kernels_text_to_run("cuda", module)
    assert ("gather_short_rows(num_nodes" in made) is short
    assert ("gather_far_rows(num_nodes" in made) is not short
