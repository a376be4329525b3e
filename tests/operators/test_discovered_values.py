"""What a discovery brings beside a flag goes with the level, or is found behind the search; near misses stay right."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

LEAST = """
function f(Graph g, propNode<bool> r, propNode<int> parent, node src) {
  propNode<bool> here;
  propNode<bool> there;
  propNode<int> low;
  g.attachNodeProperty(r = False, here = False, there = False, low = INF, parent = -1);
  src.r = True;
  src.here = True;
  bool some = True;
  while (some) {
    some = False;
    forall (v in g.nodes().filter(here)) {
      forall (w in g.neighbors(v)) {
        if (!w.r) { w.low = Min(w.low, v); w.there = True; }
      }
    }
    here = there;
    g.attachNodeProperty(there = False);
    forall (v in g.nodes().filter(here)) { v.r = True; v.parent = v.low; some = True; }
  }
}
"""
BEHIND = """
function f(Graph g, propNode<bool> r, propNode<int> parent, node src) {
  propNode<int> low;
  g.attachNodeProperty(r = False, low = INF, parent = -1);
  src.r = True;
  propNode<int> level;
  propNode<bool> active;
  g.attachNodeProperty(level = INF, active = False);
  src.level = 0;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) { <w.level, w.active> = <Min(w.level, v.level + 1), True>; }
    }
  }
  forall (v in g.nodes().filter(level != INF)) {
    forall (w in g.neighbors(v)) {
      if (w.level == v.level + 1) { w.low = Min(w.low, v); }
    }
  }
  forall (v in g.nodes().filter(level != INF)) {
    v.r = True;
    if (v.level > 0) { v.parent = v.low; }
  }
}
"""
STORES = "w.low = Min(w.low, v); w.there = True;"
COPIES = "    here = there;\n    g.attachNodeProperty(there = False);\n"
MARKS = "    forall (v in g.nodes().filter(here)) { v.r = True; v.parent = v.low; some = True; }\n"
MARKS_THERE = "    forall (v in g.nodes().filter(there)) { v.r = True; v.parent = v.low; some = True; }\n"
TAKES_OVER = """    forall (v in g.nodes()) {
      v.here = v.there;
      if (v.there) { v.r = True; v.parent = v.low; v.there = False; some = True; }
    }
"""
SPELLINGS = {
    "copied first": LEAST,
    "copied last": changed(LEAST, (COPIES + MARKS, MARKS_THERE + COPIES)),
    "taken over by each": changed(LEAST, (COPIES + MARKS, TAKES_OVER)),
    "set after": changed(LEAST, (STORES, "w.there = True; w.low = Min(w.low, v);")),
}
ANY = changed(
    LEAST, (STORES, "w.parent = v; w.there = True;"), ("  propNode<int> low;\n", ""), (" low = INF,", ""),
    (" v.parent = v.low;", ""),
)  # fmt: skip
CARRIED = changed(
    BEHIND, ("<w.level, w.active> = <Min(w.level, v.level + 1), True>", "<w.level, w.parent, w.active> ="
    " <Min(w.level, v.level + 1), v, True>"), ("  propNode<int> low;\n", ""), (" low = INF,", ""),
    ("""  forall (v in g.nodes().filter(level != INF)) {
    forall (w in g.neighbors(v)) {
      if (w.level == v.level + 1) { w.low = Min(w.low, v); }
    }
  }
""", ""), ("    if (v.level > 0) { v.parent = v.low; }\n", ""),
)  # fmt: skip
NEAR = {
    "the value is asked in the rounds": changed(LEAST, ("filter(here)) {\n", "filter(here && low > 2)) {\n")),
    "the value is stored elsewhere": changed(LEAST, ("    some = False;\n", "    some = False;\n    src.low = 7;\n")),
    "the value changes in the rounds": changed(
        LEAST, ("Min(w.low, v)", "Min(w.low, v + depth)"), ("  bool some", "  int depth = 0;\n  bool some"),
        (COPIES, COPIES + "    depth++;\n"),
    ),
    "all neighbors are given the value": changed(
        LEAST, (f"if (!w.r) {{ {STORES} }}", "w.low = Min(w.low, v); if (!w.r) { w.there = True; }")
    ),
    "the sum of all discoverers": changed(LEAST, ("w.low = Min(w.low, v);", "w.low += 1;"), ("low = INF", "low = 0")),
    "the copy is asked in the rounds": changed(LEAST, ("if (!w.r)", "if (!w.r && v.parent < 4)")),
    "another cell is copied": changed(
        LEAST, ("v.parent = v.low;", "v.parent = v.other; v.other = 1;"), ("node src", "propNode<int> other, node src")
    ),
    "the neighbor's value is copied to the discoverer": changed(LEAST, ("w.low = Min(w.low, v);", "v.low = 3;")),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_the_best_of_all_discoverers_is_found_behind_the_search(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(BEHIND)


def test_what_any_discoverer_stores_goes_with_the_level() -> None:
    assert operators_of(ANY) == operators_of(CARRIED)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_keeps_its_rounds(name: str) -> None:
    assert "level" not in operators_of(NEAR[name])
    assert operators_of(NEAR[name]) != operators_of(BEHIND)


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written((SPELLINGS | NEAR)[name], (UGLY[graph] for graph in ("knot", "ladder", "islands")))
