"""Flags that are cleared before they are read lose updates: such loops are no fixed points over a frontier."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from tests.analysis.test_races import facts_of
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

ROUNDS = """
function f(Graph g, propNode<int> level, node src) {
  propNode<bool> open;
  propNode<bool> next;
  g.attachNodeProperty(level = INF, open = False, next = False);
  src.level = 0;
  src.open = True;
  bool more = True;
  while (more) {
    more = False;
    FIRST
    forall (v in g.nodes().filter(open == True)) {
      forall (w in g.neighbors(v)) { <w.level, w.next, more> = <Min(w.level, v.level + 1), True, True>; }
    }
    LAST
  }
}
"""
CLEAR, FORGET, MOVE = "g.attachNodeProperty(open = False);", "g.attachNodeProperty(next = False);", "open = next;"
SPELLINGS = {
    "moved": ("", MOVE + FORGET),
    "forgotten first": (FORGET, MOVE),
    "cleared before": ("", CLEAR + MOVE + FORGET),
}
NEAR = {
    "forgotten before they move": ("", FORGET + MOVE),
    "moved before any is discovered": (MOVE + FORGET, ""),
    "cleared after they moved": ("", MOVE + FORGET + CLEAR),
    "cleared before they tell": (CLEAR, MOVE + FORGET),
    "cleared one by one": ("forall (v in g.nodes()) { v.open = False; }", MOVE + FORGET),
}


def _text(name: str) -> str:
    first, last = (SPELLINGS | NEAR)[name]
    return ROUNDS.replace("FIRST", first).replace("LAST", last)


@pytest.mark.parametrize("name", SPELLINGS)
def test_flags_that_stay_until_they_are_asked_for_are_a_frontier(name: str) -> None:
    assert operators_of(_text(name)) == operators_of(BFS)


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    program = starplat.compile(_text(name))
    for graph in (UGLY["knot"], UGLY["ladder"]):
        found, right = (
            program.run(graph, src=0, target="reference", checked=checked)["level"] for checked in (False, True)
        )
        assert np.array_equal(found, right), graph.name


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_levels_may_differ_by_the_order_of_nodes_where_flags_are_taken_back(name: str) -> None:
    facts = facts_of(_text(name))
    found = [warning.message for warning in facts.warnings]
    race = "race on property 'level': 'open' may be taken back before the node is visited"
    assert found == ([race] if name in NEAR else [])
    assert bool(facts.settled) == (name in SPELLINGS)
