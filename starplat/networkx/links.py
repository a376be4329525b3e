"""Scores for pairs of nodes, from their common neighbors: Jaccard, Adamic-Adar, resource allocation, and degrees."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csr_array

from starplat.graph import Graph
from starplat.networkx import registry
from starplat.networkx.network import Network, Numbers

Pairs = Iterable[tuple[Any, Any]] | None
Scored = Iterator[tuple[Any, Any, Any]]


@registry.implements(arcs=20_000)
def jaccard_coefficient(G: Network, ebunch: Pairs = None) -> Scored:
    return _scored(G, ebunch, _jaccard)


@registry.implements(arcs=20_000)
def adamic_adar_index(G: Network, ebunch: Pairs = None) -> Scored:
    with np.errstate(divide="ignore"):
        worth = np.where(G.degrees() == 1, np.inf, 1 / np.log(np.maximum(G.degrees(), 1)))
    return _scored(G, ebunch, lambda G, u, v: _common(G, u, v, worth)[1])


@registry.implements(arcs=20_000)
def resource_allocation_index(G: Network, ebunch: Pairs = None) -> Scored:
    worth = 1 / np.maximum(G.degrees(), 1)
    return _scored(G, ebunch, lambda G, u, v: _common(G, u, v, worth)[1])


@registry.implements(arcs=20_000)
def preferential_attachment(G: Network, ebunch: Pairs = None) -> Scored:
    return _scored(G, ebunch, lambda G, u, v: G.degrees()[u] * G.degrees()[v])


def _scored(G: Network, ebunch: Pairs, score: Callable[[Network, Numbers, Numbers], Numbers]) -> Scored:
    """The pairs with their scores; by default all pairs that no edge joins."""
    if not (pairs := list(nx.non_edges(G.original) if ebunch is None else ebunch)):
        return iter(())
    for label in (label for pair in pairs for label in pair):
        if label not in G:
            raise nx.NodeNotFound(f"Node {label} not in G.")
    u, v = (np.array(G.nodes(ends), np.int64) for ends in zip(*pairs, strict=True))
    scores = score(G, u, v).tolist()
    return ((*pair, _finite(value) or 0) for pair, value in zip(pairs, scores, strict=True))


def _finite(value: float) -> float:
    """A score; infinite where a common neighbor has the degree 1, by whose logarithm NetworkX divides."""
    return 1 / 0.0 if value == float("inf") else value


def _jaccard(G: Network, u: Numbers, v: Numbers) -> Numbers:
    """Common neighbors as a share of all; loops count among all only."""
    graph = G.simple
    degree = graph.out_degrees
    common = _common(G, u, v, np.zeros(len(G)))[0]
    joined = csr_array((np.ones(graph.num_arcs), graph.columns, graph.row_offsets), (len(G), len(G)))
    joins = np.asarray(joined[u, v]).ravel() > 0
    both = common + np.where(u == v, degree[u] - common, joins * ((G.loops[u] > 0).astype(int) + (G.loops[v] > 0)))
    with np.errstate(all="ignore"):
        share: Numbers = np.where(degree[u] + degree[v] > both, common / (degree[u] + degree[v] - both), 0.0)
    return share


def _common(G: Network, u: Numbers, v: Numbers, worth: Numbers) -> tuple[Numbers, Numbers]:
    """How many common neighbors each pair has, other than itself, and what they are worth together."""
    n, arcs = len(G), G.closed
    joined, wanted = np.ones(arcs.num_arcs, np.int8), np.full(2 * len(u), 2, np.int8)
    marks = np.r_[joined, wanted]
    ends = np.r_[arcs.sources, u, v], np.r_[arcs.columns, v, u]
    key = ends[0] * np.int64(n) + ends[1]
    keys, first = np.unique(key, return_inverse=True)
    mark = np.zeros(len(keys), np.int8)
    np.bitwise_or.at(mark, first, marks)
    rows = np.searchsorted(keys, np.arange(n + 1) * np.int64(n))
    graph = Graph(rows.astype(np.int64), (keys % max(n, 1)).astype(np.int32), directed=False)
    found = registry.run(
        "common_neighbors", graph, "common", "worth",
        joined=(mark & 1) > 0, wanted=(mark & 2) > 0, node_worth=worth,
    )  # fmt: skip
    place = np.searchsorted(keys, u * np.int64(n) + v)
    return found["common"][place].astype(np.int64), found["worth"][place]
