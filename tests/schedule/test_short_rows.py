"""Short rows: a thread has the arcs of two nodes under way, to add up, to ask, or to change neighbors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.backends.hip import HIP
from starplat.backends.scheduled import for_target
from starplat.graph import Graph
from starplat.runtime.facts import facts_of
from starplat.runtime.text import kernels_text_to_run
from starplat.schedule.balance import step
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
MARKS = """
function marks(Graph g, propNode<bool> waits, propNode<bool> open, propNode<int> mark, propEdge<int> weight) {{
  bool more = True;
  while (more) {{
    more = False;
    forall (v in g.nodes(){filter}) {{
      v.waits = False;
      forall (w in g.neighbors(v)) {{
        {work}
      }}
    }}
    forall (v in g.nodes().filter(waits)) {{ more = True; }}
  }}
}}
"""
GRID = GraphFacts(2**24, 2**25, 4, symmetric=True)
ROADS = GraphFacts(2**18, 2**19, 4, symmetric=True)
GRAPHS = {
    "rows of up to twelve arcs": (400, 900),
    "fewer nodes than threads": (90, 160),
    "a node more than threads": (193, 300),
    "no arcs": (300, 0),
    "no nodes": (0, 0),
}
ROUNDS = {"graph_coloring": "color", "maximal_independent_set": "in_set", "strongly_connected_components": "component"}
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


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("program", ROUNDS)
def test_rounds_find_the_same(program: str, graph: str, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GraphFacts, "has_short_rows", True)
    monkeypatch.setattr(step, "is_small", lambda *_: True)
    nodes, arcs = GRAPHS[graph]
    ends = np.random.default_rng(6).integers(0, max(nodes, 1), (2, arcs))
    directed, compiled = program == "strongly_connected_components", starplat.compile(program)
    made = Graph.from_arcs(nodes, ends[0], ends[1], directed=directed)
    expected = compiled.run(made, target="reference")[ROUNDS[program]]
    with emulated(MACHINES[machine]):
        found = compiled.run(made, target="cuda")[ROUNDS[program]]
    assert takes_short_rows(facts_of(made), source=program)
    np.testing.assert_array_equal(found, expected)


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


@pytest.mark.parametrize(
    ("changed", "taken"),
    [
        ({}, True),
        ({"work": "if (w.open) { w.mark += 2; }"}, True),
        ({"work": "if (v.open) { w.mark += 2; }"}, True),
        ({"filter": ""}, False),
        ({"work": "edge e = g.get_edge(v, w); w.mark += e.weight;"}, False),
        ({"work": "v.mark += 1;"}, False),
        ({"work": "int i = 0; while (i < w.mark) { i += 1; } w.mark += i;"}, False),
    ],
    ids=[
        "neighbors",
        "some neighbors",
        "of some nodes",
        "all nodes",
        "cells of arcs",
        "the node itself",
        "work that takes long",
    ],
)
def test_only_brief_changes_of_neighbors(changed: dict[str, str], taken: bool) -> None:
    source = MARKS.format(**{"filter": ".filter(waits)", "work": "w.mark += 1;", **changed})
    module = for_target(starplat.compile(source).module(), "cuda", None, ROADS)
    assert ("advance_short_rows(num_nodes" in kernels_text_to_run("cuda", module)) is taken
    assert not takes_short_rows(GRID, source=source)


ASKS = """
function asks(Graph g, propNode<int> mark, propNode<bool> waits) {{
  bool more = True;
  while (more) {{
    more = False;
    forall (v in g.nodes().filter(waits)) {{
      bool found = False;
      for (w in g.neighbors(v)) {{
        if ({test}) {{
          found = True;
          break;
        }}
      }}
      v.waits = !found;
      more = more || found;
    }}
  }}
}}
"""


@pytest.mark.parametrize(
    ("test", "at_once"),
    [
        ("w.waits && g.count_outNbrs(w) < g.count_outNbrs(v)", True),
        ("w.mark != 0 && v.mark % 7 == 3", True),
        ("w.mark != 0 && v.mark / w.mark == 3", False),
    ],
    ids=["two parts", "a known divisor", "a divisor that may be 0"],
)
def test_parts_of_a_test_are_asked_at_once_where_none_can_fail(test: str, at_once: bool) -> None:
    module = for_target(starplat.compile(ASKS.format(test=test)).module(), "cuda", None, ROADS)
    made = kernels_text_to_run("cuda", module)
    asked = made.split("ask_short_rows(num_nodes")[1].split("},\n")[1]
    assert ("&&" not in asked) is at_once


HALVINGS = "\nfunction halvings(int a) { int n = 0; while (a != 1) { a = a / 2; n += 1; } return n; }\n"
WORK = {"row": "g.count_outNbrs(w - 1) == 3", "loop": "halvings(w.mark) > 1"}
"""Tests that may fail, or not end, for nodes that are nobody's neighbor."""


@pytest.mark.parametrize("name", WORK)
def test_nodes_that_are_no_neighbors_are_not_asked_what_may_fail_of_them(name: str) -> None:
    more = HALVINGS if name == "loop" else ""
    asks = ASKS.format(test=WORK[name]) + more
    module = for_target(starplat.compile(asks).module(), "cuda", None, ROADS)
    assert "ask_short_rows(num_nodes" not in kernels_text_to_run("cuda", module)
    changes = MARKS.format(filter=".filter(waits)", work=f"if ({WORK[name]}) {{ w.open = True; }}") + more
    module = for_target(starplat.compile(changes).module(), "cuda", None, ROADS)
    made = kernels_text_to_run("cuda", module)
    call = made.split("advance_short_rows(num_nodes")[-1].split(");\n")[0]
    assert re.search(r"if \(.+\) open_\[w\]", call), "the work on an arc asks itself"


def test_a_loop_that_ends_for_neighbors_alone_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GraphFacts, "has_short_rows", True)
    monkeypatch.setattr(step, "is_small", lambda *_: True)
    work = f"if ({WORK['loop']}) {{ w.open = True; }}"
    program = starplat.compile(MARKS.format(filter=".filter(waits)", work=work) + HALVINGS)
    nodes = 90
    graph = Graph.from_arcs(nodes, np.array([0]), np.array([1]), directed=True)

    def given() -> dict[str, Any]:
        waits, mark = np.zeros(nodes, bool), np.zeros(nodes, np.int32)
        waits[0], mark[1] = True, 8
        return {"waits": waits, "open": np.zeros(nodes, bool), "mark": mark, "weight": np.ones(1, np.int32)}

    expected = program.run(graph, target="reference", arguments=given())
    with emulated(MACHINES["warps"]):
        found = program.run(graph, target="cuda", arguments=given())
    np.testing.assert_array_equal(found["open"], expected["open"])


@pytest.mark.parametrize(
    "source",
    [
        ASKS.format(test="v.mark > 3").replace("if (v.mark", "int x = w.mark;\n        if (v.mark"),
        MARKS.format(filter=".filter(waits)", work="if (w.open) { int x = w.mark; }"),
    ],
    ids=["ask", "change"],
)
def test_rows_whose_neighbors_nothing_needs_are_compiled(source: str) -> None:
    assert "short_rows(num_nodes" not in kernels_text_to_run(
        "cuda", for_target(starplat.compile(source).module(), "cuda", None, ROADS)
    )


@pytest.mark.parametrize(("memory", "short"), [("resident", True), ("mapped", False)])
@pytest.mark.parametrize("program", ["graph_coloring", "maximal_independent_set"])
def test_rows_of_the_host_are_not_taken_whole(program: str, memory: str, short: bool) -> None:
    schedule = parse_schedule(f"memory={memory}")
    made = kernels_text_to_run("cuda", for_target(starplat.compile(program).module(), "cuda", schedule, ROADS))
    assert ("ask_short_rows(num_nodes" in made) is short
    assert ("advance_short_rows(num_nodes" in made) is short


@pytest.mark.parametrize(("program", "one"), [("maximal_independent_set", True), ("closeness", False)])
def test_one_thread_of_a_block_stores_what_all_nodes_may_find(program: str, one: bool) -> None:
    made = kernels_text_to_run("cuda", for_target(starplat.compile(program).module(), "cuda", None, GRID))
    assert ("if (__syncthreads_or(more_part) && threadIdx.x == 0) more_found" in made) is one
    assert ("if (more_part) more_found" in made) is not one
