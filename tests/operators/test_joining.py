"""What all members of a set do alike is done where they join it; what else they do stays in the loop over them."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

PEELED = """
function f(Graph g, propNode<int> core, propNode<int> x) {
  g.attachNodeProperty(core = -1, x = 0);
  int k = 0;
  int left = g.num_nodes();
  while (left > 0) {
    propNode<bool> weak;
    g.attachNodeProperty(weak = False);
    forall (v in g.nodes().filter(core == -1)) {
      int with_me = 0;
      for (u in g.nodes_to(v)) { if (u != v && u.core == -1) { with_me++; } }
      v.weak = with_me <= k;
    }
    int gone = 0;
    forall (v in g.nodes().filter(weak)) { v.core = k; gone++; }
    if (gone == 0) { k++; } else { left = left - gone; }
  }
}
"""
JOINED = changed(
    PEELED,
    ("v.weak = with_me <= k;", "if (with_me <= k) { v.weak = True; v.core = k; gone++; }"),
    (
        "    forall (v in g.nodes().filter(core == -1)) {",
        "    int gone = 0;\n    forall (v in g.nodes().filter(core == -1)) {",
    ),
    ("    int gone = 0;\n    forall (v in g.nodes().filter(weak)) { v.core = k; gone++; }\n", ""),
)
STORE, VISIT = "v.weak = with_me <= k;", "{ v.core = k; gone++; }"
NEAR = {
    "the count begins before": [
        ("    int gone = 0;\n", ""),
        ("    propNode<bool> weak;", "    int gone = 0;\n    propNode<bool> weak;"),
    ],
    "the count begins with another number": [("int gone = 0;", "int gone = g.num_edges() - g.num_edges();")],
    "a number of its own": [("int gone = 0;", "int gone = 0; int now = k;"), ("v.core = k;", "v.core = now;")],
    "two ways to join": [(STORE, "if (with_me <= k) { v.weak = True; } if (with_me == k) { v.weak = True; }")],
    "joining twice": [(STORE, "v.weak = with_me < 0; v.weak = with_me <= k;")],
    "joined by neighbors": [
        (STORE, "for (u in g.nodes_to(v)) { v.weak = with_me <= k; } if (with_me == 0) { v.weak = True; }")
    ],
    "another k": [("    int gone = 0;", "    if (left > 4) { k++; }\n    int gone = 0;")],
    "a count that is asked": [
        ("    propNode<bool> weak;", "    int gone = 0;\n    propNode<bool> weak;"),
        ("    int gone = 0;\n    forall", "    forall"),
        ("filter(core == -1)", "filter(core == -1 && gone < 3)"),
    ],
    "a local": [(VISIT, "{ int own = v.x + k; v.core = own; gone++; v.x = k; }")],
    "a row that asks for cores": [
        (VISIT, "{ v.core = k; gone++; for (u in g.neighbors(v)) { if (u.core == -1 || u.core == k) { v.x += 1; } } }")
    ],
    "a row beside": [(VISIT, "{ v.core = k; gone++; for (u in g.neighbors(v)) { v.x += 1; } }")],
    "the count of a round is read between": [
        (
            "    forall (v in g.nodes().filter(weak))",
            "    left = left + gone;\n    forall (v in g.nodes().filter(weak))",
        )
    ],
    "members stay": [
        ("    g.attachNodeProperty(weak = False);\n", ""),
        ("    propNode<bool> weak;\n", ""),
        ("  int k = 0;", "  propNode<bool> weak;\n  g.attachNodeProperty(weak = False);\n  int k = 0;"),
        ("while (left > 0)", "while (left > 0 && k < 9)"),
    ],
    "members of others": [
        ("forall (v in g.nodes().filter(core == -1)) {\n", "forall (v in g.nodes()) {\n"),
        ("while (left > 0)", "while (left > 0 && k < 9)"),
    ],
}


def test_members_of_one_condition_do_where_they_join_what_all_do() -> None:
    peeled = operators_of(PEELED)
    assert "foreach" not in peeled
    assert peeled.count("each _") == operators_of(JOINED).count("each _") == 2
    assert_as_written(PEELED, UGLY.values())


@pytest.mark.parametrize("name", NEAR)
def test_a_set_that_others_see_gives_the_same_answers(name: str) -> None:
    assert_as_written(changed(PEELED, *NEAR[name]), (UGLY["knot"], UGLY["ladder"], UGLY["parallel"]))
