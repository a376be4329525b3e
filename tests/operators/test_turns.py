"""Rounds that say whose turn is next, and values that are kept for the next round: each spelling has the operators of a
loop over a frontier, and what looks alike gives the answers that it gives as written."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

GRAPHS = [UGLY[name] for name in ("knot", "ladder", "islands")]
TURNS = """
function f(Graph g, propNode<int> level, node src) {
  propNode<int> turn;
  g.attachNodeProperty(level = INF, turn = -1);
  src.level = 0;
  src.turn = 0;
  int round = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(turn == round)) {
      forall (w in g.neighbors(v)) {
        if (v.level + 1 < w.level) {
          w.level = Min(w.level, v.level + 1);
          w.turn = round + 1;
          more = True;
        }
      }
    }
    round++;
  }
}
"""
CARRIED = (
    """          w.level = Min(w.level, v.level + 1);
          w.turn = round + 1;
          more = True;
""",
    "          <w.level, w.turn, more> = <Min(w.level, v.level + 1), round + 1, True>;\n",
)
COUNTED = (
    ("int round = 0;", "int round = 0;\n  long many = 1;"),
    ("  bool more = True;\n", ""),
    ("while (more)", "while (many > 0)"),
    ("    more = False;\n", ""),
    ("level + 1), round + 1, True", "level + 1), round + 1"),
    ("w.turn, more", "w.turn"),
    (
        "    round++;\n",
        "    round++;\n    many = 0;\n    forall (v in g.nodes().filter(turn == round)) { many += 1; }\n",
    ),
)
FOR_LATER = """
function f(Graph g, propNode<int> level, node src) {
  propNode<int> later;
  g.attachNodeProperty(level = INF);
  src.level = 0;
  bool more;
  do {
    more = False;
    forall (v in g.nodes()) {
      int best = v.level;
      for (u in g.nodes_to(v)) { best = min(best, u.level + 1); }
      v.later = best;
    }
    forall (v in g.nodes()) { if (v.later != v.level) { more = True; } }
    level = later;
  } while (more);
}
"""
TURNS_AGAIN = """
function f(Graph g, propNode<int> n) {
  propNode<int> turn;
  g.attachNodeProperty(n = 0, turn = -1);
  forall (v in g.nodes().filter(v < 3)) { v.turn = 0; }
  int round = 0;
  while (round < 5) {
    for (v in g.nodes().filter(turn == round)) {
      v.n += 1;
      for (w in g.neighbors(v)) { w.turn = round + 1; }
    }
    round++;
  }
}
"""
ASKED_AT_THE_END = """
function f(Graph g, propNode<int> n, node src) {
  propNode<int> turn;
  g.attachNodeProperty(n = 0, turn = -1);
  src.turn = 0;
  int round = 0;
  do {
    forall (v in g.nodes().filter(n < 2)) { v.turn = round + 1; }
    round++;
    forall (v in g.nodes().filter(turn == round)) { v.n += 1; v.turn = round + 1; }
  } while (src.turn == round && round < 9);
}
"""
OWN = ("int best = v.level;", "v.later = v.level;")
LOOK = "best = min(best, u.level + 1);"
KEEP = "v.later = best;"
TELL = "forall (v in g.nodes()) { if (v.later != v.level) { more = True; } }"
FOUR_ROUNDS = (
    ("bool more;", "bool more; int k = 0;"),
    ("level = later;", "level = later; k += 1;"),
    ("while (more)", "while (more && k < 4)"),
)
ALIKE = {
    "turns": TURNS,
    "turns from another round on": changed(
        TURNS, ("turn = -1", "turn = 2"), ("src.turn = 0", "src.turn = 4"), ("int round = 0", "int round = 4")
    ),
    "turns that go with the winner": changed(TURNS, CARRIED),
    "turns that are counted": changed(TURNS, CARRIED, *COUNTED),
    "the turn of the round before": changed(
        TURNS, ("turn == round", "turn == round - 1"), ("turn = round + 1", "turn = round"), ("round = 0", "round = 1")
    ),
    "for later, in a local": FOR_LATER,
    "for later, in the cell": changed(FOR_LATER, OWN, (LOOK, "v.later = min(v.later, u.level + 1);"), (KEEP, "")),
    "for later, told by less": changed(FOR_LATER, (TELL, TELL.replace("!=", "<"))),
}
NEAR_MISSES = {
    "every other node's turn comes two rounds later": changed(TURNS, ("turn = round + 1", "turn = round + 2")),
    "so it is with those that win": changed(TURNS, CARRIED, ("round + 1, True", "round + 2, True")),
    "the round before, and this one": changed(TURNS, ("turn == round", "turn == round - 1 || v.turn == round")),
    "the round before that": changed(
        TURNS, ("turn == round", "turn == round - 1"), ("more = False", "more = round < 3")
    ),
    "turns that are given again before they come": TURNS_AGAIN,
    "asked for behind those that are given": changed(
        TURNS_AGAIN,
        ("    for (v", "    forall (v"),
        ("    round++;", "    forall (v in g.nodes().filter(turn == round)) { v.n += 100; }\n    round++;"),
    ),
    "asked for at the end of the round": ASKED_AT_THE_END,
    "the first turn goes with a winner": changed(
        TURNS, ("src.level = 0;\n  src.turn = 0;", "<src.level, src.turn> = <Min(src.level, 0), 0>;")
    ),
    "counted before the round is": changed(
        TURNS, CARRIED, *COUNTED, ("    round++;\n", ""), ("many += 1; }\n", "many += 1; }\n    round++;\n")
    ),
    "all have the first turn": changed(TURNS, ("turn = -1", "turn = 0")),
    "some had a turn ahead": changed(TURNS, ("src.turn = 0;", "src.turn = 3;"), ("more = False;", "more = round < 3;")),
    "turns that are asked for elsewhere": changed(
        TURNS,
        ("function f(Graph g,", "function f(Graph g, propNode<int> x,"),
        ("    round++;\n  }\n", "    round++;\n  }\n  forall (v in g.nodes().filter(turn == round)) { v.x = 1; }\n"),
    ),
    "turns that are no more than asked for": changed(TURNS, ("filter(turn == round)", "filter(turn <= round)")),
    "rounds that count by two": changed(TURNS, ("round++;", "round += 2;"), ("turn = round + 1", "turn = round + 2")),
    "rounds that stand still": changed(TURNS, ("round++;", "if (round < 2) { round++; }")),
    "a round that ends early": changed(TURNS, ("round++;", "round++; if (round > 2) { break; }")),
    "later by what was for later": changed(
        FOR_LATER,
        (LOOK, "best = min(best, u.later + 1);"),
        ("src.level = 0;", "src.level = 0; g.attachNodeProperty(later = 4);"),
    ),
    "later from somewhere else": changed(FOR_LATER, (OWN[0], "int best = v.level + 1;"), *FOUR_ROUNDS),
    "kept, and more": changed(FOR_LATER, (KEEP, "v.later = best - best % 2;")),
    "told, and more": changed(
        FOR_LATER,
        ("function f(Graph g,", "function f(Graph g, propNode<int> x,"),
        (TELL, TELL.replace("more = True;", "more = True; v.x += 1;")),
    ),
    "not all take over": changed(
        FOR_LATER,
        ("level = later;", "forall (v in g.nodes().filter(v != src + 1)) { v.level = v.later; }"),
        (TELL, TELL.replace("v.level)", "v.level && v != src + 1)")),
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_spellings_of_turns_and_of_values_for_later_are_rounds_over_a_frontier(name: str) -> None:
    assert operators_of(ALIKE[name]) == operators_of(BFS)


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_programs_that_look_alike_keep_their_answers(name: str) -> None:
    assert operators_of(NEAR_MISSES[name]) != operators_of(BFS)
    assert_as_written(NEAR_MISSES[name], GRAPHS)


def test_a_flag_that_is_set_where_another_is_becomes_that_one() -> None:
    told = "forall (v in g.nodes().filter(seen)) { v.r = True; }"
    program = f"""
function f(Graph g, propNode<bool> r, node src) {{
  propNode<bool> seen;
  g.attachNodeProperty(seen = False, r = False);
  src.seen = True;
  forall (w in g.neighbors(src)) {{ w.seen = True; }}
  {told}
}}
"""
    assert operators_of(program) == operators_of(changed(program, (told, "forall (v in g.nodes()) { v.r = v.seen; }")))
    more = ("r = False);", "r = False); src.r = True;")
    for change in (("r = False", "r = True"), more, ("filter(seen)", "filter(!seen)")):
        assert_as_written(changed(program, change), GRAPHS)
