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
