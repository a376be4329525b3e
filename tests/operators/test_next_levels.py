"""Levels that are given where a cell holds more, counts that are copied, and values chosen in a local."""

from __future__ import annotations

import pytest

from tests.changing import changed
from tests.operators.meaning import assert_as_written
from tests.operators.test_canonical import BFS
from tests.operators.texts import operators_of
from tests.spellings.corpus import FOLDER
from tests.spellings.graphs import UGLY

GRAPHS = [graph for graph in UGLY.values() if graph.num_nodes > 2]
ABOVE = """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int next = 1;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(level == next - 1)) {
      forall (w in g.neighbors(v).filter(level > next)) { w.level = next; more = True; }
    }
    next++;
  }
}
"""
LEAST = ("w.level = next; more = True;", "<w.level, more> = <Min(w.level, next), True>;")
NOT_NEXT = {
    "levels above the one after": ("level > next", "level > next + 1"),
    "levels that are no less": ("level > next", "level >= next"),
    "two at a time": ("next++", "next += 2"),
    "another first level": ("int next = 1", "int next = 2"),
    "another source": ("src.level = 0;", "src.level = 3;"),
    "the one after is given": ("w.level = next;", "w.level = next + 1;"),
    "others are less": ("level = INF", "level = 4"),
}
COPIED = """
function f(Graph g, propNode<int> level, node src) {
  g.attachNodeProperty(level = INF);
  src.level = 0;
  int depth = 0;
  long found = 1;
  while (found > 0) {
    int now = 0;
    forall (v in g.nodes().filter(level == depth)) {
      forall (w in g.neighbors(v)) { if (w.level == INF) { w.level = depth + 1; now += 1; } }
    }
    found = now;
    depth++;
  }
}
"""
NOT_COPIED = {
    "asks for two": ("found > 0", "found > 1"),
    "counts more": ("found = now;", "found = now + 1; found -= 1;"),
    "begins with none": ("found = 1", "found = 0"),
    "keeps the first": ("found = now;", "if (depth < 2) { found = now; } else { found = 0; }"),
}
CHOSEN = """
function f(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  g.attachNodeProperty(width = 0);
  src.width = INF;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        int through = v.width;
        if (e.weight < through) { through = e.weight; }
        if (through > w.width) { w.width = through; more = True; }
      }
    }
  }
}
"""
LESSER = ("if (e.weight < through) { through = e.weight; }", "through = min(through, e.weight);")
NOT_CHOSEN = {
    "the greater": ("e.weight < through", "e.weight > through"),
    "another value": ("through = e.weight;", "through = e.weight - 1;"),
    "another is compared": ("e.weight < through", "e.weight < w.width"),
}


@pytest.mark.parametrize("change", [("level > next", "level > next"), ("level > next", "next < level"), LEAST])
def test_a_level_is_given_where_a_cell_holds_more(change: tuple[str, str]) -> None:
    assert operators_of(changed(ABOVE, change)) == operators_of(BFS)


@pytest.mark.parametrize("name", NOT_NEXT)
def test_other_numbers_are_given_as_they_stand(name: str) -> None:
    text = changed(ABOVE, NOT_NEXT[name])
    assert operators_of(text) != operators_of(BFS)
    assert_as_written(changed(text, ("while (more) {", "while (more && next < 9) {")), GRAPHS)


def test_a_copied_counter_is_a_flag() -> None:
    assert operators_of(COPIED) == operators_of(BFS)


@pytest.mark.parametrize("name", NOT_COPIED)
def test_a_count_that_says_more_keeps_its_answer(name: str) -> None:
    text = changed(COPIED, NOT_COPIED[name])
    assert operators_of(text) != operators_of(BFS)
    assert_as_written(text, GRAPHS)


def test_a_branch_chooses_the_lesser_of_two() -> None:
    chosen = operators_of(CHOSEN)
    assert "is empty" in chosen
    assert chosen == operators_of(
        changed(CHOSEN, ("int through = v.width;", "int through = min(v.width, e.weight);"), (LESSER[0], ""))
    )


@pytest.mark.parametrize("name", NOT_CHOSEN)
def test_another_branch_keeps_its_answer(name: str) -> None:
    text = changed(CHOSEN, NOT_CHOSEN[name], ("while (more)", "for (int i = 0; i < 3; i++)"))
    assert_as_written(text, GRAPHS)


ONE_LESS = changed(
    (FOLDER / "bfs" / "rounds_from_one.sp").read_text(), ("hop_counts(", "f("), ("net", "g"), ("root", "src")
)


@pytest.mark.parametrize(
    "change", [("int round = 1", "int round = 0"), ("round - 1", "round - 2"), ("= round;", "= 1;")]
)
def test_rounds_that_ask_for_no_level_or_another_stay(change: tuple[str, str]) -> None:
    text = changed(ONE_LESS, change)
    assert any(line.strip().startswith("count ") for line in operators_of(text).splitlines())
    assert_as_written(text, GRAPHS)
