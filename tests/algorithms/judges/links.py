"""Judges of common neighbors, triangles and squares."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from starplat.graph import Graph
from tests.algorithms.judged import RETURNED, Answer, Judged, Network
from tests.algorithms.judges.centrality import weight_matrix
from tests.algorithms.judges.cores import without_loops
from tests.oracles import simple
from tests.programs.cases import Arguments, Case, Results, close, once, same


def of_all_pairs(graph: Graph) -> list[Arguments]:
    """All edges join, and are asked for."""
    return [{"joined": True, "wanted": True, "node_worth": np.arange(graph.num_nodes) / 2}]


def _common_neighbors(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    around = simple(graph, directed=False)
    ends = zip(graph.sources.tolist(), graph.columns.tolist(), strict=True)
    both = [sorted(nx.common_neighbors(around, u, v)) for u, v in ends]
    same(results["common"], [len(nodes) for nodes in both])
    close(results["worth"], np.array([call["node_worth"][nodes].sum() for nodes in both]))


def _squares_of_nodes(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    arcs = weight_matrix(graph.with_unit_weights())
    shared = arcs @ arcs
    for v in range(graph.num_nodes):
        around = np.flatnonzero(arcs[v])
        pairs = np.triu(shared[np.ix_(around, around)] - 1, k=1)
        assert results["squares"][v] == pairs.sum(), f"at node {v}"


def _triangles_of_nodes(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    found = nx.triangles(simple(graph, directed=False))
    same(results["triangles"], [found[v] for v in range(graph.num_nodes)])


def _weighted_triangles(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    close(results["strength"], np.diag(np.linalg.matrix_power(weight_matrix(graph), 3)))


def transitivity(network: Network) -> Answer:
    return {RETURNED: nx.transitivity(network)}


def square_clustering(network: Network) -> Answer:
    return {"clustering": nx.square_clustering(network)}


TABLE = (
    Judged("transitivity", transitivity),
    Judged("square_clustering", square_clustering),
    Case("common_neighbors", ("common", "worth"), of_all_pairs, _common_neighbors, suits=without_loops),
    Case("squares_of_nodes", ("squares",), once, _squares_of_nodes, suits=without_loops),
    Case("triangles_of_nodes", ("triangles",), once, _triangles_of_nodes, suits=without_loops),
    Case("weighted_triangles", ("strength",), once, _weighted_triangles, suits=without_loops),
)
