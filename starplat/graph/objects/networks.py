"""Takes NetworkX graphs: nodes in the order of `G.nodes`, by what `G` calls them, and the edges' attribute `weight`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from starplat.graph.csr import Nodes, compressed
from starplat.graph.graph import Graph, as_weights
from starplat.graph.ids import as_ids
from starplat.graph.objects.weights import weights_of


def from_networkx(
    graph: Any, *, directed: bool | None = None, name: str = "graph", format: str = "NetworkX", from_text: bool = False
) -> Graph:
    """The graph that a NetworkX graph holds. Node i is the i-th of `graph.nodes`, and its id is what that is.

    An edge without the attribute `weight` counts 1 where others have one, with a warning; an edge of a multigraph is an
    arc for each of its keys.

    Args:
        directed: False adds the other direction of every arc that lacks it; by default the graph knows.
        from_text: the ids were read from a text file, so that "17" is a number.

    Raises:
        DiagnosticError: E0814, a weight is no finite number.
    """
    labels = list(graph.nodes)
    ids, base = as_ids(_read_from_text(labels) if from_text else labels)
    count_up = ids is None and not from_text
    numbered = None if count_up else dict(zip(labels, range(len(labels)), strict=True))
    adjacency = dict(graph.adjacency())
    rows = adjacency.values()
    destination = _nodes_of(chain.from_iterable(rows), numbered, base)
    source = np.repeat(_nodes_of(adjacency, numbered, base), np.fromiter(map(len, rows), np.int64, len(rows)))
    edges = chain.from_iterable(row.values() for row in rows)
    if graph.is_multigraph():
        keyed = list(edges)
        parallel = np.fromiter(map(len, keyed), np.int64, len(keyed))
        source, destination = np.repeat(source, parallel), np.repeat(destination, parallel)
        edges = chain.from_iterable(each.values() for each in keyed)
    values = [edge.get("weight") for edge in edges]
    weights = weights_of(name, values, lambda arc: (labels[source[arc]], labels[destination[arc]]))
    arcs = compressed(len(labels), source, destination, None if weights is None else as_weights(weights))
    found = Graph(arcs.row_offsets, arcs.columns, arcs.weights, graph.is_directed(), ids, name, base, format)
    return found.undirected() if directed is False else replace(found, directed=found.directed or directed is True)


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
