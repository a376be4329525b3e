"""What the statistics of a graph are."""

from __future__ import annotations

import math
from collections import Counter

import networkx as nx
import numpy as np

from tests.algorithms.judged import RETURNED, Answer, Judged, Network, directed, loopless, simple_directed, undirected
from tests.programs.test_prelude import real, whole


def out_degrees(network: Network) -> dict[int, int]:
    """The arcs that leave every node; a loop of an undirected graph is one."""
    return {v: sum(len(keys) if network.is_multigraph() else 1 for keys in network.adj[v].values()) for v in network}


def arcs(network: Network) -> int:
    """The number of arcs, two of an edge."""
    return sum(out_degrees(network).values())


def density(network: Network) -> Answer:
    return {RETURNED: nx.density(network)}


def reciprocity(network: Network) -> Answer:
    return {RETURNED: nx.overall_reciprocity(network.to_directed()) if network.size() else 0}


def self_loops(network: Network) -> Answer:
    return {"loops": {v: network.number_of_edges(v, v) for v in network}, RETURNED: nx.number_of_selfloops(network)}


def isolates(network: Network) -> Answer:
    alone = set(nx.isolates(network))
    return {"isolated": {v: v in alone for v in network}, RETURNED: len(alone)}


def average_neighbor_degree(network: Network) -> Answer:
    degrees = out_degrees(network)
    return {
        "average": {
            v: sum(degrees[w] * network.number_of_edges(v, w) for w in network.adj[v]) / max(degrees[v], 1)
            for v in network
        }
    }


def average_neighbor_degree_of_simple(network: Network) -> Answer:
    return {"average": nx.average_neighbor_degree(network, **({"target": "out"} if network.is_directed() else {}))}


def degree_assortativity(network: Network) -> Answer:
    coming = dict(network.in_degree if network.is_directed() else network.degree)
    leaving = out_degrees(network)
    ends = np.array([(leaving[u], coming[v]) for u, v in network.to_directed().edges()]).reshape(-1, 2)
    flat = not len(ends) or bool((ends == ends[0]).all(axis=0).any())
    return {RETURNED: 0.0 if flat else np.corrcoef(ends.T)[0, 1]}


def degree_assortativity_of_simple(network: Network) -> Answer:
    expected = degree_assortativity(network)
    return expected if expected[RETURNED] == 0 else {RETURNED: nx.degree_assortativity_coefficient(network)}


def degree_histogram(network: Network) -> Answer:
    last = len(network) - 1
    degrees = out_degrees(network).values()
    counts = Counter(min(degree, last) for degree in degrees)
    return {"frequency": {v: counts[place] for place, v in enumerate(network)}, RETURNED: max(degrees, default=0)}


def degree_statistics(network: Network) -> Answer:
    degrees = list(out_degrees(network).values())
    return {RETURNED: (min(degrees), max(degrees), np.mean(degrees), np.var(degrees)) if degrees else (0, 0, 0, 0)}


def power_law_exponent(network: Network, smallest: int = 6) -> Answer:
    tail = [degree for degree in out_degrees(network).values() if degree >= smallest]
    logarithms = sum(math.log(degree / (smallest - 0.5)) for degree in tail)
    return {RETURNED: 1 + len(tail) / logarithms if tail else math.inf}


def rich_club_coefficient(network: Network) -> Answer:
    """NetworkX refuses graphs without edges."""
    densities = nx.rich_club_coefficient(network, normalized=False) if network.size() else {}
    return {"coefficient": {v: densities.get(place, 0.0) for place, v in enumerate(network)}}


def random_walks(network: Network, walks: int, length: int, seed: int) -> Answer:
    """The same walks, from the generator's definition."""
    nodes = list(network)
    heads = {v: [w for w in sorted(network.adj[v]) for _ in range(network.number_of_edges(v, w))] for v in nodes}
    visits, last = dict.fromkeys(nodes, 0), {}
    for walk in range(walks):
        for place, v in enumerate(nodes):
            here, first = v, (walk * len(nodes) + place) * length
            visits[here] += 1
            for step in range(length if heads[here] else 0):
                here = heads[here][whole(seed, first + step, len(heads[here]))]
                visits[here] += 1
                if not heads[here]:
                    break
            last[v] = here
    return {"visits": visits, "last": last}


def sample_nodes(network: Network, share: float = 0.1, seed: int = 1) -> Answer:
    chosen = {v: real(seed, place) < share for place, v in enumerate(network)}
    return {"chosen": chosen, RETURNED: sum(chosen.values())}


def sample_edges(network: Network, share: float = 0.1, seed: int = 1) -> Answer:
    keys = arcs_of(network)
    places = {key: place for place, key in enumerate(keys)}
    back = {key: places.get((key[1], key[0], *key[2:]), place) for key, place in places.items()}
    chosen = {key: real(seed, min(place, back[key])) < share for key, place in places.items()}
    return {"chosen": chosen, RETURNED: sum(chosen.values())}


def arcs_of(network: Network) -> list[tuple[int, ...]]:
    """The arcs by source, destination and, where some are parallel, rank."""
    arcs = network.to_directed()
    return sorted(arcs.edges(keys=True) if arcs.is_multigraph() else arcs.edges)


TABLE = (
    Judged("rich_club_coefficient", rich_club_coefficient),
    Judged("random_walks", random_walks, directed, lambda network: [{"walks": 2, "length": 4, "seed": 5}]),
    Judged("sample_nodes", sample_nodes, directed, lambda network: [{}, {"share": 0.5, "seed": 2}]),
    Judged("sample_edges", sample_edges, directed, lambda network: [{}, {"share": 0.5, "seed": 2}]),
    Judged("density", density, loopless),
    Judged("reciprocity", reciprocity, simple_directed),
    Judged("self_loops", self_loops, directed),
    Judged("isolates", isolates, directed),
    Judged("average_neighbor_degree", average_neighbor_degree, directed),
    Judged("average_neighbor_degree", average_neighbor_degree_of_simple, simple_directed),
    Judged("degree_assortativity", degree_assortativity, undirected),
    Judged("degree_assortativity", degree_assortativity_of_simple, simple_directed),
    Judged("degree_histogram", degree_histogram, directed),
    Judged("degree_statistics", degree_statistics, directed),
    Judged("power_law_exponent", power_law_exponent, directed, lambda network: [{}, {"smallest": 1}]),
)
