"""What truss numbers and onion layers are."""

from __future__ import annotations

import networkx as nx

from tests.algorithms.judged import RETURNED, Answer, Judged, Network


def truss_numbers(network: Network) -> Answer:
    """The largest k whose truss holds the edge."""
    truss = dict.fromkeys(network.to_directed().edges, 2)
    k = 3
    while left := nx.k_truss(network, k).edges:
        truss |= {arc: k for u, v in left for arc in ((u, v), (v, u))}
        k += 1
    return {"truss": truss}


def onion_layers(network: Network) -> Answer:
    layers = nx.onion_layers(network)
    return {"layer": layers, RETURNED: max(layers.values(), default=0)}


TABLE = (Judged("truss_numbers", truss_numbers), Judged("onion_layers", onion_layers))
