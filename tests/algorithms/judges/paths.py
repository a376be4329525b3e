"""Judges of paths."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from starplat.graph import Graph
from tests.algorithms.graphs import network
from tests.oracles import INF, all_levels, lightest, weights_of
from tests.programs.cases import Arguments, Case, Results, close, from_sets, from_some_nodes, inside, once, same

LONG = 2**63 - 1


def tenths(graph: Graph) -> Graph:
    """The same graph with weights that are no integers."""
    return graph.with_weights(weights_of(graph) / 10)


def heavier(graph: Graph) -> Graph:
    """The same graph, in which every arc weighs something."""
    return graph.with_weights(weights_of(graph).astype(np.int64) + 1)


def some_negative(graph: Graph) -> Graph:
    """The same graph, in which light arcs weigh less than nothing."""
    return graph.with_weights(weights_of(graph).astype(np.int64) - 2)


def distances_between(graph: Graph, sources: list[int]) -> NDArray[np.float64]:
    """The least sums of weights from the sources to every node, a row each."""
    if not sources:
        return np.zeros((0, graph.num_nodes))
    return csgraph.dijkstra(lightest(graph, weights_of(graph)), indices=sources)


def nodes_in(graph: Graph, call: Arguments) -> list[int]:
    """The nodes 0..n-1 that a call names as `sources`."""
    return [graph.node_of(source) for source in call["sources"]]


def same_distances(found: NDArray[Any], expected: NDArray[np.float64]) -> None:
    """Distances agree; INF of an integer type is its largest value."""
    if found.dtype.kind == "f":
        close(found, expected)
    else:
        largest = np.iinfo(found.dtype).max
        reached = np.isfinite(expected)
        same(found[~reached], np.full((~reached).sum(), largest))
        same(found[reached], expected[reached])


def _levels_from(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    rows = all_levels(graph)[nodes_in(graph, call)]
    same(results["level"], np.where(np.isinf(least := rows.min(axis=0, initial=np.inf)), INF, least))


def _distances_from(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    same_distances(results["dist"], distances_between(graph, nodes_in(graph, call)).min(axis=0, initial=np.inf))


def _bellman_ford(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    try:
        found = nx.single_source_bellman_ford_path_length(network(graph), graph.node_of(call["src"]))
    except nx.NetworkXUnbounded:
        assert returned is False
    else:
        assert returned is True
        same_distances(results["dist"], np.array([found.get(v, np.inf) for v in range(graph.num_nodes)]))


def _sums(rows: NDArray[np.float64], results: Results) -> None:
    reached = np.isfinite(rows)
    close(results["farness"], np.where(reached, rows, 0).sum(axis=0))
    same(results["reached_by"], reached.sum(axis=0))
    close(results["farthest"], np.where(reached, rows, -1).max(axis=0, initial=-1))
    close(results["nearness"], np.where(reached & (rows > 0), 1 / np.where(rows > 0, rows, 1), 0).sum(axis=0))


def _distance_sums(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    _sums(all_levels(graph)[nodes_in(graph, call)], results)


def _weighted_distance_sums(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    _sums(distances_between(graph, nodes_in(graph, call)), results)


def tight(graph: Graph, sources: list[int], results: Results) -> None:
    """Every node that is reached, but the sources, has a parent from which an arc makes up the difference."""
    dist, parent = results["dist"], inside(graph, results["parent"])
    arcs = lightest(graph, weights_of(graph)).todok()
    for v in range(graph.num_nodes):
        if parent[v] == -1:
            assert v in sources or dist[v] >= LONG, f"node {v} has no parent"
        else:
            close(dist[v], dist[parent[v]] + arcs[parent[v], v])
            assert v not in sources, f"the source {v} has a parent"


def _dijkstra(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    source = graph.node_of(call["src"])
    same_distances(results["dist"], distances_between(graph, [source])[0])
    tight(graph, [source], results)


def _multi_source_dijkstra(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    sources = nodes_in(graph, call)
    rows = distances_between(graph, sources)
    least, nearest = rows.min(axis=0, initial=np.inf), inside(graph, results["nearest"])
    same_distances(results["dist"], least)
    tight(graph, sources, results)
    for v in range(graph.num_nodes):
        assert nearest[v] == -1 if np.isinf(least[v]) else np.isclose(rows[sources.index(nearest[v]), v], least[v])


def _widest_paths(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    """A node has a width if there is a path of arcs at least as heavy, and none of heavier ones."""
    source, weights = graph.node_of(call["src"]), weights_of(graph)
    expected = np.zeros(graph.num_nodes)
    for width in np.unique(weights):
        heavy = weights >= width
        arcs = nx.DiGraph(zip(graph.sources[heavy].tolist(), graph.columns[heavy].tolist(), strict=True))
        arcs.add_node(source)
        expected[list(nx.descendants(arcs, source))] = width
    found = results["width"]
    assert found[source] >= LONG
    close(np.delete(found, source), np.delete(expected, source))


def on_a_map(graph: Graph) -> list[Arguments]:
    """Between the first node and some others, which lie on a spiral so near to each other that no arc is too short."""
    n = graph.num_nodes
    turn, least = np.arange(n), weights_of(graph).min(initial=1) / 4
    places = {"x": least * np.cos(turn) * turn / max(n, 1), "y": least * np.sin(turn) * turn / max(n, 1)}
    ends = {0, n // 2, n - 1} if n else set()
    return [{"src": graph.original_id(0), "goal": graph.original_id(goal), **places} for goal in sorted(ends)]


def _astar(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    source, goal = graph.node_of(call["src"]), graph.node_of(call["goal"])
    exact = distances_between(graph, [source])[0]
    close(returned, exact[goal])
    assert (results["dist"] >= exact - 1e-9).all()
    tight_to = goal
    while np.isfinite(returned) and tight_to != source:
        before = int(inside(graph, results["parent"][[tight_to]])[0])
        close(exact[tight_to], exact[before] + lightest(graph, weights_of(graph))[before, tight_to])
        tight_to = before


def between_some(graph: Graph) -> list[Arguments]:
    """From the first node, and from one in the middle, to some others and to itself."""
    n = graph.num_nodes
    ends = [(0, n - 1), (0, n // 2), (n // 2, n // 3), (0, 0)] if n else []
    named = ((graph.original_id(src), graph.original_id(goal)) for src, goal in dict.fromkeys(ends))
    return [{"src": src, "destination": goal} for src, goal in named]


def _shortest_path(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    source, goal = graph.node_of(call["src"]), graph.node_of(call["destination"])
    exact = distances_between(graph, [source])[0]
    same_distances(results["dist"], exact)
    tight(graph, [source], results)
    path, arcs = [graph.node_of(node) for node in returned], lightest(graph, weights_of(graph)).todok()
    if not np.isfinite(exact[goal]):
        assert path == []
        return
    assert (path[0], path[-1]) == (source, goal)
    assert len(set(path)) == len(path), "the path comes to a node twice"
    assert all(step in arcs for step in pairwise(path)), "the path takes what is no arc"
    close(sum(arcs[step] for step in pairwise(path)), exact[goal])


def eccentricities(graph: Graph) -> NDArray[Any]:
    """By SciPy's distances; INF where a node does not reach all others."""
    farthest = all_levels(graph).max(axis=1, initial=0)
    return np.where(np.isfinite(farthest), farthest, INF)


def _eccentricity(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    expected = eccentricities(graph)
    same(results["eccentricity"], expected)
    assert returned == expected.max(initial=0)
    same(results["in_center"], expected == expected.min(initial=INF))
    same(results["in_periphery"], expected == expected.max(initial=0))


def _radius(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    assert returned == eccentricities(graph).min(initial=INF)


def _diameter(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    assert returned == eccentricities(graph).max(initial=0)


def _center(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    expected = eccentricities(graph)
    same(results["in_center"], expected == expected.min(initial=INF))
    assert returned == results["in_center"].sum()


def _periphery(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    expected = eccentricities(graph)
    same(results["in_periphery"], expected == expected.max(initial=0))
    assert returned == results["in_periphery"].sum()


SUMS = ("farness", "reached_by", "farthest", "nearness")
TABLE = (
    Case("levels_from", ("level",), from_sets, _levels_from),
    Case("distances_from", ("dist",), from_sets, _distances_from),
    Case("distances_from", ("dist",), from_sets, _distances_from, suits=tenths),
    Case("bellman_ford", ("dist",), from_some_nodes, _bellman_ford),
    Case("bellman_ford", ("dist",), from_some_nodes, _bellman_ford, suits=some_negative),
    Case("bellman_ford", ("dist",), from_some_nodes, _bellman_ford, suits=tenths),
    Case("distance_sums", SUMS, from_sets, _distance_sums),
    Case("weighted_distance_sums", SUMS, from_sets, _weighted_distance_sums),
    Case("dijkstra", ("dist", "parent"), from_some_nodes, _dijkstra),
    Case("dijkstra", ("dist", "parent"), from_some_nodes, _dijkstra, suits=tenths),
    Case("multi_source_dijkstra", ("dist", "parent", "nearest"), from_sets, _multi_source_dijkstra),
    Case("multi_source_dijkstra", ("dist", "parent", "nearest"), from_sets, _multi_source_dijkstra, suits=tenths),
    Case("widest_paths", ("width",), from_some_nodes, _widest_paths, suits=heavier),
    Case("widest_paths", ("width",), from_some_nodes, _widest_paths, suits=lambda graph: tenths(heavier(graph))),
    Case("astar", ("dist", "parent"), on_a_map, _astar, suits=tenths),
    Case("shortest_path", ("dist", "parent"), between_some, _shortest_path),
    Case("shortest_path", ("dist", "parent"), between_some, _shortest_path, suits=tenths),
    Case("eccentricity", ("eccentricity", "in_center", "in_periphery"), once, _eccentricity),
    Case("radius", (), once, _radius),
    Case("diameter", (), once, _diameter),
    Case("center", ("in_center",), once, _center),
    Case("periphery", ("in_periphery",), once, _periphery),
)
