"""A list of few nodes is taken by one thread of OpenMP, which needs no atomic updates; a longer one by all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.backends.scheduled import for_target
from starplat.graph import Graph
from starplat.schedule import AUTO

PEELING = Path(__file__).parents[2] / "examples" / "k_core.sp"


def leaves_on_a_ring(leaves: int, ring: int) -> Graph:
    """Leaves are in the core of 1, the ring in that of 2; three nodes of the ring have all leaves between them."""
    around = np.arange(ring)
    hanging = np.arange(leaves)
    sources = np.concatenate([around, ring + hanging])
    return Graph.from_arcs(ring + leaves, sources, np.concatenate([(around + 1) % ring, hanging % 3])).undirected()


def test_only_the_loop_of_all_threads_has_atomic_updates() -> None:
    text = BACKENDS["openmp"].kernels_text(for_target(starplat.compile(PEELING).module(), "openmp", AUTO, None))
    many, few = text.split("if (peeling_count > 1000) {")[1].split("} else {")[:2]
    assert "#pragma omp atomic" in many
    assert "enlist(" in many
    assert "enlist(" not in few.split('extern "C"')[0]
    assert "atomic" not in few.split('extern "C"')[0]


@pytest.mark.parametrize("leaves", [999, 1000, 1001, 1500])
def test_degrees_fall_by_every_leaf(leaves: int) -> None:
    graph = leaves_on_a_ring(leaves, 15000)
    core = starplat.compile(PEELING).run(graph, target="openmp")["core"]
    assert np.array_equal(core, np.repeat([2, 1], [15000, leaves]))
