"""PageRank, HITS, eigenvector and Katz centrality: power iterations, each a program that runs until it converges."""

import math
from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from starplat.networkx import network, registry

Scores = dict[Any, float]
Given = Mapping[Any, float] | None
MOST_ROUNDS = 10_000
"""Of HITS, whose answer in NetworkX is that of a method that is not bounded by rounds."""


@registry.implements(arcs=10_000)
def pagerank(
    G: network.Network, alpha: float = 0.85, personalization: Given = None, max_iter: int = 100, tol: float = 1.0e-6,
    nstart: Given = None, weight: Any = "weight", dangling: Given = None,
) -> Scores:  # fmt: skip
    if not len(G):
        return {}
    even = np.full(len(G), 1.0 / len(G))
    jump = even if personalization is None else _shares(G, personalization)
    rank = even if nstart is None else _shares(G, nstart)
    stranded = jump if dangling is None else _shares(G, dangling)
    found = registry.run(
        "pagerank_weighted", G.weighted(weight), "rank", rank=rank, jump=jump, stranded=stranded,
        damping=float(alpha), tolerance=len(G) * tol, max_iterations=max_iter,
    )  # fmt: skip
    if not found.returned:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_label(found["rank"])


@registry.implements()
def hits(
    G: network.Network, max_iter: int = 100, tol: float = 1.0e-8, nstart: Given = None, normalized: bool = True
) -> tuple[Scores, Scores]:
    if not len(G):
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    weights = G.numbers("weight")
    if len(G) < 2 or not len(weights) or weights.min() <= 0:
        raise NotImplementedError("starplat computes HITS for two nodes or more, and edges with positive weights")
    start = np.full(len(G), 1.0 / math.sqrt(len(G)))
    found = registry.run(
        "hits", G.weighted("weight"), "hub", "authority", authority=start, tolerance=1e-13 * len(G),
        max_iterations=MOST_ROUNDS,
    )  # fmt: skip
    if not found.returned:
        raise NotImplementedError("the power iteration of HITS hardly converges on this graph")
    hub, authority = found["hub"], found["authority"]
    if normalized:
        hub, authority = hub / hub.sum(), authority / authority.sum()
    return G.by_label(hub), G.by_label(authority)


@registry.implements(arcs=10_000)
def eigenvector_centrality(
    G: network.Network, max_iter: int = 100, tol: float = 1.0e-6, nstart: Given = None, weight: Any = None
) -> Scores:
    if not len(G):
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = np.ones(len(G)) if nstart is None else _start(G, nstart)
    if not start.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    found = registry.run(
        "eigenvector_centrality", G.weighted(weight), "score", score=start / start.sum(), tolerance=len(G) * tol,
        max_iterations=max_iter,
    )  # fmt: skip
    if not found.returned:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_label(found["score"])


@registry.implements(arcs=10_000)
def katz_centrality(
    G: network.Network, alpha: float = 0.1, beta: Any = 1.0, max_iter: int = 1000, tol: float = 1.0e-6,
    nstart: Given = None, normalized: bool = True, weight: Any = None,
) -> Scores:  # fmt: skip
    if not len(G):
        return {}
    try:
        walks = np.full(len(G), float(beta))
    except (TypeError, ValueError, AttributeError) as error:
        if set(beta) != set(G.labels):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from error
        walks = G.given(beta)
    start = np.zeros(len(G)) if nstart is None else _start(G, nstart)
    if not walks.any():
        if start.any():
            raise NotImplementedError("starplat computes Katz centrality from 'nstart' where some node has a 'beta'")
        return dict.fromkeys(G.labels, 0.0)
    found = registry.run(
        "katz_centrality", G.weighted(weight), "score", score=start, start=walks, attenuation=float(alpha),
        tolerance=len(G) * tol, max_iterations=max_iter,
    )  # fmt: skip
    if not found.returned:
        raise nx.PowerIterationFailedConvergence(max_iter)
    score = found["score"]
    length = math.hypot(*score.tolist()) if normalized else 1.0
    return G.by_label(score / (length or 1.0))


def _shares(G: network.Network, given: Mapping[Any, float]) -> NDArray[np.float64]:
    """A dictionary by nodes, in parts of its sum."""
    values = G.given(given)
    if not values.sum():
        raise ZeroDivisionError
    shares: NDArray[np.float64] = values / values.sum()
    return shares


def _start(G: network.Network, given: Mapping[Any, float]) -> NDArray[np.float64]:
    """The first guess, which has to name every node."""
    if set(given) != set(G.labels):
        raise NotImplementedError("'nstart' has to have a value for every node, and for nothing else")
    return G.given(given)
