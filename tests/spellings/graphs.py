"""The graphs of the corpus: small directed multigraphs with loops, islands, parallel arcs, equal weights and zeros."""

from __future__ import annotations

import numpy as np

from starplat import Graph
from tests.zoo import ZOO, Arc, graph


def _knot() -> Graph:
    """Eleven nodes in a knot, an island with a loop and parallel arcs, a triangle that nothing enters, a node alone."""
    draw = np.random.default_rng(14)
    ends = draw.integers(0, 11, (36, 2)).tolist()
    weights = draw.integers(0, 7, 36).tolist()
    arcs: list[Arc] = [(u, v, w) for (u, v), w in zip(ends, weights, strict=True)]
    island = [(11, 12, 3), (11, 12, 3), (12, 12, 0), (12, 11, 5), (12, 11, 5)]
    outside = [(13, 14, 2), (14, 15, 2), (15, 13, 0), (13, 0, 6), (14, 16, 4)]
    return graph("knot", 18, arcs + island + outside)


def _ladder() -> Graph:
    """Diamonds in a row, with shortcuts and with arcs back: nodes with unlike numbers of parents and of paths."""
    arcs = [
        (0, 1, 2),
        (0, 2, 2),
        (0, 3, 0),
        (1, 4, 1),
        (2, 4, 1),
        (3, 5, 1),
        (4, 6, 4),
        (5, 6, 9),
        (4, 7, 2),
        (6, 8, 3),
    ]
    back = [(8, 4, 0), (7, 8, 0), (8, 8, 1), (4, 1, 5), (6, 4, 5), (0, 2, 7), (2, 3, 1), (5, 3, 4)]
    return graph("ladder", 10, arcs + back)


UGLY = {
    "knot": _knot(),
    "ladder": _ladder(),
    **{name: ZOO[name] for name in ("one-node", "isolated", "parallel", "islands", "complete", "unreachable")},
}
