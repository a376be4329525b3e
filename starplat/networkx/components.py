"""Connected, weakly and strongly connected components, and bipartiteness."""

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from starplat.graph import Graph
from starplat.networkx import registry, searches
from starplat.networkx.network import Network, Numbers
from starplat.networkx.registry import implements

Components = Iterator[set[Any]]


@implements(arcs=50_000)
def connected_components(G: Network) -> Components:
    return _sets(G, _joined(G))


@implements(arcs=50_000)
def number_connected_components(G: Network) -> int:
    return _count(_joined(G))


@implements(arcs=50_000)
def is_connected(G: Network) -> bool:
    return _is_one(G, "connected_components")


@implements(arcs=50_000)
def node_connected_component(G: Network, n: Any) -> set[Any]:
    found = searches.by_levels(G, [G.node(n)])
    return {G.labels[v] for v in np.flatnonzero(found.reached).tolist()}


@implements(arcs=50_000)
def weakly_connected_components(G: Network) -> Components:
    return _sets(G, _joined(G))


@implements(arcs=50_000)
def number_weakly_connected_components(G: Network) -> int:
    return _count(_joined(G))


@implements(arcs=50_000)
def is_weakly_connected(G: Network) -> bool:
    return _is_one(G, "connected_components")


@implements(arcs=20_000)
def strongly_connected_components(G: Network) -> Components:
    """Those first that lead to no other, as NetworkX's: an arc leads to a component that came before. Which of several
    comes first is left to NetworkX's search."""
    component = _joined(G, "strongly_connected_components")
    firsts, number = np.unique(component, return_inverse=True)
    source, destination = number[G.source], number[G.destination]
    across = source != destination
    condensed = Graph.from_arcs(len(firsts), source[across], destination[across])
    generation = registry.run("topological_generations", condensed, "generation")["generation"]
    return _sets(G, np.argsort(np.argsort(-generation, kind="stable"))[number])


@implements(arcs=20_000)
def number_strongly_connected_components(G: Network) -> int:
    return _count(_joined(G, "strongly_connected_components"))


@implements(arcs=20_000)
def is_strongly_connected(G: Network) -> bool:
    return _is_one(G, "strongly_connected_components")


@implements(arcs=50_000)
def is_bipartite(G: Network) -> bool:
    component = _joined(G)
    graph = G.arcs.undirected()
    firsts = np.unique(component).tolist()
    level = registry.run("levels_from", graph, "level", sources=firsts)["level"]
    return not bool(((level[G.source] - level[G.destination]) % 2 == 0).any())


def _joined(G: Network, program: str = "connected_components") -> Numbers:
    """The smallest node of the component of each node."""
    component: Numbers = registry.run(program, G.arcs, "component")["component"]
    return component


def _count(component: Numbers) -> int:
    return int((component == np.arange(len(component))).sum())


def _is_one(G: Network, program: str) -> bool:
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _count(_joined(G, program)) == 1


def _sets(G: Network, component: Numbers) -> Components:
    """The components as sets of labels, in the order of their numbers."""
    order = np.argsort(component, kind="stable")
    labels = [G.labels[v] for v in order.tolist()]
    ends = np.cumsum(np.bincount(component)[np.unique(component)]).tolist() if len(component) else []
    return (set(labels[begin:end]) for begin, end in zip([0, *ends], ends, strict=False))
