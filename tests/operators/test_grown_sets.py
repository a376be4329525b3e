"""Sets that rounds add neighbors to until they are no larger than before are marks that spread."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

GROWN = """
function f(Graph g, propNode<bool> yes, node src) {
  SetN<g> inside;
  inside.add(src);
  int before = 0;
  while (inside.size() > before) {
    before = inside.size();
    for (v in inside) { for (w in g.neighbors(v)) { inside.add(w); } }
  }
  forall (v in g.nodes()) { v.yes = inside.contains(v); }
}
"""
SPREAD = """
function f(Graph g, propNode<bool> yes, node src) {
  g.attachNodeProperty(yes = False);
  src.yes = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(yes)) {
      forall (w in g.neighbors(v)) { if (!w.yes) { w.yes = True; more = True; } }
    }
  }
}
"""
ADDED = "inside.add(w);"
SPELLINGS = {
    "as it stands": GROWN,
    "in parallel": changed(GROWN, ("for (v in inside) { for", "forall (v in inside) { forall")),
    "compared otherwise": changed(GROWN, ("inside.size() > before", "before != inside.size()")),
    "a round first": changed(
        GROWN,
        ("while (inside.size() > before) {", "do {"),
        ("\n  }\n  forall", "\n  } while (before < inside.size());\n  forall"),
    ),
    "asked before": changed(GROWN, (ADDED, "if (!inside.contains(w)) { inside.add(w); }")),
}
NEAR = {
    "two rounds": changed(GROWN, ("(inside.size() > before)", "(inside.size() > before && before < 2)")),
    "not a first round": changed(GROWN, ("before = 0", "before = 2")),
    "the last number is read": changed(GROWN, ("inside.contains(v);", "inside.contains(v) || v < before;")),
    "the number of a round is asked": changed(GROWN, (ADDED, "if (before < 4) { inside.add(w); }")),
    "nodes that another is left out for": changed(GROWN, (ADDED, "if (!inside.contains(v)) { inside.add(w); }")),
    "members are gone through later": changed(
        GROWN,
        ("inside.contains(v);", "False;"),
        (" }\n}", " }\n  for (x in inside) { x.yes = True; inside.add(0); }\n}"),
    ),
    "the number is asked later": changed(GROWN, ("inside.contains(v);", "inside.size() > 4;")),
    "something else in a round": changed(
        GROWN, (ADDED, "inside.add(w); w.yes = True;"), ("inside.contains(v);", "v.yes != inside.contains(v);")
    ),
    "counted first": changed(
        GROWN,
        ("before = inside.size();\n", ""),
        (" inside.add(w); } }", " inside.add(w); } }\n    before = inside.size();"),
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_set_that_grows_is_a_mark_that_spreads(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(SPREAD)
    assert_as_written(SPELLINGS[name], (UGLY["knot"], UGLY["ladder"]))


@pytest.mark.parametrize("name", NEAR)
def test_what_only_looks_like_it_stays(name: str) -> None:
    assert "is empty" not in operators_of(NEAR[name])
    assert_as_written(NEAR[name], (UGLY["knot"], UGLY["ladder"]))


def test_members_of_another_set_are_added_too() -> None:
    others = (
        ("int before", "SetN<g> other; other.add(13); int before"),
        (ADDED, "inside.add(w); for (x in other) { inside.add(x); }"),
    )
    assert_as_written(changed(GROWN, *others), (UGLY["knot"],))


def test_conditions_and_filters_that_do_not_change_stay() -> None:
    conditions = ("v in inside", "v in inside.filter(v != 3)"), (ADDED, "if (w != v + 1) { inside.add(w); }")
    assert "is empty" in operators_of(changed(GROWN, *conditions))
    assert_as_written(changed(GROWN, *conditions), (UGLY["knot"], UGLY["ladder"]))
