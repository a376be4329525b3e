"""Minimum and maximum spanning trees, by Borůvka's method.

Edges are ranked as Kruskal's algorithm takes them, so that the tree is Kruskal's also where weights are equal.
"""

from collections.abc import Hashable, Iterator
from math import inf
from typing import Any

import networkx as nx
import numpy as np

from starplat.graph import Graph
from starplat.networkx.network import Network
from starplat.networkx.registry import implements, only, run

kruskal = only("algorithm", "kruskal", because="starplat finds the tree that Kruskal's algorithm does, in its order")


@implements(kruskal, arcs=inf)
def minimum_spanning_edges(
    G: Network, algorithm: str = "kruskal", weight: Hashable = "weight", keys: bool = True, data: Any = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:  # fmt: skip
    return iter(_edges(G, weight, keys, data, largest=False))


@implements(kruskal, arcs=inf)
def maximum_spanning_edges(
    G: Network, algorithm: str = "kruskal", weight: Hashable = "weight", keys: bool = True, data: Any = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:  # fmt: skip
    return iter(_edges(G, weight, keys, data, largest=True))


@implements(kruskal, arcs=inf)
def minimum_spanning_tree(
    G: Network, weight: Hashable = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    return _tree(G, weight, largest=False)


@implements(kruskal, arcs=inf)
def maximum_spanning_tree(
    G: Network, weight: Hashable = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    return _tree(G, weight, largest=True)


def _tree(G: Network, weight: Hashable, *, largest: bool) -> Any:
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    original = G.original
    tree = original.__class__()
    tree.graph.update(original.graph)
    tree.add_nodes_from(original.nodes.items())
    tree.add_edges_from(_edges(G, weight, True, True, largest=largest))
    return tree


def _edges(G: Network, weight: Hashable, keys: bool, data: Any, *, largest: bool) -> list[tuple[Any, ...]]:
    """The edges of the tree, in the order of their weights."""
    original = G.original
    weights = Network(original, {weight: 1}).numbers(weight)
    once = np.flatnonzero(G.source <= G.destination)
    edges = list(original.edges(keys=True, data=True) if G.is_multigraph() else original.edges(data=True))
    if len(edges) != len(once):
        raise NotImplementedError("the NetworkX graph has changed since it was converted")
    ordered = np.argsort(-weights[once] if largest else weights[once], kind="stable")
    rank = np.empty(len(once), np.int32)
    rank[ordered] = np.arange(len(once), dtype=np.int32)
    graph = Graph.from_arcs(len(G), G.source[once], G.destination[once], rank)
    chosen = run("minimum_spanning_tree", graph, "in_tree")["in_tree"]
    assert graph.weights is not None
    found = []
    for number in ordered[np.sort(graph.weights[chosen])].tolist():
        u, v, *key, attributes = edges[number]
        found.append((u, v, *(key if keys else ()), *([attributes] if data else ())))
    return found
