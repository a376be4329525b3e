"""Rounds whose last kernel does what the next round begins with, in a persistent kernel, come to the same."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import Graph
from starplat.schedule.facts import GraphFacts
from starplat.schedule.loop import ahead
from tests.backends.emulated import Machine, emulated

ROUNDS = """
function rounds(Graph g, propNode<long> value, int rounds, propNode<long> seen) {{
  propNode<long> given;
  propNode<long> value_nxt;
  {before}
  for (int i = 0; i < rounds; i++) {{
    {first}
    long sum = {start};
    forall (v in g.nodes(){filter}) {{
      sum += v.value % 7;
      {gives}
    }}
    {between}
    forall (v in g.nodes()) {{
      long joined = sum;
      for (w in g.neighbors(v)) {{ joined += {takes}; }}
      {store}
    }}
    {behind}
  }}
  {after}
}}
"""
PLAIN = {
    **dict.fromkeys(("before", "first", "filter", "between", "behind", "after"), ""),
    "start": "0",
    "gives": "v.given = v.value / 3 + g.count_outNbrs(v);",
    "takes": "w.given",
    "store": "v.value = joined % 1000003;",
}
COPIED = {"gives": "", "takes": "w.value", "store": "v.value_nxt = joined % 1000003;", "behind": "value = value_nxt;"}

LOOKS = "forall (v in g.nodes()) { for (w in g.neighbors(v)) { v.seen += w.given; } }"

AHEAD = {
    "plain": {},
    "the sum begins with a number": {"start": "5"},
    "nothing but a sum": COPIED,
    "nothing but a sum of some": {**COPIED, "filter": ".filter(value % 3 == 1)"},
    "what nodes give is of no use before": {"before": "g.attachNodeProperty(given = 7);"},
    "what nodes give is looked at twice": {"between": LOOKS},
    "nodes look at their rows' ends": {"gives": "v.given = v.value + g.count_outNbrs(v) * 2 + g.count_inNbrs(v);"},
    "the answer is used": {"after": "forall (v in g.nodes()) { v.seen = v.value + 1; }"},
}
"""What else a program does whose rounds begin ahead."""

KEPT = {
    "what nodes give is used afterwards": {"after": "forall (v in g.nodes()) { v.seen = v.given; }"},
    "nodes keep what they gave": {"gives": "v.given += v.value / 3;", "before": "g.attachNodeProperty(given = 0);"},
    "some nodes give nothing": {"gives": "if (v.value % 3 == 1) { v.given = v.value; }"},
    "nodes look at others": {"gives": "v.given = 1; for (w in g.neighbors(v)) { v.given += w.value; }"},
    "a division may fail": {"gives": "v.given = 100 / (v.value + 1);"},
    "a cell names a node": {"gives": "node u = int(v.value % 90); v.given = g.count_outNbrs(u) + u;"},
    "a cell names an arc": {"gives": "edge e = int(v.value % 90); v.given = e.weight + e.weight % 3;"},
    "an argument names a node": {"gives": "node u = (v + rounds) % 90; v.given = g.count_outNbrs(u) + u;"},
    "an arc is looked for": {"gives": "v.given = g.is_an_edge(v, rounds) ? 2 : 1;"},
    "the number of the round counts": {"gives": "v.given = v.value + i;"},
    "a round may end before": {"between": "if (i == 2) { continue; }"},
    "the sum begins with what was found": {"first": "forall (v in g.nodes()) { v.value += 1; }"},
    "the sum begins with a choice": {"start": "0; if (rounds > 3) { sum = 5; } sum += 1"},
    "the sum begins anew": {"start": "0; sum = rounds"},
    "the value changes afterwards": {"behind": "if (i == 2) { forall (v in g.nodes()) { v.value += 1; } }"},
    "the loop is in another one": {"before": "for (int j = 0; j < 2; j++) {", "after": "}"},
}
"""Near misses."""


def graph() -> Graph:
    ends = np.random.default_rng(3).integers(0, 90, (2, 500))
    return Graph.from_arcs(90, ends[0], ends[1])


def program(changed: dict[str, str]) -> starplat.Program:
    return starplat.compile(ROUNDS.format(**{**PLAIN, **changed}))


def begins_ahead(changed: dict[str, str], arcs: int = 2**20) -> bool:
    module = for_target(program(changed).module(), "cuda", None, GraphFacts(2**18, arcs, 64))
    return any("for the next round" in kernel.comment for kernel in module.kernels)


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("name", [*AHEAD, *KEPT])
def test_rounds_come_to_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "is_small", lambda nodes, arcs: True)
    made = program({**AHEAD, **KEPT}[name])
    for rounds in (0, 1, 2, 5):
        given = {"value": np.arange(90), "rounds": rounds}
        expected = made.run(graph(), target="reference", arguments=given)
        with emulated(Machine(blocks=3, threads=64, seed=rounds)):
            found = made.run(graph(), target="cuda", arguments=given)
        for property_name in ("value", "seen"):
            assert found[property_name].tolist() == expected[property_name].tolist(), rounds


@pytest.mark.parametrize("name", AHEAD)
def test_the_last_kernel_begins_the_next_round(name: str) -> None:
    assert begins_ahead(AHEAD[name])


@pytest.mark.parametrize("name", KEPT)
def test_a_round_begins_by_itself_where_the_start_of_one_more_would_show(name: str) -> None:
    assert not begins_ahead(KEPT[name])


@pytest.mark.parametrize("arcs", [2**16, 2**22])
def test_a_kernel_that_sums_rows_of_other_graphs_keeps_its_registers(arcs: int) -> None:
    assert not begins_ahead(AHEAD["plain"], arcs)


@pytest.mark.parametrize(("far", "begins"), [(0.5, True), (0.0, False)])
def test_on_large_graphs_sums_in_parts_begin_the_next_round(far: float, begins: bool) -> None:
    """What follows the last part walks no rows."""
    facts = GraphFacts(2**22, 2**27, 64, True, far)
    module = for_target(starplat.compile("pagerank").module(), "cuda", None, facts)
    assert any("for the next round" in kernel.comment for kernel in module.kernels) is begins
