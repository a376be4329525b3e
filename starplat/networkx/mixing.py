"""Mixing of nodes: neighbors' degrees, assortativity, modularity. The last two are a handful of sums over the
arrays of the converted graph, which NumPy makes at once."""

from collections.abc import Hashable
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.community.quality import NotAPartition

from starplat.networkx.network import Network, Numbers
from starplat.networkx.registry import implements, needs_attribute, refuse, run


@implements(needs_attribute("weight"), refuse("multigraph"), arcs=20_000)
def average_neighbor_degree(
    G: Network, source: str = "out", target: str = "out", nodes: Any = None, weight: Hashable | None = None
) -> dict[Any, float]:
    for role, which in (("source", source), ("target", target)) if G.is_directed() else ():
        if which not in ("in", "out", "in+out"):
            raise nx.NetworkXError(f"{role} argument {which} must be 'in', 'out' or 'in+out'")
    if not G.is_directed() and (source != "out" or target != "out"):
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    value = G.degrees(target).astype(np.float64)
    total = np.zeros(len(G))
    if "out" in source:
        total += run("neighbor_sums", G.weighted(weight), "sum", value=value)["sum"]
    if "in" in source:
        total += run("neighbor_sums", G.turned(weight), "sum", value=value)["sum"]
    degree = G.degrees(source, weight)
    with np.errstate(all="ignore"):
        mean = np.where(degree == 0, 0.0, total / degree)
    found = G.of_nodes(mean, nodes)
    return found if isinstance(found, dict) else {nodes: found}


@implements(needs_attribute("weight"), arcs=20_000)
def degree_assortativity_coefficient(
    G: Network, x: str = "out", y: str = "in", weight: Hashable | None = None, nodes: Any = None
) -> float:
    inside = np.ones(len(G), np.bool_)
    if nodes is not None:
        inside = np.isin(np.arange(len(G)), G.nodes(set(nodes)))
    entries = inside[G.source] & inside[G.destination]
    if not entries.any():
        raise NotImplementedError("a graph without edges has no assortativity that NetworkX would agree on")
    one, other = G.degrees(x, weight)[G.source[entries]], G.degrees(y, weight)[G.destination[entries]]
    covariance = (one * other).mean() - one.mean() * other.mean()
    with np.errstate(all="ignore"):
        return float(covariance / np.sqrt(_variance(one) * _variance(other)))


def _variance(values: Numbers) -> Any:
    return (values.astype(np.float64) ** 2).mean() - values.mean() ** 2


@implements(needs_attribute("weight"), arcs=20_000)
def modularity(G: Network, communities: Any, weight: Hashable | None = "weight", resolution: float = 1) -> float:
    communities = communities if isinstance(communities, list) else list(communities)
    members = {label for community in communities for label in community if label in G}
    if not len(G) == len(members) == sum(map(len, communities)):
        raise NotAPartition(G.original, communities)
    of = np.empty(len(G), np.int64)
    for number, community in enumerate(communities):
        of[G.nodes(community)] = number
    weights = G.numbers(weight)
    once = slice(None) if G.is_directed() else G.source <= G.destination
    ends = of[G.source[once]], of[G.destination[once]]
    within = np.bincount(ends[0], weights[once] * (ends[0] == ends[1]), len(communities))
    out, into = G.degrees("out", weight), G.degrees("in", weight)
    total = out.sum().item()
    size = total if G.is_directed() else total / 2
    sums = [np.bincount(of, degree, len(communities)) for degree in (out, into)]
    return float(sum(within / size - resolution * sums[0] * sums[1] * (1 / total**2)))
