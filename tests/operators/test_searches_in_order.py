"""Searches whose nodes come one after another are searches where the order makes no difference; others stay."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.texts import operators_of
from tests.spellings.corpus import FOLDER

SEQUENTIAL = (FOLDER / "betweenness" / "sequential.sp").read_text()
IN_ANY_ORDER = changed(SEQUENTIAL, ("for (v in", "forall (v in"), ("for (w in", "forall (w in"))
STAYS = {
    "levels come from the node that asks": (
        ("w.far = ring + 1", "w.far = v.far + 1"),
        ("v.far == ring)", "v.far >= 0)"),
    ),
    "the last node is kept": (("v.b += v.part;", "v.b += v.part; s.part = v.part;"),),
    "a row goes on from what it has added": (("(1.0 + w.part)", "(1.0 + w.part + v.part)"),),
    "a row stores the last": (("v.part += v.ways", "v.part = v.ways"),),
    "a row is left": (("w.ways += v.ways;", "w.ways += v.ways; if (w.ways > 1.0) { break; }"),),
}


def test_a_search_in_order_is_one_in_any_order() -> None:
    assert "one after another v" not in operators_of(SEQUENTIAL)
    assert operators_of(SEQUENTIAL) == operators_of(IN_ANY_ORDER)


@pytest.mark.parametrize("name", STAYS)
def test_a_search_stays_where_the_order_makes_a_difference(name: str) -> None:
    assert operators_of(changed(SEQUENTIAL, *STAYS[name])).count("one after another") > 2
