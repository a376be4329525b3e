"""Rounds that copy what the next one overwrites swap two arrays in a persistent kernel, and come to the same."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from tests.backends.emulated import Machine, emulated

ROUNDS = """
function rounds(Graph g, propNode<long> value, int rounds, propNode<long> seen) {{
  propNode<long> value_nxt;
  {before}
  for (int i = 0; i < rounds; i++) {{
    {first}
    forall (v in g.nodes(){filter}) {{
      long sum = i;
      for (w in g.neighbors(v)) {{ sum += w.value; }}
      {store}
    }}
    value = value_nxt;
    {behind}
  }}
  {after}
}}
"""
PLAIN = {
    **dict.fromkeys(("before", "first", "filter", "behind", "after"), ""),
    "store": "v.value_nxt = (sum + v.value) % 1000003;",
}
LOOKS_AT_BOTH = "forall (v in g.nodes()) { for (w in g.neighbors(v)) { v.seen += w.value + w.value_nxt; } }"

SWAPPED = {
    "plain": {},
    "the answer is used": {"after": "forall (v in g.nodes()) { v.seen = v.value + 1; }"},
    "a node looks at its new value": {"store": f"{PLAIN['store']} v.seen += v.value_nxt;"},
    "nodes look at old and new values before the copy": {"store": f"{PLAIN['store']} }} {LOOKS_AT_BOTH} {{"},
    "a round changes what it copies to": {"first": "forall (v in g.nodes()) { v.value += 1; }"},
    "a round may leave before the copy": {"store": f"{PLAIN['store']} }} if (i == 2) {{ break; }} {{"},
}
"""What else a program does whose copies become swaps."""

KEPT = {
    "some nodes keep their old value": {"filter": ".filter(v % 3 != 1)"},
    "a node may keep its old value": {"store": "if (sum % 3 != 1) { v.value_nxt = sum % 1000003; }"},
    "a round fills what it copies": {
        "store": f"{PLAIN['store']} }} if (i != 1) {{ g.attachNodeProperty(value_nxt = 3); }} {{"
    },
    "what is copied is used in the next round": {"store": "v.value_nxt = (sum + v.value_nxt) % 1000003;"},
    "what is copied is used before": {"first": "forall (v in g.nodes()) { v.seen += v.value_nxt; }"},
    "what is copied is used behind": {"behind": LOOKS_AT_BOTH},
    "what is copied is used afterwards": {"after": "forall (v in g.nodes()) { v.seen = v.value_nxt; }"},
    "what is copied has values before": {"before": "forall (v in g.nodes()) { v.value_nxt = v.value + 1; }"},
    "the loop is in another one": {"before": "for (int j = 0; j < 2; j++) {", "after": "}"},
    "a round has rounds of its own": {"first": f"for (int j = 0; j < 2; j++) {{ {LOOKS_AT_BOTH} }}"},
    "a round may end before the array is overwritten": {"first": "if (i == 2) { continue; }"},
    "the copy is part of a kernel": {"behind": "forall (v in g.nodes()) { v.seen += v.value; }"},
}
"""Near misses."""


def graph() -> Graph:
    ends = np.random.default_rng(3).integers(0, 90, (2, 500))
    return Graph.from_arcs(90, ends[0], ends[1])


def program(changed: dict[str, str]) -> starplat.Program:
    return starplat.compile(ROUNDS.format(**{**PLAIN, **changed}))


def swaps(changed: dict[str, str]) -> int:
    module = for_target(program(changed).module(), "cuda")
    return sum(isinstance(op, ir.Swap) for function in module.functions for op in walk_host(function.body))


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("name", [*SWAPPED, *KEPT])
def test_rounds_come_to_the_same(name: str) -> None:
    made = program({**SWAPPED, **KEPT}[name])
    for rounds in (0, 1, 2, 5):
        given = {"value": np.arange(90), "rounds": rounds}
        expected = made.run(graph(), target="reference", arguments=given)
        with emulated(Machine(blocks=3, threads=64, seed=rounds)):
            found = made.run(graph(), target="cuda", arguments=given)
        for property_name in ("value", "seen"):
            assert found[property_name].tolist() == expected[property_name].tolist(), rounds


@pytest.mark.parametrize("name", SWAPPED)
def test_a_copy_of_what_the_next_round_overwrites_becomes_a_swap(name: str) -> None:
    assert swaps(SWAPPED[name]) == 1


@pytest.mark.parametrize("name", KEPT)
def test_a_copy_of_what_is_used_otherwise_stays(name: str) -> None:
    assert swaps(KEPT[name]) == 0
