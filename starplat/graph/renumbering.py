"""Graphs whose nodes have other numbers, and the way between both numberings.

An order lists the nodes as they are to be numbered. Neighbors in memory are then neighbors in the graph, or those that
are asked for most come together, so that caches serve more of what a program reads. Rows are sorted as in every graph;
parallel arcs keep their order. The work is done by CuPy where a GPU is here and the graph is large.
"""

import weakref
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import by_sorting, csr
from starplat.graph.csr import Nodes, Rows
from starplat.graph.graph import Graph

Arcs = NDArray[np.int64]


WINDOWS, WORD = 16, 32


def by_degree(graph: Graph) -> Nodes:
    """The nodes with most arcs first, a sixteenth of all at a time: int32[n]. Arcs of both directions count.

    Within a sixteenth the nodes, by degree, are dealt like cards to its groups of 32. Threads that share such a group
    then have one node of the highest degrees, not all: in strict order a few groups had most of the work.
    """
    degrees = graph.out_degrees
    if graph.directed:
        degrees = degrees + np.bincount(graph.columns, minlength=graph.num_nodes)
    xp = by_sorting.device_arrays(graph.num_arcs) or np
    order = by_sorting.on_host(xp, xp.argsort(-xp.asarray(degrees), kind="stable").astype(np.int32))
    by_sorting.release(xp)
    window = -(-len(order) // (WINDOWS * WORD)) * WORD or WORD
    return np.concatenate([order[:0], *(_dealt(order[at : at + window]) for at in range(0, len(order), window))])


def _dealt(nodes: Nodes) -> Nodes:
    """The nodes in groups of 32: the first go to a group each, then the next."""
    groups = -(-len(nodes) // WORD)
    cards = np.full(groups * WORD, -1, np.int32)
    cards[: len(nodes)] = nodes
    hands = cards.reshape(WORD, groups).T.ravel()
    return hands[hands >= 0]


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
    def of(cls, graph: Graph, before: Nodes) -> "Renumbered":
        """The graph with its nodes numbered in the order of `before`, a permutation of 0..n-1."""
        after = np.empty_like(before)
        after[before] = np.arange(len(before), dtype=before.dtype)
        rows = _sorted(graph, before, after, graph.weights)
        made = replace(graph, row_offsets=rows.row_offsets, columns=rows.columns, weights=rows.weights, ids=None)
        return cls(weakref.ref(graph), replace(made, index_base=0), before, after)

    def changed(self, inside: Graph) -> tuple[Graph, "Renumbered"]:
        """What `inside`, which came from the renumbered graph by updates, is under the numbers and ids of the original,
        and the way between both."""
        first = self.original()
        assert first is not None
        outside = replace(Renumbered.of(inside, self.after).graph, ids=first.ids, index_base=first.index_base)
        return outside, Renumbered(weakref.ref(outside), inside, self.before, self.after)

    @cached_property
    def arcs_before(self) -> Arcs:
        """The number that each arc had, by the one it has: int64[m]."""
        graph = self.original()
        assert graph is not None
        arcs = _sorted(graph, self.before, self.after, np.arange(graph.num_arcs, dtype=np.int64)).weights
        assert arcs is not None
        return arcs

    @cached_property
    def arcs_after(self) -> Arcs:
        """The other way: int64[m]."""
        after = np.empty_like(self.arcs_before)
        after[self.arcs_before] = np.arange(len(after))
        return after


def _sorted(graph: Graph, before: Nodes, after: Nodes, carried: NDArray[Any] | None) -> Rows:
    """The rows under the new numbers, with what is `carried` for each arc as weights."""
    if (xp := by_sorting.device_arrays(graph.num_arcs)) is not None:
        row_offsets = np.zeros(graph.num_nodes + 1, np.int64)
        np.cumsum(graph.out_degrees[before], out=row_offsets[1:])
        return Rows(row_offsets, *_sorted_by(xp, graph, after, carried))
    return csr.compressed(graph.num_nodes, after[graph.sources], after[graph.columns], carried)


def _sorted_by(xp: Any, graph: Graph, after: Nodes, carried: NDArray[Any] | None) -> tuple[Any, Any]:
    """Columns and what is carried, by a stable sort of 64-bit keys on NumPy or any compatible array module."""
    n, m = graph.num_nodes, graph.num_arcs
    numbers = xp.asarray(after)
    keys = xp.searchsorted(xp.asarray(graph.row_offsets[1:]), xp.arange(m, dtype=np.int64), side="right")
    keys = numbers[keys].astype(np.int64) * n
    keys += numbers[xp.asarray(graph.columns)]
    kept = None
    if carried is None:
        keys.sort()
    else:
        order = xp.argsort(keys, kind="stable")
        keys, kept = keys[order], by_sorting.on_host(xp, xp.asarray(carried)[order])
        del order
    columns = by_sorting.on_host(xp, (keys % n).astype(np.int32))
    del keys, numbers
    by_sorting.release(xp)
    return columns, kept
