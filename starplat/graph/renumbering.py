"""Graphs whose nodes have other numbers, and the way between both numberings.

An order lists the nodes as they are to be numbered. Neighbors in memory are then neighbors in the graph, or those that
are asked for most come together, so that caches serve more of what a program reads. Rows are sorted as in every graph;
parallel arcs keep their order. The work is done by CuPy where a GPU is here and the graph is large.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import csr
from starplat.graph.by_sorting import device_arrays, on_host, release
from starplat.graph.csr import Nodes
from starplat.graph.graph import Graph

Arcs = NDArray[np.int64]


def by_degree(graph: Graph) -> Nodes:
    """The nodes with most arcs first, equals by number: int32[n]. Both directions count."""
    degrees = graph.out_degrees
    if graph.directed:
        degrees = degrees + np.bincount(graph.columns, minlength=graph.num_nodes)
    return np.argsort(-degrees, kind="stable").astype(np.int32)


def by_bandwidth(graph: Graph) -> Nodes:
    """Reverse Cuthill-McKee (1969; George 1971), which keeps the ends of arcs near each other: int32[n]."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    n, m = graph.num_nodes, graph.num_arcs
    if not n:
        return np.zeros(0, np.int32)
    index = np.int32 if m < 2**31 else np.int64
    arcs = csr_array((np.ones(m, np.int8), graph.columns.astype(index), graph.row_offsets.astype(index)), shape=(n, n))
    return np.asarray(reverse_cuthill_mckee(arcs, symmetric_mode=not graph.directed), np.int32)


@dataclass(frozen=True, eq=False)
class Renumbered:
    """A graph under other numbers; it does not keep the `original`.

    Attributes:
        graph: with the new numbers; it is called as before, its ids are the new numbers.
        before: the number that each node had, by the one it has: int32[n].
        after: the other way: int32[n].
    """

    original: weakref.ref[Graph]
    graph: Graph
    before: Nodes
    after: Nodes

    @classmethod
    def of(cls, graph: Graph, before: Nodes) -> Renumbered:
        """The graph with its nodes numbered in the order of `before`, a permutation of 0..n-1."""
        after = np.empty_like(before)
        after[before] = np.arange(len(before), dtype=before.dtype)
        row_offsets, columns, arcs = _sorted(graph, before, after, with_arcs=graph.weights is not None)
        weights = None if graph.weights is None else graph.weights[arcs]
        made = replace(graph, row_offsets=row_offsets, columns=columns, weights=weights, ids=None, index_base=0)
        found = cls(weakref.ref(graph), made, before, after)
        if arcs is not None:
            found.__dict__["arcs_before"] = arcs
        return found

    @cached_property
    def arcs_before(self) -> Arcs:
        """The number that each arc had, by the one it has: int64[m]."""
        graph = self.original()
        assert graph is not None
        arcs: Arcs = _sorted(graph, self.before, self.after, with_arcs=True)[2]
        return arcs

    @cached_property
    def arcs_after(self) -> Arcs:
        """The other way: int64[m]."""
        after = np.empty_like(self.arcs_before)
        after[self.arcs_before] = np.arange(len(after))
        return after


def _sorted(graph: Graph, before: Nodes, after: Nodes, *, with_arcs: bool) -> tuple[Any, Any, Any]:
    """Row offsets and columns under the new numbers, and the number that each arc had, None if not asked for."""
    n = graph.num_nodes
    row_offsets = np.zeros(n + 1, np.int64)
    np.cumsum(graph.out_degrees[before], out=row_offsets[1:])
    xp = device_arrays(graph.num_arcs)
    if xp is not None:
        columns, arcs = _sorted_on_device(xp, graph, after, with_arcs=with_arcs)
        return row_offsets, columns, arcs
    numbers = np.arange(graph.num_arcs, dtype=np.int64) if with_arcs else None
    rows = csr.compressed(n, after[graph.sources], after[graph.columns], numbers)
    return row_offsets, rows.columns, rows.weights


def _sorted_on_device(xp: Any, graph: Graph, after: Nodes, *, with_arcs: bool) -> tuple[Any, Any]:
    """The same columns and numbers, by a sort of 64-bit keys: CuPy's is stable."""
    n, m = graph.num_nodes, graph.num_arcs
    numbers = xp.asarray(after)
    keys = xp.searchsorted(xp.asarray(graph.row_offsets[1:]), xp.arange(m, dtype=np.int64), side="right")
    keys = numbers[keys].astype(np.int64) * n
    keys += numbers[xp.asarray(graph.columns)]
    arcs = None
    if with_arcs:
        order = xp.argsort(keys)
        keys = keys[order]
        arcs = on_host(xp, order)
        del order
    else:
        keys.sort()
    columns = on_host(xp, (keys % n).astype(np.int32))
    del keys, numbers
    release(xp)
    return columns, arcs
