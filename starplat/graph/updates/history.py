"""What became of a graph by updates that were applied elsewhere; the graph itself is made when it is asked for.

However many changes there were, it takes one deletion and one addition: of an arc only its last deletion counts, and
of the additions those that came after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from starplat.graph.csr import Nodes, Weights
from starplat.graph.graph import Graph
from starplat.graph.updates.changed import Changed, with_more, without
from starplat.graph.updates.updates import ADD, DELETE, Updates


@dataclass(frozen=True, slots=True)
class Change:
    """Updates of a list with the numbers `first` up to `end`: those of some `kinds`, deletions before additions."""

    updates: Updates
    first: int
    end: int
    kinds: tuple[int, ...]

    def of(self, graph: Graph) -> Changed:
        """The graph after this change alone."""
        match self.kinds:
            case (kind,) if kind == DELETE:
                return self.updates.deleted(graph, self.first, self.end)
            case (kind,) if kind == ADD:
                return self.updates.added(graph, self.first, self.end)
        return self.updates.rebuilt(graph, self.first, self.end)


class History:
    """A graph, and changes of it in their order."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._changes: list[Change] = []

    def then(self, change: Change) -> None:
        self._changes.append(change)

    def changed_from(self, graph: Graph) -> bool:
        """Whether it is at another graph than this one."""
        return bool(self._changes) or self._graph is not graph

    @property
    def graph(self) -> Graph:
        """The graph after all changes."""
        if self._changes:
            self._graph = after(self._graph, self._changes)
            self._changes = []
        return self._graph


def after(graph: Graph, changes: Sequence[Change]) -> Graph:
    gone, more = (_Arcs.of(graph.num_nodes, changes, adds=adds) for adds in (False, True))
    keys, place = np.unique(gone.keys[::-1], return_index=True)  # the pairs of ends that are deleted, ascending
    last = gone.when[::-1][place]  # the last change that does it
    place = np.minimum(np.searchsorted(keys, more.keys), max(len(keys) - 1, 0))
    stays = np.ones(len(more.keys), np.bool_)
    if len(keys):
        stays = (keys[place] != more.keys) | (more.when >= last[place])
    less = without(graph, gone.sources, gone.destinations).graph
    weights = None if more.weights is None else more.weights[stays]
    return with_more(less, more.sources[stays], more.destinations[stays], weights).graph


@dataclass(frozen=True, slots=True)
class _Arcs:
    """The arcs of all additions, or of all deletions; `when` is the number of the change, `keys` one for each pair of
    ends."""

    sources: Nodes
    destinations: Nodes
    weights: Weights | None
    when: NDArray[np.int64]
    keys: NDArray[np.int64]

    @classmethod
    def of(cls, num_nodes: int, changes: Sequence[Change], *, adds: bool) -> "_Arcs":
        kind, parts = ADD if adds else DELETE, []
        for number, change in enumerate(changes):
            if kind in change.kinds:
                which = change.first + np.flatnonzero(change.updates.kinds[change.first : change.end] == kind)
                parts.append((number, which, change.updates))
        if not parts:
            none, keys = np.zeros(0, np.int32), np.zeros(0, np.int64)
            return cls(none, none, None, keys, keys)
        sources = np.concatenate([updates.sources[which] for _, which, updates in parts])
        destinations = np.concatenate([updates.destinations[which] for _, which, updates in parts])
        weights = None
        if adds and any(updates.weights is not None for _, _, updates in parts):
            ones = (np.ones(len(u.kinds), np.int32) if u.weights is None else u.weights for _, _, u in parts)
            weights = np.concatenate([w[which] for w, (_, which, _) in zip(ones, parts, strict=True)])
        when = np.concatenate([np.full(len(which), number, np.int64) for number, which, _ in parts])
        return cls(sources, destinations, weights, when, sources.astype(np.int64) * num_nodes + destinations)
