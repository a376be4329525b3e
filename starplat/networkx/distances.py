"""Eccentricity and what follows from it, mean distances, closeness and harmonic centrality.

They come from the sums over the distances to every node from many sources (`distance_sums.sp`), in one run.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np

from starplat.networkx import registry, searches
from starplat.networkx.network import Network, Numbers
from starplat.networkx.registry import implements, needs_attribute, only

Weight = Hashable | None
Eccentricities = Mapping[Any, Any] | None
no_function = needs_attribute("weight")


@implements(no_function, only("sp", None, because="starplat computes the distances itself"), arcs=6_000)
def eccentricity(G: Network, v: Any = None, sp: Any = None, weight: Weight = None) -> Any:
    if v is None:
        sums = _sums(G, range(len(G)), weight, turned=True)
        _require_connected(G, sums["reached_by"])
        return G.by_label(_as_weights(G, weight, sums["farthest"]))
    bunch, found = G.bunch(v), {}
    for label, search in zip(bunch, searches.from_each(G, G.nodes(bunch), weight), strict=True):
        _require_connected(G, search.reached.sum(keepdims=True))
        found[label] = search.distance.max().item()
    return found[v] if v in G else found


@implements(no_function, arcs=6_000)
def diameter(G: Network, e: Eccentricities = None, usebounds: bool = False, weight: Weight = None) -> Any:
    return max(_eccentricities(G, e, weight, usebounds).values())


@implements(no_function, arcs=6_000)
def radius(G: Network, e: Eccentricities = None, usebounds: bool = False, weight: Weight = None) -> Any:
    return min(_eccentricities(G, e, weight, usebounds).values())


@implements(no_function, arcs=6_000)
def periphery(G: Network, e: Eccentricities = None, usebounds: bool = False, weight: Weight = None) -> list[Any]:
    found = _eccentricities(G, e, weight, usebounds)
    largest = max(found.values())
    return [v for v, far in found.items() if far == largest]


@implements(no_function, arcs=6_000)
def center(G: Network, e: Eccentricities = None, usebounds: bool = False, weight: Weight = None) -> list[Any]:
    of_a_tree = e is None and weight is None and usebounds is not True and not G.is_directed()  # if it is one
    if of_a_tree and not len(G):
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    found = _eccentricities(G, e, weight, usebounds)
    least = min(found.values())
    centers = [v for v, far in found.items() if far == least]
    if of_a_tree and len(G.source) == 2 * (len(G) - 1) and len(centers) > 1:
        raise NotImplementedError("the order in which NetworkX gives the two centers of a tree is that of a set")
    return centers


@implements(no_function, arcs=6_000)
def average_shortest_path_length(G: Network, weight: Weight = None, method: str | None = None) -> float:
    methods = ["unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"]
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    if method not in methods:
        raise ValueError(f"method not supported: {method}")
    if len(G) == 0:
        message = "the null graph has no paths, thus there is no average shortest path length"
        raise nx.NetworkXPointlessConcept(message)
    if len(G) == 1:
        return 0
    sums = _sums(G, range(len(G)), None if method == "unweighted" else weight)
    if (sums["reached_by"] != len(G)).any():
        strongly = "strongly " * G.is_directed()
        raise nx.NetworkXError(f"Graph is not {strongly}connected.")
    total: float = sums["farness"].sum().item()
    return total / (len(G) * (len(G) - 1))


@implements(needs_attribute("distance"), arcs=6_000)
def closeness_centrality(G: Network, u: Any = None, distance: Weight = None, wf_improved: bool = True) -> Any:
    if u is None:
        sums = _sums(G, range(len(G)), distance)
        farness, reached_by = sums["farness"], sums["reached_by"]
    else:
        if u not in G:
            where = f"Source {u} is not in G" if distance is None else f"Node {u} not found in graph"
            raise nx.NodeNotFound(where)
        search = searches.by_weights(G, [G.node(u)], distance, turned=True)
        farness = search.distance[search.reached].sum(keepdims=True)
        reached_by = search.reached.sum(keepdims=True)
    with np.errstate(all="ignore"):
        closeness = (reached_by - 1.0) / farness
        if wf_improved:
            closeness = closeness * ((reached_by - 1.0) / (len(G) - 1))
    closeness = np.where((farness > 0) & (len(G) > 1), closeness, 0.0)
    return G.by_label(closeness) if u is None else closeness.item()


@implements(needs_attribute("distance"), arcs=6_000)
def harmonic_centrality(
    G: Network, nbunch: Any = None, distance: Weight = None, sources: Any = None
) -> dict[Any, float]:
    of = set(G.labels) if nbunch is None else set(G.bunch(nbunch))
    starts = set(G.labels) if sources is None else set(G.bunch(sources))
    nearness = _sums(G, sorted(G.nodes(starts)), distance)["nearness"].tolist()
    return {label: nearness[G.node(label)] or 0 for label in of}


def _eccentricities(G: Network, given: Eccentricities, weight: Weight, usebounds: bool) -> Mapping[Any, Any]:
    """All eccentricities. NetworkX's bounds save searches and change no answer, but raise an error of their own."""
    if given is not None:
        return given
    by_bounds = usebounds is True and not G.is_directed()
    if by_bounds and not len(G):
        max(())  # as NetworkX, which begins with the node of most edges: an error
    try:
        found: Mapping[Any, Any] = eccentricity(G, weight=weight)
    except nx.NetworkXError as error:
        if by_bounds:
            raise nx.NetworkXError("Cannot compute metric because graph is not connected.") from error
        raise
    return found


def _require_connected(G: Network, reached: Numbers) -> None:
    if (reached != len(G)).any():
        raise nx.NetworkXError(
            "Found infinite path length because the digraph is not strongly connected"
            if G.is_directed()
            else "Found infinite path length because the graph is not connected"
        )


def _sums(G: Network, sources: Sequence[int], weight: Weight, *, turned: bool = False) -> Mapping[str, Numbers]:
    """The sums over the distances from the sources to every node."""
    if (distances := searches.distances_in_one_run(G, sources, weight, turned=turned)) is not None:
        return _sums_of(distances)
    weights = searches.positive_weights(G, weight)
    counted = weights.dtype.kind == "i" and bool((weights == 1).all())
    attribute = None if counted else weight
    graph = G.turned(attribute) if turned else G.weighted(attribute)
    program = "distance_sums" if counted else "weighted_distance_sums"
    found = registry.run(program, graph, "farness", "reached_by", "farthest", "nearness", sources=list(sources))
    return {name: found[name] for name in found}


def _sums_of(distances: Numbers) -> dict[str, Numbers]:
    """What `distance_sums.sp` finds, of distances [sources, n]."""
    reached = np.isfinite(distances)
    with np.errstate(divide="ignore"):
        nearness = np.where(distances > 0, 1 / distances, 0)
    return {
        "farness": np.where(reached, distances, 0).sum(axis=0),
        "reached_by": reached.sum(axis=0),
        "farthest": np.where(reached, distances, -1).max(axis=0),
        "nearness": nearness.sum(axis=0),
    }


def _as_weights(G: Network, weight: Weight, values: Numbers) -> Numbers:
    """Sums of weights in the type of the weights."""
    return values.astype(np.int64) if G.numbers(weight).dtype.kind == "i" else values
