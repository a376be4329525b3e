"""A local may say that no neighbor is as wanted, as well as that one is; what says something else stays right."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.corpus import FOLDER
from tests.spellings.graphs import UGLY

ALONE = changed(
    (FOLDER / "reachability" / "missing_until_found.sp").read_text(), ("who_is_reached(", "f("), (" origin", " src"),
)  # fmt: skip
REACHED = operators_of(FOLDER / "reachability" / "round_flag.sp")
GATHERED = "alone = alone && u.missing;"
NEAR = {
    "the last neighbor says": (GATHERED, "alone = u.missing;"),
    "any that is missing says": (GATHERED, "alone = alone || u.missing;"),
    "it is alone that is reached": ("if (!alone)", "if (alone)"),
    "it begins found": ("bool alone = True;", "bool alone = False;"),
    "two neighbors are asked": (GATHERED, "alone = alone && (u.missing || u == v || u < src);"),
    "a reached neighbor takes it back": (GATHERED, "if (u.missing) { alone = True; } else { alone = False; }"),
}


@pytest.mark.parametrize("gathers", [GATHERED, "if (!u.missing) { alone = False; }", "alone &&= u.missing;"])
def test_no_missing_neighbor_is_a_reached_one(gathers: str) -> None:
    assert operators_of(changed(ALONE, (GATHERED, gathers))) == REACHED


@pytest.mark.parametrize("name", NEAR)
def test_what_says_something_else_stays(name: str) -> None:
    text = changed(ALONE, NEAR[name])
    assert operators_of(text) != REACHED
    assert_as_written(text, [graph for graph in UGLY.values() if graph.num_nodes > 2])
