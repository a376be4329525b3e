"""Loops over levels by number: however they are spelled they walk sets; what is none stays as it is, and right."""

from __future__ import annotations

import pytest

import starplat
from starplat import pipeline
from starplat.schedule import AUTO
from starplat.schedule.apply import decided
from tests.changing import changed
from tests.schedule.programs import BY_HOST, CUDA, assert_same_answers

PROGRAM = """
function hops(Graph g, propNode<int> level, propNode<node> from_whom, node src) {
  g.attachNodeProperty(level = INF, from_whom = -1);
  src.level = 0;
  int depth = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) {
        if (w.level == INF) {
          w.level = depth + 1;
          more = True;
        }
      }
    }
    depth = depth + 1;
  }
}
"""


def _changed(*changes: tuple[str, str]) -> str:
    return changed(PROGRAM, *changes)


ROTATED = (("while (more) {", "do {"), ("depth = depth + 1;\n  }", "depth = depth + 1;\n  } while (more);"))
SPELLINGS = {
    "while": PROGRAM,
    "do while": _changed(*ROTATED),
    "the other way round": _changed(("w.level == INF", "INF == w.level"), ("level == depth", "depth == level")),
    "another number": _changed(
        ("bool more = True", "int more = 1"),
        ("more = True", "more = 1"),
        ("more = False", "more = 0"),
        ("while (more)", "while (more != 0)"),
    ),
    "no loops": _changed(("(w.level == INF)", "(w != v && w.level == INF)")),
    "a filter": _changed(("g.neighbors(v))", "g.neighbors(v).filter(level == INF))"), ("if (w.level == INF) {", "{")),
    "a local of its own": _changed(
        ("propNode<int> level, ", "propNode<int> answer, "),
        ("  g.attach", "  propNode<int> level;\n  g.attach"),
        ("depth = depth + 1;\n  }", "depth = depth + 1;\n  }\n  answer = level;"),
    ),
    "Min": _changed(
        (
            "if (w.level == INF) {\n          w.level = depth + 1;",
            "{ <w.level, more> = <Min(w.level, depth + 1), True>;",
        )
    ),
}
NEAR_MISSES = {
    "two levels at once": _changed(("depth + 1;\n          more", "depth + 2;\n          more")),
    "those of the next level again": _changed(("w.level == INF", "w.level > depth")),
    "depth goes up by two": _changed(("depth = depth + 1", "depth = depth + 2")),
    "a level that is no INF": _changed(("level = INF, ", "level = 7, "), ("w.level == INF", "w.level == 7")),
    "from where": _changed(("more = True;\n        }", "w.from_whom = depth; more = True;\n        }")),
    "another beginning": _changed(("src.level = 0;", "src.level = 2;")),
    "no round at all": _changed(("bool more = True", "bool more = False")),
}


def walks(text: str, *, by_host: bool = False) -> bool:
    """Whether the nodes of a level are known without asking all."""
    made = decided(pipeline.lower(starplat.compile(text).checked, as_written=True), AUTO, BY_HOST if by_host else CUDA)
    return any(choice.step == "levels" for choice in made.choices)


@pytest.mark.parametrize("by_host", [False, True], ids=["one launch", "the host"])
@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_the_nodes_of_a_level_are_at_hand(text: str, by_host: bool) -> None:
    assert walks(text, by_host=by_host)


@pytest.mark.parametrize("text", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_other_loops_ask_all_nodes(text: str) -> None:
    assert not walks(text)
    assert not walks(text, by_host=True)


@pytest.mark.thin(plain=5)
@pytest.mark.parametrize("text", [*SPELLINGS.values(), *NEAR_MISSES.values()], ids=[*SPELLINGS, *NEAR_MISSES])
def test_all_come_to_the_same_answers(text: str) -> None:
    assert_same_answers(text)
