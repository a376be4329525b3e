"""Which calls of each function are tried, on the small ugly graphs of `tests.zoo`, and when two answers are equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np

from starplat.graph import Graph
from tests.zoo import ZOO

Call = Callable[..., Any]
"""Calls a function of NetworkX on a graph, with `backend=` as it is told."""

CALLS: dict[str, list[Call]] = {
    "pagerank": [
        nx.pagerank,
        lambda G, **b: nx.pagerank(G, 0.6, personalization={v: i + 1 for i, v in enumerate(G)}, weight=None, **b),
        lambda G, **b: nx.pagerank(G, nstart={v: i + 1 for i, v in enumerate(G)}, dangling=dict.fromkeys(G, 1), **b),
        lambda G, **b: nx.pagerank(G, max_iter=1, **b),
    ],
    "hits": [lambda G, **b: nx.hits(G, **b) if _leads(G) else None, lambda G, **b: nx.hits(G, max_iter=0, **b)],
    "eigenvector_centrality": [
        lambda G, **b: nx.eigenvector_centrality(G, max_iter=500, **b),
        lambda G, **b: nx.eigenvector_centrality(G, max_iter=500, weight="weight", **b),
        lambda G, **b: nx.eigenvector_centrality(G, max_iter=2, **b),
    ],
    "katz_centrality": [
        lambda G, **b: nx.katz_centrality(G, 0.01, **b),
        lambda G, **b: nx.katz_centrality(G, 0.01, dict.fromkeys(G, 2.0), weight="weight", normalized=False, **b),
    ],
}


def _leads(G: Any) -> bool:
    """Whether the largest singular value stands alone, so that there is one answer of HITS."""
    values = np.linalg.svd(nx.to_numpy_array(G), compute_uv=False) if len(G) > 2 else np.zeros(2)
    return bool(values[0] > 1.05 * values[1])


def graphs() -> Iterator[Any]:
    """The graphs of the zoo as NetworkX has them, nodes by names, each also as the multigraph that it may be."""
    for name, graph in ZOO.items():
        if name == "heavy":
            continue
        edges = list(_edges(graph))
        simple = len({(u, v) for u, v, _ in edges}) == len(edges)
        kinds = (nx.DiGraph, nx.MultiDiGraph) if graph.directed else (nx.Graph, nx.MultiGraph)
        for kind in kinds[not simple :]:
            G = kind(name=name)
            G.add_nodes_from(f"n{v}" for v in range(graph.num_nodes))
            G.add_weighted_edges_from((f"n{u}", f"n{v}", w) for u, v, w in edges)
            yield G


def _edges(graph: Graph) -> Iterator[tuple[int, int, int]]:
    """Every edge once, not in ascending order: the order of NetworkX's dictionaries is not that of the arcs."""
    weights = graph.weights.tolist() if graph.weights is not None else [1] * graph.num_arcs
    for u, v, w in reversed(list(zip(graph.sources.tolist(), graph.columns.tolist(), weights, strict=True))):
        if graph.directed or u <= v:
            yield u, v, w


def outcome(call: Call, G: Any, **backend: str) -> Any:
    """The answer, or the exception with its words; NotImplementedError stands for itself."""
    try:
        found = call(G, **backend)
        return list(found) if isinstance(found, Iterator) else found
    except NotImplementedError as refusal:
        return refusal
    except Exception as error:  # whatever NetworkX raises
        return type(error), str(error)


def same(one: Any, other: Any) -> bool:
    """Whether two answers are the same, order and types included, real numbers nearly."""
    if float in (type(one), type(other)) and {type(one), type(other)} <= {float, int}:
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9) or (math.isnan(one) and math.isnan(other))
    if type(one) is not type(other):
        return False
    match one:
        case nx.Graph():
            alike = list(one.nodes.items()) == list(other.nodes.items()) and one.graph == other.graph
            return alike and list(one.edges(data=True)) == list(other.edges(data=True))
        case Mapping():
            return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
        case list() | tuple():
            return len(one) == len(other) and all(map(same, one, other))
        case _:
            return bool(one == other)
