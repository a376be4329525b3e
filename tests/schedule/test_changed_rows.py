"""Rounds that work out a value of each node from its row leave out rows in which nothing has changed."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import for_target
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.schedule import AUTO
from starplat.schedule.facts import GraphFacts
from tests.changing import changed
from tests.schedule.votes import DIRECTED, SYMMETRIC, VOTES

ROUNDS = {
    "votes": VOTES,
    "of one row": changed(VOTES, ("inOutNbrs", "neighbors")),
    "with a node's own value": changed(VOTES, ("best < 0 ? v.x : best", "best < 0 ? v.x : (best + v.x) / 2")),
    "of what no round changes": changed(VOTES, ("votes[u.x] += 1", "votes[u.x] += u.y")),
    "of some neighbors": changed(VOTES, ("g.inOutNbrs(v)", "g.inOutNbrs(v).filter(u.y > v.y)")),
}
NEAR_MISSES = {
    "the round's number": changed(VOTES, ("best < 0 ? v.x : best", "best < 0 ? v.x : best + i % 3")),
    "another node's value": changed(
        VOTES, ("best < 0 ? v.x : best;", "v.x; if (best >= 0) { node w = best; v.z = w.x; }")
    ),
    "what it stored last": changed(VOTES, ("best < 0 ? v.x : best", "best < 0 ? v.x : (best + v.z) / 2")),
    "more in a round": changed(VOTES, ("    x = z;", "    forall (v in g.nodes()) { v.y = v.z / 2; }\n    x = z;")),
    "a count": changed(VOTES, ("propNode<int> z;", "long n = 0; propNode<int> z;"), ("int best", "n += v; int best")),
}


def module(text: str, facts: GraphFacts | None, target: str = "openmp") -> ir.Module:
    return for_target(starplat.compile(text).module(), target, AUTO, facts)


def leaves_out(made: ir.Module) -> bool:
    return any(kernel.name.endswith("_changes") for kernel in made.kernels)


@pytest.mark.parametrize("text", ROUNDS.values(), ids=ROUNDS)
def test_rows_are_left_out_on_symmetric_graphs_by_threads_that_are_cores(text: str) -> None:
    assert leaves_out(module(text, SYMMETRIC))
    assert not leaves_out(module(text, DIRECTED))
    assert not leaves_out(module(text, None))
    assert not leaves_out(module(text, SYMMETRIC, "cuda"))


@pytest.mark.parametrize("text", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_what_may_differ_for_the_same_row_is_done_again(text: str) -> None:
    assert not leaves_out(module(text, SYMMETRIC))


def graphs() -> list[Graph]:
    """With loops and parallel arcs, with nodes that settle soon and with nodes that never do."""
    made = generators.rmat(6, 8, 1)
    return [made.undirected(), made, generators.grid(5, 7), generators.rmat(8, 2, 3).undirected()]


@pytest.mark.parametrize("text", [*ROUNDS.values(), *NEAR_MISSES.values()], ids=[*ROUNDS, *NEAR_MISSES])
def test_the_answers_are_the_same(text: str) -> None:
    compiled = starplat.compile(text)
    for graph in graphs():
        nodes = graph.num_nodes
        given = {"x": np.random.default_rng(1).integers(0, nodes, nodes), "y": np.arange(nodes) % 5}
        expected = compiled.run(graph, arguments=given, target="reference")
        found = compiled.run(graph, arguments=given, target="openmp")
        np.testing.assert_array_equal(found["x"], expected["x"])
