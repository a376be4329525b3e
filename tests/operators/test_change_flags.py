"""Flags of nodes whose numbers have changed are dropped where the numbers say it all; near misses stay right."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

CHECKED = """
function f(Graph g, propNode<int> core) {
  propNode<int> d;
  propNode<bool> check;
  propNode<bool> out;
  g.attachNodeProperty(core = -1, d = 0);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.d++; } }
  long left = g.num_nodes();
  int k = 0;
  bool stable = False;
  while (left > 0) {
    g.attachNodeProperty(check = True);
    fixedPoint until (stable : !check) {
      g.attachNodeProperty(out = False);
      forall (v in g.nodes().filter(check)) {
        if (v.core == -1 && v.d <= k) { v.core = k; v.out = True; left -= 1; }
      }
      g.attachNodeProperty(check = False);
      forall (v in g.nodes().filter(out)) {
        forall (w in g.neighbors(v)) {
          if (w != v) { w.d -= 1; w.check = True; }
        }
      }
    }
    k++;
  }
}
"""
ALL = """
function f(Graph g, propNode<int> core) {
  propNode<int> d;
  propNode<bool> out;
  g.attachNodeProperty(core = -1, d = 0);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.d++; } }
  long left = g.num_nodes();
  int k = 0;
  while (left > 0) {
    bool more = True;
    do {
      more = False;
      g.attachNodeProperty(out = False);
      forall (v in g.nodes()) {
        if (v.core == -1 && v.d <= k) { v.core = k; v.out = True; left -= 1; more = True; }
      }
      forall (v in g.nodes().filter(out)) { forall (w in g.neighbors(v)) { if (w != v) { w.d -= 1; } } }
    } while (more);
    k++;
  }
}
"""
FILL = "    g.attachNodeProperty(check = True);\n"
OUT = "      g.attachNodeProperty(out = False);\n"
CLEAR = "      g.attachNodeProperty(check = False);\n"
NOT_LONG = ("left > 0", "left > 0 && k < 4")
ENDS = "    k++;\n"
NEAR = {
    "some begin without it": [(FILL, FILL + "    forall (v in g.nodes()) { v.check = v % 2 == 0; }\n"), NOT_LONG],
    "no word to some": [("w.check = True;", "if (w % 2 == 0) { w.check = True; }")],
    "no word of another number": [("v.core = k;", "v.core = k; v.d = 9;"), ("w.d -= 1; w.check", "w.d -= 2; v.check")],
    "a set that may not be left": [("v.core = k;", "v.core = min(k, 7);")],
    "a bound that rises meanwhile": [("v.d <= k", "v.d <= k + left % 2"), NOT_LONG],
    "one more thing in a round": [(CLEAR, CLEAR + "      k += 1;\n")],
    "asked for in the end": [(ENDS, ENDS + "    forall (v in g.nodes().filter(out)) { v.core += 5; }\n"), NOT_LONG],
    "the end is asked for": [(ENDS, "    if (stable) { k++; }\n    k++;\n")],
    "cleared in the end": [(OUT, ""), ("    }\n" + ENDS, OUT + "    }\n" + ENDS), ("d = 0);", "d = 0, out = False);")],
    "about a neighbor": [("v.out = True;", "v.out = True; src.d = 0;"), ("<int> core)", "<int> core, node src)")],
}


def test_such_a_flag_is_dropped() -> None:
    assert operators_of(CHECKED) == operators_of(ALL)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_keeps_it(name: str) -> None:
    text = changed(CHECKED, *NEAR[name])
    assert "more" not in text
    assert "do while" not in operators_of(text)


@pytest.mark.parametrize("name", ["", *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written(changed(CHECKED, *NEAR.get(name, [])), (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))
