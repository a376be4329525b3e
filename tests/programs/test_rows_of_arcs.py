"""Threads share the rows that some arcs lead to, where these are many times as long as others."""

from __future__ import annotations

import pytest

import starplat
from starplat.graph import generators
from tests.backends.emulated import Machine, emulated
from tests.programs.targets import Target, every_target
from tests.runtime.test_many_devices import emulated_gpus
from tests.schedule.programs import scheduled, shape

FAR = """
function far(Graph g, propNode<int> seen) {
  long paths = 0;
  forall (e in g.edges().filter(e.destination % 3 == 1)) {
    node a = e.source;
    node b = e.destination;
    bool swap = g.count_outNbrs(b) < g.count_outNbrs(a);
    node far = swap ? a : b;
    if (a != b) {
      forall (c in g.neighbors(far)) {
        if (c != a) {
          paths += c;
          c.seen += 1;
        }
      }
    }
  }
  return paths;
}"""

LATE = FAR.replace("c.seen += 1;\n        }\n      }", "c.seen += 1;\n        }\n      }\n      b.seen += 5;")
"""Something follows the loop over the row."""

NESTED = FAR.replace("node far = swap ? a : b;", "node far = a;\n    for (c in g.neighbors(b)) { far = c; }")
"""The row is not known ahead."""


def test_rows_that_arcs_lead_to_are_shared() -> None:
    assert shape(scheduled(FAR)).shares == 1


@pytest.mark.parametrize("text", [LATE, NESTED], ids=["something follows", "a loop finds the row"])
def test_other_rows_are_not(text: str) -> None:
    assert shape(scheduled(text)).shares == 0


@every_target
@pytest.mark.parametrize("text", [FAR, LATE, NESTED], ids=["shared", "something follows", "a loop finds the row"])
def test_answers_are_those_of_the_checked_program(target: Target, text: str) -> None:
    program, graph = starplat.compile(text), generators.rmat(7, 9, 2)
    found, right = target.run(program, graph, {}), program.run(graph, checked=True)
    assert found.returned == right.returned
    assert found["seen"].tolist() == right["seen"].tolist()


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("limits", [True, False])
def test_warps_and_blocks_share_them(seed: int, limits: bool) -> None:
    program, graph = starplat.compile(FAR), generators.rmat(7, 9, 2)
    right = program.run(graph, checked=True)
    with emulated(Machine(blocks=2, threads=64, seed=seed, limits=limits)):
        found = program.run(graph, target="cuda")
    assert found.returned == right.returned
    assert found["seen"].tolist() == right["seen"].tolist()


def test_they_do_among_the_arcs_of_a_part() -> None:
    program, graph = starplat.compile(FAR), generators.rmat(7, 9, 2)
    right = program.run(graph, checked=True)
    with emulated_gpus(2):
        found = program.run(graph, target="cuda", devices=2)
    assert found.returned == right.returned
    assert found["seen"].tolist() == right["seen"].tolist()
