"""Graph generators for benchmarks; the same seed gives the same graph everywhere.

All draw from NumPy's PCG64. They are undirected (both arcs of every edge), without loops or parallel arcs, and
unweighted unless a range of `weights` is given: integers, both ends included, one for every edge, drawn after its ends
(`Graph.with_random_weights` makes weights that do not depend on the order of drawing). Large ones are made on a GPU
where CuPy finds one; `arrays` names the module that makes them, and never changes the graph. Graphs of drawn pairs can
be made by rows, with memory for those alone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import by_sorting, csr
from starplat.graph.errors import wrong_arguments
from starplat.graph.graph import Graph
from starplat.graph.pcg import Numbers

WeightRange = tuple[int, int]

_PAIRS_AT_A_TIME = 1 << 22
"""How many are drawn at once where rows are made by themselves: an even number, as two reals share a number."""


def rmat(
    scale: int, edge_factor: int = 16, seed: int = 1, *, weights: WeightRange | None = None, arrays: Any | None = None
) -> Graph:
    """A Graph500 RMAT graph of 2^scale nodes from edge_factor * 2^scale drawn pairs, ids shuffled.

    Chakrabarti, Zhan, Faloutsos: R-MAT (2004), with Graph500's probabilities 0.57, 0.19, 0.19, 0.05.
    """
    _require_scale("rmat", scale, edge_factor)
    n, m = 1 << scale, edge_factor << scale
    workshop = _Workshop(m, seed, weights, arrays, in_pieces=weights is None)
    xp, random = workshop.xp, workshop.random
    source, destination = _quadrants(xp, m, (random.random(m, dtype=np.float32) for _ in range(scale)))
    shuffle = random.permutation(n).astype(np.int32)
    source, destination = shuffle[source], shuffle[destination]
    return workshop.graph(n, source, destination, f"rmat-{scale}-{edge_factor}-{seed}")


def _quadrants(xp: Any, pairs: int, draws: Iterable[Any]) -> tuple[Any, Any]:
    """The cells of a matrix in which each draw has chosen a quarter of what the ones before it left."""
    source, destination = xp.zeros(pairs, np.int32), xp.zeros(pairs, np.int32)
    for draw in draws:
        down = draw >= np.float32(0.76)
        right = ((draw >= np.float32(0.57)) & ~down) | (draw >= np.float32(0.95))
        source = (source << 1) | down
        destination = (destination << 1) | right
    return source, destination


def uniform(
    scale: int, edge_factor: int = 16, seed: int = 1, *, weights: WeightRange | None = None, arrays: Any | None = None
) -> Graph:
    """A graph of 2^scale nodes from edge_factor * 2^scale pairs drawn uniformly (Erdős and Rényi's G(n, m), nearly)."""
    _require_scale("uniform", scale, edge_factor)
    n, m = 1 << scale, edge_factor << scale
    workshop = _Workshop(m, seed, weights, arrays, in_pieces=weights is None)
    source = workshop.random.integers(0, n, m, np.int32)
    destination = workshop.random.integers(0, n, m, np.int32)
    return workshop.graph(n, source, destination, f"uniform-{scale}-{edge_factor}-{seed}")


def grid(
    side: int,
    keep_percent: float = 100,
    seed: int = 1,
    *,
    weights: WeightRange | None = None,
    arrays: Any | None = None,
) -> Graph:
    """A side x side lattice that keeps that share of its edges, its largest component: long and thin, like roads."""
    _require(1 <= side <= 46340 and 0 <= keep_percent <= 100, "grid needs a side of 1..46340 and a share of 0..100 %")
    workshop = _Workshop(2 * side * side, seed, weights, arrays)
    xp = workshop.xp
    ids = xp.arange(side * side, dtype=np.int32).reshape(side, side)
    source = xp.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    destination = xp.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    keep = workshop.random.random(len(source)) < keep_percent / 100
    n, source, destination = workshop.largest_component(side * side, source[keep], destination[keep])
    return workshop.graph(n, source, destination, f"grid-{side}-{keep_percent:g}-{seed}")


@dataclass(frozen=True)
class DrawnPairs:
    """The pairs that a graph is drawn as: `between` gives those from one number up to another, the first one even."""

    nodes: int
    count: int
    name: str
    between: Callable[[int, int], tuple[csr.Nodes, csr.Nodes]]

    def rows(self, first: int, end: int) -> Graph:
        """The graph with the rows of these nodes alone; all other rows are empty."""
        tails, heads = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
        for start in range(0, self.count, _PAIRS_AT_A_TIME):
            source, destination = self.between(start, min(start + _PAIRS_AT_A_TIME, self.count))
            for tail, head in ((source, destination), (destination, source)):
                inside = (tail >= first) & (tail < end) & (tail != head)
                tails.append(tail[inside])
                heads.append(head[inside])
        rows = csr.lightest(csr.compressed(self.nodes, np.concatenate(tails), np.concatenate(heads), None))
        return Graph(rows.row_offsets, rows.columns, None, False, None, self.name, 0, "generated")


def rmat_pairs(scale: int, edge_factor: int = 16, seed: int = 1) -> DrawnPairs:
    """What `rmat` draws."""
    _require_scale("rmat", scale, edge_factor)
    n, m = 1 << scale, edge_factor << scale
    shuffle = _numbers_from(seed, scale * m).permutation(n).astype(np.int32)

    def between(first: int, end: int) -> tuple[csr.Nodes, csr.Nodes]:
        draws = (_numbers_from(seed, level * m + first).random(end - first, np.float32) for level in range(scale))
        source, destination = _quadrants(np, end - first, draws)
        return shuffle[source], shuffle[destination]

    return DrawnPairs(n, m, f"rmat-{scale}-{edge_factor}-{seed}", between)


def uniform_pairs(scale: int, edge_factor: int = 16, seed: int = 1) -> DrawnPairs:
    """What `uniform` draws."""
    _require_scale("uniform", scale, edge_factor)
    n, m = 1 << scale, edge_factor << scale

    def between(first: int, end: int) -> tuple[csr.Nodes, csr.Nodes]:
        source, destination = (_numbers_from(seed, start + first) for start in (0, m))
        return source.integers(0, n, end - first, np.int32), destination.integers(0, n, end - first, np.int32)

    return DrawnPairs(n, m, f"uniform-{scale}-{edge_factor}-{seed}", between)


def _numbers_from(seed: int, words: int) -> np.random.Generator:
    """NumPy's stream behind so many words of 32 bits, an even number unless nothing is drawn from there."""
    _require(seed >= 0, "a seed has no sign")
    return np.random.Generator(np.random.PCG64(seed).advance(words // 2))


def chain(n: int) -> Graph:
    """n nodes in a row."""
    _require(0 <= n < 2**31, "a chain has 0..2147483647 nodes")
    nodes = np.arange(max(n - 1, 0), dtype=np.int32)
    return _simple(n, nodes, nodes + np.int32(1), None, f"chain-{n}")


def star(n: int) -> Graph:
    """Node 0 joined to the other n - 1."""
    _require(1 <= n < 2**31, "a star has 1..2147483647 nodes")
    leaves = np.arange(1, n, dtype=np.int32)
    return _simple(n, np.zeros_like(leaves), leaves, None, f"star-{n}")


def complete(n: int) -> Graph:
    """Every two of n nodes joined."""
    _require(0 <= n <= 2**15, "a complete graph has 0..32768 nodes")
    source, destination = np.triu_indices(n, 1)
    return _simple(n, source.astype(np.int32), destination.astype(np.int32), None, f"complete-{n}")


def _require_scale(kind: str, scale: int, edge_factor: int) -> None:
    _require(0 <= scale <= 30, f"{kind} needs a scale of 0..30")
    _require(0 <= edge_factor <= 2**20, f"{kind} draws 0..1048576 pairs for every node")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise wrong_arguments(message)


class _Workshop:
    """Where a graph is made: on the host, or with another module's arrays, by sorting."""

    def __init__(
        self, pairs: int, seed: int, weights: WeightRange | None, arrays: Any | None, *, in_pieces: bool = False
    ) -> None:
        _require(weights is None or 0 <= weights[0] <= weights[1] < 2**31, "weights are a range within 0..2^31-1")
        _require(seed >= 0, "a seed has no sign")
        given = arrays if arrays is not None else by_sorting.device_arrays(pairs, by_sorting.BYTES_PER_PAIR)
        self.in_pieces = given is None and in_pieces
        if self.in_pieces:
            given = by_sorting.device_arrays(pairs, by_sorting.BYTES_PER_PAIR_IN_PIECES)
        self.by_sorting = given is not None
        self.xp: Any = given if given is not None else np
        self.random: Any = Numbers(seed, given) if given is not None else np.random.default_rng(seed)
        self._weights = weights

    def largest_component(self, n: int, source: Any, destination: Any) -> tuple[int, Any, Any]:
        """It alone, its nodes numbered anew in their order; the first of several largest."""
        xp, labels = self.xp, self._labels(n, source, destination)
        inside = labels == xp.bincount(labels).argmax()
        number = xp.cumsum(inside, dtype=np.int32) - np.int32(1)
        kept = inside[source]
        return int(inside.sum()), number[source[kept]], number[destination[kept]]

    def _labels(self, n: int, source: Any, destination: Any) -> Any:
        """A number for every node that tells its component, smaller the smaller the component's first node."""
        if self.by_sorting:
            return by_sorting.component_labels(self.xp, n, source, destination)
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        matrix = coo_array((np.ones(len(source), np.int8), (source, destination)), (n, n))
        return connected_components(matrix, directed=False)[1]

    def graph(self, n: int, source: Any, destination: Any, name: str) -> Graph:
        """Both directions of every edge once."""
        draw = None if self._weights is None else self._draw_weights
        if not self.by_sorting:
            return _simple(n, source, destination, draw, name)
        xp = self.xp
        if self.in_pieces:
            rows = by_sorting.undirected_rows_in_pieces(xp, n, source, destination)
        else:
            rows = by_sorting.undirected_rows(xp, n, source, destination, draw)
        weights = None if rows.weights is None else by_sorting.on_host(xp, rows.weights)
        offsets, columns = by_sorting.on_host(xp, rows.row_offsets), by_sorting.on_host(xp, rows.columns)
        del rows, source, destination
        by_sorting.release(xp)
        return Graph(offsets, columns, weights, False, None, name, 0, "generated")

    def _draw_weights(self, edges: int) -> Any:
        assert self._weights is not None
        low, high = self._weights
        return self.random.integers(low, high + 1, edges, np.int32)


def _simple(
    n: int, source: csr.Nodes, destination: csr.Nodes, draw: Callable[[int], NDArray[Any]] | None, name: str
) -> Graph:
    """Both directions of every edge once, by counting sorts."""
    proper = source != destination
    low = np.minimum(source[proper], destination[proper])
    high = np.maximum(source[proper], destination[proper])
    once = csr.lightest(csr.compressed(n, low, high, None))
    weights = None if draw is None else draw(len(once.columns))
    tails = csr.sources_of(once.row_offsets)
    graph = Graph.from_arcs(n, tails, once.columns, weights, directed=False, name=name)
    return Graph(graph.row_offsets, graph.columns, graph.weights, False, None, name, 0, "generated")
