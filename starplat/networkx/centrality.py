"""Betweenness, by Brandes' method, and degrees.

Degrees and VoteRank are NumPy on the converted graph: a degree is there already, and how VoteRank's sums are rounded
decides between nodes, so that they are made in the order of the edges.
"""

import math
from collections.abc import Hashable
from math import inf
from typing import Any

import networkx as nx
import numpy as np

from starplat.networkx.network import Network, Numbers
from starplat.networkx.registry import implements, only, run

unweighted = only("weight", None, because="starplat counts the edges of a path, and takes no weights here")


@implements(unweighted, arcs=2_500)
def betweenness_centrality(
    G: Network, k: int | None = None, normalized: bool = True, weight: Hashable | None = None, endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:  # fmt: skip
    k = None if k == len(G) else k
    sources = _sample(G, k, seed)
    found = run("betweenness", G.simple, "bc", sources=sources)["bc"]
    if endpoints:
        found = found + _ends(G, sources)
    return G.by_label(_rescaled(G, found, k, sources, normalized, endpoints))


@implements(unweighted, arcs=2_500)
def edge_betweenness_centrality(
    G: Network, k: int | None = None, normalized: bool = True, weight: Hashable | None = None, seed: Any = None
) -> dict[Any, float]:
    sources = _sample(G, k, seed)
    graph = G.simple
    through = run("edge_betweenness", graph, "bc", sources=sources)["bc"]
    by_arc = dict(zip(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True), through.tolist(), strict=True))
    labels = G.labels
    found: dict[Any, float] = {}
    for u, v in zip(G.source.tolist(), G.destination.tolist(), strict=True):
        if G.is_directed() or (v >= u):
            found[labels[u], labels[v]] = by_arc[u, v] + (0.0 if G.is_directed() or u == v else by_arc[v, u])
    scaled = _rescaled(G, np.array(list(found.values())), None if k is None else len(sources), None, normalized, True)
    scores = dict(zip(found, scaled.tolist(), strict=True))
    return _of_keys(G, scores) if G.is_multigraph() else scores


def _of_keys(G: Network, scores: dict[Any, float]) -> dict[Any, float]:
    """Parallel edges share what goes through them."""
    edges = list(G.original.edges(keys=True))
    parallel: dict[Any, int] = {}
    for u, v, _ in edges:
        parallel[u, v] = parallel.get((u, v), 0) + 1
    return {(u, v, key): scores[u, v] / parallel[u, v] for u, v, key in edges}


def _sample(G: Network, k: int | None, seed: Any) -> list[int]:
    """The sources: all nodes, or k that NetworkX would draw."""
    if k is None:
        return list(range(len(G)))
    return G.nodes(nx.utils.create_py_random_state(seed).sample(list(G.labels), k))


def _ends(G: Network, sources: list[int]) -> Numbers:
    """How often a node ends a shortest path: it is reached from a source, or, being one, reaches a node."""
    reached_by = run("distance_sums", G.arcs, "reached_by", sources=sources)["reached_by"]
    reaches = run("distance_sums", G.turned(), "reached_by", sources=list(range(len(G))))["reached_by"]
    is_source = np.zeros(len(G), np.int64)
    is_source[sources] = 1
    ends: Numbers = reached_by - is_source + is_source * (reaches - 1)
    return ends


def _rescaled(
    G: Network, values: Numbers, k: int | None, sampled: list[int] | None, normalized: bool, endpoints: bool
) -> Numbers:
    """Betweenness in the shares that NetworkX gives; of nodes that were drawn as sources in others."""
    size = len(G) if endpoints else len(G) - 1
    if size < 2:
        return values
    drawn = size if k is None else k
    correction = 1 if G.is_directed() else 2
    if k is None or endpoints:
        scale = 1 / (drawn * (size - 1)) if normalized else size / (drawn * correction)
        return np.multiply(values, scale)
    from_source, other = (k - 1) * (size - 1), k * (size - 1)
    if not normalized:
        from_source, other = (k - 1) * correction, k * correction
    share = np.full(len(G), (1 if normalized else size) / other)
    share[sampled or []] = (1 if normalized else size) / from_source if k > 1 else math.nan
    found: Numbers = values * share
    return found


@implements(arcs=inf, kept_arcs=10_000)
def degree_centrality(G: Network) -> dict[Any, float]:
    return _shares(G, "in+out")


@implements(arcs=inf, kept_arcs=10_000)
def in_degree_centrality(G: Network) -> dict[Any, float]:
    return _shares(G, "in")


@implements(arcs=inf, kept_arcs=10_000)
def out_degree_centrality(G: Network) -> dict[Any, float]:
    return _shares(G, "out")


def _shares(G: Network, which: str) -> dict[Any, float]:
    if len(G) <= 1:
        return dict.fromkeys(G.labels, 1)
    return G.by_label(G.degrees(which) * (1.0 / (len(G) - 1.0)))


@implements()
def voterank(G: Network, number_of_nodes: int | None = None) -> list[Any]:
    elected: list[int] = []
    if not len(G):
        return []
    mean = G.degrees("out").sum().item() / len(G)
    ability = np.ones(len(G))
    voted, votes_of = _ballots(G)
    most = len(G) if number_of_nodes is None else min(number_of_nodes, len(G))
    for _ in range(most):
        votes = np.bincount(voted, ability[votes_of], len(G))
        votes[elected] = 0.0
        best = int(votes.argmax())
        if votes[best] == 0:
            break
        elected.append(best)
        ability[best] = 0.0
        for neighbor in G.destination[G.source == best].tolist():
            ability[neighbor] = max(ability[neighbor] - 1 / mean, 0.0)
    return [G.labels[v] for v in elected]


def _ballots(G: Network) -> tuple[Numbers, Numbers]:
    """Votes between nodes, in the order in which NetworkX walks the edges."""
    if G.is_directed():
        return G.source, G.destination
    once = G.source <= G.destination
    ends = np.stack([G.source[once], G.destination[once]], axis=1)
    return ends.ravel(), ends[:, ::-1].ravel()


@implements(arcs=inf, kept_arcs=10_000)
def number_of_selfloops(G: Network) -> int:
    return int(G.loops.sum())


@implements(arcs=inf, kept_arcs=10_000)
def isolates(G: Network) -> Any:
    return iter([G.labels[v] for v in np.flatnonzero(G.degrees() == 0).tolist()])


@implements(arcs=inf, kept_arcs=10_000)
def number_of_isolates(G: Network) -> int:
    return int((G.degrees() == 0).sum())
