"""Sums over all rows whose arcs lie in the host's memory: blocks begin in several places, and all nodes are summed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends.hip import HIP
from starplat.graph import generators
from starplat.graph.graph import Graph
from tests.backends.emulated import Machine, emulated

PAGERANK = starplat.compile(Path(__file__).resolve().parents[2] / "examples" / "pagerank.sp")
FAR = "memory=mapped,order=as-is,algebra=plain"


MACHINES = {
    "few blocks": Machine(3, 64),
    "many blocks": Machine(20, 32, limits=False),
    "wide warps": Machine(3, 128, warp=64, family=HIP),
}


def with_heavy_nodes_first() -> Graph:
    """Nearly all arcs are those of the first nodes, and some nodes at the end have none."""
    generator = np.random.default_rng(3)
    sources, targets = generator.integers(0, 1500, 6000), (generator.random(6000) ** 4 * 1400).astype(np.int64)
    return Graph.from_arcs(1500, sources, targets)


GRAPHS = {"rmat": generators.rmat(10, 8, 1), "star": generators.star(2500), "heavy first": with_heavy_nodes_first()}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_ranks_are_the_same_wherever_arcs_lie(machine: Machine, graph: Graph) -> None:
    expected = PAGERANK.run(graph, target="reference", max_iterations=3)["rank"]
    with emulated(machine):
        found = PAGERANK.run(graph, target="cuda", schedule=FAR, max_iterations=3)
    np.testing.assert_allclose(found["rank"], expected, rtol=1e-12)


@pytest.mark.parametrize("target", ["cuda", "hip"])
@pytest.mark.parametrize(
    ("memory", "far", "near"), [("resident", False, True), ("mapped", True, False), ("ondemand", True, True)]
)
def test_only_arcs_in_the_hosts_memory_are_read_from_several_places(
    target: str, memory: str, far: bool, near: bool
) -> None:
    (text,) = PAGERANK.artifact(target, schedule=f"memory={memory}", single_file=True).values()
    assert ("gather_far_rows(num_nodes" in text) is far
    assert ("gather_rows(num_nodes" in text) is near


def test_managed_memory_is_read_as_the_devices() -> None:
    (text,) = PAGERANK.artifact("cuda", schedule="memory=unified", single_file=True).values()
    assert "gather_far_rows" not in text
