"""Minimum spanning trees of graphs with many arcs per node, of which the lightest are looked at first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import starplat
from starplat.graph import Graph
from tests import oracles
from tests.programs.cases import EXAMPLES
from tests.programs.targets import Target, every_target

NODES, ARCS = 60, 1500
WEIGHTS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "all the same": lambda _: np.full(ARCS, 7),
    "of two kinds": lambda chance: chance.integers(0, 2, ARCS),
    "negative": lambda chance: chance.integers(-90, -3, ARCS),
    "of both signs": lambda chance: chance.integers(-3, 4, ARCS),
    "mostly heavy": lambda chance: np.where(chance.random(ARCS) < 0.01, 1, 2**31 - 2),
    "mostly light": lambda chance: np.where(chance.random(ARCS) < 0.99, 1, 2**31 - 2),
    "of every size": lambda chance: 2 ** chance.integers(0, 31, ARCS) - 1,
}


def dense(name: str) -> Graph:
    """Two dense parts that a few arcs join, with loops and parallel arcs."""
    chance = np.random.default_rng(5)
    source, destination = chance.integers(0, NODES, ARCS), chance.integers(0, NODES, ARCS)
    apart = (source < NODES // 2) != (destination < NODES // 2)
    destination = np.where(apart & (chance.random(ARCS) < 0.99), source, destination)
    return Graph.from_arcs(NODES, source, destination, WEIGHTS[name](chance).astype(np.int32))


@every_target
@pytest.mark.parametrize("name", WEIGHTS)
def test_heavy_arcs_that_come_last_join_what_light_ones_do_not(name: str, target: Target) -> None:
    graph = dense(name)
    result = target.run(starplat.compile(EXAMPLES / "minimum_spanning_tree.sp"), graph, {})
    assert result.returned == oracles.tree_weight(graph)
    oracles.assert_spanning_forest(graph, result["in_tree"], result.returned)
