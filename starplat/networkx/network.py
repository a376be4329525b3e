"""A NetworkX graph as arrays: its entries in the order of its dictionaries, and arcs in CSR.

Nodes are numbers 0..n-1 in the order of `G.nodes`; `labels` leads back, `node` there. An entry is an edge as it stands
in the dictionaries; an arc is an entry in the order of `starplat.Graph`. `entries` says which entry an arc is.
"""

import weakref
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from starplat.graph import Graph, csr
from starplat.graph.graph import as_weights
from starplat.graph.objects.networks import adjacency_of

Numbers = NDArray[Any]


class Network:
    """One conversion of a NetworkX graph. It does not change, and does not keep the graph alive.

    Attributes:
        labels: what the graph calls its nodes, in the order of `G.nodes`.
        source, destination: int32[m], the nodes of every entry.
    """

    __networkx_backend__ = "starplat"

    def __init__(self, graph: Any, attributes: Mapping[Hashable, Any] | None = None) -> None:
        """Takes the edges and, of their attributes, those that are named, with what counts where one is missing."""
        found = adjacency_of(graph)
        self.labels = found.labels
        self.source, self.destination = found.source, found.destination
        self._directed: bool = graph.is_directed()
        self._multigraph: bool = graph.is_multigraph()
        self._original: weakref.ref[Any] = weakref.ref(graph)
        self._weighted: dict[Hashable, Graph] = {}
        self._values: dict[Hashable, Sequence[Any] | Numbers] = {}
        for name, missing in (attributes or {}).items():
            self._values[name] = found.values(name, missing)

    # --- what NetworkX asks of a graph -------------------------------------------------------------------------------

    def is_directed(self) -> bool:
        return self._directed

    def is_multigraph(self) -> bool:
        return self._multigraph

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        try:
            return label in self._adj
        except TypeError:  # what cannot be a node, such as a list of nodes
            return False

    @cached_property
    def _adj(self) -> dict[Any, int]:
        """The nodes by their labels, under the name where NetworkX's `nbunch_iter` looks."""
        return dict(zip(self.labels, range(len(self.labels)), strict=True))

    # --- nodes -------------------------------------------------------------------------------------------------------

    def node(self, label: Any) -> int:
        """The number of a node. Raises KeyError: there is none of that name."""
        return self._adj[label]

    def nodes(self, labels: Iterable[Any]) -> list[int]:
        return [self._adj[label] for label in labels]

    def bunch(self, nbunch: Any) -> list[Any]:
        """The labels that NetworkX takes `nbunch` for: all for None, a node, or those of several that there are."""
        return list(nx.Graph.nbunch_iter(self, nbunch))

    def by_label(self, values: Numbers) -> dict[Any, Any]:
        """A value for every node, as a dictionary in the order of `G.nodes`."""
        return dict(zip(self.labels, values.tolist(), strict=True))

    def of_nodes(self, values: Numbers, nodes: Any) -> Any:
        """What NetworkX's functions with an argument `nodes` give: a dictionary, or the value of a single node."""
        if nodes is None:
            return self.by_label(values)
        if nodes in self:
            return values[self.node(nodes)].item()
        bunch = self.bunch(nodes)
        return dict(zip(bunch, values[self.nodes(bunch)].tolist(), strict=True))

    def given(self, by_label: Mapping[Any, float], missing: float = 0.0) -> NDArray[np.float64]:
        """A dictionary by nodes as an array."""
        return np.array([by_label.get(label, missing) for label in self.labels], np.float64)

    # --- edges -------------------------------------------------------------------------------------------------------

    @property
    def original(self) -> Any:
        """The NetworkX graph that this was made from. Raises NotImplementedError: it is gone."""
        if (graph := self._original()) is None:
            raise NotImplementedError("the NetworkX graph that this one was converted from is needed, and is gone")
        return graph

    def numbers(self, attribute: Hashable | None) -> Numbers:
        """An attribute of every entry: int64 or float64; 1 for None. Raises NotImplementedError: a value is no finite
        number that a machine has."""
        if (values := self._values.get(attribute)) is None:
            return np.ones(len(self.source), np.int64)
        if not isinstance(values, np.ndarray):
            values = self._values[attribute] = _as_numbers(attribute, values)
        return values

    @cached_property
    def _arcs(self) -> tuple[Graph, Numbers]:
        rows = csr.compressed(len(self), self.source, self.destination, np.arange(len(self.source)))
        assert rows.weights is not None
        return Graph(rows.row_offsets, rows.columns, directed=self._directed, name="the NetworkX graph"), rows.weights

    @property
    def arcs(self) -> Graph:
        """The graph as it is, without weights."""
        return self._arcs[0]

    @property
    def entries(self) -> Numbers:
        """The entry that every arc of `arcs` is."""
        return self._arcs[1]

    def weighted(self, attribute: Hashable | None) -> Graph:
        """The graph as it is, with an attribute for weights."""
        if attribute not in self._weighted:
            self._weighted[attribute] = self.arcs.with_weights(self.numbers(attribute)[self.entries])
        return self._weighted[attribute]

    def turned(self, attribute: Hashable | None = None) -> Graph:
        """The graph with its arcs the other way round, with an attribute for weights."""
        if not self._directed:
            return self.weighted(attribute)
        key = "turned", attribute
        if key not in self._weighted:
            weights = as_weights(self.numbers(attribute))
            self._weighted[key] = Graph.from_arcs(len(self), self.destination, self.source, weights)
        return self._weighted[key]

    @cached_property
    def simple(self) -> Graph:
        """The graph without parallel arcs."""
        return self.arcs.deduplicated()

    @cached_property
    def closed(self) -> Graph:
        """The undirected graph without loops and parallel edges."""
        return self.arcs.undirected().without_loops().deduplicated()

    @cached_property
    def loops(self) -> NDArray[np.int64]:
        """How many loops each node has, int64[n]."""
        return np.bincount(self.source[self.source == self.destination], minlength=len(self))

    def degrees(self, which: str = "in+out", attribute: Hashable | None = None) -> Numbers:
        """The degree of each node, weighted by an attribute: "in", "out" or "in+out". In an undirected graph all are
        the same, and a loop counts twice."""
        numbers = self.numbers(attribute)
        if not self._directed:
            ends = [self.source, self.source[self.source == self.destination]]
            return _totals(len(self), np.concatenate(ends), np.r_[numbers, numbers[self.source == self.destination]])
        total = np.zeros(len(self), numbers.dtype)
        if "out" in which:
            total += _totals(len(self), self.source, numbers)
        if "in" in which.removesuffix("+out"):
            total += _totals(len(self), self.destination, numbers)
        return total


def _totals(n: int, node: Numbers, numbers: Numbers) -> Numbers:
    """The sum of the numbers of each node, in their type."""
    if numbers.dtype.kind == "f":
        return np.bincount(node, numbers, n)
    total = np.zeros(n, numbers.dtype)
    np.add.at(total, node, numbers)
    return total


def _as_numbers(attribute: Hashable, values: Sequence[Any]) -> Numbers:
    kinds = set(map(type, values))
    refused = NotImplementedError(f"the edges' attribute {attribute!r} does not hold finite numbers of 64 bits alone")
    if not all(issubclass(kind, int | float | np.integer | np.floating | np.bool_) for kind in kinds):
        raise refused
    whole = all(issubclass(kind, int | np.integer | np.bool_) for kind in kinds)
    try:
        numbers = np.fromiter(values, np.int64 if whole else np.float64, len(values))
    except OverflowError as error:
        raise refused from error
    if not np.isfinite(numbers).all():
        raise refused
    return numbers
