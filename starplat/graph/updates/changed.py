"""A graph after deletions or additions of arcs, beside where each arc of it was before: a plain merge in NumPy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from starplat.graph import csr
from starplat.graph.csr import Nodes, Rows, Weights
from starplat.graph.graph import Graph, as_weights

NEW = -1


@dataclass(frozen=True, eq=False)
class Changed:
    """`graph` is new; the graph that it was made from is as it was.

    Attributes:
        graph: with the same nodes, ids and name, its arcs by source, then destination.
        before: int64[m], for every arc of `graph` its number in the graph before; -1 says that it was added.
    """

    graph: Graph
    before: NDArray[np.int64]

    def then(self, later: Changed) -> Changed:
        """Both changes as one; `later` was made from this one's graph."""
        kept = later.before != NEW
        before = np.full(len(later.before), NEW, np.int64)
        before[kept] = self.before[later.before[kept]]
        return Changed(later.graph, before)


def without(graph: Graph, sources: Nodes, destinations: Nodes) -> Changed:
    """The graph less all parallel arcs between these ends; ends between which there is none change nothing."""
    gone = np.unique(_keys(graph, sources, destinations))
    present = _keys(graph, graph.sources, graph.columns)
    steps = np.zeros(graph.num_arcs + 1, np.int64)
    np.add.at(steps, np.searchsorted(present, gone, "left"), 1)
    np.add.at(steps, np.searchsorted(present, gone, "right"), -1)
    keep = np.cumsum(steps)[:-1] == 0
    rows = csr.select(Rows(graph.row_offsets, graph.columns, graph.weights), keep)
    return Changed(_with(graph, rows), np.flatnonzero(keep))


def with_more(graph: Graph, sources: Nodes, destinations: Nodes, weights: Weights | None) -> Changed:
    """The graph with these arcs too; each comes after those that are parallel to it. Without `weights` theirs is 1."""
    added = _keys(graph, sources, destinations)
    order = np.argsort(added, kind="stable")
    places = np.searchsorted(_keys(graph, graph.sources, graph.columns), added[order], "right")
    rows = Rows(
        graph.row_offsets + csr.offsets_of(graph.num_nodes, sources),
        np.insert(graph.columns, places, destinations[order]),
        _joined_weights(graph, places, None if weights is None else weights[order]),
    )
    return Changed(_with(graph, rows), np.insert(np.arange(graph.num_arcs), places, NEW))


def _keys(graph: Graph, sources: Nodes, destinations: Nodes) -> NDArray[np.int64]:
    """A number for the two ends of every arc, ascending in the order of a graph's arcs."""
    return sources.astype(np.int64) * graph.num_nodes + destinations


def _joined_weights(graph: Graph, places: NDArray[np.intp], added: Weights | None) -> Weights | None:
    """Weights of all arcs, `added` among the graph's at `places`; those that nothing names are 1."""
    if graph.weights is None and added is None:
        return None
    ours = np.ones(graph.num_arcs, np.int32) if graph.weights is None else graph.weights
    theirs = np.ones(len(places), np.int32) if added is None else added
    return as_weights(np.insert(ours.astype(np.result_type(ours, theirs)), places, theirs))


def _with(graph: Graph, rows: Rows) -> Graph:
    return replace(graph, row_offsets=rows.row_offsets, columns=rows.columns, weights=rows.weights, kept=False)
