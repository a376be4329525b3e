"""What coefficients of links and clustering are."""

from __future__ import annotations

import networkx as nx

from tests.algorithms.judged import RETURNED, Answer, Judged, Network


def transitivity(network: Network) -> Answer:
    return {RETURNED: nx.transitivity(network)}


def square_clustering(network: Network) -> Answer:
    return {"clustering": nx.square_clustering(network)}


TABLE = (Judged("transitivity", transitivity), Judged("square_clustering", square_clustering))
