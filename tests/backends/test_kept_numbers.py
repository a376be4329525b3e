"""Persistent kernels on CUDA and HIP test several numbers of a filtered loop before they work on the first."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import starplat
from starplat import pipeline
from starplat.backends.cuda import CUDA
from starplat.backends.cuda_family import Family
from starplat.backends.hip import HIP
from starplat.graph import Graph, generators
from tests.backends.emulated import Machine, emulated, require_compiler
from tests.changing import changed
from tests.programs.cases import EXAMPLES

ARCS = """function f(Graph g, propEdge<int> seen) {
  bool more = True;
  while (more) {
    more = False;
    forall (e in g.edges().filter(seen < 3)) {
      e.seen += 1;
      more = True;
    }
  }
}"""

ROWS = """function f(Graph g, propNode<int> seen) {
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(seen < 3)) {
      int most = 0;
      for (w in g.neighbors(v)) {
        most = max(most, w % 3);
      }
      v.seen += most + 1;
      more = True;
    }
  }
}"""


def graphs() -> list[Graph]:
    """With fewer nodes than threads, and with several times as many."""
    return [generators.grid(side, 70) for side in (3, 14, 30)]


@pytest.mark.parametrize("family", [CUDA, HIP], ids=lambda family: family.name)
def test_core_numbers_of_more_nodes_than_threads(family: Family) -> None:
    require_compiler()
    program = starplat.compile(EXAMPLES / "k_core.sp")
    for graph in graphs():
        arcs = nx.Graph(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True))
        expected = [nx.core_number(arcs).get(node, 0) for node in range(graph.num_nodes)]
        with emulated(Machine(2, 64, family=family, warp=64 if family is HIP else 32)):
            found = program.run(graph, target="cuda")["core"]
        np.testing.assert_array_equal(found, expected)


def test_arcs_more_than_threads() -> None:
    require_compiler()
    with emulated(Machine(1, 32)):
        found = starplat.compile(ARCS).run(generators.grid(14, 70), target="cuda")["seen"]
    assert set(found.tolist()) == {3}


@pytest.mark.parametrize(("loop", "several"), [("device", True), ("host", False)])
def test_only_a_persistent_kernel_has_several_for_a_thread(loop: str, several: bool) -> None:
    text = pipeline.kernels_text(starplat.compile(ARCS).module(), "cuda", f"loop={loop}")
    assert ("each_kept(num_arcs," in text) is several


def test_work_that_may_be_long_is_not_put_off() -> None:
    text = pipeline.kernels_text(starplat.compile(ROWS).module(), "cuda", "loop=device,balance=node")
    assert "grid_barrier(" in text
    assert "each_kept(" not in text


FLAGS = """function f(Graph g, propEdge<int> seen) {
  propEdge<bool> open;
  g.attachEdgeProperty(open = True, seen = 0);
  int rounds = 0;
  while (rounds < 4) {
    forall (e in g.edges().filter(open)) {
      e.seen = e.seen * 3 + 1;
      e.open = e.source % 5 > rounds;
    }
    if (rounds > 0) {
      forall (e in g.edges()) {
        e.seen = e.seen * 2 + e.destination;
      }
    }
    rounds += 1;
  }
}"""


@pytest.mark.parametrize("family", [CUDA, HIP], ids=lambda family: family.name)
def test_flags_of_arcs_are_read_by_words(family: Family) -> None:
    """So a thread has other arcs than in the next loop, which waits."""
    require_compiler()
    program = starplat.compile(FLAGS)
    assert "each_flagged(num_arcs, open_," in pipeline.kernels_text(program.module(), "cuda", "loop=device")
    for graph in (*graphs(), generators.chain(2), generators.chain(4)):
        with emulated(Machine(2, 64, family=family, warp=64 if family is HIP else 32)):
            found = program.run(graph, target="cuda")["seen"]
        np.testing.assert_array_equal(found, program.run(graph, target="reference")["seen"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("propEdge<int> seen) {\n  propEdge<bool> open;", "propEdge<int> seen, propEdge<bool> open) {"),
        (".filter(open)", ".filter(!open)"),
        (".filter(open)", ".filter(open && seen < 9)"),
    ],
    ids=["of the caller", "not set", "more asked"],
)
def test_other_flags_are_read_one_by_one(old: str, new: str) -> None:
    """The caller's may begin anywhere, and end with the last arc."""
    text = pipeline.kernels_text(starplat.compile(changed(FLAGS, (old, new))).module(), "cuda", "loop=device")
    assert "each_kept(num_arcs," in text
    assert "each_flagged" not in text
