"""Peelings in loops in loops, or up to the least degree that is left, are those in one loop; near misses stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_falling_bounds import PEELED
from tests.operators.texts import cuda_of, operators_of
from tests.spellings.graphs import UGLY

PEELING = Path(__file__).parents[2] / "examples" / "k_core.sp"
NESTED = """
function f(Graph g, propNode<int> core) {
  propNode<int> d;
  propNode<bool> alive;
  propNode<bool> gone;
  g.attachNodeProperty(core = 0, alive = True, gone = False, d = 0);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.d += 1; } }
  int k = 1;
  long left = g.num_nodes();
  while (left > 0) {
    bool again = True;
    while (again) {
      again = False;
      forall (v in g.nodes().filter(alive && d < k)) {
        v.alive = False; v.gone = True; v.core = k - 1; left -= 1; again = True;
      }
      forall (v in g.nodes().filter(gone)) {
        v.gone = False;
        forall (w in g.neighbors(v).filter(w != v)) { w.d -= 1; }
      }
    }
    k++;
  }
}
"""
LEAST = """
function f(Graph g, propNode<int> core) {
  propNode<int> d;
  propNode<bool> alive;
  propNode<bool> gone;
  g.attachNodeProperty(core = 0, alive = True, gone = False, d = 0);
  forall (v in g.nodes()) { for (u in g.nodes_to(v).filter(u != v)) { v.d += 1; } }
  int k = 0;
  long left = g.num_nodes();
  while (left > 0) {
    int least = INF;
    forall (v in g.nodes().filter(alive)) { least = Min(least, v.d); }
    k = max(k, least);
    forall (v in g.nodes().filter(alive && d <= k)) { v.alive = False; v.gone = True; v.core = k; left -= 1; }
    forall (v in g.nodes().filter(gone)) {
      v.gone = False;
      forall (w in g.neighbors(v).filter(w != v)) { w.d -= 1; }
    }
  }
}
"""
COPIES = """
function f(Graph g, propNode<int> core) {
  propNode<bool> alive;
  g.attachNodeProperty(core = 0, alive = True);
  int k = 0;
  int left = g.num_nodes();
  while (left > 0) {
    k++;
    while (True) {
      int dropped = 0;
      propNode<bool> after;
      after = alive;
      forall (v in g.nodes().filter(alive)) {
        int n = 0;
        for (u in g.nodes_to(v).filter(alive)) { if (u != v) { n++; } }
        if (n < k) { v.after = False; dropped++; }
      }
      alive = after;
      if (dropped == 0) { break; }
      left -= dropped;
    }
    forall (v in g.nodes().filter(alive)) { v.core = k; }
  }
}
"""
UP = ("long left = g.num_nodes()", "long left = 0"), ("left -= 1", "left += 1"), ("left > 0", "left < g.num_nodes()")
ROWS = ".filter(w != v)", ""
CLEARED = (
    ("        v.gone = False;\n", ""),
    ("    }\n    k++", "      g.attachNodeProperty(gone = False);\n    }\n    k++"),
)
SPELLINGS = {
    "a loop in a loop": (NESTED, []),
    "how many leave": (
        NESTED,
        [
            ("bool again = True", "int again = 1"),
            ("again = False", "again = 0"),
            ("again = True", "again += 1"),
            ("(again)", "(again > 0)"),
        ],
    ),
    "at least once": (
        NESTED,
        [("    while (again) {", "    do {"), ("    }\n    k++", "    } while (again);\n    k++")],
    ),
    "counted up": (NESTED, [*UP]),
    "none counts": (NESTED, [("left > 0", "Count(alive) > 0"), ("left -= 1; ", "")]),
    "one loop": (
        NESTED,
        [
            ("    while (again) {\n", ""),
            ("    }\n    k++;\n", "    if (!again) { k++; }\n"),
            ("bool again = True;", "bool again;"),
        ],
    ),
    "marks cleared for all": (NESTED, [*CLEARED]),
    "loops count down": (NESTED, [ROWS]),
    "the least degree": (LEAST, []),
    "the least degree, loops count down": (LEAST, [ROWS]),
    "in copies": (COPIES, []),
    "the degrees become the numbers": (
        LEAST,
        [
            ("<int> core)", "<int> d)"),
            ("  propNode<int> d;\n", ""),
            ("core = 0, ", ""),
            ("v.core = k", "v.d = k"),
            ("filter(w != v)", "filter(w != v && w.alive)"),
        ],
    ),
    "the copy is asked for": (COPIES, [("filter(alive)) { if", "filter(after)) { if")]),
}
NEAR = {
    "by two": (NESTED, [("k++", "k += 2")]),
    "from one on": (NESTED, [("int k = 1", "int k = 2")]),
    "one more": (NESTED, [("core = k - 1", "core = k")]),
    "no more than": (NESTED, [("d < k", "d <= k")]),
    "some are left": (NESTED, [("left > 0", "left > 3")]),
    "it differs from 3": (NESTED, [("left > 0", "left != 3 && k < 9")]),
    "a truth that is another": (
        NESTED,
        [("int k = 1", "bool yes = True; int k = 1"), ("left > 0", "(left < 2) == yes")],
    ),
    "rounds that begin with another bound": (
        NESTED,
        [("int k = 1;", "int i = 0; int k = 1;"), ("while (again)", "for (k = 100; again; i++)")],
    ),
    "rounds are counted by the loop": (
        NESTED,
        [
            ("int k = 1;", "int i = 0; int k = 1;"),
            ("while (left > 0)", "for (i = 0; left > 0; i++)"),
            ("    k++;\n  }\n", "    k++;\n  }\n  forall (v in g.nodes()) { v.core += i; }\n"),
        ],
    ),
    "some leave twice": (NESTED, [("left -= 1;", "left -= 2;")]),
    "not all at first": (
        NESTED,
        [("  int k", "  forall (v in g.nodes().filter(v > 2)) { v.alive = False; }\n  int k"), ("left > 0", "k < 9")],
    ),
    "some are marked at first": (NESTED, [("gone = False, d", "gone = True, d")]),
    "marks stay": (
        NESTED,
        [("        v.gone = False;\n", ""), ("left > 0", "k < 5"), ("(again)", "(again && left > 0)")],
    ),
    "a few rounds": (
        NESTED,
        [
            ("bool again = True", "int r = 0;\n    bool again = True"),
            ("(again)", "(again && r < 2)"),
            ("again = False", "r++; again = False"),
        ],
    ),
    "others at first": (NESTED, [("nodes_to", "neighbors")]),
    "greater neighbors": (NESTED, [("w != v", "w > v")]),
    "what is asked of neighbors changes": (
        NESTED,
        [
            ("<int> core)", "<int> core, propNode<int> x)"),
            ("filter(u != v)", "filter(u.x == v.x)"),
            ("filter(w != v)", "filter(w.x == v.x)"),
            ("  int k", "  forall (v in g.nodes()) { v.x = 0; }\n  int k"),
        ],
    ),
    "those that left tell nobody": (
        NESTED,
        [("filter(u != v)", "filter(u != v && u.alive)"), ("filter(w != v)", "filter(w != v && v.alive)")],
    ),
    "it ends after a round in which some leave": (
        NESTED,
        [
            ("long left = g.num_nodes()", "bool any = True"),
            ("left > 0", "any"),
            ("left -= 1; ", ""),
            ("    while (again) {\n", ""),
            ("bool again = True;", "bool again; any = False;"),
            ("    }\n    k++;\n", "    if (!again) { k++; forall (v in g.nodes().filter(alive)) { any = True; } }\n"),
        ],
    ),
    "those that survive leave": (
        NESTED,
        [
            ("  propNode<bool> alive;\n", ""),
            ("core = 0, alive = True", "core = -1"),
            ("long left = g.num_nodes()", "bool any = True"),
            ("left > 0", "any"),
            ("left -= 1; ", ""),
            ("alive && d", "core == -1 && d"),
            ("v.alive = False; ", ""),
            (
                "    k++;",
                "    any = False; forall (v in g.nodes().filter(core == -1)) { any = True; v.core = k; } k++;",
            ),
        ],
    ),
    "two each": (NESTED, [("w.d -= 1", "w.d -= 2")]),
    "rounds are counted": (
        NESTED,
        [("<int> core)", "<int> core, propNode<int> n)"), ("v.gone = True", "v.gone = True; v.n += 1")],
    ),
    "the bound is seen": (NESTED, [("    k++;\n  }\n", "    k++;\n  }\n  forall (v in g.nodes()) { v.core += k; }\n")]),
    "degrees are seen": (NESTED, [("<int> core)", "<int> core, propNode<int> d)"), ("  propNode<int> d;\n", "")]),
    "the bound rises while some leave": (
        NESTED,
        [("again = False;", "again = False; k++;"), ("int k = 1", "int k = 0"), ("    k++;\n  }\n", "  }\n")],
    ),
    "never below": (LEAST, [("k = max(k, least)", "k = least")]),
    "the least of all": (LEAST, [(".filter(alive)) { least", ") { least")]),
    "the least from 1 on": (LEAST, [("least = INF", "least = 1")]),
    "from two on": (LEAST, [("int k = 0", "int k = 2")]),
    "one above the least": (LEAST, [("max(k, least)", "max(k, least + 1)")]),
    "one above": (COPIES, [("v.core = k", "v.core = k + 1")]),
    "five at first": (COPIES, [("core = 0", "core = 5")]),
    "the copy is counted": (
        COPIES,
        [
            ("int k = 0;", "int k = 0; int x = 0;"),
            ("alive = after;", "int c = Count(after); x += c; alive = after;"),
            ("v.core = k;", "v.core = k + x;"),
        ],
    ),
    "two a node": (COPIES, [("dropped++", "dropped += 2"), ("left > 0", "k < 5")]),
}

ENDLESS = ("the least of all", "the least from 1 on")
"""Those whose bound may stand still, so that they do not end on every graph."""


@pytest.mark.parametrize("name", SPELLINGS)
def test_nodes_leave_in_one_loop(name: str) -> None:
    text, changes = SPELLINGS[name]
    assert operators_of(changed(text, *changes)) == operators_of(PEELING)


@pytest.mark.parametrize("text", [NESTED, LEAST, COPIES], ids=["nested", "least", "copies"])
def test_the_kernels_are_those_of_peeling(text: str, tmp_path: Path) -> None:
    (tmp_path / "other.sp").write_text(text)
    (tmp_path / "peeling.sp").write_text(PEELED)
    assert cuda_of(tmp_path / "other.sp", {"left_2": "left", "k_2": "k"}) == cuda_of(tmp_path / "peeling.sp", {})


@pytest.mark.parametrize("name", NEAR)
def test_a_near_miss_goes_on_as_it_is(name: str) -> None:
    text, changes = NEAR[name]
    assert operators_of(changed(text, *changes)) != operators_of(PEELING)


@pytest.mark.parametrize("name", [name for name in (*SPELLINGS, *NEAR) if name not in ENDLESS])
def test_the_answer_is_that_of_the_program_as_it_is_written(name: str) -> None:
    text, changes = (SPELLINGS | NEAR)[name]
    assert_as_written(changed(text, *changes), (UGLY["knot"], UGLY["ladder"], UGLY["islands"]))
