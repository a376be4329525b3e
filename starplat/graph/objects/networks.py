"""Converts NetworkX graphs: nodes in the order of `G.nodes`, ids as in `G`, the edge attribute `weight`."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.csr import Nodes, compressed
from starplat.graph.graph import Graph, as_weights
from starplat.graph.ids import as_ids
from starplat.graph.objects.columns import weights_of


def from_networkx(
    graph: Any, *, directed: bool | None = None, name: str = "graph", format: str = "NetworkX", from_text: bool = False
) -> Graph:
    """The graph that a NetworkX graph holds. Node i is the i-th of `graph.nodes`, and its id is what that is.

    An edge without the attribute `weight` counts 1 where others have one, with a warning; an edge of a multigraph is an
    arc for each of its keys.

    `directed`: False adds the other direction of every arc that lacks it; by default the graph knows. `from_text`: the
    ids were read from a text file, so that "17" is a number. Raises E0814: a weight is no finite number.
    """
    found = adjacency_of(graph, from_text=from_text)
    labels, source, destination = found.labels, found.source, found.destination
    weights = weights_of(name, found.values("weight"), lambda arc: (labels[source[arc]], labels[destination[arc]]))
    arcs = compressed(len(labels), source, destination, None if weights is None else as_weights(weights))
    taken = Graph(
        arcs.row_offsets, arcs.columns, arcs.weights, graph.is_directed(), found.ids, name, found.base, format
    )
    return taken.undirected() if directed is False else replace(taken, directed=taken.directed or directed is True)


@dataclass(frozen=True)
class Adjacency:
    """What the dictionaries of a NetworkX graph hold, in their order; an edge of an undirected graph stands in them
    from both ends.

    Attributes:
        labels: what the graph calls its nodes, in the order of `graph.nodes`.
        ids, base: the same, as a `Graph` has them.
        source, destination: int32[m], the nodes of every entry.
        edges: walks over the attributes of every entry.
        plain: the attributes are in dictionaries of Python's own.
    """

    labels: list[Any]
    ids: NDArray[Any] | None
    base: int
    source: Nodes
    destination: Nodes
    edges: Callable[[], Iterator[Mapping[Any, Any]]]
    plain: bool

    def values(self, attribute: Hashable, missing: Any = None) -> list[Any]:
        """An attribute of every entry, `missing` where there is none."""
        if self.plain:
            with suppress(KeyError):  # half as long as `get` takes, where no entry lacks the attribute
                return list(map(itemgetter(attribute), self.edges()))
        return [edge.get(attribute, missing) for edge in self.edges()]


def adjacency_of(graph: Any, *, from_text: bool = False) -> Adjacency:
    """The entries of a NetworkX graph's dictionaries; `from_text` as for `from_networkx`."""
    labels = list(graph.nodes)
    ids, base = as_ids(_read_from_text(labels) if from_text else labels)
    count_up = ids is None and not from_text
    numbered = None if count_up else dict(zip(labels, range(len(labels)), strict=True))
    adjacency = dict(graph.adjacency())
    rows = adjacency.values()
    destination = _nodes_of(chain.from_iterable(rows), numbered, base)
    counted: Iterable[Any] = map(list, rows) if graph.is_multigraph() else rows  # len() of a view counts hidden edges
    sizes = np.fromiter(map(len, counted), np.int64, len(rows))
    source = np.repeat(_nodes_of(adjacency, numbered, base), sizes)
    entries = partial(_values_of, rows)
    if graph.is_multigraph():
        keyed = list(entries())
        parallel = np.fromiter(map(len, keyed), np.int64, len(keyed))
        source, destination = np.repeat(source, parallel), np.repeat(destination, parallel)
        entries = partial(_values_of, keyed)
    plain = getattr(graph, "edge_attr_dict_factory", None) is dict
    return Adjacency(labels, ids, base, source, destination, entries, plain)


def _values_of(dictionaries: Iterable[Mapping[Any, Any]]) -> Iterator[Any]:
    return chain.from_iterable(dictionary.values() for dictionary in dictionaries)


def _nodes_of(labels: Iterable[Any], numbered: dict[Any, int] | None, first: int) -> Nodes:
    """The nodes that are called so: those of a dictionary, or of labels that count up from `first`."""
    if numbered is None:
        return np.fromiter(labels, np.int64).astype(np.int32) - np.int32(first)
    return np.fromiter(map(numbered.__getitem__, labels), np.int32)


def _read_from_text(labels: list[Any]) -> list[Any]:
    """The labels as numbers, if all are different numbers or the digits of such."""
    texts = [label if isinstance(label, str) else str(label) for label in labels]
    if not all(text.isascii() and text.isdigit() and len(text) < 19 for text in texts):
        return labels
    numbers = list(map(int, texts))
    return numbers if len(set(numbers)) == len(numbers) else labels
