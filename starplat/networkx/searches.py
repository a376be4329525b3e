"""Searches from a node or several: distances by a program, and the order and the tree in which NetworkX finds them.

NetworkX takes nodes by distance, and those that are equally far in the order in which they were found: first those that
the node found first leads to, and of these, as they stand in its dictionary. That order follows from the distances.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import networkx as nx
import numpy as np

from starplat.graph import Graph
from starplat.networkx.network import Network, Numbers
from starplat.networkx.registry import run

Found = TypeVar("Found")

ZERO_WEIGHTS = "with edges of weight 0, starplat does not know which of several shortest paths NetworkX would find"
TIES = "there are several shortest paths, and starplat does not know which of them NetworkX's Bellman-Ford would find"
SIDE_BY_SIDE = 2**16
"""The most nodes and arcs of all copies of a graph that share a run. A run of so few takes little longer than one of a
single copy, since its time is that of its launches."""


@dataclass(frozen=True)
class Search:
    """What a search found. `distance` is [n], of integers or reals; `reached` says where there is a path."""

    network: Network
    sources: Sequence[int]
    distance: Numbers
    weights: Numbers
    """Of every entry."""

    @cached_property
    def reached(self) -> Numbers:
        """bool[n]: to which nodes there is a path."""
        top = np.inf if self.distance.dtype.kind == "f" else np.iinfo(self.distance.dtype).max
        return self.distance < top

    @cached_property
    def tight(self) -> tuple[Numbers, Numbers, Numbers]:
        """The entries that end a shortest path, and their two nodes. None leads to a source."""
        source, destination = self.network.source, self.network.destination
        entries = np.flatnonzero(self.reached[source])
        u, v = source[entries], destination[entries]
        is_source = np.zeros(len(self.network), np.bool_)
        is_source[list(self.sources)] = True
        fits = (self.distance[u] + self.weights[entries] == self.distance[v]) & ~is_source[v] & (u != v)
        return entries[fits], u[fits], v[fits]

    @cached_property
    def has_zero_steps(self) -> bool:
        """Whether a shortest path goes on to a node that is not farther, so that the order does not follow."""
        _, u, v = self.tight
        return bool((self.distance[u] == self.distance[v]).any())

    @cached_property
    def order(self) -> Numbers:
        """The nodes that are reached, as NetworkX finds them."""
        nodes = np.flatnonzero(self.reached)
        if self.has_zero_steps:
            return nodes[np.argsort(self.distance[nodes], kind="stable")]
        return nodes[np.argsort(self._positions[nodes])]

    @cached_property
    def _positions(self) -> Numbers:
        """The place of every node in the order."""
        nodes = np.flatnonzero(self.reached)
        nodes = nodes[np.argsort(self.distance[nodes], kind="stable")]
        far = self.distance[nodes]
        begins = np.flatnonzero(np.r_[True, far[1:] != far[:-1]]) if len(nodes) else np.zeros(0, np.int64)
        sizes = np.diff(np.r_[begins, len(nodes)])
        position = np.zeros(len(self.network), np.int64)
        position[nodes] = np.repeat(begins, sizes)
        position[list(self.sources)] = np.arange(len(self.sources))
        entries, u, v = self.tight
        by_distance = np.lexsort((entries, position[v]))
        entries, u, v = entries[by_distance], u[by_distance], v[by_distance]
        starts = np.searchsorted(position[v], begins)
        ends = np.r_[starts[1:], len(v)]
        for begin, start, end in zip(
            *(array[1:][sizes[1:] > 1].tolist() for array in (begins, starts, ends)), strict=True
        ):
            group = v[start:end]
            found = first_seen(group, position[u[start:end]], entries[start:end])
            position[found] = begin + np.arange(len(found))
        return position

    @cached_property
    def parents(self) -> Numbers:
        """The node before each on the path that NetworkX gives; -1 for sources and what is not reached. Raises
        NotImplementedError: it cannot be told."""
        if self.has_zero_steps:
            raise NotImplementedError(ZERO_WEIGHTS)
        _, u, v = self.tight
        by_place = np.lexsort((self._positions[u], v))
        u, v = u[by_place], v[by_place]
        first = np.r_[True, v[1:] != v[:-1]] if len(v) else np.zeros(0, np.bool_)
        parents = np.full(len(self.network), -1, np.int64)
        parents[v[first]] = u[first]
        return parents

    def lengths(self, cutoff: float | None = None) -> dict[Any, Any]:
        """The distances by label, in NetworkX's order, up to `cutoff`."""
        order = self._up_to(cutoff)
        labels = self.network.labels
        return dict(zip([labels[v] for v in order.tolist()], self.distance[order].tolist(), strict=True))

    def paths(self, cutoff: float | None = None) -> dict[Any, list[Any]]:
        """The paths by the label that they lead to, in NetworkX's order, up to `cutoff`."""
        labels, parents = self.network.labels, self.parents.tolist()
        found: dict[int, list[Any]] = {}
        for v in self._up_to(cutoff).tolist():
            found[v] = [*(found[parents[v]] if parents[v] >= 0 else ()), labels[v]]
        return {labels[v]: path for v, path in found.items()}

    def length(self, target: int) -> Any:
        """The distance to a node; None where there is no path."""
        return self.distance[target].item() if self.reached[target] else None

    def path(self, target: int) -> list[Any]:
        """The path to a node that is reached."""
        parents, path = self.parents, [target]
        while parents[path[-1]] >= 0:
            path.append(int(parents[path[-1]]))
        return [self.network.labels[v] for v in reversed(path)]

    def _up_to(self, cutoff: float | None) -> Numbers:
        order = self.order
        return order if cutoff is None else order[self.distance[order] <= cutoff]


class AnySearch(Search):
    """A search whose order NetworkX does not fix by distances: Bellman's and Ford's."""

    @cached_property
    def parents(self) -> Numbers:
        """As of any search, where there is one path only."""
        _, _, v = self.tight
        if len(np.unique(v)) != len(v):
            raise NotImplementedError(TIES)
        return super().parents

    def paths(self, cutoff: float | None = None) -> dict[Any, list[Any]]:
        """As of any search; the node before may be farther than a node."""
        return {self.network.labels[v]: self.path(v) for v in self._up_to(cutoff).tolist()}


def and_then(found: Iterable[Found], error: Exception) -> Iterator[Found]:
    """What was found, and then the error, where NetworkX tells it as late."""
    yield from found
    raise error


def first_seen(nodes: Numbers, position: Numbers, entries: Numbers, *, last: bool = False) -> Numbers:
    """Nodes, each once, in the order in which they are first (or last) met by entries that come by the position of
    their first node, and then as they stand in its dictionary."""
    met = nodes[np.lexsort((entries, position))]
    if last:
        met = met[::-1]
    _, first = np.unique(met, return_index=True)
    return met[np.sort(first)[:: -1 if last else 1]]


def by_levels(network: Network, sources: Sequence[int], *, turned: bool = False) -> Search:
    """Distances counted in arcs, which are taken the other way round if `turned`."""
    return _of_levels(network, turned=turned).search(sources)


def by_weights(network: Network, sources: Sequence[int], weight: Hashable | None, *, turned: bool = False) -> Search:
    """Distances by weights that are not negative. Raises NotImplementedError: a weight is no number, or negative, or
    sums may leave 64 bits."""
    return _of_weights(network, weight, turned=turned).search(sources)


def from_each(network: Network, sources: Sequence[int], weight: Hashable | None) -> Iterator[Search]:
    """A search from each of the sources, by weights that are not negative. Those in a small graph share a run, and
    begin when the first of them is asked for. Raises NotImplementedError: as of `by_weights`, when this is called."""
    return _of_weights(network, weight, turned=False).searches(sources)


def distances_in_one_run(
    network: Network, sources: Sequence[int], weight: Hashable | None, *, turned: bool
) -> Numbers | None:
    """The distances from each of the sources, [sources, n], where one run finds them all; `inf` where there is no path.
    Raises NotImplementedError: as of `by_weights`."""
    searching = _of_weights(network, weight, turned=turned)
    if not 0 < len(sources) <= searching.most_copies:
        return None
    found = Search(network, sources, searching.distances(sources), searching.weights)
    return np.where(found.reached, found.distance, np.inf)


@dataclass(frozen=True)
class _Searching:
    """How to search: the program, its result, the graph, and the weights of its arcs."""

    network: Network
    program: str
    result: str
    graph: Graph
    weights: Numbers

    @property
    def most_copies(self) -> int:
        """How many searches share a run."""
        return max(SIDE_BY_SIDE // (self.graph.num_nodes + self.graph.num_arcs + 1), 1)

    def search(self, sources: Sequence[int]) -> Search:
        distance = run(self.program, self.graph, self.result, sources=list(sources))[self.result]
        return Search(self.network, sources, distance, self.weights)

    def searches(self, sources: Sequence[int]) -> Iterator[Search]:
        """From each source by itself."""
        for first in range(0, len(sources), self.most_copies):
            some = sources[first : first + self.most_copies]
            for source, distance in zip(some, self.distances(some), strict=True):
                yield Search(self.network, [source], distance, self.weights)

    def distances(self, sources: Sequence[int]) -> Numbers:
        """From each source by itself, in one run: in a copy of the graph for each."""
        n = self.graph.num_nodes
        starts = [copy * n + source for copy, source in enumerate(sources)]
        found = run(self.program, side_by_side(self.graph, len(sources)), self.result, sources=starts)
        distances: Numbers = found[self.result].reshape(len(sources), n)
        return distances


def _of_levels(network: Network, *, turned: bool) -> _Searching:
    graph = network.turned() if turned else network.arcs
    return _Searching(network, "levels_from", "level", graph, network.numbers(None))


def _of_weights(network: Network, weight: Hashable | None, *, turned: bool) -> _Searching:
    weights = positive_weights(network, weight)
    if weights.dtype.kind == "i" and (weights == 1).all():
        return _of_levels(network, turned=turned)
    graph = network.turned(weight) if turned else network.weighted(weight)
    return _Searching(network, "distances_from", "dist", graph, weights)


def side_by_side(graph: Graph, copies: int) -> Graph:
    """Copies of a graph in one graph, without arcs between them."""
    if copies == 1:
        return graph
    ahead = np.arange(copies)[:, None]
    rows = (graph.row_offsets[:-1] + ahead * graph.num_arcs).ravel()
    return Graph(
        np.r_[rows, copies * graph.num_arcs],
        (graph.columns + ahead * graph.num_nodes).ravel().astype(graph.columns.dtype),
        None if graph.weights is None else np.tile(graph.weights, copies),
        directed=graph.directed,
        name=graph.name,
    )


def by_bellman_ford(network: Network, source: int, weight: Hashable | None, *, turned: bool = False) -> Search:
    """Distances by any weights. Raises NetworkXUnbounded: a cycle of negative weight can be reached;
    NotImplementedError: a weight is no number, or sums may leave 64 bits."""
    weights = _weights(network, weight)
    graph = network.turned(weight) if turned else network.weighted(weight)
    found = run("bellman_ford", graph, "dist", src=source)
    if not found.returned:
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    return AnySearch(network, [source], found["dist"], weights)


def positive_weights(network: Network, weight: Hashable | None) -> Numbers:
    """The weights of all entries, none of them negative. Raises NotImplementedError: one is no number, or negative, or
    sums may leave 64 bits."""
    weights = _weights(network, weight)
    if len(weights) and weights.min() < 0:
        raise NotImplementedError("starplat runs Dijkstra's algorithm for weights that are not negative")
    return weights


def _weights(network: Network, weight: Hashable | None) -> Numbers:
    weights = network.numbers(weight)
    if weights.dtype.kind == "i" and len(weights) and int(np.abs(weights).max()) * len(network) >= 2**62:
        raise NotImplementedError("the sum of weights along a path may not fit 64 bits")
    return weights
