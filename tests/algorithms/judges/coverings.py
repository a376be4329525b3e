"""What matchings, covers, dominating sets and flows have to hold."""

from __future__ import annotations

import networkx as nx
import numpy as np

from starplat import Graph
from tests.algorithms.judged import RETURNED, Answer, Arguments, Judged, Network, directed, undirected
from tests.algorithms.judges.reach import marked


def matched(network: Network, answer: Answer) -> set[tuple[int, int]]:
    """The edges between partners, who have each other."""
    partner = answer["partner"]
    pairs = {(v, u) for v, u in partner.items() if u != -1}
    assert all(partner[u] == v for v, u in pairs)
    return {(v, u) for v, u in pairs if v < u}


def is_a_maximal_matching(network: Network, answer: Answer) -> None:
    whole = nx.Graph(network)
    whole.remove_edges_from(list(nx.selfloop_edges(whole)))
    edges = matched(network, answer)
    assert nx.is_maximal_matching(whole, edges)
    assert len(edges) == answer[RETURNED]


def is_a_largest_matching(network: Network, answer: Answer) -> None:
    edges = matched(network, answer)
    whole = nx.Graph(network)
    if nx.is_bipartite(whole):
        assert all(whole.has_edge(*edge) for edge in edges)
        assert len(edges) == answer[RETURNED] == len(nx.max_weight_matching(whole, maxcardinality=True, weight=None))
    else:
        assert not edges
        assert answer[RETURNED] == -1


def two_sided(graph: Graph) -> Graph:
    """Only the arcs between even nodes and odd ones."""
    kept = (graph.sources + graph.columns) % 2 == 1
    weights = None if graph.weights is None else graph.weights[kept]
    ends = graph.sources[kept], graph.columns[kept]
    return Graph.from_arcs(graph.num_nodes, *ends, weights, directed=graph.directed, name=graph.name)


def heaviest(network: Network) -> dict[frozenset[int], float]:
    """The weight of the heaviest edge of every pair."""
    weights: dict[frozenset[int], float] = {}
    for u, v, weight in network.edges(data="weight"):
        weights[frozenset((u, v))] = max(weight, weights.get(frozenset((u, v)), 0.0))
    return weights


def is_a_heavy_matching(network: Network, answer: Answer) -> None:
    weights = heaviest(network)
    edges = {frozenset(edge) for edge in matched(network, answer)}
    np.testing.assert_allclose(answer[RETURNED], sum(weights[edge] for edge in edges), 1e-9)
    for edge, weight in weights.items():
        assert weight <= 0 or any(edge & other and weights[other] >= weight for other in edges)


def is_an_edge_cover(network: Network, answer: Answer) -> None:
    whole = nx.Graph(network)
    whole.remove_nodes_from(list(nx.isolates(network)))
    edges = {key[:2] for key in marked(answer, "in_cover")}
    assert len({frozenset(edge) for edge in edges}) == len(edges) == answer[RETURNED]
    if whole:
        assert nx.is_edge_cover(whole, edges)
        assert 2 * len(edges) <= 3 * len({frozenset(edge) for edge in nx.min_edge_cover(whole)})


def is_a_dominating_set(network: Network, answer: Answer) -> None:
    """Not much larger than if one node after the other were chosen that reaches most of those not reached."""
    inside = set(marked(answer, "in_set"))
    assert len(inside) == answer[RETURNED]
    if network:
        assert nx.is_dominating_set(nx.Graph(network), inside)
    reach = {v: {v, *network.adj[v]} for v in network}
    left, chosen = set(network), 0
    while left:
        left -= max(reach.values(), key=lambda nodes: len(nodes & left))
        chosen += 1
    assert len(inside) <= chosen * 1.5


def between_two(network: Network) -> list[Arguments]:
    """From the first node to the last, back, and to itself."""
    nodes = list(network)
    ends = [(nodes[0], nodes[-1]), (nodes[-1], nodes[0]), (nodes[0], nodes[0])] if len(nodes) > 1 else []
    return [{"src": src, "sink": sink} for src, sink in ends]


def capacities(network: Network) -> nx.DiGraph:
    """The network with the sums of parallel arcs."""
    wide = nx.DiGraph()
    wide.add_nodes_from(network)
    for u, v, weight in network.to_directed().edges(data="weight"):
        width = wide.get_edge_data(u, v, {"capacity": 0})["capacity"]
        wide.add_edge(u, v, capacity=width + weight)
    return wide


def maximum_flow(network: Network, src: int, sink: int) -> Answer:
    return {RETURNED: 0 if src == sink else nx.maximum_flow_value(capacities(network), src, sink)}


def is_a_flow_with_its_cut(network: Network, answer: Answer, src: int, sink: int) -> None:
    balance = dict.fromkeys(network, 0)
    cut = 0
    for key, flow in answer["flow"].items():
        u, v = key[:2]
        assert 0 <= flow <= answer["weight"][key]
        balance[u] -= flow
        balance[v] += flow
        if answer["source_side"][u] and not answer["source_side"][v]:
            cut += answer["weight"][key]
    value = answer[RETURNED]
    assert balance == dict.fromkeys(network, 0) | {src: -value, sink: value}
    assert answer["source_side"][src] == (src != sink)
    assert not answer["source_side"][sink]
    assert cut == value


TABLE = (
    Judged("maximal_matching", None, directed, verify=is_a_maximal_matching),
    Judged("heavy_matching", None, undirected, verify=is_a_heavy_matching),
    Judged("edge_cover", None, undirected, verify=is_an_edge_cover),
    Judged("dominating_set", None, undirected, verify=is_a_dominating_set),
    Judged("bipartite_matching", None, directed, verify=is_a_largest_matching),
    Judged("bipartite_matching", None, two_sided, verify=is_a_largest_matching),
    Judged("maximum_flow", maximum_flow, directed, between_two, is_a_flow_with_its_cut),
)
