"""Compressed sparse rows: sorting arcs, reversing, symmetric closure, lightest parallel arcs.

Works on bare arrays and knows nothing of files or of `Graph`. Sorting is two stable counting sorts (SciPy's CSR to CSC
conversion, which keeps duplicates), so it costs O(n + m) and never compares 64-bit keys. SciPy is imported where it is
needed: importing it takes longer than reading most graphs, and sorted arcs, or few, do without.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW = 1 << 18
"""Arcs that NumPy sorts before SciPy is imported."""

Offsets = NDArray[np.int64]
Nodes = NDArray[np.int32]
Weights = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Rows:
    """Arcs sorted by source, then destination: `row_offsets` int64[n+1], `columns` int32[m], `weights` [m] or None."""

    row_offsets: Offsets
    columns: Nodes
    weights: Weights | None


def compressed(n: int, source: Nodes, destination: Nodes, weights: Weights | None) -> Rows:
    """The arcs sorted by source, then destination; parallel arcs stay, in the order they came in."""
    if _in_order(source, destination):
        return Rows(offsets_of(n, source), _as_nodes(destination), weights)
    if len(source) <= FEW:
        order = np.lexsort((destination, source))
        carried = None if weights is None else weights[order]
        return Rows(offsets_of(n, source), _as_nodes(destination[order]), carried)
    from scipy.sparse import csc_array

    sources, order, ends = _grouped(n, destination, source)
    del source, destination  # for large graphs what is done with must go
    carried = np.zeros(len(order), np.int8) if weights is None else weights[order]
    del order
    rows = csc_array((carried, sources, ends), shape=(n, n)).tocsr()
    del sources, carried
    kept = None if weights is None else rows.data
    return Rows(rows.indptr.astype(np.int64), _as_nodes(rows.indices), kept)


def offsets_of(n: int, source: Nodes) -> Offsets:
    """Row offsets int64[n+1] of arcs with these sources."""
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=n), out=offsets[1:])
    return offsets


def sources_of(row_offsets: Offsets) -> Nodes:
    """The source of every arc, int32[m]."""
    return np.repeat(np.arange(len(row_offsets) - 1, dtype=np.int32), np.diff(row_offsets).astype(np.intp))


def bounds_of(row_offsets: Offsets, parts: int) -> list[int]:
    """The first node of each part, and the end of the last: parts have about as many arcs and nodes as each other."""
    work = row_offsets + np.arange(len(row_offsets))
    wanted = np.linspace(0, work[-1], parts + 1)
    return [*np.searchsorted(work, wanted[:-1]).tolist(), len(row_offsets) - 1]


@dataclass(frozen=True, slots=True)
class Reverse:
    """The graph read against its arcs: for every node the `columns` int32[m] it is reached from, ascending, and the
    forward number `arc_ids` int64[m] of each of these arcs."""

    row_offsets: Offsets
    columns: Nodes
    arc_ids: NDArray[np.int64]


def reversed_rows(row_offsets: Offsets, columns: Nodes) -> Reverse:
    """Incoming arcs of every node."""
    n, m = len(row_offsets) - 1, len(columns)
    if n == 0:
        return Reverse(row_offsets, columns, np.zeros(0, np.int64))
    if m <= FEW:
        order = np.argsort(columns, kind="stable")
        return Reverse(offsets_of(n, columns), sources_of(row_offsets)[order], order)
    from scipy.sparse import csr_array

    turned = csr_array((np.arange(m, dtype=np.int64), columns, row_offsets), shape=(n, n)).tocsc()
    return Reverse(turned.indptr.astype(np.int64), _as_nodes(turned.indices), turned.data)


def same_both_ways(rows: Rows) -> bool:
    """Whether every arc has a partner in the other direction, with the same weight, as many times."""
    back = reversed_rows(rows.row_offsets, rows.columns)
    if not (np.array_equal(back.row_offsets, rows.row_offsets) and np.array_equal(back.columns, rows.columns)):
        return False
    if rows.weights is None:
        return True
    mirrored = rows.weights[back.arc_ids]
    if np.array_equal(mirrored, rows.weights):
        return True
    return np.array_equal(_sorted_within_parallel(rows, mirrored), _sorted_within_parallel(rows, rows.weights))


def closed_both_ways(n: int, source: Nodes, destination: Nodes, weights: Weights | None) -> Rows:
    """The smallest symmetric multiset of arcs that holds these: a missing reverse is added with the same weight."""
    proper = source != destination
    doubled = None if weights is None else np.concatenate([weights, weights[proper]])
    ends = np.concatenate([source, destination[proper]]), np.concatenate([destination, source[proper]])
    return closed_rows(n, *ends, doubled, len(source))


def closed_rows(n: int, source: Nodes, destination: Nodes, weights: Weights | None, given: int) -> Rows:
    """The same of some rows: the first `given` arcs leave their nodes, the others are those that lead there, turned."""
    number = np.arange(len(source), dtype=np.int32 if len(source) < 2**31 else np.int64)
    doubled = compressed(n, source, destination, number)
    del source, destination, number
    origin = doubled.weights
    assert origin is not None
    values = None if weights is None else weights[origin]
    return _without_counterparts(Rows(doubled.row_offsets, doubled.columns, values), origin < given)


def _without_counterparts(doubled: Rows, given: NDArray[np.bool_]) -> Rows:
    """Of every set of equal arcs, `given` ones and turned ones, keeps as many as the larger of the two counts."""
    among, group = _parallel(doubled)
    if not len(among):
        return doubled
    weights, ours = doubled.weights, given[among]
    if weights is not None:
        order = np.lexsort((weights[among], group))
        light = weights[among][order]
        weights, ours = weights.copy(), ours[order]
        weights[among] = light
        group = np.cumsum(np.r_[True, (group[1:] != group[:-1]) | (light[1:] != light[:-1])]) - 1
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    size = np.diff(np.r_[starts, len(group)])
    count = np.add.reduceat(ours.astype(np.intp), starts)
    rank = np.arange(len(group)) - np.repeat(starts, size)
    keep = np.ones(len(given), np.bool_)
    keep[among] = rank < np.repeat(np.maximum(count, size - count), size)
    return select(Rows(doubled.row_offsets, doubled.columns, weights), keep)


def select(rows: Rows, keep: NDArray[np.bool_]) -> Rows:
    """The arcs for which `keep` holds."""
    kept_before = np.zeros(len(keep) + 1, np.int64)
    np.cumsum(keep, out=kept_before[1:])
    weights = None if rows.weights is None else rows.weights[keep]
    return Rows(kept_before[rows.row_offsets], rows.columns[keep], weights)


def lightest(rows: Rows) -> Rows:
    """One arc of every set of parallel arcs, the lightest."""
    first = ~repeats(rows)
    kept = select(rows, first)
    if rows.weights is None or first.all():
        return kept
    return Rows(kept.row_offsets, kept.columns, np.minimum.reduceat(rows.weights, np.flatnonzero(first)))


def repeats(rows: Rows) -> NDArray[np.bool_]:
    """For every arc whether the one before it has the same two ends."""
    again = np.zeros(len(rows.columns), np.bool_)
    again[1:] = rows.columns[1:] == rows.columns[:-1]
    starts = rows.row_offsets[:-1]
    again[starts[starts < len(again)]] = False
    return again


def _grouped(n: int, key: Nodes, carried: Nodes) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """`carried` grouped by `key`, stable; the order that did it; where each group begins."""
    from scipy.sparse import csr_array

    m = len(key)
    index = np.int32 if m < 2**31 else np.int64
    one_per_row = csr_array((carried, key, np.arange(m + 1, dtype=index)), shape=(m, n))
    columns = one_per_row.tocsc()
    return columns.data, columns.indices, columns.indptr


def _in_order(source: Nodes, destination: Nodes) -> bool:
    if len(source) < 2:
        return True
    if (source[1:] < source[:-1]).any():
        return False
    return not ((destination[1:] < destination[:-1]) & (source[1:] == source[:-1])).any()


def _as_nodes(array: NDArray[Any]) -> Nodes:
    return np.ascontiguousarray(array, np.int32)


def _parallel(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which arcs have parallel ones, and a number for each of these that is equal for arcs with the same two ends."""
    again = repeats(rows)
    several = again.copy()
    several[:-1] |= again[1:]
    among = np.flatnonzero(several)
    return among, np.cumsum(~again[among])


def _sorted_within_parallel(rows: Rows, weights: Weights) -> Weights:
    """The weights, ascending within every set of parallel arcs."""
    among, group = _parallel(rows)
    ordered = weights.copy()
    ordered[among] = weights[among][np.lexsort((weights[among], group))]
    return ordered
