"""The heads of a graph's rows: which arcs are copied to the device, how many they are, and the copies."""

import os
import weakref
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.elements import Cells

MOST_CELLS = 2**31 - 1
"""Places in heads are numbers of 32 bits."""

_PIECE = 1 << 20
"""Rows that are copied at a time."""
_MOST_THREADS = 16

_DEGREES: weakref.WeakKeyDictionary[Graph, dict[bool, Cells]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, order=True, slots=True)
class Cut:
    """What is copied of rows. Of FIRST arcs, `length` of every row; of SHORT rows, those of up to `length` arcs and
    `more` rows of one arc more, of the lowest nodes. The lesser of two of a kind copies less of every graph."""

    kind: ir.HeadKind
    length: int = 0
    more: int = 0

    def lengths(self, degrees: Cells) -> Cells:
        """How many arcs of every row."""
        if self.kind is ir.HeadKind.FIRST:
            return np.minimum(degrees, self.length)
        found: Cells = np.where(degrees <= self.length, degrees, 0)
        found[np.flatnonzero(degrees == self.length + 1)[: self.more]] = self.length + 1
        return found

    def arcs(self, nodes: Cells) -> int:
        """How many arcs of all rows, of which there are so many `nodes` by degree."""
        degrees = np.arange(len(nodes))
        if self.kind is ir.HeadKind.FIRST:
            return int((np.minimum(degrees, self.length) * nodes).sum())
        return int((degrees * nodes)[: self.length + 1].sum()) + self.more * (self.length + 1)


def largest_cut(graph: Graph, heads: Iterable[ir.Array], kind: ir.HeadKind, most: int) -> Cut:
    """The cut by which as many arcs as fit are copied, if so many in all fit into each of some of HEAD_ARRAYS."""
    return min(_largest(kind, _nodes_of_degree(graph, one), min(most, MOST_CELLS)) for one in heads)


def _largest(kind: ir.HeadKind, nodes: Cells, most: int) -> Cut:
    if kind is ir.HeadKind.FIRST:
        nodes_of_more = nodes.sum() - np.cumsum(nodes[:-1])
        return Cut(kind, int(np.searchsorted(np.cumsum(nodes_of_more), most, side="right")))
    arcs = np.cumsum(np.arange(len(nodes)) * nodes)
    length = int(np.searchsorted(arcs, max(most, 0), side="right")) - 1
    left = max(most, 0) - int(arcs[length])
    return Cut(kind, length, 0 if length + 1 == len(nodes) else left // (length + 1))


def arcs_in_heads(graph: Graph, heads: Iterable[ir.Array], cut: Cut) -> int:
    """How many arcs a cut copies in the direction where these are more."""
    return max((cut.arcs(_nodes_of_degree(graph, one)) for one in heads), default=0)


def head_offsets(graph: Graph, array: ir.Array, cut: Cut) -> Cells:
    """Where the head of each row begins, with one number more for the end."""
    begins = np.zeros(graph.num_nodes + 1, np.int32)
    np.cumsum(cut.lengths(np.diff(_offsets(graph, array))), out=begins[1:])
    return begins


def head_cells(graph: Graph, array: ir.Array, cut: Cut, of_arcs: Cells, count: int) -> Cells:
    """The copies of what there is for every slot of the rows: `count` cells, with zeros behind them."""
    made, begins, offsets = np.zeros(count, of_arcs.dtype), head_offsets(graph, array, cut), _offsets(graph, array)

    def copy(low: int) -> None:
        high = min(low + _PIECE, graph.num_nodes)
        slots = np.arange(begins[low], begins[high], dtype=np.int64)
        slots += np.repeat(offsets[low:high] - begins[low:high], np.diff(begins[low : high + 1]))
        made[begins[low] : begins[high]] = of_arcs[slots]

    with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS)) as threads:
        for _ in threads.map(copy, range(0, graph.num_nodes, _PIECE)):
            pass
    return made


def longest_row(graph: Graph, offsets: ir.Array) -> int:
    """The most arcs that leave a node, or enter one."""
    return len(_nodes_of_degree(graph, offsets)) - 1


def _nodes_of_degree(graph: Graph, array: ir.Array) -> Cells:
    """How many nodes there are of each degree, up to the largest."""
    kept, into = _DEGREES.setdefault(graph, {}), _leads_into(array)
    if into not in kept:
        kept[into] = np.bincount(np.diff(_offsets(graph, array)), minlength=1)
    return kept[into]


def _offsets(graph: Graph, array: ir.Array) -> Cells:
    return graph.reverse.row_offsets if _leads_into(array) and graph.directed else graph.row_offsets


def _leads_into(array: ir.Array) -> bool:
    return array in (ir.IN_HEAD_OFFSETS, ir.IN_HEAD_COLUMNS, ir.IN_ROW_OFFSETS)
