"""Judges of answers that cost no more than a few passes over the arcs, on the GPU where there is one.

Distances, levels and components are proved by certificates; PageRank, labels, betweenness and triangles are computed
again, by array operations that have nothing in common with a compiled program. A judge raises `WrongAnswerError`, or
gives what it learned.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import Graph
from starplat.graph.by_sorting import component_labels

INF = np.iinfo(np.int32).max
PIECE = 1 << 25
SOURCES_UP_TO_ARCS = 1 << 29
"""Up to how many arcs all sources are kept, not found anew for every piece."""


class WrongAnswerError(Exception):
    """What is wrong with an answer."""


def require(holds: Any, what: str) -> None:
    """Raises what is wrong, unless it holds."""
    if not bool(holds):
        raise WrongAnswerError(what)


def array_module(name: str = "auto") -> Any:
    """CuPy where a GPU is here, else NumPy; or the one that is named."""
    if name == "numpy":
        return np
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
    except (ImportError, RuntimeError) as error:  # not installed, or no driver
        if name == "cupy":
            raise SystemExit(f"answers cannot be checked with CuPy: {error}") from error
        return np
    return cupy


class Arcs:
    """A graph's arrays as those of the module `xp`."""

    def __init__(self, graph: Graph, xp: Any) -> None:
        self.xp, self._graph = xp, graph
        self.n, self.m = graph.num_nodes, graph.num_arcs

    @cached_property
    def offsets(self) -> Any:
        return self.xp.asarray(self._graph.row_offsets)

    @cached_property
    def columns(self) -> Any:
        return self.xp.asarray(self._graph.columns)

    @cached_property
    def weights(self) -> Any:
        weights = self._graph.weights
        return self.xp.ones(self.m, np.int32) if weights is None else self.xp.asarray(weights)

    @cached_property
    def sources(self) -> Any:
        found = self.xp.empty(self.m, np.int32)
        for start in range(0, self.m, PIECE):
            found[start : start + PIECE] = self._sources(start)
        return found

    def on_host(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Offsets and columns, NumPy's."""
        return self._graph.row_offsets, self._graph.columns

    def pieces(self) -> Iterator[tuple[slice, Any, Any]]:
        """Which arcs, their sources and their destinations, some at a time."""
        for start in range(0, self.m, PIECE):
            piece = slice(start, min(start + PIECE, self.m))
            tails = self.sources[piece] if self.m <= SOURCES_UP_TO_ARCS else self._sources(start)
            yield piece, tails, self.columns[piece]

    def _sources(self, start: int) -> Any:
        arcs = self.xp.arange(start, min(start + PIECE, self.m), dtype=np.int64)
        return (self.xp.searchsorted(self.offsets, arcs, side="right") - 1).astype(np.int32)

    def leaving(self, nodes: Any) -> tuple[Any, Any]:
        """Sources and destinations of the arcs that leave some nodes."""
        xp = self.xp
        starts = self.offsets[nodes]
        ends = xp.cumsum(self.offsets[nodes + 1] - starts)
        numbers = xp.arange(int(ends[-1]), dtype=np.int64)
        owner = xp.searchsorted(ends, numbers, side="right")
        first_of_next = self.offsets[nodes + 1]
        return nodes[owner], self.columns[first_of_next[owner] - (ends[owner] - numbers)]


def distances(arcs: Arcs, source: int, found: Any, *, weighted: bool) -> tuple[int, int, int]:
    """How many nodes are reached, the sum of their distances and the largest.

    No arc shortens a distance, and an arc ends at every node that is reached whose source is nearer by just its length:
    as lengths are positive, following such arcs back leads to the start.
    """
    xp = arcs.xp
    distance = xp.asarray(found).astype(np.int64)
    require(distance[source] == 0, "the source is not at distance 0")
    explained = xp.zeros(arcs.n, np.bool_)
    explained[source] = True
    if weighted and arcs.m:
        require(arcs.weights.min() > 0, "the proof needs positive weights")
    for piece, tails, heads in arcs.pieces():
        there = distance[heads]
        over = distance[tails] + (arcs.weights[piece] if weighted else 1)
        from_reached = over < INF
        require(not (from_reached & (there > over)).any(), "an arc leads to a node in less than its distance")
        explained[heads[from_reached & (there == over)]] = True
    reached = distance < INF
    require((explained | ~reached).all(), "no arc explains the distance of some node")
    finite = distance[reached]
    return len(finite), int(finite.sum()), int(finite.max())


def components(arcs: Arcs, found: Any, known: int | None = None) -> int:
    """How many components there are, counted unless it is `known`; `found` must be the smallest node of each node's.

    Labels do not change along an arc, so a component has one; there are as many labels as components, so each has its
    own; the node that is the label has it too, so it lies inside; none is smaller.
    """
    xp = arcs.xp
    label, nodes = xp.asarray(found).astype(np.int64), xp.arange(arcs.n, dtype=np.int64)
    require(((label >= 0) & (label <= nodes)).all(), "a label is larger than its node")
    require((label[label] == label).all(), "a label is not its own")
    for _, tails, heads in arcs.pieces():
        require((label[tails] == label[heads]).all(), "an arc joins two labels")
    count = int((label == nodes).sum())
    require(count == (component_count(arcs) if known is None else known), f"there are not {count:,} components")
    return count


def component_count(arcs: Arcs, tails: Any = None, heads: Any = None) -> int:
    """How many components the nodes have with these arcs alone, or with all."""
    xp = arcs.xp
    if tails is None:
        tails, heads = arcs.sources, arcs.columns
    if xp is np:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        matrix = coo_array((np.ones(len(tails), np.int8), (tails, heads)), (arcs.n, arcs.n))
        return int(connected_components(matrix, directed=False, return_labels=False))
    labels = component_labels(xp, arcs.n, tails, heads)
    return int((labels == xp.arange(arcs.n, dtype=np.int32)).sum())


def pagerank(arcs: Arcs, found: Any, *, damping: float, rounds: int, tolerance: float = 1e-9) -> int:
    """How many rounds were due: all, or fewer if the ranks stood still."""
    xp, n = arcs.xp, arcs.n
    degree = (arcs.offsets[1:] - arcs.offsets[:-1]).astype(np.float64)
    share = xp.where(degree > 0, 1.0 / xp.maximum(degree, 1.0), 0.0)
    rank = xp.full(n, 1.0 / n)
    made = 0
    for _ in range(rounds):
        given, inflow = rank * share, xp.zeros(n)
        for _, tails, heads in arcs.pieces():
            inflow += xp.bincount(heads, weights=given[tails], minlength=n)
        stranded = float(rank[degree == 0].sum())
        before, rank = rank, (1.0 - damping) / n + damping * (inflow + stranded / n)
        made += 1
        if not bool((rank != before).any()):
            break
    off = float((xp.abs(xp.asarray(found) - rank) / rank).max()) if n else 0.0
    require(off <= tolerance, f"a rank is off by {off:.1e} of its value")
    return made


def communities(arcs: Arcs, found: Any, *, rounds: int) -> int:
    """How many labels are left after rounds in which a node takes the label that most of its neighbors have, the
    smallest of equals, by sorting the labels of all neighbors."""
    xp = arcs.xp
    label = xp.arange(arcs.n, dtype=np.int64)
    for _ in range(rounds):
        votes = xp.empty(2 * arcs.m, np.int64)
        for piece, tails, heads in arcs.pieces():
            votes[piece] = tails.astype(np.int64) << 32 | label[heads]
            votes[piece.start + arcs.m : piece.stop + arcs.m] = heads.astype(np.int64) << 32 | label[tails]
        votes.sort()
        first = xp.flatnonzero(xp.concatenate((xp.ones(min(arcs.m, 1), np.bool_), votes[1:] != votes[:-1])))
        counts = xp.diff(xp.concatenate((first, xp.asarray([2 * arcs.m])))).astype(np.int32)
        nodes, labels = votes[first] >> 32, votes[first] & 0xFFFFFFFF
        most = xp.zeros(arcs.n, np.int32)
        xp.maximum.at(most, nodes, counts)
        wins = counts == most[nodes]
        voters, place = xp.unique(nodes[wins], return_index=True)
        label[voters] = labels[wins][place]
    require((xp.asarray(found) == label).all(), "a label is not the one that most neighbors have")
    return len(xp.unique(label))


def betweenness(arcs: Arcs, source: int, found: Any, tolerance: float = 1e-7) -> None:
    """Every value must be within the tolerance of Brandes' dependency, or of 1 where that is less."""
    xp, expected = arcs.xp, dependencies(arcs, source)
    values = xp.asarray(found)
    require(xp.isfinite(values).all(), "a value is no finite number")
    off = xp.abs(values - expected) / xp.maximum(xp.abs(expected), 1.0)
    worst = float(off.max()) if len(off) else 0.0
    require(worst <= tolerance, f"a value is off by {worst:.1e}")


def dependencies(arcs: Arcs, source: int) -> Any:
    """Brandes' dependencies of one source, level by level. Numbers of paths have an exponent of their own, since there
    may be more than a double counts."""
    xp = arcs.xp
    level, mark = xp.full(arcs.n, -1, np.int32), xp.zeros(arcs.n, np.int64)
    paths, exponent, dependency = xp.zeros(arcs.n), xp.zeros(arcs.n, np.int32), xp.zeros(arcs.n)
    level[source], paths[source] = 0, 1.0
    frontier, steps = xp.full(1, source, np.int64), list[tuple[Any, Any]]()
    while len(frontier):
        depth = len(steps) + 1
        tails, heads = arcs.leaving(frontier)
        new = heads[level[heads] < 0]
        level[new] = depth
        order = xp.arange(len(new))
        mark[new] = order
        frontier = new[mark[new] == order].astype(np.int64)
        onward = level[heads] == depth
        tails, heads = tails[onward], heads[onward]
        xp.maximum.at(exponent, heads, exponent[tails])
        xp.add.at(paths, heads, xp.ldexp(paths[tails], exponent[tails] - exponent[heads]))
        paths[frontier], more = xp.frexp(paths[frontier])
        exponent[frontier] += more
        steps.append((tails, heads))
    for tails, heads in reversed(steps):
        share = xp.ldexp(paths[tails] / paths[heads], exponent[tails] - exponent[heads])
        xp.add.at(dependency, tails, share * (1.0 + dependency[heads]))
    dependency[source] = 0.0
    return dependency


COUNTABLE_ARCS = 1 << 24


SAMPLES = 16


def sums_of_levels(arcs: Arcs, sources: NDArray[np.int64], found: Any) -> int:
    """Of the sums over the levels from `sources`, the total; some are added up from searches of their own, which start
    at the other end of the paths: nothing else is known of the rest."""
    xp, sums = arcs.xp, arcs.xp.asarray(found)
    begins = xp.asarray(sources)
    for node in np.random.default_rng(2).choice(arcs.n, min(SAMPLES, arcs.n), replace=False).tolist():
        there = _levels(arcs, node)[begins]
        require(sums[node] == there[there > 0].sum(), f"the sum of levels at node {node} is wrong")
    return int(sums.sum())


def _levels(arcs: Arcs, source: int) -> Any:
    """Breadth-first, -1 where nothing is reached."""
    xp = arcs.xp
    level, frontier, depth = xp.full(arcs.n, -1, np.int64), xp.full(1, source, np.int64), 0
    while len(frontier):
        level[frontier] = depth
        depth += 1
        heads = arcs.leaving(frontier)[1]
        frontier = xp.unique(heads[level[heads] < 0]).astype(np.int64)
    return level


def triangles(arcs: Arcs, found: int, known: int | None) -> int:
    """How many there are."""
    expected = known_triangles(arcs, known)
    require(found == expected, f"{found:,} triangles instead of {expected:,}")
    return expected


def known_triangles(arcs: Arcs, known: int | None) -> int:
    """How many there are, as others counted them or, for graphs that are not too large, SciPy does."""
    if known is None and arcs.m > COUNTABLE_ARCS:
        raise WrongAnswerError("nobody knows how many triangles this graph has: not checked")
    return known if known is not None else _counted(arcs)


def _counted(arcs: Arcs) -> int:
    """By products of rows of the graph whose arcs lead to nodes of higher degree."""
    from scipy.sparse import csr_array

    here = Arcs(arcs._graph, np)
    degree = np.diff(here.offsets)
    place = np.empty(arcs.n, np.int32)
    place[np.argsort(degree, kind="stable")] = np.arange(arcs.n, dtype=np.int32)
    tails, heads = place[here.sources], place[here.columns]
    up = tails < heads
    oriented = csr_array((np.ones(int(up.sum()), np.int32), (tails[up], heads[up])), (arcs.n, arcs.n))
    total, rows = 0, max(1, (1 << 22) // max(1, int(np.diff(oriented.indptr).max(initial=1))))
    for start in range(0, arcs.n, rows):
        some = oriented[start : start + rows]
        total += int((some @ oriented).multiply(some).sum())
    return total
