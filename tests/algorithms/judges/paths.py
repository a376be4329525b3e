"""Judges of paths."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from starplat.graph import Graph
from tests.algorithms.graphs import network
from tests.oracles import INF, all_levels, lightest, weights_of
from tests.programs.cases import Arguments, Case, Results, close, from_sets, from_some_nodes, same

LONG = 2**63 - 1


def tenths(graph: Graph) -> Graph:
    """The same graph with weights that are no integers."""
    return graph.with_weights(weights_of(graph) / 10)


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
)
