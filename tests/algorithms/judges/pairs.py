"""What measures of pairs of nodes, and of the triangles on them, are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx

from tests.algorithms.judged import RETURNED, Answer, Arguments, Judged, Network

Measure = Callable[..., Any]


def weighted_clustering(network: Network) -> Answer:
    return {"clustering": nx.clustering(network, weight="weight")}


def with_weights(network: Network) -> list[Arguments]:
    """Only where all weights are positive."""
    return [{}] if all(weight > 0 for _, _, weight in network.edges(data="weight")) else []


def of_edges(name: str, measure: Measure) -> Callable[[Network], Answer]:
    """A measure of every arc."""
    return lambda network: {name: {(u, v): p for u, v, p in measure(network, network.to_directed().edges())}}


def link_prediction(network: Network, of: int) -> Answer:
    def scores(measure: Measure) -> dict[Any, Any]:
        pairs = [(of, v) for v in network if v != of]
        return {of: 0} | {v: p for _, v, p in measure(network, pairs)}

    return {
        "common": {v: len(nx.common_neighbors(network, of, v)) if v != of else 0 for v in network},
        "jaccard": scores(nx.jaccard_coefficient),
        "adamic_adar": scores(nx.adamic_adar_index),
        "resource_allocation": scores(nx.resource_allocation_index),
        "preferential_attachment": scores(nx.preferential_attachment),
    }


def of_some_nodes(network: Network) -> list[Arguments]:
    """Of the first node, and of the one with most neighbors."""
    nodes = [next(iter(network)), max(network, key=network.degree)] if network else []
    return [{"of": node} for node in nodes]


def average_clustering(network: Network) -> Answer:
    return {RETURNED: nx.average_clustering(network) if network else 0.0}


def effective_size(network: Network) -> Answer:
    sizes = nx.effective_size(network) if network else {}
    return {"size": {v: sizes[v] if network.adj[v] else 0.0 for v in network}}


def constraint(network: Network) -> Answer:
    values = nx.constraint(network) if network else {}
    return {"constraint": {v: values[v] if network.adj[v] else 0.0 for v in network}}


TABLE = (
    Judged("average_clustering", average_clustering),
    Judged("effective_size", effective_size),
    Judged("constraint", constraint),
    Judged("weighted_clustering", weighted_clustering, calls=with_weights),
    Judged("jaccard_coefficient", of_edges("jaccard", nx.jaccard_coefficient)),
    Judged("adamic_adar_index", of_edges("index", nx.adamic_adar_index)),
    Judged("resource_allocation_index", of_edges("index", nx.resource_allocation_index)),
    Judged("preferential_attachment", of_edges("score", nx.preferential_attachment)),
    Judged("link_prediction", link_prediction, calls=of_some_nodes),
)
