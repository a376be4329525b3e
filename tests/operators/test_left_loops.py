"""Endless loops that are left at one place are left at their ends; others stay."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

LEFT = """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  while (True) {
    bool again = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) { if (w.level == INF) { w.level = depth + 1; again = True; } }
    }
    if (!again) { break; }
    depth++;
  }
}
"""
OUTSIDE = (("  while (True) {\n    bool again = False;", "  bool again = True;\n  while (True) {\n    again = False;"),)
SPELLINGS = {
    "a flag of the round": LEFT,
    "a flag of the function": changed(LEFT, *OUTSIDE),
    "a flag that says that it is done": changed(
        LEFT, ("bool again = False", "bool done = True"), ("again = True", "done = False"), ("!again", "done")
    ),
}
NEAR = {
    "the counter is read": changed(LEFT, ("depth++;\n  }\n", "depth++;\n  }\n  src.level = depth;\n")),
    "more is done behind": changed(LEFT, ("    depth++;\n", "    depth++;\n    src.level = depth % 3;\n")),
    "it is left at two places": changed(LEFT, ("    depth++;\n", "    if (depth > 2) { break; }\n    depth++;\n")),
    "it may be left in a round": changed(LEFT, ("    if (!again)", "    if (depth == 2) { return; }\n    if (!again)")),
    "the counter is asked": changed(LEFT, ("!again", "!again || depth > 1")),
    "the end of the rounds comes nearer": changed(
        LEFT,
        ("  while (True) {", "  int n = g.num_nodes();\n  for (int i = 0; i < n; i++) {\n    n = 2;"),
        ("    if (!again) { break; }\n    depth++;", "    depth++;\n    if (!again) { break; }"),
    ),
    "a cell is asked": changed(LEFT, ("!again", "!again || src.level > 0")),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_it_is_a_search_by_levels(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(BFS)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_is_none(name: str) -> None:
    assert operators_of(NEAR[name]) != operators_of(BFS)


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written((SPELLINGS | NEAR)[name], (UGLY[graph] for graph in ("knot", "ladder", "islands")))


ADDED = changed(
    LEFT,
    ("bool again = False", "int many = 0"),
    ("again = True", "many += 1"),
    ("!again", "many == 0"),
    ("  int depth", "  int all = 0;\n  int depth"),
    ("    depth++;\n  }\n", "    depth++;\n    all -= many;\n  }\n  src.level = all;\n"),
)


@pytest.mark.parametrize(
    ("change", "is_left"),
    [((), False), ((("many == 0", "many < 2"),), True), ((("all -= many", "all -= depth"),), True)],
)
def test_what_is_0_where_it_is_left_may_be_added_behind(change: tuple[tuple[str, str], ...], is_left: bool) -> None:
    program = changed(ADDED, *change)
    assert ("break" in operators_of(program)) == is_left
    assert_as_written(program, (UGLY[graph] for graph in ("knot", "ladder", "islands")))


SMALL = """
function f(Graph g, propNode<double> rank, double least, int most) {
  propNode<double> next;
  g.attachNodeProperty(rank = 1.0);
  for (int i = 0; i < most; i++) {
    double change = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) { sum += u.rank / 8.0; }
      v.next = sum;
      change += abs(v.next - v.rank);
    }
    rank = next;
    if (change <= least) { break; }
  }
}
"""
AT_THE_END = changed(
    SMALL,
    (
        "  for (int i = 0; i < most; i++) {\n    double change",
        "  int i = 0;\n  double change;\n  if (i < most) { do {\n    change",
    ),
    ("    if (change <= least) { break; }\n  }\n", "    i++;\n  } while (!(change <= least) && i < most); }\n"),
)
LEFT_IN_A_ROUND = {
    "the counter is asked": ("change <= least", "change <= least || i > 1"),
    "it is left before the copy": (
        "    rank = next;\n    if (change <= least) { break; }",
        "    if (change <= least) { break; }\n    rank = next;",
    ),
    "it is left at two places": ("    rank = next;", "    if (change > 100.0) { break; }\n    rank = next;"),
    "the counter is the function's": ("  for (int i = 0; i < most; i++) {", "  int i;\n  for (i = 0; i < most; i++) {"),
    "more is done": ("{ break; }", "{ g.attachNodeProperty(rank = 0.5); break; }"),
}


def test_a_counted_loop_that_is_left_at_the_end_of_a_round_asks_there_for_both() -> None:
    assert operators_of(SMALL) == operators_of(AT_THE_END)
    assert_as_written(SMALL, (UGLY[graph] for graph in ("knot", "ladder", "islands")))


@pytest.mark.parametrize("name", LEFT_IN_A_ROUND)
def test_one_that_is_left_elsewhere_stays(name: str) -> None:
    program = changed(SMALL, LEFT_IN_A_ROUND[name])
    assert "break" in operators_of(program)
    assert_as_written(program, (UGLY[graph] for graph in ("knot", "ladder", "islands")))


@pytest.mark.parametrize(
    ("store", "is_copy"),
    [
        ("v.rank = v.next;", True),
        ("v.rank = v.next + 0.5;", False),
        ("v.rank = v.next; v.next = 0.5;", False),
        ("if (v > 2) { v.rank = v.next; }", False),
    ],
)
def test_a_loop_that_only_copies_is_a_copy(store: str, is_copy: bool) -> None:
    program = changed(SMALL, ("    rank = next;\n", f"    forall (v in g.nodes()) {{ {store} }}\n"))
    assert (operators_of(program) == operators_of(SMALL)) == is_copy
    assert_as_written(program, (UGLY[graph] for graph in ("knot", "ladder", "islands")))
