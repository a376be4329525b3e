"""Filtered loops that keep few numbers test a block of them at once where a thread is a core, and give the same."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.graph import Graph
from tests.changing import changed

PEELS = """
function peels(Graph g, propNode<int> round, propNode<int> load, propNode<int> times) {
  g.attachNodeProperty(round = -1, times = 0);
  for (int k = 0; k < 9; k++) {
    forall (v in g.nodes().filter(round == -1 && load <= k)) {
      v.round = k;
      v.times += 1;
    }
  }
}
"""
FILTER = "round == -1 && load <= k"
BLOCKED = {
    "as it stands": [],
    "one test": [(FILTER, "round == -1")],
    "turned round": [(FILTER, "!(round != -1 || load > k)")],
    "a test that may not be asked of all": [(FILTER, "load > 0 && round == -1 && 12 / load > k")],
}
NEAR = {
    "it may keep a number again": [("      v.round = k;\n", "      if (v.load % 2 == 0) { v.round = k; }\n")],
    "its work has a loop": [("v.times += 1;", "for (w in g.neighbors(v)) { v.times += w.load; }")],
    "it looks no cell up that changes": [(FILTER, "load <= k")],
}


def kernels(text: str, target: str) -> str:
    return next(iter(starplat.compile(text).artifact(target).values()))


@pytest.mark.parametrize("changes", BLOCKED.values(), ids=BLOCKED)
def test_a_core_tests_a_block_at_once(changes: list[tuple[str, str]]) -> None:
    assert kernels(changed(PEELS, *changes), "openmp").count("#pragma omp simd") == 1


def test_a_test_that_may_not_be_asked_of_all_is_left_out() -> None:
    text = kernels(changed(PEELS, *BLOCKED["a test that may not be asked of all"]), "openmp")
    assert "some |= (load_[v] > 0) & (round_[v] == -1);" in text


@pytest.mark.parametrize("changes", NEAR.values(), ids=NEAR)
def test_near_misses_are_loops_as_before(changes: list[tuple[str, str]]) -> None:
    assert "simd" not in kernels(changed(PEELS, *changes), "openmp")


def test_threads_in_lockstep_have_no_blocks() -> None:
    assert "simd" not in kernels(PEELS, "openacc")


@pytest.mark.parametrize("nodes", [0, 1, 63, 64, 65, 1000])
@pytest.mark.parametrize("changes", [*BLOCKED.values(), *NEAR.values()], ids=[*BLOCKED, *NEAR])
def test_every_number_is_kept_as_the_interpreter_keeps_it(changes: list[tuple[str, str]], nodes: int) -> None:
    graph = Graph.from_arcs(nodes, np.arange(nodes), np.roll(np.arange(nodes), 1))
    program = starplat.compile(changed(PEELS, *changes))
    given = {"load": (np.arange(nodes) * 7 % 12).astype(np.int32)}
    found, expected = (program.run(graph, target=target, **given) for target in ("openmp", "reference"))
    for name in ("round", "times"):
        assert np.array_equal(found[name], expected[name])
