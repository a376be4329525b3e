"""The heads of a graph's rows: how many arcs they take, and copies of them for the device.

The head of a row are its first arcs: as many for every node, or all that it has.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable

import numpy as np

from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.elements import Cells

MOST_CELLS = 2**31 - 1
"""Places in heads are numbers of 32 bits."""

_PIECE = 1 << 22
"""Rows that are copied at a time."""

_COUNTED: weakref.WeakKeyDictionary[Graph, dict[bool, Cells]] = weakref.WeakKeyDictionary()


def longest_heads(graph: Graph, heads: Iterable[ir.Array], most: int) -> int:
    """How many arcs a head may have if so many in all fit into each of some of HEAD_ARRAYS."""
    return min(int(np.searchsorted(_counts(graph, one), min(most, MOST_CELLS), side="right")) for one in heads)


def arcs_in_heads(graph: Graph, heads: Iterable[ir.Array], length: int) -> int:
    """How many arcs there are in heads of that length, in the direction that has more of them."""
    every = (_counts(graph, one)[:length] for one in heads)
    return max((int(counts[-1]) for counts in every if len(counts)), default=0)


def head_cells(graph: Graph, array: ir.Array, length: int, count: int) -> Cells:
    """The first cells of one of HEAD_ARRAYS for heads of that length, `count` with zeros behind them."""
    offsets, columns = _rows(graph, array)
    made = np.zeros(count, np.int32)
    begins = made if array.extent is ir.Extent.NODES_AND_ONE else np.zeros(graph.num_nodes + 1, np.int32)
    np.cumsum(np.minimum(np.diff(offsets), length), out=begins[1:])
    if begins is not made:
        for low in range(0, graph.num_nodes, _PIECE):
            high = min(low + _PIECE, graph.num_nodes)
            sizes = np.diff(begins[low : high + 1])
            slots = np.arange(begins[low], begins[high], dtype=np.int64)
            slots += np.repeat(offsets[low:high] - begins[low:high], sizes)
            made[begins[low] : begins[high]] = columns[slots]
    return made


def _counts(graph: Graph, array: ir.Array) -> Cells:
    """By length of heads, from 1 to the largest degree, how many arcs they have."""
    kept, into = _COUNTED.setdefault(graph, {}), _leads_into(array)
    if into not in kept:
        nodes_of_degree = np.bincount(np.diff(_rows(graph, array)[0]), minlength=1)
        nodes_of_more = graph.num_nodes - np.cumsum(nodes_of_degree[:-1])
        kept[into] = np.cumsum(nodes_of_more)
    return kept[into]


def _rows(graph: Graph, array: ir.Array) -> tuple[Cells, Cells]:
    """The offsets and neighbors of the direction."""
    into = _leads_into(array) and graph.directed
    return (graph.reverse.row_offsets, graph.reverse.columns) if into else (graph.row_offsets, graph.columns)


def _leads_into(array: ir.Array) -> bool:
    return array in (ir.IN_HEAD_OFFSETS, ir.IN_HEAD_COLUMNS)
