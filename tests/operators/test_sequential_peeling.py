"""Nodes that leave a set in turn leave it together where the order cannot show; near misses stay right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

PEELING = Path(__file__).parents[2] / "examples" / "k_core.sp"
IN_TURN = """
function f(Graph g, propNode<int> core) {
  propNode<int> d;
  g.attachNodeProperty(core = -1, d = 0);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.d += 1; } }
  int k = 0;
  int sum = 0;
  int left = g.num_nodes();
  while (left > 0) {
    bool more = False;
    for (v in g.nodes()) {
      if (v.core == -1 && v.d <= k) {
        v.core = k;
        left--;
        more = True;
        for (w in g.neighbors(v)) { if (w.core == -1) { w.d--; } }
      }
    }
    if (!more) { k++; }
  }
}
"""
SPELLINGS = {
    "as it stands": [],
    "every arc counts": [("if (w.core == -1) { w.d--; }", "if (w != v) { w.d--; }")],
    "the row first": [("v.core = k;\n", ""), ("w.d--; } }\n", "w.d--; } }\n        v.core = k;\n")],
    "below": [("v.d <= k", "k + 1 > v.d")],
}
ROUND = "    if (!more) { k++; }\n"
FIRST = "  forall (v in g.nodes()) { if (v == 1) { v.core = 0; } }\n"
GIVEN = ("<int> core)", "<int> core, node src)")
NEAR = {
    "a last bound": [("left > 0", "left > 0 && k < 3")],
    "some stay": [("v.d <= k", "v.d <= k && v % 3 != 1"), ("left > 0", "k < 9")],
    "its place in the order": [("v.core = k;", "v.core = k; sum += left;"), (ROUND, ROUND + "    k += sum % 2;\n")],
    "its place is stored": [("v.core = k;", "v.core = g.num_nodes() - left;")],
    "numbers that rise": [("w.d--", "w.d++"), ("left > 0", "k < 12")],
    "a bound from above": [("v.d <= k", "v.d >= 3 - k"), ("left > 0", "k < 5")],
    "a bound that rises meanwhile": [("more = True;", "more = True; k += v % 2;")],
    "rounds are counted": [(ROUND, ROUND.replace("{ k++; }", "{ k++; }\n    k += sum;\n    sum = 1;"))],
    "the bound rises in any case": [(ROUND, "    k++;\n")],
    "left before all are": [("left > 0", "left > 4")],
    "more than there are": [("int left = g.num_nodes();", "int left = g.num_nodes(); left += 0 - 2;")],
    "some have left": [("  int k = 0;\n", FIRST + "  int k = 0;\n"), ("left > 0", "left > 0 && k < 9")],
    "its number is asked for": [(ROUND + "  }\n", ROUND + "  }\n  forall (v in g.nodes()) { v.core += v.d; }\n")],
    "another set": [("if (w.core == -1)", "if (w.core <= 0)"), ("v.core = k;", "v.core = k; sum = v.d;")],
    "the number of another": [("v.d <= k", "v.d <= k + src.d"), GIVEN, ("left > 0", "k < 9")],
    "a set that may not be left": [("v.core = k;", "v.core = min(k, 7);")],
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_nodes_leave_together(name: str) -> None:
    assert operators_of(changed(IN_TURN, *SPELLINGS[name])) == operators_of(PEELING)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_goes_on_in_turn(name: str) -> None:
    assert "one after another" in operators_of(changed(IN_TURN, *NEAR[name]))


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written(changed(IN_TURN, *(SPELLINGS | NEAR)[name]), (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))
