"""A flag that is set wherever a loop counts says that it has counted; flags that say anything else stay."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

BOTH = """
function f(Graph g, propNode<int> a, propNode<int> b) {
  long left = g.num_nodes();
  bool again = True;
  int round = 0;
  g.attachNodeProperty(b = -1);
  while (left > 0 && round < 9) {
    again = False;
    forall (v in g.nodes()) {
      if (v.b == -1 && v.a <= round) { v.b = round; left -= 1; again = True; }
    }
    if (!again) { round = round + 2; }
    round++;
  }
}
"""
COUNTED = """
function f(Graph g, propNode<int> a, propNode<int> b) {
  long left = g.num_nodes();
  bool again = True;
  int round = 0;
  g.attachNodeProperty(b = -1);
  while (left > 0 && round < 9) {
    long counted = 0;
    forall (v in g.nodes()) {
      if (v.b == -1 && v.a <= round) { v.b = round; counted += 1; }
    }
    left -= counted;
    again = counted > 0;
    if (!again) { round = round + 2; }
    round++;
  }
}
"""
RESET = "    again = False;\n"
SPELLINGS = {
    "counted down": BOTH,
    "the flag first": changed(BOTH, ("left -= 1; again = True;", "again = True; left -= 1;")),
}
NEAR = {
    "the flag stays": changed(BOTH, (RESET, "")),
    "it is set elsewhere too": changed(
        BOTH, ("again = True; }\n", "again = True; }\n      if (v.a > 4) { again = True; }\n")
    ),
    "not all that count set it": changed(BOTH, ("1; again = True;", "1; if (v.a > 1) { again = True; }")),
    "it counts by two": changed(BOTH, ("left -= 1", "left -= 2")),
    "it counts elsewhere too": changed(
        BOTH, ("again = True; }\n", "again = True; }\n      if (v.a > 4) { left -= 1; }\n")
    ),
    "the flag is asked meanwhile": changed(BOTH, (RESET, RESET + "    if (again) { round++; }\n")),
    "the flag begins true": changed(BOTH, (RESET, "    again = round > 3;\n")),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_one_count_is_left(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(COUNTED)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_keeps_its_flag(name: str) -> None:
    assert "counted" not in operators_of(NEAR[name])
    assert operators_of(NEAR[name]).count(":= True") >= 2


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written((SPELLINGS | NEAR)[name], (UGLY[graph] for graph in ("knot", "ladder", "islands")))
