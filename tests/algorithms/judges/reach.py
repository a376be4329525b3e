"""What components, cycles, ancestors and sides of a graph are."""

from __future__ import annotations

from typing import Any

import networkx as nx

from tests.algorithms.judged import RETURNED, Answer, Arguments, Judged, Network, directed, undirected


def from_some_nodes(network: Network) -> list[Arguments]:
    """From the first node, from the last, and from one in the middle."""
    nodes = list(network)
    return [{"src": nodes[place]} for place in sorted({0, len(nodes) // 2, len(nodes) - 1})] if nodes else []


def marked(answer: Answer, name: str) -> list[Any]:
    """The nodes or arcs that a property marks."""
    return [key for key, value in answer[name].items() if value]


def descendants(network: Network, src: int) -> Answer:
    found = nx.descendants(network, src)
    return {"descendant": {v: v in found for v in network}, RETURNED: len(found)}


def ancestors(network: Network, src: int) -> Answer:
    found = nx.ancestors(network, src)
    return {"ancestor": {v: v in found for v in network}, RETURNED: len(found)}


def is_connected(network: Network) -> Answer:
    return {RETURNED: nx.number_connected_components(network.to_undirected()) == 1}


def is_strongly_connected(network: Network) -> Answer:
    return {RETURNED: nx.number_strongly_connected_components(network.to_directed()) == 1}


def is_acyclic(network: Network) -> Answer:
    return {RETURNED: nx.is_directed_acyclic_graph(network.to_directed())}


def is_a_cycle(network: Network, answer: Answer) -> None:
    arcs = [key[:2] for key in marked(answer, "in_cycle")]
    assert len(arcs) == answer[RETURNED]
    cycle = nx.DiGraph(arcs)
    if nx.is_directed_acyclic_graph(network.to_directed()):
        assert not arcs
    else:
        assert cycle.size() == len(arcs) == len(cycle) > 0
        assert nx.is_strongly_connected(cycle)


def bipartite_sets(network: Network) -> Answer:
    return {RETURNED: nx.is_bipartite(network.to_undirected())}


def are_sides_or_an_odd_cycle(network: Network, answer: Answer) -> None:
    side, cycle = answer["side"], nx.MultiGraph([key[:2] for key in marked(answer, "in_odd_cycle")])
    assert set(side.values()) <= {0, 1}
    for component in nx.connected_components(network.to_undirected()):
        assert side[min(component)] == 0
    if answer[RETURNED]:
        assert not cycle
        assert all(side[u] != side[v] for u, v in network.edges())
    else:
        assert cycle.size() % 2 == 1
        assert nx.is_connected(cycle)
        assert all(degree == 2 for _, degree in cycle.degree)


def is_forest(network: Network) -> Answer:
    return {RETURNED: len(network) == 0 or nx.is_forest(network)}


def is_eulerian(network: Network, *, both_ways: bool = False) -> Answer:
    return {RETURNED: len(network) > 0 and nx.is_eulerian(network if both_ways else network.to_directed())}


TABLE = (
    Judged("is_eulerian", is_eulerian, directed),
    Judged("is_eulerian", is_eulerian, lambda graph: graph.undirected(), lambda network: [{"both_ways": True}]),
    Judged("is_forest", is_forest, undirected),
    Judged("is_forest", is_forest, lambda graph: graph.undirected()),
    Judged("descendants", descendants, directed, from_some_nodes),
    Judged("ancestors", ancestors, directed, from_some_nodes),
    Judged("is_connected", is_connected, directed),
    Judged("is_strongly_connected", is_strongly_connected, directed),
    Judged("is_acyclic", is_acyclic, directed),
    Judged("find_cycle", None, directed, verify=is_a_cycle),
    Judged("bipartite_sets", bipartite_sets, directed, verify=are_sides_or_an_odd_cycle),
    Judged("bipartite_sets", bipartite_sets, undirected, verify=are_sides_or_an_odd_cycle),
)
