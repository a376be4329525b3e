"""What nodes sent last, kept to be compared with what they hold: a flag says the same. What looks alike keeps its
answers."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.graphs import UGLY

GRAPHS = [UGLY[name] for name in ("knot", "ladder", "islands")]
SENT = """
function f(Graph g, propNode<int> level, node src) {
  propNode<int> sent;
  g.attachNodeProperty(level = INF, sent = INF);
  src.level = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      if (v.level < v.sent) {
        v.sent = v.level;
        forall (w in g.neighbors(v)) {
          if (v.level + 1 < w.level) {
            w.level = Min(w.level, v.level + 1);
            more = True;
          }
        }
      }
    }
  }
}
"""
FILTER = (
    ("forall (v in g.nodes()) {\n      if (v.level < v.sent) {", "forall (v in g.nodes().filter(sent != level)) { {"),
)
APART = "level = INF);\n  g.attachNodeProperty(sent = INF"
ALIKE = {
    "sent": SENT,
    "filled one after the other": changed(SENT, ("level = INF, sent = INF", APART)),
    "asked from the other side": changed(SENT, ("v.level < v.sent", "v.sent > v.level")),
    "asked whether it differs": changed(SENT, *FILTER),
    "stored where it is less": changed(SENT, ("w.level = Min(w.level, v.level + 1);", "w.level = v.level + 1;")),
}
KEPT = changed(SENT, ("v.sent = v.level;", "int mine = v.level; v.sent = mine;"), ("v.level + 1", "mine + 1"))
ASKED_KEPT = changed(
    SENT,
    ("if (v.level < v.sent)", "int mine = v.level; if (mine < v.sent)"),
    ("v.sent = v.level;", "v.sent = mine;"),
    ("v.level + 1", "mine + 1"),
)
ALIKE |= {
    "kept in a local": KEPT,
    "kept in a local that is asked for": ASKED_KEPT,
    "kept in a local, stored behind the row": changed(
        KEPT,
        (" v.sent = mine;", ""),
        ("more = True;\n          }\n        }", "more = True;\n          }\n        }\n        v.sent = mine;"),
    ),
}
BEFORE = "src.level = 0;"
OFFER = "if (src.level == INF) { forall (w in g.neighbors(src)) { w.level = Min(w.level, 7); } }"
FOUR_ROUNDS = ("while (more)", "for (int i = 0; i < 4; i++)")
NEAR_MISSES = {
    "begun with its own": changed(
        SENT, (", sent = INF", ""), ("  bool more", "  forall (v in g.nodes()) { v.sent = v; }\n  bool more")
    ),
    "filled when one is begun": changed(
        SENT, ("level = INF, sent = INF", "level = INF"), (BEFORE, BEFORE + " g.attachNodeProperty(sent = INF);")
    ),
    "filled again": changed(SENT, (BEFORE, BEFORE + " g.attachNodeProperty(level = INF); src.level = 1;")),
    "filled with less after it": changed(
        SENT, (BEFORE, "g.attachNodeProperty(sent = 3);"), ("more = False;", f"more = False; {OFFER}"), FOUR_ROUNDS
    ),
    "filled with less": changed(SENT, ("sent = INF", "sent = 3")),
    "begun with more": changed(SENT, ("level = INF, sent = INF", "level = 5, sent = 5"), (BEFORE, "src.level = 7;")),
    "begun with what is not known": changed(
        SENT, ("level = INF, sent = INF", "level = 5, sent = 5"), (BEFORE, "src.level = g.num_nodes();")
    ),
    "sent one less": changed(SENT, ("v.sent = v.level;", "v.sent = v.level - 1;")),
    "sent for another": changed(
        SENT, ("v.sent = v.level;", "src.sent = v.level;"), ("(more)", "(more && src.level < 1)")
    ),
    "asked of another": changed(SENT, ("v.level < v.sent", "src.level < v.sent")),
    "asked for the worse": changed(SENT, ("v.level < v.sent", "v.level > v.sent")),
    "asked whether it is no worse": changed(SENT, ("v.level < v.sent", "v.level <= v.sent && v.level < 4")),
    "raised again": changed(
        SENT, ("    more = False;\n", "    more = False;\n    if (src.level == 0) { src.level = 1; more = True; }\n")
    ),
    "filled in every round": changed(
        SENT, ("  propNode<int> sent;\n", ""), ("level = INF, sent = INF", "level = INF"),
        ("    more = False;\n", "    propNode<int> sent;\n    g.attachNodeProperty(sent = INF);\n    more = False;\n"),
    ),
    "kept in a local that falls": changed(
        KEPT, ("int mine = v.level; v.sent = mine;", "int mine = v.level; mine = mine - 1; v.sent = mine;")
    ),
    "kept in a local, stored only where it is small": changed(
        KEPT, ("v.sent = mine;", "if (mine > 2) { continue; } v.sent = mine;"), FOUR_ROUNDS
    ),
    "kept in a local of another": changed(KEPT, ("int mine = v.level", "int mine = src.level")),
    "asked for behind the store": changed(
        KEPT, ("v.sent = mine;", "v.sent = mine; if (v.sent < 3) { more = True; src.level = 0; }"), FOUR_ROUNDS
    ),
    "shown": changed(
        SENT,
        ("function f(Graph g,", "function f(Graph g, propNode<int> x,"),
        ("        v.sent = v.level;\n", "        v.sent = v.level;\n        v.x = v.sent;\n"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIKE)
def test_nodes_that_ask_what_they_sent_are_a_frontier(name: str) -> None:
    assert operators_of(ALIKE[name]) == operators_of(BFS)
    assert_as_written(ALIKE[name], GRAPHS)


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_programs_that_keep_something_else_keep_their_answers(name: str) -> None:
    assert_as_written(NEAR_MISSES[name], GRAPHS)


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_what_is_kept_otherwise_is_no_flag(name: str) -> None:
    assert operators_of(NEAR_MISSES[name]) != operators_of(BFS)
