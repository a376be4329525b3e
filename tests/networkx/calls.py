"""Which calls of each function are tried, on the small ugly graphs of `tests.zoo`, and when two answers are equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from starplat.graph import Graph
from tests.zoo import ZOO

Call = Callable[..., Any]
"""Calls a function of NetworkX on a graph, with `backend=` as it is told."""


def _unordered(by_node: Any) -> Any:
    """A dictionary in the order of its keys' names: where NetworkX's order is that of its search among equals."""
    return {v: by_node[v] for v in sorted(by_node)}


def _less(G: Any) -> Any:
    """The graph with weights of which some are negative."""
    less = G.copy()
    for _, _, attributes in less.edges(data=True):
        attributes["weight"] -= 2
    return less


def _first(G: Any) -> Any:
    """A node to start from."""
    return next(iter(G), "absent")


def _last(G: Any) -> Any:
    return next(reversed(list(G)), "absent")


def _pairs(G: Any) -> list[tuple[Any, Any]]:
    nodes = list(G)[:6]
    return [(u, v) for u in nodes for v in nodes]


def _thirds(G: Any) -> list[set[Any]]:
    nodes = list(G)
    return [set(nodes[i::3]) for i in range(3)] if len(nodes) > 2 else [set(nodes)]


def _of_sets(components: Any) -> Any:
    """Components without their order."""
    return sorted(map(sorted, components))


W: dict[str, Any] = {"weight": "weight"}
CALLS: dict[str, list[Call]] = {
    "single_source_shortest_path_length": [
        lambda G, **b: nx.single_source_shortest_path_length(G, _first(G), **b),
        lambda G, **b: nx.single_source_shortest_path_length(G, _last(G), cutoff=1.5, **b),
        lambda G, **b: nx.single_source_shortest_path_length(G, "absent", **b),
    ],
    "single_target_shortest_path_length": [
        lambda G, **b: _unordered(nx.single_target_shortest_path_length(G, _last(G), **b)),
        lambda G, **b: _unordered(nx.single_target_shortest_path_length(G, _first(G), cutoff=2, **b)),
    ],
    "single_source_shortest_path": [
        lambda G, **b: nx.single_source_shortest_path(G, _first(G), **b),
        lambda G, **b: nx.single_source_shortest_path(G, _last(G), cutoff=2, **b),
        lambda G, **b: nx.single_source_shortest_path(G, "absent", **b),
    ],
    "single_target_shortest_path": [
        lambda G, **b: nx.single_target_shortest_path(G, _last(G), **b),
        lambda G, **b: nx.single_target_shortest_path(G, _first(G), cutoff=1, **b),
    ],
    "all_pairs_shortest_path_length": [nx.all_pairs_shortest_path_length],
    "all_pairs_shortest_path": [lambda G, **b: nx.all_pairs_shortest_path(G, 2, **b)],
    "has_path": [
        lambda G, **b: nx.has_path(G, _first(G), _last(G), **b),
        lambda G, **b: nx.has_path(G, _last(G), _first(G), **b),
        lambda G, **b: nx.has_path(G, _last(G), "absent", **b),
    ],
    "multi_source_dijkstra": [
        lambda G, **b: nx.multi_source_dijkstra(G, list(G)[:2], **b),
        lambda G, **b: nx.multi_source_dijkstra(G, list(G)[:2], target=_last(G), **b),
        lambda G, **b: nx.multi_source_dijkstra(G, list(G)[:2], target=_last(G), cutoff=3, **b),
    ],
    "multi_source_dijkstra_path_length": [
        lambda G, **b: _unordered(nx.multi_source_dijkstra_path_length(G, list(G)[:2], **b)),
        lambda G, **b: nx.multi_source_dijkstra_path_length(G, ["absent"], **b),
    ],
    "multi_source_dijkstra_path": [lambda G, **b: nx.multi_source_dijkstra_path(G, list(G)[:2], cutoff=4, **b)],
    "single_source_dijkstra": [
        lambda G, **b: nx.single_source_dijkstra(G, _first(G), **b),
        lambda G, **b: nx.single_source_dijkstra(G, _first(G), _last(G), **b),
        lambda G, **b: nx.single_source_dijkstra(G, _first(G), "absent", **b),
    ],
    "single_source_dijkstra_path_length": [
        lambda G, **b: _unordered(nx.single_source_dijkstra_path_length(G, _first(G), **b)),
        lambda G, **b: _unordered(nx.single_source_dijkstra_path_length(G, _last(G), 4, **b)),
        lambda G, **b: nx.single_source_dijkstra_path_length(G, "absent", **b),
    ],
    "single_source_dijkstra_path": [lambda G, **b: nx.single_source_dijkstra_path(G, _first(G), **b)],
    "dijkstra_path_length": [
        lambda G, **b: nx.dijkstra_path_length(G, _first(G), _last(G), **b),
        lambda G, **b: nx.dijkstra_path_length(G, _last(G), _first(G), **b),
        lambda G, **b: nx.dijkstra_path_length(G, _last(G), "absent", **b),
    ],
    "dijkstra_path": [
        lambda G, **b: nx.dijkstra_path(G, _first(G), _last(G), **b),
        lambda G, **b: nx.dijkstra_path(G, "absent", _last(G), **b),
    ],
    "all_pairs_dijkstra": [nx.all_pairs_dijkstra],
    "all_pairs_dijkstra_path_length": [
        lambda G, **b: [(v, _unordered(far)) for v, far in nx.all_pairs_dijkstra_path_length(G, 5, **b)]
    ],
    "all_pairs_dijkstra_path": [lambda G, **b: nx.all_pairs_dijkstra_path(G, weight=None, **b)],
    "single_source_bellman_ford": [
        lambda G, **b: tuple(map(_unordered, nx.single_source_bellman_ford(G, _first(G), **b))),
        lambda G, **b: nx.single_source_bellman_ford(G, _first(G), _last(G), **b),
        lambda G, **b: nx.single_source_bellman_ford(_less(G), _first(G), _last(G), **b),
    ],
    "single_source_bellman_ford_path_length": [
        lambda G, **b: _unordered(nx.single_source_bellman_ford_path_length(G, _first(G), **b)),
        lambda G, **b: _unordered(nx.single_source_bellman_ford_path_length(_less(G), _first(G), **b)),
    ],
    "single_source_bellman_ford_path": [
        lambda G, **b: _unordered(nx.single_source_bellman_ford_path(G, _first(G), **b)),
        lambda G, **b: _unordered(nx.single_source_bellman_ford_path(_less(G), _first(G), **b)),
    ],
    "bellman_ford_path_length": [
        lambda G, **b: nx.bellman_ford_path_length(G, _first(G), _last(G), **b),
        lambda G, **b: nx.bellman_ford_path_length(G, _first(G), "absent", **b),
        lambda G, **b: nx.bellman_ford_path_length(_less(G), _first(G), _last(G), **b),
    ],
    "bellman_ford_path": [lambda G, **b: nx.bellman_ford_path(G, _first(G), _last(G), **b)],
    "all_pairs_bellman_ford_path": [
        lambda G, **b: [(v, _unordered(paths)) for v, paths in nx.all_pairs_bellman_ford_path(G, **b)],
        lambda G, **b: [(v, _unordered(paths)) for v, paths in nx.all_pairs_bellman_ford_path(_less(G), **b)],
    ],
    "all_pairs_bellman_ford_path_length": [
        lambda G, **b: [(v, _unordered(far)) for v, far in nx.all_pairs_bellman_ford_path_length(G, **b)]
    ],
    "shortest_path": [
        lambda G, **b: nx.shortest_path(G, _first(G), **b),
        lambda G, **b: nx.shortest_path(G, target=_first(G), **b),
        lambda G, **b: nx.shortest_path(G, _first(G), weight="weight", **b),
        lambda G, **b: nx.shortest_path(G, _first(G), _last(G), **W, method="bellman-ford", **b),
        nx.shortest_path,
        lambda G, **b: [(v, _unordered(far)) for v, far in nx.shortest_path(G, **W, method="bellman-ford", **b)],
        lambda G, **b: nx.shortest_path(G, method="absent", **b),
    ],
    "shortest_path_length": [
        lambda G, **b: nx.shortest_path_length(G, _first(G), **b),
        lambda G, **b: nx.shortest_path_length(G, _first(G), _last(G), **b),
        lambda G, **b: nx.shortest_path_length(G, _last(G), _first(G), **W, **b),
        lambda G, **b: nx.shortest_path_length(G, _last(G), _first(G), **W, method="bellman-ford", **b),
        lambda G, **b: _unordered(nx.shortest_path_length(G, target=_first(G), **b)),
        lambda G, **b: _unordered(nx.shortest_path_length(G, target=_first(G), **W, **b)),
        lambda G, **b: _unordered(nx.shortest_path_length(G, target=_last(G), **W, method="bellman-ford", **b)),
        nx.shortest_path_length,
    ],
    "eccentricity": [
        nx.eccentricity,
        lambda G, **b: nx.eccentricity(G, **W, **b),
        lambda G, **b: nx.eccentricity(G, _first(G), **b),
        lambda G, **b: nx.eccentricity(G, list(G)[:3], **W, **b),
    ],
    "diameter": [
        nx.diameter,
        lambda G, **b: nx.diameter(G, **W, **b),
        lambda G, **b: nx.diameter(G, usebounds=True, **b),
    ],
    "radius": [nx.radius, lambda G, **b: nx.radius(G, **W, **b), lambda G, **b: nx.radius(G, usebounds=True, **b)],
    "center": [nx.center, lambda G, **b: nx.center(G, **W, **b), lambda G, **b: nx.center(G, usebounds=True, **b)],
    "periphery": [
        nx.periphery,
        lambda G, **b: nx.periphery(G, **W, **b),
        lambda G, **b: nx.periphery(G, usebounds=True, **b),
    ],
    "average_shortest_path_length": [
        nx.average_shortest_path_length,
        lambda G, **b: nx.average_shortest_path_length(G, **W, **b),
    ],
    "closeness_centrality": [
        nx.closeness_centrality,
        lambda G, **b: nx.closeness_centrality(G, distance="weight", **b),
        lambda G, **b: nx.closeness_centrality(G, wf_improved=False, **b),
        lambda G, **b: nx.closeness_centrality(G, u=_last(G), **b),
        lambda G, **b: nx.closeness_centrality(G, u=_first(G), distance="weight", **b),
        lambda G, **b: nx.closeness_centrality(G, u="absent", **b),
    ],
    "harmonic_centrality": [
        nx.harmonic_centrality,
        lambda G, **b: nx.harmonic_centrality(G, distance="weight", **b),
        lambda G, **b: nx.harmonic_centrality(G, list(G)[:3], sources=list(G)[1:9], **b),
    ],
    "betweenness_centrality": [
        nx.betweenness_centrality,
        lambda G, **b: nx.betweenness_centrality(G, normalized=False, **b),
        lambda G, **b: nx.betweenness_centrality(G, endpoints=True, **b),
        lambda G, **b: nx.betweenness_centrality(G, k=3, seed=1, **b),
        lambda G, **b: nx.betweenness_centrality(G, k=2, seed=1, normalized=False, endpoints=True, **b),
    ],
    "edge_betweenness_centrality": [
        nx.edge_betweenness_centrality,
        lambda G, **b: nx.edge_betweenness_centrality(G, normalized=False, **b),
        lambda G, **b: nx.edge_betweenness_centrality(G, k=3, seed=1, **b),
    ],
    "degree_centrality": [nx.degree_centrality],
    "in_degree_centrality": [nx.in_degree_centrality],
    "out_degree_centrality": [nx.out_degree_centrality],
    "voterank": [nx.voterank, lambda G, **b: nx.voterank(G, 2, **b)],
    "number_of_selfloops": [nx.number_of_selfloops],
    "isolates": [nx.isolates],
    "number_of_isolates": [nx.number_of_isolates],
    "connected_components": [nx.connected_components],
    "number_connected_components": [nx.number_connected_components],
    "is_connected": [nx.is_connected],
    "node_connected_component": [lambda G, **b: nx.node_connected_component(G, _last(G), **b)],
    "weakly_connected_components": [nx.weakly_connected_components],
    "number_weakly_connected_components": [nx.number_weakly_connected_components],
    "is_weakly_connected": [nx.is_weakly_connected],
    "strongly_connected_components": [lambda G, **b: _of_sets(nx.strongly_connected_components(G, **b))],
    "number_strongly_connected_components": [nx.number_strongly_connected_components],
    "is_strongly_connected": [nx.is_strongly_connected],
    "is_bipartite": [nx.is_bipartite],
    "descendants": [lambda G, **b: nx.descendants(G, _first(G), **b), lambda G, **b: nx.descendants(G, "absent", **b)],
    "ancestors": [lambda G, **b: nx.ancestors(G, _last(G), **b), lambda G, **b: nx.ancestors(G, "absent", **b)],
    "descendants_at_distance": [
        lambda G, **b: nx.descendants_at_distance(G, _first(G), 2, **b),
        lambda G, **b: nx.descendants_at_distance(G, "absent", 2, **b),
    ],
    "bfs_layers": [
        lambda G, **b: nx.bfs_layers(G, _first(G), **b),
        lambda G, **b: nx.bfs_layers(G, list(G)[:3], **b),
        lambda G, **b: nx.bfs_layers(G, ["absent"], **b),
    ],
    "is_directed_acyclic_graph": [nx.is_directed_acyclic_graph],
    "topological_generations": [nx.topological_generations],
    "core_number": [nx.core_number],
    "k_core": [nx.k_core, lambda G, **b: nx.k_core(G, 2, **b)],
    "k_truss": [lambda G, **b: nx.k_truss(G, 3, **b), lambda G, **b: nx.k_truss(G, 4, **b)],
    "triangles": [
        nx.triangles,
        lambda G, **b: nx.triangles(G, _last(G), **b),
        lambda G, **b: nx.triangles(G, list(G)[::2], **b),
    ],
    "transitivity": [nx.transitivity],
    "clustering": [
        nx.clustering,
        lambda G, **b: nx.clustering(G, **W, **b),
        lambda G, **b: nx.clustering(G, _first(G), **b),
        lambda G, **b: nx.clustering(G, list(G)[1:], **b),
    ],
    "average_clustering": [nx.average_clustering, lambda G, **b: nx.average_clustering(G, **W, count_zeros=False, **b)],
    "square_clustering": [nx.square_clustering, lambda G, **b: nx.square_clustering(G, list(G)[:3], **b)],
    "minimum_spanning_edges": [
        nx.minimum_spanning_edges,
        lambda G, **b: nx.minimum_spanning_edges(G, keys=False, data=False, **b),
    ],
    "maximum_spanning_edges": [nx.maximum_spanning_edges],
    "minimum_spanning_tree": [nx.minimum_spanning_tree],
    "maximum_spanning_tree": [nx.maximum_spanning_tree],
    "jaccard_coefficient": [nx.jaccard_coefficient, lambda G, **b: nx.jaccard_coefficient(G, _pairs(G), **b)],
    "adamic_adar_index": [nx.adamic_adar_index, lambda G, **b: nx.adamic_adar_index(G, _pairs(G), **b)],
    "resource_allocation_index": [
        nx.resource_allocation_index,
        lambda G, **b: nx.resource_allocation_index(G, _pairs(G), **b),
        lambda G, **b: nx.resource_allocation_index(G, [("absent", "absent")], **b),
    ],
    "preferential_attachment": [lambda G, **b: nx.preferential_attachment(G, _pairs(G), **b)],
    "average_neighbor_degree": [
        nx.average_neighbor_degree,
        lambda G, **b: nx.average_neighbor_degree(G, **W, **b),
        lambda G, **b: nx.average_neighbor_degree(G, "in", "in+out", list(G)[:3], **b),
        lambda G, **b: nx.average_neighbor_degree(G, "in+out", "absent", **b),
    ],
    "degree_assortativity_coefficient": [
        nx.degree_assortativity_coefficient,
        lambda G, **b: nx.degree_assortativity_coefficient(G, "in", "out", **W, **b),
        lambda G, **b: nx.degree_assortativity_coefficient(G, nodes=list(G)[::2], **b),
    ],
    "modularity": [
        lambda G, **b: nx.community.modularity(G, _thirds(G), **b),
        lambda G, **b: nx.community.modularity(G, _thirds(G), weight=None, resolution=0.5, **b),
        lambda G, **b: nx.community.modularity(G, _thirds(G)[1:], **b),
    ],
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
        lambda G, **b: nx.katz_centrality(G, 0.01, 0, **b),
    ],
}


def _leads(G: Any) -> bool:
    """Whether the largest singular value stands alone, so that there is one answer of HITS."""
    values = np.linalg.svd(nx.to_numpy_array(G), compute_uv=False) if len(G) > 2 else np.zeros(2)
    return bool(values[0] > 1.05 * values[1])


def graphs(names: Collection[str] = ZOO) -> Iterator[Any]:
    """The graphs of the zoo as NetworkX has them, nodes by names, each also as the multigraph that it may be."""
    for name, graph in ZOO.items():
        if name == "heavy" or name not in names:
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


@dataclass(frozen=True)
class Raised:
    """An exception instead of an answer."""

    type: type
    words: str


def outcome(call: Call, G: Any, **backend: str) -> Any:
    """The answer, or the exception with its words; NotImplementedError stands for itself."""
    try:
        found = call(G, **backend)
        return list(found) if isinstance(found, Iterator) else found
    except NotImplementedError as refusal:
        return refusal
    except Exception as error:  # whatever NetworkX raises
        return Raised(type(error), str(error))


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
