"""Peelings are read whatever tells which nodes are left, and how degrees are found; near misses stay as they are."""

from __future__ import annotations

import re

import pytest

from starplat import pipeline
from starplat.source import SourceFile
from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_one_loop import PEELING
from tests.operators.texts import operators_of
from tests.spellings.corpus import FOLDER
from tests.spellings.graphs import UGLY

SURVIVE = "    forall (v in g.nodes().filter(alive == True)) {\n      v.c = k;"
TOLD = "    forall (v in g.nodes().filter(now == True)) {"
STEP = "      if (v.state == 1) {\n        v.state = 2;\n      }\n"
CUT = "      if (a.core != -1) {\n        e.cut = True;\n      }\n"
FILL = "g.attachNodeProperty(stays = True);"
SPELLINGS = {
    "recount": [[("d < k", "k > d")], [("int d = 0;", "int d = 1;"), ("d < k", "d <= k")]],
    "minus_one_is_left": [[("core == -1)) {", "core < 0)) {")]],
    "over_edges": [[("b.state == 0", "b.state < 1")], [(" && b.state == 0", "")]],
    "edge_flags": [[("a.core != -1", "a.core >= 0")]],
    "counted_loop": [[("round_of = -1", "round_of = -5")]],
}
"""Changes of spellings of the corpus that say the same."""
NEAR = {
    "recount": [
        [(SURVIVE, SURVIVE.replace("= k", "= k + 1"))],
        [("int d = 0;", "int d = 1;")],
        [("u.alive && u != v", "u.alive && u > v")],
        [("u.alive && u != v", "u != v"), ("while (some)", "while (some && k < 9)")],
        [("u.alive && u != v", "(u.alive || u == 1) && u != v"), ("while (some)", "while (some && k < 9)")],
        [("alive = True", "alive = False")],
        [("c = 0", "c = 7")],
        [("d++", "d += 2")],
        [("v.alive = False;", "v.alive = False; v.c = v.c + 1;")],
    ],
    "masked_degrees": [
        [("core = 0, in = 1", "core = 0, in = 1, deg = 3"), ("v.deg = sum;", "if (v != 2) { v.deg = sum; }")],
        [("sum += u.in", "sum += u.in + u.in")],
    ],
    "greatest_fixed_point": [
        [("k++;", "k += 2;")],
        [("changed = True;\n          }", "changed = True;\n            v.core = k;\n          }")],
        [("bool found = True;", "int n = 0; bool found = True;"), ("v.stays = False;", "v.stays = False; n += 1;"),
         ("v.core = k;", "v.core = k + n;")],
        [(FILL, FILL.replace("True", "k < 3"))],
        [(FILL, FILL + " forall (v in g.nodes().filter(stays)) { v.core = k - 1; }"), ("v.core = k;", "")],
    ],
    "over_edges": [
        [(STEP, "")],
        [("a.state == 1", "a.state >= 1")],
        [("v.state = 2", "v.state = 0"), ("inside > 0", "k < 6")],
        [("b.deg -= 1", "b.deg -= 2")],
    ],
    "edge_flags": [
        [(CUT, CUT.replace("!=", "=="))],
        [(CUT, CUT.replace("a.core != -1", "a.core != -1 && a.core < 2"))],
        [("e.cut = e.source == e.destination;", "e.cut = False;")],
        [("e.cut = e.source == e.destination;", "e.cut = e.source < e.destination;")],
        [("g.attachNodeProperty(deg = 0);", "g.attachNodeProperty(deg = 1);")],
    ],
    "counted_loop": [
        [("      round++;\n", "")],
        [("round_of = -1", "round_of = 0")],
        [("round++", "round = 0"), ("done < g.num_nodes()", "k < 6")],
    ],
    "pull_degrees": [
        [("lost += 1", "lost += 2")],
        [("if (u.peeled)", "if (u.level != -1)")],
        [("int lost = 0;", "int lost = 1;")],
    ],
    "stay_while_enough": [
        [("v.around = friends;", "v.around = friends + 1;")],
        [("here += 1;", "here += 2;"), ("here > 0", "here > 2")],
        [("v.shell = k;", "v.shell = here;")],
    ],
    "negated_degree": [
        [("u == v", "u > v")],
        [("g.count_inNbrs(v) - loops", "g.count_outNbrs(v) - loops")],
        [("g.count_inNbrs(v) - loops", "g.count_inNbrs(v) - 2 * loops")],
        [("v.core = need - 1", "v.core = need")],
    ],
    "sequential_nodes": [[("w.deg--", "w.deg--; v.deg--")], [("left--;", "left--; k += v.deg % 2;")]],
    "peel": [[(TOLD, TOLD.replace("now == True", "core == k"))]],
    "gone_and_leaving": [
        [("least = min(least, v.deg)", "least = min(least, v.deg + 1)")],
        [("max(k, least)", "min(k, least)")],
        [("v.coreness = k", "v.coreness = least")],
        [("v.coreness = k", "v.coreness = least"), ("deg <= k", "deg <= least")],
    ],
    "survivors": [[("alive = after;", "")], [("v.best = k", "v.best = survivors")]],
}  # fmt: skip
ENDLESS = {("over_edges", 2), ("survivors", 0), ("gone_and_leaving", 1)}
"""Those that do not end on every graph."""


def _text(name: str, changes: list[tuple[str, str]]) -> str:
    text = re.sub(r"function \w+", "function f", (FOLDER / "k_core" / f"{name}.sp").read_text())
    return changed(text, *changes)


ALL_NEAR = [(name, place) for name, every in NEAR.items() for place in range(len(every))]
ALL_SPELLINGS = [(name, place) for name, every in SPELLINGS.items() for place in range(len(every))]


@pytest.mark.parametrize(("name", "place"), ALL_NEAR)
def test_a_near_miss_is_not_read_as_a_peeling(name: str, place: int) -> None:
    assert operators_of(_text(name, NEAR[name][place])) != operators_of(PEELING)


@pytest.mark.parametrize(("name", "place"), [one for one in ALL_NEAR if one not in ENDLESS])
def test_a_near_miss_gives_the_answer_that_it_gives_as_written(name: str, place: int) -> None:
    assert_as_written(_text(name, NEAR[name][place]), (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))


@pytest.mark.parametrize(("name", "place"), ALL_SPELLINGS)
def test_what_says_the_same_is_read_as_a_peeling(name: str, place: int) -> None:
    text = _text(name, SPELLINGS[name][place])
    assert operators_of(text) == operators_of(PEELING)
    assert_as_written(text, (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))


@pytest.mark.parametrize(
    "behind",
    [
        "  forall (v in g.nodes()) { v.out = v.value + 1; }\n}",
        "  forall (v in g.nodes()) { v.out = 0; for (u in g.nodes_to(v)) { v.out += u.value; } }\n}",
        "}",
    ],
    ids=["one more", "those of neighbors", "nothing"],
)
def test_core_numbers_that_are_not_the_result_are_declared(behind: str) -> None:
    text = _text("local_result", [("  out = value;\n}", behind), ("value = 0,", "value = 0, out = 0,")])
    read = "peeled" in pipeline.operators(pipeline.check(SourceFile("local.sp", text)))
    assert read == (behind != "}"), "numbers that nobody asks for are left as they are"
    assert_as_written(text, UGLY.values())
