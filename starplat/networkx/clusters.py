"""Cores, trusses, triangles, squares, and the clustering coefficients that are made of them."""

from collections.abc import Hashable, Mapping
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import coo_array, csr_array

from starplat.graph import Graph
from starplat.networkx.network import Network, Numbers
from starplat.networkx.registry import implements, needs_attribute, refuse, run

LOOPS = "Input graph has self loops which is not permitted; Consider using G.remove_edges_from(nx.selfloop_edges(G))."


@implements(arcs=10_000)
def core_number(G: Network) -> dict[Any, int]:
    return _cores(G)


def _cores(G: Network) -> dict[Any, int]:
    if G.loops.any():
        raise nx.NetworkXNotImplemented(LOOPS)
    graph = G.arcs
    if G.is_directed():  # an arc joins its nodes both ways, two opposite arcs do so twice
        both = np.r_[G.source, G.destination], np.r_[G.destination, G.source]
        graph = Graph.from_arcs(len(G), *both)
    return G.by_label(run("k_core", graph, "core")["core"])


@implements(arcs=10_000)
def k_core(G: Network, k: int | None = None, core_number: Mapping[Any, int] | None = None) -> Any:
    cores = _cores(G) if core_number is None else core_number
    least = max(cores.values()) if k is None else k
    return G.original.subgraph(v for v in cores if cores[v] >= least).copy()


@implements(arcs=10_000)
def k_truss(G: Network, k: int) -> Any:
    if G.loops.any():
        raise nx.NetworkXNotImplemented(LOOPS)
    kept = run("k_truss", G.arcs, "kept", k=k)["kept"]
    arcs, labels = G.arcs, G.labels
    truss = G.original.copy()
    ends = zip(arcs.sources[~kept].tolist(), arcs.columns[~kept].tolist(), strict=True)
    truss.remove_edges_from([(labels[u], labels[v]) for u, v in ends])
    truss.remove_nodes_from(list(nx.isolates(truss)))
    return truss


@implements(arcs=10_000)
def triangles(G: Network, nodes: Any = None) -> Any:
    if nodes is not None:
        _require_simple(G)
    return G.of_nodes(_triangles(G), nodes)


@implements(refuse("directed"), arcs=10_000)
def transitivity(G: Network) -> float:
    _require_simple(G)
    corners = int(_triangles(G).sum()) * 2
    degree = G.closed.out_degrees
    return 0 if corners == 0 else corners / int((degree * (degree - 1)).sum())


@implements(needs_attribute("weight"), arcs=2_000)
def clustering(G: Network, nodes: Any = None, weight: Hashable | None = None) -> Any:
    _require_simple(G)
    pairs = _pairs(G)
    strength = 2 * _triangles(G) if weight is None and not G.is_directed() else _strength(G, weight)
    with np.errstate(all="ignore"):
        share = np.where(strength == 0, 0.0, strength / pairs)
    return _or_zero(G.of_nodes(share, nodes))


@implements(needs_attribute("weight"), arcs=2_000)
def average_clustering(
    G: Network, nodes: Any = None, weight: Hashable | None = None, count_zeros: bool = True
) -> float:
    found = clustering(G, nodes, weight).values()
    counted = [c for c in found if count_zeros or abs(c) > 0]
    mean: float = sum(counted) / len(counted)
    return mean


@implements(refuse("directed"), arcs=2_000)
def square_clustering(G: Network, nodes: Any = None) -> Any:
    graph = G.closed
    squares = run("squares_of_nodes", graph, "squares")["squares"]
    degree = graph.out_degrees
    near = np.bincount(graph.sources, degree[graph.columns], len(G)).astype(np.int64)
    potential = (near - degree) * (degree - 1) - 2 * _triangles(G) - squares
    with np.errstate(all="ignore"):
        share = np.where((degree > 1) & (potential > 0), squares / potential, 0.0)
    return _or_zero(G.of_nodes(share, nodes))


def _or_zero(found: Any) -> Any:
    """The shares as NetworkX gives them: its zeros are integers."""
    return {v: c or 0 for v, c in found.items()} if isinstance(found, dict) else found or 0


def _require_simple(G: Network) -> None:
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def _triangles(G: Network) -> Numbers:
    found: Numbers = run("triangles_of_nodes", G.closed, "triangles")["triangles"]
    return found


def _pairs(G: Network) -> Numbers:
    """The triangles that there could be at each node, each twice, in a directed graph each way."""
    degree = G.closed.out_degrees
    if not G.is_directed():
        return degree * (degree - 1)
    proper = G.source != G.destination
    ends = np.r_[G.source[proper], G.destination[proper]]
    total = np.bincount(ends, minlength=len(G))
    return 2 * (total * (total - 1) - 2 * (total - degree))


def _strength(G: Network, weight: Hashable | None) -> Numbers:
    """Over the ordered pairs of neighbors, the product of the cube roots of the three edges' weights, which are in
    shares of the largest; arcs both ways add up."""
    weights = G.numbers(weight)
    if len(weights) and weights.max() == 0:
        raise NotImplementedError("the largest weight of an edge is 0")
    proper = G.source != G.destination
    roots = np.cbrt(weights / weights.max(initial=weights.min(initial=1)))[proper]
    matrix = csr_array(coo_array((roots, (G.source[proper], G.destination[proper])), (len(G), len(G))))
    if G.is_directed():
        matrix = csr_array(matrix + matrix.T)
    matrix.sort_indices()
    rows = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data
    found: Numbers = run("weighted_triangles", Graph(*rows, directed=False), "strength")["strength"]
    return found
