"""Long rows: threads that share one test several of its arcs before they work on the first, where that is the same."""

from __future__ import annotations

import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import generators
from starplat.runtime.text import kernels_text_to_run
from starplat.schedule.facts import GraphFacts
from tests.backends.emulated import Machine
from tests.backends.test_sets import MACHINES, WAVEFRONTS, agree, random_graph

LONG = GraphFacts(2**17, 2**21, 2**10, symmetric=True)

ROUNDS = """
function rounds(Graph g, propNode<int> level, propNode<int> told, propEdge<int> weight, node src) {
  propNode<bool> frontier;
  g.attachNodeProperty(level = INF, frontier = False, told = 0);
  src.level = 0;
  src.frontier = True;
  int depth = 0;
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier == True)) {
      forall (w in g.neighbors(v)) {
        WORK
      }
    }
    depth += 1;
  }
}
"""
SUM = """
function sums(Graph g, propNode<int> level, propNode<double> paths, node src) {
  propNode<int> other;
  g.attachNodeProperty(paths = 0.0, other = 0);
  src.paths = 1.0;
  iterateInBFS (v in g.nodes() from src) {
    for (u in g.nodes_to(v)) {
      WORK
    }
    v.level = 1;
  }
}
"""


def text(source: str, facts: GraphFacts | None = LONG) -> str:
    return kernels_text_to_run("cuda", for_target(starplat.compile(source).module(), "cuda", None, facts))


def asks_ahead(source: str, facts: GraphFacts | None = LONG) -> bool:
    return "where([&]" in text(source, facts)


LOWERED = "<w.level, w.frontier> = <Min(w.level, depth + 1), True>;"


def test_lowered_cells_are_asked_ahead_of_the_work_on_arcs_of_long_rows() -> None:
    assert asks_ahead(ROUNDS.replace("WORK", LOWERED))
    assert not asks_ahead(ROUNDS.replace("WORK", LOWERED), GraphFacts(2**17, 2**21, 128))
    assert not asks_ahead(ROUNDS.replace("WORK", LOWERED), None)


@pytest.mark.parametrize(
    "work",
    [
        "<w.level, w.frontier> = <Max(w.level, depth + 1), True>;",
        "<w.level, w.frontier> = <Min(w.level, v.level + weight), True>;",
        f"{LOWERED} if (w.told == 7) {{ w.level = INF; }}",
        "if (w.level < depth + 1) { w.level = depth - 1; w.told += 1; w.frontier = True; }",
        "if (w.level >= w.told) { <w.level, w.frontier> = <Min(w.level, depth + 1), True>; w.told += 1; }",
    ],
    ids=["raised", "by what changes", "raised elsewhere", "holds once lowered", "no number"],
)
def test_what_may_pass_later_is_not_asked_ahead(work: str) -> None:
    work = work.replace("+ weight", "+ g.get_edge(v, w).weight")
    assert not asks_ahead(ROUNDS.replace("WORK", work))


def test_sums_test_arcs_ahead_of_values() -> None:
    assert asks_ahead(SUM.replace("WORK", "v.paths += u.paths;"))
    assert "read_values" in text(SUM.replace("WORK", "v.paths += u.paths;"))


@pytest.mark.parametrize("name", ["bfs_levels", "betweenness"])
@pytest.mark.parametrize(
    "machine", [*MACHINES, WAVEFRONTS[0]], ids=lambda machine: f"{machine.blocks}x{machine.threads}"
)
def test_answers_are_the_same(name: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GraphFacts, "has_long_rows", True)
    agree(name, random_graph(300, 8, 5), "auto", machine)
    agree(name, generators.star(400), "auto", machine)
