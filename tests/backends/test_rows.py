"""Rows of all lengths are gone through once: short ones, long ones and huge ones, more than a block can put off."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import starplat
from starplat.backends.cuda import CUDA
from starplat.backends.cuda_family import Family
from starplat.backends.hip import HIP
from starplat.graph import Graph, from_object
from tests.backends import emulated as emulation
from tests.backends.emulated import Machine, emulated
from tests.programs.cases import EXAMPLES

NODES = 300
HUBS = {5: 290, 6: 150, 7: 200, 40: 250, 41: 130, 200: 280, 299: 299}

LIMITS: tuple[dict[str, int], ...] = (
    {"LONG_ROW": 6, "HUGE_ROW": 9, "MOST_LONG": 2, "MOST_HUGE": 1, "FEW_ARCS": 1, "MOST_ARCS": 64},
    {"LONG_ROW": 20, "HUGE_ROW": 200, "MOST_LONG": 40, "MOST_HUGE": 2, "FEW_ARCS": 8},
)

PROGRAMS: dict[str, dict[str, object]] = {
    "pagerank": {"max_iterations": 5, "tolerance": 0.0},
    "bfs_levels": {"src": 3},
    "sssp": {"src": 3},
    "betweenness": {"sources": [3]},
    "connected_components": {},
}


def hubs() -> Graph:
    """Nodes with some 20 neighbors, and hubs that stand together."""
    chance = np.random.default_rng(7)
    ends = [chance.integers(0, NODES, (2, 10 * NODES))]
    for hub, degree in HUBS.items():
        others = chance.permutation(NODES)[:degree]
        ends += [np.array([np.full(degree, hub), others]), np.array([others, np.full(degree, hub)])]
    sources, destinations = np.concatenate(ends, axis=1)
    weights = chance.integers(1, 90, len(sources))
    return from_object(scipy.sparse.coo_array((weights, (sources, destinations)), shape=(NODES, NODES)).tocsr())


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("family", [CUDA, HIP], ids=lambda family: family.name)
@pytest.mark.parametrize("blocks", [2, 7])  # with fewer threads than nodes, and more
@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: f"long{limits['LONG_ROW']}")
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_arc_counts_once(
    name: str, limits: dict[str, int], blocks: int, family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, program = hubs(), starplat.compile(EXAMPLES / f"{name}.sp")
    expected = program.run(graph, target="reference", arguments=PROGRAMS[name])
    monkeypatch.setattr(emulation, "LIMITS", limits)
    warp = 64 if family is HIP else 32
    with emulated(Machine(blocks=blocks, threads=64, seed=blocks, warp=warp, family=family)):
        found = program.run(graph, target="cuda", arguments=PROGRAMS[name])
    for property_name, values in expected.properties.items():
        np.testing.assert_allclose(found.properties[property_name], values, rtol=1e-9, err_msg=property_name)


TWICE = """
function twice(Graph g, propNode<long> a, propNode<long> b, propNode<long> c) {
  forall (v in g.nodes()) { v.a = v; }
  for (int i = 0; i < 3; i++) {
    forall (v in g.nodes().filter(a % 3 != 1)) { long sum = 0; for (w in g.neighbors(v)) { sum += w.a; } v.b = sum; }
    forall (v in g.nodes().filter(a % 5 != 2)) { long sum = 0; for (w in g.nodes_to(v)) { sum += w.a; } v.c = sum + i; }
  }
}
"""


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_were_put_off_are_done_before_others_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No barrier of the launch stands between two loops that have nothing to do with each other, so that a thread may
    be at the second while others of its block still look at the list of the first; with seed 0 it is."""
    graph, program = hubs(), starplat.compile(TWICE)
    expected = program.run(graph, target="reference")
    monkeypatch.setattr(emulation, "LIMITS", {"LONG_ROW": 6, "HUGE_ROW": 400})
    with emulated(Machine(blocks=1, threads=64, seed=seed)):
        found = program.run(graph, target="cuda")
    for name in ("b", "c"):
        assert found[name].tolist() == expected[name].tolist()
