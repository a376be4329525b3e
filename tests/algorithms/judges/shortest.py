"""What the reach of paths, their lengths and numbers are."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

from starplat import Graph
from tests.algorithms.judged import RETURNED, Answer, Arguments, Judged, Network, directed
from tests.algorithms.judges.paths import tenths
from tests.algorithms.judges.reach import from_some_nodes

INF = 2**31 - 1
LONG = 2**63 - 1


def forwards(graph: Graph) -> Graph:
    """Only the arcs to larger nodes, which is acyclic."""
    kept = graph.sources < graph.columns
    weights = None if graph.weights is None else graph.weights[kept]
    return Graph.from_arcs(graph.num_nodes, graph.sources[kept], graph.columns[kept], weights, name=graph.name)


def between_some_nodes(network: Network) -> list[Arguments]:
    """From the first and from the middle to the last and to itself."""
    nodes = list(network)
    return [call | {"destination": end} for call in from_some_nodes(network) for end in (nodes[-1], nodes[0])]


def at_some_distances(network: Network) -> list[Arguments]:
    """By default, at none, at 3."""
    return [call | steps for call in from_some_nodes(network) for steps in ({}, {"steps": 0}, {"steps": 3})]


def has_path(network: Network, src: int, destination: int) -> Answer:
    return {RETURNED: nx.has_path(network, src, destination)}


def nodes_at_distance(network: Network, src: int, steps: int = 1) -> Answer:
    found = nx.descendants_at_distance(network, src, steps) if steps else {src}
    return {"there": {v: v in found for v in network}, RETURNED: len(found)}


def shortest_path_counts(network: Network, src: int) -> Answer:
    """By powers of the matrix of arcs: the first that has a walk counts the paths."""
    nodes = list(network)
    matrix = nx.to_numpy_array(network, weight=None, multigraph_weight=sum) if nodes else np.zeros((0, 0))
    steps = nx.single_source_shortest_path_length(network, src)
    walks, paths = np.array([float(v == src) for v in nodes]), {}
    for length in range(len(nodes)):
        paths |= {v: walks[place] for place, v in enumerate(nodes) if steps.get(v) == length}
        walks = walks @ matrix
    return {"paths": {v: paths.get(v, 0.0) for v in nodes}, "level": {v: steps.get(v, INF) for v in nodes}}


def arcs_on_shortest_paths(network: Network, src: int, destination: int) -> Answer:
    arcs = network.to_directed()
    keys = list(arcs.edges(keys=True)) if arcs.is_multigraph() else list(arcs.edges)
    if not nx.has_path(network, src, destination):
        return {"on_path": dict.fromkeys(keys, False), RETURNED: -1}
    ways = list(nx.all_shortest_paths(network, src, destination))
    steps = {step for way in ways for step in nx.utils.pairwise(way)}
    return {"on_path": {key: key[:2] in steps for key in keys}, RETURNED: len(ways[0]) - 1}


def around_some(network: Network) -> list[Arguments]:
    """Around the first and the last node, and around none."""
    nodes = list(network)
    return [{"centers": sorted({nodes[0], nodes[-1]})}, {"centers": []}] if nodes else []


def are_cells(network: Network, answer: Answer, centers: list[int]) -> None:
    """The nearest center, of equals the smallest; of real weights, where rounding decides, one of the nearest."""
    rows = {center: nx.single_source_dijkstra_path_length(network, center) for center in centers}
    for v in network:
        found, center = answer["dist"][v], answer["center"][v]
        dist = min((row[v] for row in rows.values() if v in row), default=None)
        if dist is None:
            assert (found in (LONG, math.inf), center) == (True, -1)
            continue
        near = [center for center, row in rows.items() if v in row and math.isclose(row[v], dist, abs_tol=1e-9)]
        assert math.isclose(found, dist, abs_tol=1e-9)
        assert center in near if isinstance(found, float) else center == min(near)


def critical_path(network: Network) -> Answer:
    """By the order of an acyclic graph, less what lies on cycles and beyond."""
    arcs = nx.MultiDiGraph()
    arcs.add_nodes_from(network)
    arcs.add_weighted_edges_from(network.to_directed().edges(data="weight"))
    cyclic = {v for part in nx.strongly_connected_components(arcs) if len(part) > 1 for v in part}
    cyclic |= set(nx.nodes_with_selfloops(arcs))
    beyond = cyclic.union(*(nx.descendants(arcs, v) for v in cyclic))
    start = dict.fromkeys(network, -1.0)
    for v in nx.topological_sort(arcs.subgraph(set(network) - beyond)):
        start[v] = max((start[u] + weight for u, _, weight in arcs.in_edges(v, data="weight")), default=0.0)
    return {"start": start, RETURNED: -1.0 if beyond else max(start.values(), default=0.0)}


TABLE = (
    Judged("voronoi_cells", None, directed, around_some, are_cells),
    Judged("voronoi_cells", None, tenths, around_some, are_cells),
    Judged("critical_path", critical_path, directed),
    Judged("critical_path", critical_path, forwards),
    Judged("has_path", has_path, directed, between_some_nodes),
    Judged("nodes_at_distance", nodes_at_distance, directed, at_some_distances),
    Judged("shortest_path_counts", shortest_path_counts, directed, from_some_nodes),
    Judged("arcs_on_shortest_paths", arcs_on_shortest_paths, directed, between_some_nodes),
)
