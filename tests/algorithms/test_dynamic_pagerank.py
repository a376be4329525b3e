"""Ranks of changing graphs, most of whose rounds are no plain ones, end as near as plain rounds do."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.algorithms.judges.dynamic import program
from tests.programs.targets import REFERENCE, TARGETS, Target
from tests.zoo import graph, pairs

if TYPE_CHECKING:
    from starplat import Graph, Result


def groups(count: int, size: int) -> list[tuple[int, int]]:
    """Groups whose nodes all have arcs to each other; each with a chain of three that leads away from its first node
    and back, and a node without out-arcs. Beside them is a pair, and what other nodes a graph has are alone."""
    members = [range(first, first + size) for first in range(0, count * size, size)]
    arcs = [(a, b) for group in members for a in group for b in group if a != b]
    for group, next_node in zip(members, range(count * size, count * (size + 4), 4), strict=True):
        chain = (group[0], next_node, next_node + 1, next_node + 2)
        arcs += [arc for a, b in pairwise(chain) for arc in ((a, b), (b, a))] + [(group[1], next_node + 3)]
    first = count * (size + 4)
    return [*arcs, (first, first + 1), (first + 1, first)]


GRAPHS = [
    graph("circle of three", 6, pairs((0, 1), (1, 2), (2, 0), (3, 0), (4, 0), (5, 3))),
    graph("circle of four", 7, pairs((0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (5, 0), (6, 4))),
    graph("bipartite", 8, pairs((0, 4), (4, 0), (4, 1), (1, 5), (5, 2), (2, 6), (6, 3), (3, 7), (7, 0), (5, 0))),
    graph("chain", 9, pairs(*((i, i + 1) for i in range(8)))),
    graph("star", 30, pairs(*((i, 0) for i in range(1, 30)), *((0, i) for i in range(1, 30)))),
    graph("a group with chains", 27, pairs(*groups(1, 20))),
    graph("groups with chains", 75, pairs(*groups(3, 20))),
]
every_graph = pytest.mark.parametrize("taken", GRAPHS, ids=lambda taken: taken.name)


def ranked(taken: Graph, target: Target = REFERENCE, changes: object = (), **more: float) -> Result:
    return target.run(program("dynamic_pagerank"), taken, {"changes": changes, **more})


def plain_round(taken: Graph, rank: np.ndarray, damping: float) -> np.ndarray:
    """By definition: ranks flow along arcs, those of nodes without any to all."""
    degrees = np.bincount(taken.sources, minlength=taken.num_nodes)
    share = rank / np.maximum(degrees, 1)
    inflow = np.bincount(taken.columns, share[taken.sources], taken.num_nodes)
    return (1 - damping + damping * rank[degrees == 0].sum()) / taken.num_nodes + damping * inflow


@every_graph
@pytest.mark.parametrize(("damping", "rounds"), [(0.85, 0), (0.85, 2), (0.85, 4), (0.85, 11), (0.99, 100)])
def test_few_rounds_leave_the_ranks_of_plain_ones(taken: Graph, damping: float, rounds: int) -> None:
    """Large steps for which no rounds are left to make up would leave ranks below 0."""
    expected = np.full(taken.num_nodes, 1 / taken.num_nodes)
    for _ in range(rounds):
        expected = plain_round(taken, expected, damping)
    found = ranked(taken, damping=damping, max_iterations=rounds, tolerance=1e-6)["rank"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)  # steps are floats


@every_graph
@pytest.mark.parametrize(("tolerance", "rounds"), [(1e-6, 100), (1e-12, 1000)])
def test_a_round_more_changes_no_more_than_the_tolerance(taken: Graph, tolerance: float, rounds: int) -> None:
    """Though what a round changes is a float, and a large step may leave less than its rounding."""
    found = ranked(taken, tolerance=tolerance, max_iterations=rounds)["rank"]
    assert np.abs(plain_round(taken, found, 0.85) - found).sum() <= 1.5 * tolerance


def test_sums_over_many_neighbors_are_as_exact() -> None:
    """With OpenMP, where one thread adds a row's values one by one."""
    openmp = next(target for target in TARGETS if target.target == "openmp")
    leaves = np.arange(1, 20_001)
    hub = np.zeros_like(leaves)
    taken = type(GRAPHS[0]).from_arcs(20_001, np.append(leaves, hub), np.append(hub, leaves))
    changes = [("d", i, 0) for i in range(2, 400)] + [("a", i, 1) for i in range(2, 400)]
    result = ranked(taken, openmp, changes, batch=1000)
    found = result["rank"]
    assert np.abs(plain_round(result.graph, found, 0.85) - found).sum() <= 1.5e-6
