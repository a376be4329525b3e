"""A graph after deletions or additions of arcs, beside which arcs stayed and which are new: a merge in NumPy.

The updates are sorted and found in their rows by bisection, O(k log d) for k arcs in rows of at most d; all other
arcs are only copied. The graph that the new one is made from stays as it is; what is computed of it, such as the
reverse, is computed of the new one when it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import csr
from starplat.graph.csr import Nodes, Offsets, Weights
from starplat.graph.graph import Graph, as_weights

NEW = -1


@dataclass(frozen=True, eq=False)
class Changed:
    """`graph` is new; the graph that it was made from is as it was.

    Attributes:
        graph: with the same nodes, ids and name, its arcs by source, then destination.
        stays: bool for every arc of the graph before, whether it is one of `graph`.
        comes: bool[m], for every arc of `graph` whether it was added. Arcs that stay keep their order.
    """

    graph: Graph
    stays: NDArray[np.bool_]
    comes: NDArray[np.bool_]

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """For every arc of `graph` its number in the graph before, int64[m]; -1 says that it was added."""
        numbers = np.full(len(self.comes), NEW, np.int64)
        numbers[~self.comes] = np.flatnonzero(self.stays)
        return numbers

    def carried(self, cells: NDArray[Any], start: Any = 0) -> NDArray[Any]:
        """What the arcs have of `cells`, which has one for every arc of the graph before; `start`, one value or one for
        every added arc in their order, is what those begin with."""
        return _copied(cells, self.stays, self.comes, start)

    def then(self, later: Changed) -> Changed:
        """Both changes as one; `later` was made from this one's graph."""
        stays, comes = self.stays.copy(), later.comes.copy()
        stays[self.stays] = later.stays[~self.comes]
        comes[~later.comes] = self.comes[later.stays]
        return Changed(later.graph, stays, comes)


def without(graph: Graph, sources: Nodes, destinations: Nodes) -> Changed:
    """The graph less all parallel arcs between these ends; ends between which there is none change nothing."""
    tails, heads = _distinct(graph.num_nodes, sources, destinations)
    stays, gone = _without(graph.row_offsets, graph.columns, tails, heads)
    comes = np.zeros(graph.num_arcs - int(gone.sum()), np.bool_)
    made = replace(
        graph,
        row_offsets=graph.row_offsets - csr.offsets_of(graph.num_nodes, np.repeat(tails, gone)),
        columns=graph.columns[stays],
        weights=None if graph.weights is None else graph.weights[stays],
        kept=False,
    )
    return Changed(made, stays, comes)


def with_more(graph: Graph, sources: Nodes, destinations: Nodes, weights: Weights | None) -> Changed:
    """The graph with these arcs too; each comes after those that are parallel to it. Without `weights` theirs is 1."""
    order, added = _with_more(graph.row_offsets, graph.columns, sources, destinations)
    stays = np.ones(graph.num_arcs, np.bool_)
    comes = _marked(graph.num_arcs + len(added), added)
    made = replace(
        graph,
        row_offsets=graph.row_offsets + csr.offsets_of(graph.num_nodes, sources),
        columns=_copied(graph.columns, stays, comes, destinations[order]),
        weights=_joined_weights(graph, stays, comes, None if weights is None else weights[order]),
        kept=False,
    )
    return Changed(made, stays, comes)


def _without(
    row_offsets: Offsets, columns: Nodes, rows: Nodes, wanted: Nodes
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which arcs stay, and how many leave for each of the distinct, ascending pairs of ends."""
    first, last = (find(row_offsets, columns, rows, wanted) for find in (first_places, last_places))
    return ~_marked(len(columns), places_between(first, last)), last - first


def _with_more(row_offsets: Offsets, columns: Nodes, rows: Nodes, wanted: Nodes) -> tuple[NDArray[np.intp], Places]:
    """The order in which added arcs lie, and the places, ascending, that they get in the rows that hold them too."""
    order = np.lexsort((wanted, rows))
    before = last_places(row_offsets, columns, rows[order], wanted[order])
    return order, before + np.arange(len(order))


def _marked(count: int, places: Places) -> NDArray[np.bool_]:
    found = np.zeros(count, np.bool_)
    found[places] = True
    return found


def _copied(cells: NDArray[Any], stays: NDArray[np.bool_], comes: NDArray[np.bool_], start: Any) -> NDArray[Any]:
    """`cells` that stay, in their order, around those that come, which begin as `start`."""
    if not comes.any():
        return cells[stays]
    found = np.empty(len(comes), cells.dtype)
    found[comes] = start
    found[~comes] = cells if stays.all() else cells[stays]
    return found


def _distinct(n: int, rows: Nodes, wanted: Nodes) -> tuple[Nodes, Nodes]:
    """The pairs of ends, ascending, each once."""
    keys = np.unique(rows.astype(np.int64) * n + wanted)
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32)


def _joined_weights(
    graph: Graph, stays: NDArray[np.bool_], comes: NDArray[np.bool_], added: Weights | None
) -> Weights | None:
    """Weights of all arcs, `added` among the graph's; those that nothing names are 1."""
    if graph.weights is None and added is None:
        return None
    ours = np.ones(graph.num_arcs, np.int32) if graph.weights is None else graph.weights
    theirs = np.ones(int(comes.sum()), np.int32) if added is None else as_weights(added)
    return _copied(ours.astype(np.result_type(ours, theirs), copy=False), stays, comes, theirs)


Places = NDArray[np.int64]


def first_places(row_offsets: Offsets, columns: Nodes, rows: Nodes, wanted: Nodes) -> Places:
    """For each i the place in `columns` of the first arc of row rows[i] that leads to wanted[i], int64[k]; where there
    is none, the place at which it would lie."""
    return _bisected(row_offsets, columns, rows, wanted, -1)


def last_places(row_offsets: Offsets, columns: Nodes, rows: Nodes, wanted: Nodes) -> Places:
    """The same for the place after the last such arc."""
    return _bisected(row_offsets, columns, rows, wanted, 0)


def places_between(first: Places, last: Places) -> Places:
    """The numbers first[i] up to last[i] of every i, one range after the other."""
    lengths = last - first
    begun = np.cumsum(lengths) - lengths
    places: Places = np.arange(int(lengths.sum())) + np.repeat(first - begun, lengths)
    return places


def _bisected(row_offsets: Offsets, columns: Nodes, rows: Nodes, wanted: Nodes, most: int) -> Places:
    """The first place of each row whose column minus the wanted one is above `most`."""
    low: Places = row_offsets[rows]
    high: Places = row_offsets[rows.astype(np.int64) + 1]
    bound = wanted.astype(np.int64) + most
    longest = int((high - low).max(initial=0))
    for _ in range(longest.bit_length()):
        middle = (low + high) // 2
        later = (low < high) & (columns[np.minimum(middle, len(columns) - 1)] <= bound)
        high = np.where(later, high, middle)  # where nothing is left, `middle` is `high`
        low = np.where(later, middle + 1, low)
    return low
