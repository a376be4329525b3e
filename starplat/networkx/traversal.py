"""Ancestors and descendants, layers of a breadth-first search, generations of acyclic graphs."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

from starplat.networkx import registry, searches
from starplat.networkx.network import Network, Numbers


@registry.implements()
def descendants(G: Network, source: Any) -> set[Any]:
    return _reached(G, source, turned=False)


@registry.implements()
def ancestors(G: Network, source: Any) -> set[Any]:
    return _reached(G, source, turned=True)


@registry.implements()
def descendants_at_distance(G: Network, source: Any, distance: int) -> set[Any]:
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    found = searches.by_levels(G, [G.node(source)])
    return {G.labels[v] for v in np.flatnonzero(found.reached & (found.distance == distance)).tolist()}


@registry.implements()
def bfs_layers(G: Network, sources: Any) -> Iterator[list[Any]]:
    first = list({sources} if sources in G else set(sources))
    if all(label in G for label in first):
        return iter(_layers(G, G.nodes(first)) if first else [])
    absent = next(label for label in first if label not in G)
    return searches.and_then([], nx.NetworkXError(f"The node {absent} is not in the graph."))


def _layers(G: Network, sources: list[int]) -> list[list[Any]]:
    found = searches.by_levels(G, sources)
    labels = [G.labels[v] for v in found.order.tolist()]
    ends = np.cumsum(np.bincount(found.distance[found.order])).tolist()
    return [labels[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


@registry.implements()
def is_directed_acyclic_graph(G: Network) -> bool:
    return G.is_directed() and not bool((_generations(G) < 0).any())


@registry.implements()
def topological_generations(G: Network) -> Iterator[list[Any]]:
    if not G.is_directed():
        return searches.and_then([], nx.NetworkXError("Topological sort not defined on undirected graphs."))
    return _in_turn(G, _generations(G))


def _generations(G: Network) -> Numbers:
    generation: Numbers = registry.run("topological_generations", G.arcs, "generation")["generation"]
    return generation


def _in_turn(G: Network, generation: Numbers) -> Iterator[list[Any]]:
    """The generations, nodes in the order in which the last arc to them is met."""
    source, destination = generation[G.source], generation[G.destination]
    entries = np.flatnonzero((source >= 0) & (destination == source + 1))
    entries = entries[np.argsort(generation[G.destination[entries]], kind="stable")]
    ends = np.searchsorted(generation[G.destination[entries]], np.arange(1, generation.max(initial=-1) + 2))
    nodes = np.flatnonzero(generation == 0)
    position = np.zeros(len(G), np.int64)
    for begin, end in pairwise(ends.tolist()):
        yield [G.labels[v] for v in nodes.tolist()]
        position[nodes] = np.arange(len(nodes))
        here = entries[begin:end]
        nodes = searches.first_seen(G.destination[here], position[G.source[here]], here, last=True)
    if len(nodes):
        yield [G.labels[v] for v in nodes.tolist()]
    if (generation < 0).any():
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


def _reached(G: Network, source: Any, *, turned: bool) -> set[Any]:
    """The nodes that are reached, without the one that the search starts from."""
    if source not in G:
        kind = "digraph" if G.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {kind}.")
    found = searches.by_levels(G, [G.node(source)], turned=turned)
    found.reached[G.node(source)] = False
    return {G.labels[v] for v in np.flatnonzero(found.reached).tolist()}
