"""Two branches that lower one end of an arc or the other are two offers; near misses stay right."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

BOTH_ENDS = """
function f(Graph g, propNode<int> c) {
  for (v in g.nodes()) { v.c = v; }
  bool same = False;
  while (!same) {
    same = True;
    for (v in g.nodes()) {
      for (w in g.neighbors(v)) {
        if (w.c > v.c) { w.c = v.c; same = False; } else if (w.c < v.c) { v.c = w.c; same = False; }
      }
    }
  }
}
"""
APART = changed(BOTH_ENDS, ("} else if (w.c < v.c)", "} if (w.c < v.c)"))
SPELLINGS = {
    "mirrored": changed(BOTH_ENDS, ("else if (w.c < v.c)", "else if (v.c > w.c)")),
    "the other end first": changed(
        BOTH_ENDS,
        ("if (w.c > v.c) { w.c = v.c;", "if (w.c < v.c) { v.c = w.c;"),
        ("else if (w.c < v.c) { v.c = w.c;", "else if (w.c > v.c) { w.c = v.c;"),
    ),
    "said first": changed(BOTH_ENDS, ("{ w.c = v.c; same = False; }", "{ same = False; w.c = v.c; }")),
}
NEAR = {
    "one less": changed(BOTH_ENDS, ("{ w.c = v.c;", "{ w.c = max(v.c - 1, 0);")),
    "another node's": changed(BOTH_ENDS, ("else if (w.c < v.c) { v.c = w.c;", "else if (w.c < v.c) { v.c = w;")),
    "the same end twice": changed(BOTH_ENDS, ("{ v.c = w.c; same = False; }", "{ w.c = v.c; }")),
    "something else in between": changed(BOTH_ENDS, ("{ w.c = v.c; same", "{ w.c = v.c; v.c = v.c - v.c % 2; same")),
}


@pytest.mark.parametrize("name", ["as it stands", *SPELLINGS])
def test_branches_are_two_offers(name: str) -> None:
    operators = operators_of(SPELLINGS.get(name, BOTH_ENDS))
    assert "union-find" in operators
    if name != "the other end first":
        assert operators == operators_of(APART)


@pytest.mark.parametrize("name", NEAR)
def test_near_misses_are_not(name: str) -> None:
    assert operators_of(NEAR[name]) != operators_of(APART)


@pytest.mark.parametrize("name", NEAR)
def test_near_misses_mean_what_they_say(name: str) -> None:
    assert_as_written(changed(NEAR[name], ("while (!same) {", "for (int k = 0; k < 3; k++) {")), [UGLY["knot"]])


@settings(deadline=None)
@given(
    start=st.sampled_from(["v", "7 - v", "v % 3", "v * v % 11"]),
    row=st.sampled_from(["neighbors", "nodes_to"]),
    first=st.sampled_from(["w.c > v.c", "v.c < w.c"]),
    second=st.sampled_from(["w.c < v.c", "v.c > w.c", "v.c != w.c", "v.c - w.c > 1"]),
    stores=st.permutations(["w.c = v.c;", "same = False;"]),
    other=st.sampled_from(
        ["v.c = w.c; same = False;", "v.c = w.c;", "v.c = min(v.c, w.c);", "v.c -= 1; same = False;"]
    ),
)
def test_any_two_branches_mean_what_they_say(
    start: str, row: str, first: str, second: str, stores: list[str], other: str
) -> None:
    text = changed(
        BOTH_ENDS,
        ("v.c = v;", f"v.c = {start};"),
        ("neighbors", row),
        ("w.c > v.c", first),
        ("{ w.c = v.c; same = False; }", "{ " + " ".join(stores) + " }"),
        ("(w.c < v.c) { v.c = w.c; same = False; }", f"({second}) {{ {other} }}"),
    )
    assert_as_written(text, [UGLY["knot"]])
