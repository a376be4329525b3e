"""What trees and biconnected components are."""

from __future__ import annotations

from collections import defaultdict

import networkx as nx

from tests.algorithms.judged import RETURNED, Answer, Judged, Network, directed, simple, undirected
from tests.algorithms.judges.reach import from_some_nodes, marked


def is_a_tree_of_shortest_paths(network: Network, answer: Answer, src: int) -> None:
    steps = nx.single_source_shortest_path_length(network, src)
    arcs = [key[:2] for key in marked(answer, "in_tree")]
    assert len(arcs) == answer[RETURNED] == len(steps) - 1
    assert {v for _, v in arcs} == steps.keys() - {src}
    assert all(steps[u] + 1 == steps[v] for u, v in arcs)


def maximum_spanning_tree(network: Network) -> Answer:
    edges = nx.MultiGraph()
    edges.add_weighted_edges_from(network.edges(data="weight"))
    return {RETURNED: nx.maximum_spanning_tree(edges, weight="weight").size(weight="weight")}


def is_a_spanning_tree(network: Network, answer: Answer) -> None:
    tree = nx.MultiGraph([key[:2] for key in marked(answer, "in_tree")])
    tree.add_nodes_from(network)
    whole = network.to_undirected()
    assert tree.size() == len(network) - nx.number_connected_components(whole)
    assert nx.number_connected_components(tree) == nx.number_connected_components(whole)


def biconnected_components(network: Network) -> Answer:
    cut = set(nx.articulation_points(network))
    bridges = {(u, v) for edge in nx.bridges(network) for u, v in (edge, edge[::-1])} if network else set()
    arcs = network.to_directed()
    return {
        "articulation": {v: v in cut for v in network},
        "bridge": {key: key[:2] in bridges for key in (arcs.edges(keys=True) if arcs.is_multigraph() else arcs.edges)},
        RETURNED: len(list(nx.biconnected_components(network))),
    }


def has_the_edges_of_components(network: Network, answer: Answer) -> None:
    groups = defaultdict(set)
    for key, name in answer["component"].items():
        groups[name].add(frozenset(key[:2]))
    wanted = [{frozenset(edge) for edge in edges} for edges in nx.biconnected_component_edges(nx.Graph(network))]
    assert all(edges in wanted for edges in groups.values())
    assert len(groups) == len(wanted)


TABLE = (
    Judged("bfs_tree", None, directed, from_some_nodes, is_a_tree_of_shortest_paths),
    Judged("maximum_spanning_tree", maximum_spanning_tree, directed, verify=is_a_spanning_tree),
    Judged("maximum_spanning_tree", maximum_spanning_tree, simple, verify=is_a_spanning_tree),
    Judged("biconnected_components", biconnected_components, undirected, verify=has_the_edges_of_components),
)
