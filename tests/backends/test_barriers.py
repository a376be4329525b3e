"""How many barriers a round over levels has: one, where nobody notices what finding the next level changes.

Brandes' method finds the next level and counts paths to this one. Both may go on at the same time while the level's
nodes are in a list, since who counts only asks for the level before.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from starplat import pipeline
from starplat.schedule.parse import parse_schedule
from starplat.source import SourceFile

LEVELS = Path(__file__).parents[2] / "examples" / "bfs_levels.sp"
CONDITIONAL = re.compile(r"if \(listed\((\w+)\) < 0\) grid_barrier\(arrived\);")

PATHS = """
function paths(Graph g, propNode<double> count, node root) {
  g.attachNodeProperty(count = 0.0);
  root.count = 1.0;
  iterateInBFS (x in g.nodes() from root) {
    BODY
  }
}
"""
PULLED = "for (y in g.nodes_to(x)) { x.count = x.count + y.count; }"
PUSHED = "forall (y in g.neighbors(x)) { y.count += x.count; }"


def loop_of(body: str, schedule: str = "auto") -> str:
    """The rounds over levels as CUDA."""
    checked = pipeline.check(SourceFile("paths.sp", PATHS.replace("BODY", body)))
    return rounds(pipeline.kernels_text(pipeline.lower(checked), "cuda", parse_schedule(schedule)))


def rounds(text: str) -> str:
    """The first loop of a launch."""
    start = text.index("do {", text.index('extern "C" __global__'))
    return text[start : text.index("} while", start)]


def barriers(loop: str) -> tuple[int, int]:
    """How many there are in all cases, but for those of a round that pulls, and how many while lists lack members."""
    pull = loop.index("if (has_many(") if "if (has_many(" in loop else 0
    pushing = loop[:pull] + loop[loop.index("} else {", pull) :] if pull else loop
    sometimes = len(CONDITIONAL.findall(pushing))
    return pushing.count("grid_barrier(arrived);") - sometimes, sometimes


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("auto", (1, 1)),
        ("direction=push", (1, 1)),
        ("frontier=queue", (1, 0)),  # all members are listed at any time
        ("frontier=bitmap", (2, 0)),
        ("frontier=layers", (2, 0)),
    ],
)
def test_paths_to_a_level_are_counted_while_the_next_is_found(schedule: str, expected: tuple[int, int]) -> None:
    assert barriers(loop_of(PULLED, schedule)) == expected


def test_who_asks_for_the_next_level_waits_for_it() -> None:
    assert barriers(loop_of(PUSHED)) == (2, 0)


def test_who_asks_for_a_level_that_cells_may_have_had_waits_too() -> None:
    beyond = "for (y in g.nodes_to(x)) { if (y.count > 3.0) { x.count = x.count + 1.0; } }"
    assert barriers(loop_of(beyond)) == (1, 1)


def test_a_round_that_pulls_does_not_wait_twice_at_one_place() -> None:
    text = LEVELS.read_text(encoding="utf-8")
    checked = pipeline.check(SourceFile("bfs_levels.sp", text))
    loop = rounds(pipeline.kernels_text(pipeline.lower(checked), "cuda", parse_schedule("auto")))
    pull = loop[loop.index("if (has_many(") : loop.index("} else {")]
    assert pull.count("grid_barrier(arrived);") == 1, "the set is cleared when all have looked at it"
    assert loop.count("grid_barrier(arrived);") == 2


COUNTED = """function counted(Graph g, propNode<int> level, propNode<int> seen, node root) {
  propNode<bool> now;
  g.attachNodeProperty(level = INF, seen = 0, now = False);
  root.level = 0;
  root.now = True;
  int depth = 0;
  bool finished = False;
  fixedPoint until (finished : !now) {
    forall (v in g.nodes().filter(now == True)) {
      for (u in g.nodes_to(v)) { if (u.level == depth - 1) { v.seen = v.seen + 1; } }
    }
    forall (v in g.nodes().filter(now == True)) {
      forall (w in g.neighbors(v)) { <w.level, w.now> = <Min(w.level, depth + 1), True>; }
    }
    depth += 1;
  }
}"""


@pytest.mark.parametrize(
    ("asked", "waits"),
    [
        ("u.level == depth - 1", 0),
        ("u.level == depth", 0),
        ("u.level == depth + 1", 1),  # what the cells become
        ("u.level == INF", 1),  # what they were
        ("u.level > depth", 1),
        ("u.level == 3", 1),
    ],
)
def test_a_pull_does_not_wait_for_who_asks_for_a_smaller_number(asked: str, waits: int) -> None:
    checked = pipeline.check(SourceFile("counted.sp", COUNTED.replace("u.level == depth - 1", asked)))
    loop = rounds(pipeline.kernels_text(pipeline.lower(checked), "cuda", parse_schedule("auto")))
    assert loop[: loop.index("search_all<true>(")].count("grid_barrier(arrived);") == waits


SELDOM = """function seldom(Graph g, propNode<int> a, propNode<int> b) {
  int i = 0;
  do {
    long more = 0;
    forall (v in g.nodes()) { for (w in g.neighbors(v)) { if (w.a > i) { more += 1; } } }
    WRITES
    if (more == 3) { forall (v in g.nodes()) { v.a = i; } }
    i += 1;
  } while (i < 64);
}"""


@pytest.mark.parametrize(
    ("writes", "always", "in_the_branch"),
    [("", 1, 1), ("forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.a += 1; } }", 2, 1)],
    ids=["nothing else changes", "others change the same cells"],
)
def test_rounds_that_leave_out_a_launch_do_not_wait_for_it(writes: str, always: int, in_the_branch: int) -> None:
    checked = pipeline.check(SourceFile("seldom.sp", SELDOM.replace("WRITES", writes)))
    loop = rounds(pipeline.kernels_text(pipeline.lower(checked), "cuda", parse_schedule("auto")))
    branch = loop[loop.index("if (more == 3)") : loop.index("i += 1;")]
    assert branch.count("grid_barrier(arrived);") == in_the_branch
    assert loop.count("grid_barrier(arrived);") - in_the_branch == always


BEGUN = """
function begun(Graph g, propNode<int> level, propNode<int> other, node src) {
  propNode<bool> frontier;
  g.attachNodeProperty(level = INF, other = 0, frontier = False);
  BETWEEN
  src.level = WRITTEN;
  src.frontier = True;
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier == True)) {
      forall (w in g.neighbors(v)) {
        <w.level, w.frontier> = <Min(w.level, v.level + 1), True>;
      }
    }
  }
}
"""


@pytest.mark.parametrize(
    ("between", "written", "merged"),
    [
        ("", "0", True),
        ("forall (v in g.nodes()) { v.other = v.level; }", "0", False),
        ("", "src.other", False),
        ("src.level = 3;", "0", False),
    ],
    ids=["at once", "cells are read between", "the value is read", "written twice"],
)
def test_the_thread_that_fills_a_cell_writes_it_too(between: str, written: str, merged: bool) -> None:
    checked = pipeline.check(SourceFile("begun.sp", BEGUN.replace("BETWEEN", between).replace("WRITTEN", written)))
    text = pipeline.kernels_text(pipeline.lower(checked), "cuda", parse_schedule("auto"))
    ahead = text[text.index('extern "C" __global__') :].split("do {")[0]
    assert ("level[cell] = cell == src ? 0 : INT_MAX;" in ahead) is merged
    assert ("begin_with(frontier, num_nodes, src);" in ahead) or not merged
    assert (ahead.count("grid_barrier(arrived);") == 1) is merged
