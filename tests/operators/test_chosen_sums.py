"""Whole numbers that are added where a condition holds are added in a branch, and iterations that go on to the next are
branches too."""

from __future__ import annotations

import pytest

from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

HEAD = "function f(Graph g, propNode<int> x, propNode<node> who, propNode<double> y, long n, double r)"
EACH = "forall (v in g.nodes()) {{ {} }} return n;"
IN_BRANCHES = {
    "one or nothing": ("n += v.x > 2 ? 1 : 0;", "if (v.x > 2) { n += 1; }"),
    "nothing or one": ("n += v.x > 2 ? 0 : 1;", "if (!(v.x > 2)) { n += 1; }"),
    "a truth": ("n += v.x > 2;", "if (v.x > 2) { n += 1; }"),
    "a choice in a choice": ("n += v.x > 2 ? (v.x < 4 ? v.x : 0) : 0;", "if (v.x > 2) { if (v.x < 4) { n += v.x; } }"),
    "in the node's own cell": ("v.x += v.y > 1.0 ? 3 : 0;", "if (v.y > 1.0) { v.x += 3; }"),
    "iterations that go on": (
        "for (w in g.neighbors(v)) { if (w.x > 2) { continue; } n += w.x; }",
        "for (w in g.neighbors(v)) { if (w.x <= 2) { n += w.x; } }",
    ),
}
KEPT = {
    "one number or another": "n += v.x > 2 ? 1 : 2;",
    "reals": "r += v.x > 2 ? v.y : 0.0;",
    "a cell that may not be there": "node w = v.who; w.x += w >= 0 ? 1 : 0;",
    "a product": "n *= v.x > 2 ? 1 : 0;",
}


@pytest.mark.parametrize("name", IN_BRANCHES)
def test_what_is_added_under_a_condition_is_added_in_a_branch(name: str) -> None:
    chosen, branch = (f"{HEAD} {{ {EACH.format(body)} }}" for body in IN_BRANCHES[name])
    assert operators_of(chosen) == operators_of(branch)
    assert_as_written(chosen, (UGLY["knot"], UGLY["ladder"]))


@pytest.mark.parametrize("name", KEPT)
def test_what_is_added_to_in_either_case_keeps_its_choice(name: str) -> None:
    assert " ? " in operators_of(f"{HEAD} {{ {EACH.format(KEPT[name])} }}")
