"""Judges of the second dozen's answers, as `judging` has them: colors, sets, forests, cores, clustering."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.measured.judging import Arcs, component_count, require

SAMPLED = 64
"""Of how many nodes the clustering coefficient is found anew."""

LONGEST_SAMPLED = 4096
"""No longer row is looked at for that."""


def colors(arcs: Arcs, found: Any) -> int:
    """How many colors there are; no arc may join two nodes of one."""
    color = arcs.xp.asarray(found)
    require((color >= 0).all(), "a node has no color")
    for _, tails, heads in arcs.pieces():
        require(((color[tails] != color[heads]) | (tails == heads)).all(), "an arc joins two nodes of a color")
    return int(color.max()) + 1


def independent(arcs: Arcs, found: Any) -> int:
    """How many nodes are in a set: no arc joins two of them, and every other node has one of them as a neighbor."""
    chosen = arcs.xp.asarray(found).astype(np.bool_)
    beside = chosen.copy()
    for _, tails, heads in arcs.pieces():
        inside, there = chosen[tails], chosen[heads]
        require((~(inside & there) | (tails == heads)).all(), "an arc joins two nodes of the set")
        beside[heads[inside]] = True
        beside[tails[there]] = True
    require(beside.all(), "a node could be added")
    return int(chosen.sum())


def lightest_forest(arcs: Arcs, found: Any, weight: int) -> int:
    """How many arcs a lightest spanning forest has: as many as join all components, without a cycle, and as light as
    the forest that Borůvka's method finds."""
    xp = arcs.xp
    chosen = xp.flatnonzero(xp.asarray(found))
    own = int(arcs.weights[chosen].astype(np.int64).sum())
    require(own == weight, f"the arcs of the forest weigh {own:,}, and {weight:,} was returned")
    left = arcs.n - len(chosen)
    require(component_count(arcs) == left, f"{len(chosen):,} arcs do not join all that is joined, or too much")
    joined = component_count(arcs, arcs.sources[chosen], arcs.columns[chosen])
    require(joined == left, "the arcs of the forest make a cycle")
    least = _least_weight(arcs)
    require(weight == least, f"the forest weighs {weight:,}, and one of {least:,} exists")
    return len(chosen)


_ARC_BITS = 40


def _least_weight(arcs: Arcs) -> int:
    """Borůvka's method by arrays. Equally light arcs are told apart by their numbers, so that choices close no cycle
    but those of two components that choose each other."""
    xp, total = arcs.xp, 0
    nodes, none = xp.arange(arcs.n, dtype=np.int64), np.uint64(2**64 - 1)
    label = nodes
    while True:
        best = xp.full(arcs.n, none, np.uint64)
        for piece, tails, heads in arcs.pieces():
            here, there = label[tails], label[heads]
            across = here != there
            numbers = xp.arange(piece.start, piece.stop, dtype=np.uint64)
            keys = (arcs.weights[piece].astype(np.uint64) << np.uint64(_ARC_BITS) | numbers)[across]
            xp.minimum.at(best, here[across], keys)
            xp.minimum.at(best, there[across], keys)
        choosing = xp.flatnonzero(best != none)
        if not len(choosing):
            return total
        chosen = (best[choosing] & np.uint64(2**_ARC_BITS - 1)).astype(np.int64)
        total += int(arcs.weights[xp.unique(chosen)].astype(np.int64).sum())
        tails, heads = label[arcs.sources[chosen]], label[arcs.columns[chosen]]
        parent = nodes.copy()
        parent[choosing] = xp.where(tails == choosing, heads, tails)
        parent = xp.where((parent[parent] == nodes) & (nodes < parent), nodes, parent)
        while not bool((parent[parent] == parent).all()):
            parent = parent[parent]
        label = parent[label]


def cores(arcs: Arcs, found: Any) -> int:
    """The largest core number; all are found anew, by taking away who has too few neighbors left."""
    xp = arcs.xp
    left, core = xp.zeros(arcs.n, np.int32), xp.zeros(arcs.n, np.int32)
    for _, tails, heads in arcs.pieces():
        left += xp.bincount(heads[tails != heads], minlength=arcs.n).astype(np.int32)
    alive, k, most = xp.ones(arcs.n, np.bool_), 0, np.iinfo(np.int32).max
    while bool(alive.any()):
        k = max(k, int(xp.where(alive, left, most).min()))
        leaving = xp.flatnonzero(alive & (left <= k))
        while len(leaving):
            core[leaving], alive[leaving] = k, False
            _, heads = arcs.leaving(leaving)
            heads = heads[alive[heads]]
            xp.add.at(left, heads, np.int32(-1))
            leaving = xp.unique(heads[left[heads] <= k])
    require((xp.asarray(found) == core).all(), "a node has another core number")
    return k


def clustering(arcs: Arcs, found: Any, triangles: int) -> float:
    """The mean coefficient of a simple undirected graph. Together they must stand for all triangles, and those of some
    nodes are found anew from their rows."""
    xp = arcs.xp
    lcc = xp.asarray(found)
    degree = (arcs.offsets[1:] - arcs.offsets[:-1]).astype(np.float64)
    pairs = float((lcc * degree * (degree - 1)).sum())
    require(abs(pairs - 6 * triangles) <= 1e-9 * max(1, 6 * triangles), f"they stand for {pairs / 6:,.1f} triangles")
    host = np.asarray(found)
    offsets, columns = arcs.on_host()
    length = np.diff(offsets)
    fitting = np.flatnonzero((length > 1) & (length <= LONGEST_SAMPLED))
    for node in np.random.default_rng(1).permutation(fitting)[:SAMPLED]:
        row = columns[offsets[node] : offsets[node + 1]]
        joined = sum(int(np.isin(columns[offsets[v] : offsets[v + 1]], row).sum()) for v in row)
        expected = joined / (len(row) * (len(row) - 1))
        require(abs(host[node] - expected) <= 1e-12, f"node {node} has {host[node]}, not {expected}")
    return float(lcc.mean()) if arcs.n else 0.0
