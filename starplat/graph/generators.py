"""Made-up graphs of the kinds that graph programs are measured on, the same for the same seed everywhere.

All draw from NumPy's PCG64. They are undirected (both arcs of every edge), without loops or parallel arcs, unweighted;
`Graph.with_random_weights` adds weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import csr
from starplat.graph.errors import wrong_arguments
from starplat.graph.graph import Graph


def rmat(scale: int, edge_factor: int = 16, seed: int = 1) -> Graph:
    """A Graph500 RMAT graph of 2^scale nodes from edge_factor * 2^scale drawn pairs, ids shuffled.

    Chakrabarti, Zhan, Faloutsos: R-MAT (2004), with Graph500's probabilities 0.57, 0.19, 0.19, 0.05.
    """
    _require(0 <= scale <= 30 and 0 <= edge_factor <= 2**20, "rmat needs a scale of 0..30")
    random = np.random.default_rng(seed)
    n, m = 1 << scale, edge_factor << scale
    source, destination = np.zeros(m, np.int32), np.zeros(m, np.int32)
    for _ in range(scale):
        draw = random.random(m, dtype=np.float32)
        down = draw >= np.float32(0.76)
        right = ((draw >= np.float32(0.57)) & ~down) | (draw >= np.float32(0.95))
        source = (source << 1) | down
        destination = (destination << 1) | right
    shuffle = random.permutation(n).astype(np.int32)
    return _simple(n, shuffle[source], shuffle[destination], f"rmat-{scale}-{edge_factor}-{seed}")


def uniform(scale: int, edge_factor: int = 16, seed: int = 1) -> Graph:
    """A graph of 2^scale nodes from edge_factor * 2^scale pairs drawn uniformly (Erdős and Rényi's G(n, m), nearly)."""
    _require(0 <= scale <= 30 and 0 <= edge_factor <= 2**20, "uniform needs a scale of 0..30")
    random = np.random.default_rng(seed)
    n, m = 1 << scale, edge_factor << scale
    source, destination = random.integers(0, n, m, np.int32), random.integers(0, n, m, np.int32)
    return _simple(n, source, destination, f"uniform-{scale}-{edge_factor}-{seed}")


def grid(side: int, keep_percent: float = 100, seed: int = 1) -> Graph:
    """A side x side lattice that keeps that share of its edges, its largest component: long and thin, like roads."""
    _require(1 <= side <= 46340 and 0 <= keep_percent <= 100, "grid needs a side of 1..46340 and a share of 0..100 %")
    random = np.random.default_rng(seed)
    ids = np.arange(side * side, dtype=np.int32).reshape(side, side)
    source = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    destination = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    keep = random.random(len(source)) < keep_percent / 100
    n, source, destination = _largest_component(side * side, source[keep], destination[keep])
    return _simple(n, source, destination, f"grid-{side}-{keep_percent:g}-{seed}")


def chain(n: int) -> Graph:
    """n nodes in a row."""
    _require(n >= 0, "a chain has no fewer than 0 nodes")
    nodes = np.arange(max(n - 1, 0), dtype=np.int32)
    return _simple(n, nodes, nodes + np.int32(1), f"chain-{n}")


def star(n: int) -> Graph:
    """Node 0 joined to the other n - 1."""
    _require(n >= 1, "a star has at least 1 node")
    leaves = np.arange(1, n, dtype=np.int32)
    return _simple(n, np.zeros_like(leaves), leaves, f"star-{n}")


def complete(n: int) -> Graph:
    """Every two of n nodes joined."""
    _require(0 <= n <= 2**15, "a complete graph has 0..32768 nodes")
    source, destination = np.triu_indices(n, 1)
    return _simple(n, source.astype(np.int32), destination.astype(np.int32), f"complete-{n}")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise wrong_arguments(message)


def _largest_component(n: int, source: NDArray[Any], destination: NDArray[Any]) -> tuple[int, csr.Nodes, csr.Nodes]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    matrix = coo_array((np.ones(len(source), np.int8), (source, destination)), (n, n))
    _, label = connected_components(matrix, directed=False)
    inside = label == np.bincount(label).argmax()
    number = np.cumsum(inside, dtype=np.int32) - np.int32(1)
    kept = inside[source]
    return int(inside.sum()), number[source[kept]], number[destination[kept]]


def _simple(n: int, source: csr.Nodes, destination: csr.Nodes, name: str) -> Graph:
    """Both directions of every edge once."""
    proper = source != destination
    low = np.minimum(source[proper], destination[proper])
    high = np.maximum(source[proper], destination[proper])
    once = csr.lightest(csr.compressed(n, low, high, None))
    graph = Graph.from_arcs(n, csr.sources_of(once.row_offsets), once.columns, directed=False, name=name)
    return Graph(graph.row_offsets, graph.columns, None, False, None, name, 0, "generated")
