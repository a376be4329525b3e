"""Bounds that fall until as many neighbors as they say have bounds as high are found by peeling; near misses stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import cuda_of, operators_of
from tests.spellings.graphs import UGLY

PEELING = Path(__file__).parents[2] / "examples" / "k_core.sp"
BY_ONE = """
function f(Graph g, propNode<int> core) {
  g.attachNodeProperty(core = 0);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.core += 1; } }
  bool fell = True;
  while (fell) {
    fell = False;
    forall (v in g.nodes()) {
      int high = 0;
      for (u in g.nodes_to(v).filter(u != v)) { if (u.core >= v.core) { high += 1; } }
      if (high < v.core) { v.core -= 1; fell = True; }
    }
  }
}
"""
VISIT = """      int high = 0;
      for (u in g.nodes_to(v).filter(u != v)) { if (u.core >= v.core) { high += 1; } }
      if (high < v.core) { v.core -= 1; fell = True; }
"""
FAR = (
    VISIT,
    """      int h = v.core;
      bool low = True;
      while (low) {
        int high = 0;
        for (u in g.nodes_to(v).filter(u != v)) { if (u.core >= h) { high += 1; } }
        low = high < h;
        if (low) { h -= 1; }
      }
      if (h != v.core) { v.core = h; fell = True; }
""",
)
OLD = ("    fell = False;\n", "    propNode<int> old;\n    old = core;\n    fell = False;\n")
COUNT = "forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.core += 1; } }"
PEELED = """
function f(Graph g, propNode<int> core) {
  propNode<int> degree;
  propNode<bool> peeling;
  g.attachNodeProperty(core = -1, degree = 0, peeling = False);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.degree += 1; } }
  int left = g.num_nodes();
  int k = 0;
  while (left > 0) {
    int peeled = 0;
    forall (v in g.nodes().filter(core == -1 && degree <= k)) { v.core = k; v.peeling = True; peeled += 1; }
    forall (u in g.nodes().filter(peeling)) {
      u.peeling = False;
      forall (v in g.neighbors(u).filter(v != u)) { v.degree -= 1; }
    }
    left -= peeled;
    if (peeled == 0) { k += 1; }
  }
}
"""
SPELLINGS = {
    "as it stands": [],
    "pushed at first": [
        (COUNT, "forall (u in g.nodes()) { for (v in g.neighbors(u).filter(v != u)) { v.core += 1; } }")
    ],
    "loops count at first": [(COUNT, COUNT.replace(".filter(u != v)", ""))],
    "do while": [("while (fell) {", "do {"), ("    }\n  }\n}", "    }\n  } while (fell);\n}")],
    "the other way round": [("u.core >= v.core", "!(v.core > u.core)"), ("high < v.core", "!(high >= v.core)")],
    "a local": [("int high = 0", "int b = v.core; int high = 0"), ("v.core -= 1", "v.core = b - 1"), (">= v", ">= v")],
    "those of the round before": [OLD, ("u.core >= v.core", "u.old >= v.old"), ("v.core -= 1", "v.core = v.old - 1")],
    "as far as it goes": [FAR],
    "the flag first": [FAR, ("int h = v.core;\n      bool low = True;", "bool low = True;\n      int h = v.core;")],
    "one after another": [FAR, ("fell = False;\n    forall", "fell = False;\n    for")],
    "left in the middle": [
        FAR,
        (
            "        low = high < h;\n        if (low) { h -= 1; }\n",
            "        if (high >= h) { break; }\n        h -= 1;\n",
        ),
    ],
    "at least once": [FAR, ("while (low) {\n", "do {\n"), ("h -= 1; }\n      }", "h -= 1; }\n      } while (low);")],
}
NEAR = {
    "above": [("u.core >= v.core", "u.core > v.core")],
    "to the count": [("v.core -= 1", "v.core = high")],
    "by two": [("v.core -= 1", "v.core = max(0, v.core - 2)")],
    "one less than most": [("high < v.core", "high + 1 < v.core")],
    "no more than": [("high < v.core", "high <= v.core && v.core > 0")],
    "a few rounds": [
        ("bool fell", "int r = 0;\n  bool fell"),
        ("(fell)", "(fell && r < 2)"),
        ("    fell =", "    r++; fell ="),
    ],
    "some begin lower": [("  bool fell", "  forall (v in g.nodes()) { if (v == 1) { v.core = 1; } }\n  bool fell")],
    "all begin lower": [(COUNT, "g.attachNodeProperty(core = 2);")],
    "others at first": [(COUNT, COUNT.replace("nodes_to", "neighbors"))],
    "fewer at first": [(COUNT, COUNT.replace("u != v", "u > v"))],
    "rounds are counted": [
        ("<int> core)", "<int> core, propNode<int> rounds)"),
        ("fell = True; }", "fell = True; v.rounds += 1; }"),
    ],
    "the last flag is read": [("    }\n  }\n}", "    }\n  }\n  if (!fell) { g.attachNodeProperty(core = 3); }\n}")],
    "some do not fall": [("g.nodes()) {\n", "g.nodes().filter(v > 1)) {\n")],
    "a step too far": [FAR, ("v.core = h", "v.core = max(0, h - 1)")],
    "a later turn lowers where there are enough": [
        FAR,
        ("bool low = True;", "bool low = True;\n      bool first = True;"),
        (
            "        low = high < h;\n        if (low) { h -= 1; }\n",
            "        if (high < h) { h -= 1; first = False; }\n        else { if (!first) { h -= 1; } low = False; }\n",
        ),
    ],
    "the round before is seen": [
        ("<int> core)", "<int> core, propNode<int> old)"),
        ("    fell = False;\n", "    old = core;\n    fell = False;\n"),
        ("u.core >= v.core", "u.old >= v.old"),
    ],
    "of some nodes": [("<int> core)", "<int> core, propNode<bool> ok)"), ("u.core >=", "u.ok && u.core >=")],
    "left before the rounds": [
        ("<int> core)", "<int> core, int most)"),
        ("  bool fell", "  if (most < 3) { return; }\n  bool fell"),
    ],
    "no round": [("bool fell = True", "bool fell = False")],
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_core_numbers_are_found_by_peeling(name: str) -> None:
    assert operators_of(changed(BY_ONE, *SPELLINGS[name])) == operators_of(PEELING)


@pytest.mark.parametrize("name", ["as it stands", "as far as it goes"])
def test_the_kernels_are_those_of_peeling(name: str, tmp_path: Path) -> None:
    (tmp_path / "bounds.sp").write_text(changed(BY_ONE, *SPELLINGS[name]))
    (tmp_path / "peeling.sp").write_text(PEELED)
    assert cuda_of(tmp_path / "bounds.sp", {}) == cuda_of(tmp_path / "peeling.sp", {})


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_goes_on_as_it_is(name: str) -> None:
    assert "frontier" in operators_of(PEELING)
    assert "frontier" not in operators_of(changed(BY_ONE, *NEAR[name]))


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written(changed(BY_ONE, *(SPELLINGS | NEAR)[name]), (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))
