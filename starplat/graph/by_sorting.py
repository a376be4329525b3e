"""Builds undirected graphs from drawn pairs by sorting 64-bit keys, on NumPy or any compatible array module.

Made for CuPy, where sorting is what a device is best at; on the host, counting sorts (`csr`) are faster. Nothing here
depends on the order in which a device works, so the result is the same on all of them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from starplat.graph.csr import Rows

DEVICE_FROM_PAIRS = 1 << 21
"""From how many pairs on a device is worth its start."""

BYTES_PER_PAIR = 64
"""The most memory that a pair takes at one time: 64-bit keys of both directions, the sort's copy, what was drawn."""

BYTES_PER_PAIR_IN_PIECES = 32
"""The same where the keys of some rows are sorted after those of others."""

PIECES = 8

_BYTES_PER_ARC = 96

_AT_ONCE = 1 << 26
"""Arcs whose weights are looked up together."""


def device_arrays(pairs: int, size: int = _BYTES_PER_ARC) -> Any | None:
    """CuPy, where a GPU is here that has room for that many pairs, or arcs, and they are worth it; else None."""
    if pairs < DEVICE_FROM_PAIRS:
        return None
    try:
        import cupy
    except ImportError:
        return None
    try:
        free, _ = cupy.cuda.runtime.memGetInfo()
    except cupy.cuda.runtime.CUDARuntimeError:  # CuPy is installed, but no device or driver is here
        return None
    return cupy if free >= size * pairs else None


def on_host(xp: Any, array: Any) -> Any:
    """The array as NumPy's."""
    return array if xp is np else xp.asnumpy(array)


def release(xp: Any) -> None:
    """Gives the device's memory back that the module keeps for its next arrays."""
    if xp is not np:
        xp.get_default_memory_pool().free_all_blocks()


def undirected_rows(
    xp: Any, n: int, source: Any, destination: Any, weights: Callable[[int], Any] | None = None
) -> Rows:
    """Both arcs of every edge once, without loops, as arrays of `xp`; `weights` draws one for every edge, which are in
    the order of their smaller and then their larger end."""
    edges = _edges(xp, n, source, destination)
    drawn = None if weights is None else weights(len(edges))
    keys = xp.concatenate([edges, (edges % n) * n + edges // n])
    keys.sort()
    drawn = None if drawn is None else _of_arcs(xp, n, keys, edges, drawn)
    del edges
    offsets = xp.searchsorted(keys, xp.arange(n + 1, dtype=np.int64) * n).astype(np.int64, copy=False)
    return Rows(offsets, (keys % n).astype(np.int32), drawn)


def undirected_rows_in_pieces(xp: Any, n: int, source: Any, destination: Any, pieces: int = PIECES) -> Rows:
    """What `undirected_rows` makes without weights, in the host's memory, some rows after others."""
    each, count = -(-n // pieces), 0
    offsets, columns = np.zeros(n + 1, np.int64), np.empty(2 * len(source), np.int32)
    for first in range(0, n, each):
        rows = min(each, n - first)
        keys = _keys_of_rows(xp, n, source, destination, first, first + rows)
        ends = xp.searchsorted(keys, xp.arange(1, rows + 1, dtype=np.int64) * n)
        offsets[first + 1 : first + rows + 1] = count + on_host(xp, ends)
        columns[count : count + len(keys)] = on_host(xp, (keys % n).astype(np.int32))
        count += len(keys)
        del keys, ends
        release(xp)
    return Rows(offsets, columns[:count], None)


def _keys_of_rows(xp: Any, n: int, source: Any, destination: Any, first: int, end: int) -> Any:
    """(tail - first) * n + head of the arcs of some rows, ascending, none twice."""
    found = []
    for start in range(0, max(len(source), 1), _AT_ONCE):
        ends = source[start : start + _AT_ONCE], destination[start : start + _AT_ONCE]
        for tail, head in (ends, ends[::-1]):
            inside = (tail >= first) & (tail < end) & (tail != head)
            found.append((tail[inside].astype(np.int64) - first) * n + head[inside])
    keys = xp.concatenate(found)
    del found
    keys.sort()
    return _once(xp, keys)


def _of_arcs(xp: Any, n: int, keys: Any, edges: Any, drawn: Any) -> Any:
    found = xp.empty(len(keys), drawn.dtype)
    for start in range(0, len(keys), _AT_ONCE):
        part = keys[start : start + _AT_ONCE]
        tail, head = part // n, part % n
        edge = xp.minimum(tail, head) * n + xp.maximum(tail, head)
        found[start : start + _AT_ONCE] = drawn[xp.searchsorted(edges, edge)]
    return found


def _edges(xp: Any, n: int, source: Any, destination: Any) -> Any:
    """smaller end * n + larger end of every edge, ascending, none twice."""
    keys = xp.minimum(source, destination).astype(np.int64) * n
    keys += xp.maximum(source, destination)
    keys = keys[source != destination]
    keys.sort()
    return _once(xp, keys)


def _once(xp: Any, keys: Any) -> Any:
    """Ascending keys, none twice."""
    first = xp.ones(len(keys), np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first]


def component_labels(xp: Any, n: int, source: Any, destination: Any) -> Any:
    """The smallest node of every node's component, int32[n]: roots hook to smaller roots, then all point to roots.

    After Shiloach and Vishkin (1982).
    """
    root = xp.arange(n, dtype=np.int32)
    while len(source):
        one, other = root[source], root[destination]
        apart = one != other
        source, destination = source[apart], destination[apart]
        one, other = one[apart], other[apart]
        xp.minimum.at(root, xp.maximum(one, other), xp.minimum(one, other))
        root = _compressed(root)
    return root


def _compressed(root: Any) -> Any:
    """Every node points to its root."""
    while True:
        above = root[root]
        if bool((above == root).all()):
            return root
        root = above
