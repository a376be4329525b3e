"""Numbers that only say one of two things are flags, and what becomes a result is it; near misses stay right."""

from __future__ import annotations

import pytest

from tests.operators.meaning import assert_as_written
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

FLAGS = """
function f(Graph g, propNode<bool> r, node src) {
  g.attachNodeProperty(r = False);
  src.r = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(r)) {
      forall (w in g.neighbors(v)) { if (!w.r) { w.r = True; more = True; } }
    }
  }
}
"""
NUMBERS = """
function f(Graph g, propNode<bool> r, node src) {
  propNode<int> seen;
  g.attachNodeProperty(seen = 0);
  src.seen = 1;
  int more = 1;
  while (more == 1) {
    more = 0;
    forall (v in g.nodes().filter(seen == 1)) {
      forall (w in g.neighbors(v)) { if (w.seen == 0) { w.seen = 1; more = 1; } }
    }
  }
  forall (v in g.nodes()) { v.r = v.seen == 1; }
}
"""
PARENTS = """
function f(Graph g, propNode<bool> r, node src) {
  propNode<node> parent;
  g.attachNodeProperty(parent = -1, r = False);
  src.parent = src;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(parent >= 0)) {
      forall (w in g.neighbors(v)) { if (w.parent == -1) { w.parent = v; more = True; } }
    }
  }
  forall (v in g.nodes()) { if (v.parent != -1) { v.r = True; } else { v.r = False; } }
}
"""
LEAST = """
function f(Graph g, propNode<bool> r, node src) {
  propNode<long> seen;
  propNode<bool> fresh;
  g.attachNodeProperty(seen = INF, fresh = False);
  src.seen = 7;
  src.fresh = True;
  fixedPoint until (done : !fresh) {
    forall (v in g.nodes().filter(fresh)) {
      forall (w in g.neighbors(v)) { <w.seen, w.fresh> = <Min(w.seen, v.seen), True>; }
    }
  }
  forall (v in g.nodes()) { v.r = v.seen < INF; }
}
"""


def _changed(text: str, *changes: tuple[str, str]) -> str:
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


LEVELS = _changed(LEAST, ("src.seen = 7", "src.seen = 0"), ("<long>", "<int>"), ("v.seen)", "v.seen + 1)"))
NINE_ROUNDS = ("bool more = True;", "bool more;"), ("while (more)", "for (int i = 0; i < 9; i++)")
SUMMED = _changed(
    NUMBERS,
    ("int more = 1;\n  while (more == 1) {\n    more = 0;", """long last = 0;
  while (True) {
    long sum = 0; forall (v in g.nodes()) { sum += v.seen; }
    if (sum == last) { break; }
    last = sum;"""),
    (" more = 1;", ""),
)  # fmt: skip
LAST = "  forall (v in g.nodes()) { v.r = v.seen == 1; }\n"
SPELLINGS = {
    "0 and 1": NUMBERS,
    "the condition of C": _changed(NUMBERS, ("more == 1", "more"), ("seen == 1)", "seen)"), ("w.seen == 0", "!w.seen")),
    "1 and 2": _changed(
        NUMBERS, ("seen = 0", "seen = 1"), ("src.seen = 1", "src.seen = 2"), ("w.seen = 1", "w.seen = 2"),
        ("seen == 1", "seen > 1"), ("w.seen == 0", "w.seen < 2"),
    ),
    "0 is reached": _changed(
        NUMBERS, ("seen = 0", "seen = 5"), ("src.seen = 1", "src.seen = 0"), ("w.seen = 1", "w.seen = 0"),
        ("seen == 1", "seen != 5"), ("w.seen == 0", "w.seen == 5"),
    ),
    "added up until the sum stands": SUMMED,
    "asked the other way round": _changed(SUMMED, ("sum == last", "last == sum")),
    "the sum in one line": _changed(SUMMED, ("0; forall (v in g.nodes()) { sum += v.seen; }", "Sum(seen);")),
    "a choice": _changed(NUMBERS, ("v.r = v.seen == 1", "v.r = (v.seen == 1) ? True : False")),
    "parents": PARENTS,
    "the least of two": LEAST,
    "levels": LEVELS,
    "the greatest of two": _changed(LEAST, ("seen = INF", "seen = 0"), ("Min", "Max"), ("seen < INF", "seen != 0")),
}  # fmt: skip
NEAR = {
    "a third number": _changed(NUMBERS, ("w.seen = 1", "w.seen = 2")),
    "a third number ends it": _changed(NUMBERS, ("more = 1; }", "more = 2; }")),
    "below 0 ends it": _changed(NUMBERS, ("more == 1", "more > 0"), ("more = 1; }", "more = -1; }")),
    "the sum": _changed(NUMBERS, (LAST, LAST + "  src.r = Sum(seen) > 3;\n")),
    "how many": _changed(NUMBERS, (LAST, LAST + "  src.r = Count(seen) == 3;\n")),
    "begun with the same sum": _changed(SUMMED, ("last = 0", "last = 1")),
    "as long as the sum stands": _changed(SUMMED, ("sum == last", "sum != last")),
    "another sum is kept": _changed(SUMMED, ("last = sum", "last = sum + 1"), ("sum == last", "sum <= last")),
    "the sum is asked later": _changed(SUMMED, ("v.r = v.seen == 1", "v.r = v.seen == 1 && last > 3")),
    "fives added up": _changed(
        SUMMED, ("src.seen = 1", "src.seen = 5"), ("w.seen = 1", "w.seen = 5"), ("seen == 1", "seen == 5"),
        ("last = sum;", "last = sum; if (sum > 21) { break; }"),
    ),
    "how many of 5 and 0": _changed(
        NUMBERS, ("seen = 0", "seen = 5"), ("src.seen = 1", "src.seen = 0"), ("w.seen = 1", "w.seen = 0"),
        ("seen == 1", "seen != 5"), ("w.seen == 0", "w.seen == 5"),
        ("seen != 5; }\n", "seen != 5; }\n  src.r = Count(seen) == 3;\n"),
    ),
    "compared to each other": _changed(NUMBERS, ("w.seen == 0", "w.seen < v.seen")),
    "filled with what is not nothing": _changed(NUMBERS, ("seen = 0)", "seen = 2)"), ("seen == 1; }", "seen > 0; }")),
    "a parent's number": _changed(PARENTS, ("v.parent != -1", "v.parent > 0")),
    "a parent that may be none": _changed(PARENTS, *NINE_ROUNDS, ("w.parent = v;", "w.parent = v - 1;")),
    "a parent's very number": _changed(PARENTS, ("v.parent != -1", "v.parent == 3")),
    "all parents but one": _changed(PARENTS, ("v.parent != -1", "v.parent != 3")),
    "a parent that is asked": _changed(PARENTS, ("v.parent != -1", "v.parent == src")),
    "no parent is 0": _changed(PARENTS, *NINE_ROUNDS, ("= -1", "= 0"), (">= 0", "> 0")),
    "negative numbers": _changed(LEAST, ("src.seen = 7", "src.seen = -7"), ("v.seen < INF", "v.seen > 0")),
    "the result is used before": _changed(NUMBERS, ("int more = 1;", "int more = 1; src.r = True;")),
    "the result is left alone": _changed(NUMBERS, (LAST, "  forall (v in g.nodes().filter(seen)) { v.r = True; }\n")),
    "changed after it": _changed(NUMBERS, (LAST, LAST + "  src.seen = 0; if (src.seen == 0) { src.r = False; }\n")),
    "all tell, though few have it": _changed(LEAST, ("fresh = False", "fresh = True")),
    "who tells has nothing": _changed(LEAST, ("src.seen = 7;", "")),
    "a copied level's number": _changed(LEVELS, ("v.r = v.seen < INF;", "int own = v.seen; v.r = own == 1;")),
    "an offer that never wins": _changed(LEAST, ("Min", "Max")),
}  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_numbers_that_say_one_of_two_things_are_flags(name: str) -> None:
    assert operators_of(SPELLINGS[name]) == operators_of(FLAGS)


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_does_not_reach_it(name: str) -> None:
    assert operators_of(NEAR[name]) != operators_of(FLAGS)


@pytest.mark.parametrize("name", [*SPELLINGS, *NEAR])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    assert_as_written((SPELLINGS | NEAR)[name], (UGLY[graph] for graph in ("knot", "ladder", "islands")))


def test_a_number_that_a_fixed_point_waits_for_is_no_flag_that_is_taken_back_in_each_round() -> None:
    """Its condition holds in no round, as nothing makes the number 0 again: the program has no end."""
    numbers = _changed(LEAST, ("propNode<bool> fresh", "propNode<int> fresh"))
    assert "is empty" in operators_of(LEAST)
    assert "is empty" not in operators_of(numbers)
