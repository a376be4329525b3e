"""Judges of centrality."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from starplat.graph import Graph
from tests.algorithms.graphs import network
from tests.oracles import weights_of
from tests.programs.cases import Arguments, Case, Results, close, from_sets, once

ENOUGH = {"tolerance": 1e-10, "max_iterations": 1000}


def plain(graph: Graph) -> Graph:
    """Without loops and parallel arcs."""
    return graph.without_loops().deduplicated()


def weight_matrix(graph: Graph) -> NDArray[np.float64]:
    """The sums of the weights of the arcs from node to node, [n, n]."""
    shape = (graph.num_nodes, graph.num_nodes)
    return sparse.coo_array((weights_of(graph), (graph.sources, graph.columns)), shape=shape).toarray()


def _edge_betweenness(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    sources = [graph.node_of(source) for source in call["sources"]]
    shares = nx.edge_betweenness_centrality_subset(network(graph), sources, list(range(graph.num_nodes)))
    ends = zip(graph.sources.tolist(), graph.columns.tolist(), strict=True)
    close(results["bc"], np.array([shares[u, v] for u, v in ends]))


def dominant(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the powers of a symmetric matrix without negative eigenvalues lead a vector of ones: its part among the
    eigenvectors of the largest eigenvalue, of length 1."""
    values, vectors = np.linalg.eigh(matrix)
    largest = vectors[:, values > values.max() * (1 - 1e-7)]
    part = largest @ (largest.T @ np.ones(len(matrix)))
    return part / np.linalg.norm(part)


def _eigenvector_centrality(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    matrix, score = weight_matrix(graph), results["score"]
    if not returned or not graph.num_nodes:
        return
    close(np.linalg.norm(score), 1.0)
    if (matrix == matrix.T).all():
        shifted = matrix + np.eye(len(matrix))
        if np.linalg.eigvalsh(shifted).min() >= 0:
            close(score, dominant(shifted), 1e-5)
    along = matrix.T @ score
    close(along, score * (score @ along), 1e-5)


def _hits(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    matrix = weight_matrix(graph)
    close(results["hub"], matrix @ results["authority"])
    if returned and matrix.any():
        close(results["authority"], dominant(matrix.T @ matrix), 1e-5)


def from_walks(graph: Graph) -> list[Arguments]:
    """With an attenuation under which walks of all lengths have a sum."""
    heaviest = np.abs(weight_matrix(graph)).sum(axis=0).max(initial=0)
    return [{"attenuation": 0.5 / (heaviest + 1), "start": 1.5, **ENOUGH}]


def _katz_centrality(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    assert returned is True
    left = np.eye(graph.num_nodes) - call["attenuation"] * weight_matrix(graph).T
    close(results["score"], np.linalg.solve(left, np.full(graph.num_nodes, call["start"])))


def with_values(graph: Graph) -> list[Arguments]:
    """A number for each node."""
    return [{"value": np.arange(graph.num_nodes) / 2 - 3}]


def _neighbor_sums(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    close(results["sum"], weight_matrix(graph) @ call["value"])


def jumping(graph: Graph) -> list[Arguments]:
    """To all nodes alike, and to few."""
    even = np.full(graph.num_nodes, 1 / max(graph.num_nodes, 1))
    uneven = np.arange(1.0, graph.num_nodes + 1)
    uneven /= max(uneven.sum(), 1)
    return [
        {"rank": even, "jump": even, "stranded": even, **ENOUGH},
        {"rank": even, "jump": uneven, "stranded": even, "damping": 0.6, **ENOUGH},
    ]


def _pagerank_weighted(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    if graph.num_nodes:
        assert returned is True
        close(results["rank"], personalized(graph, call.get("damping", 0.85), call["jump"], call["stranded"]), 1e-8)


def personalized(
    graph: Graph, damping: float, jump: NDArray[np.float64], stranded: NDArray[np.float64]
) -> NDArray[np.float64]:
    """NetworkX's PageRank, in which parallel arcs weigh what they weigh together."""
    weighted = nx.from_numpy_array(weight_matrix(graph), create_using=nx.DiGraph)
    given = (dict(enumerate(values.tolist())) for values in (jump, stranded))
    ranks = nx.pagerank(weighted, damping, next(given), dangling=next(given), tol=1e-13, max_iter=5000)
    return np.array([ranks[v] for v in range(graph.num_nodes)])


def _harmonic_centrality(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    found = nx.harmonic_centrality(network(graph))
    close(results["harmonic"], np.array([found[v] for v in range(graph.num_nodes)]))


def _weighted_closeness(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    found = nx.closeness_centrality(network(graph), distance="weight")
    close(results["closeness"], np.array([found[v] for v in range(graph.num_nodes)]))


def _voterank(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    """As NetworkX elects, of nodes with equally many votes any."""
    arcs, place = weight_matrix(graph.with_unit_weights()), results["place"]
    ability, loss = np.ones(graph.num_nodes), graph.num_nodes / max(graph.num_arcs, 1)
    elected = sorted(np.flatnonzero(place >= 0).tolist(), key=lambda v: place[v])
    assert [*place[elected]] == [*range(returned)]
    for v in elected:
        votes = np.where((place >= 0) & (place < place[v]), 0, arcs @ ability)
        assert votes[v] > 0
        close(votes[v], votes.max())
        ability[v] = 0
        ability = np.maximum(ability - loss * arcs[v], 0)
    left = np.where(place >= 0, 0, arcs @ ability)
    assert returned == call.get("most", graph.num_nodes) or left.max(initial=0) < 1e-9


def known_guesses(graph: Graph) -> list[Arguments]:
    """With the first guess that is the default."""
    return [ENOUGH]


def _pagerank_by_default(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    jump = np.full(graph.num_nodes, 1 / max(graph.num_nodes, 1))
    if "jump" in call:
        jump = np.eye(1, graph.num_nodes)[0]
    _pagerank_weighted(graph, {"jump": jump, "stranded": jump}, results, returned)


def personal(graph: Graph) -> list[Arguments]:
    """For nobody, and for one node."""
    return [ENOUGH, {"jump": {graph.original_id(0): 3.0}, **ENOUGH}] if graph.num_nodes else [ENOUGH]


TABLE = (
    Case("edge_betweenness", ("bc",), from_sets, _edge_betweenness, suits=plain),
    Case("eigenvector_centrality", ("score",), lambda graph: [{"score": 1.0, **ENOUGH}], _eigenvector_centrality),
    Case("hits", ("hub", "authority"), lambda graph: [{"authority": 1.0, **ENOUGH}], _hits),
    Case("katz_centrality", ("score",), from_walks, _katz_centrality),
    Case("neighbor_sums", ("sum",), with_values, _neighbor_sums),
    Case("pagerank_weighted", ("rank",), jumping, _pagerank_weighted),
    Case("eigenvector_centrality", ("score",), known_guesses, _eigenvector_centrality),
    Case("hits", ("hub", "authority"), known_guesses, _hits),
    Case("katz_centrality", ("score",), lambda graph: [{**from_walks(graph)[0], "start": 1.0}], _katz_centrality),
    Case("pagerank_weighted", ("rank",), personal, _pagerank_by_default),
    Case("harmonic_centrality", ("harmonic",), once, _harmonic_centrality),
    Case("weighted_closeness", ("closeness",), once, _weighted_closeness),
    Case("voterank", ("place",), lambda graph: [{}, {"most": 2}], _voterank, suits=plain),
)
