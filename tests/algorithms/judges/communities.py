"""What modularity and the parts of communities are."""

from __future__ import annotations

from collections import defaultdict

import networkx as nx

from tests.algorithms.judged import RETURNED, Answer, Arguments, Judged, Network, directed, loopless, undirected


def partitions(network: Network) -> list[Arguments]:
    """Everybody alone, everybody together, and three communities."""
    nodes = list(network)
    first = dict.fromkeys(nodes, next(iter(nodes), None))
    thirds = {v: nodes[place % 3 % len(nodes)] for place, v in enumerate(nodes)}
    return [{"community": named} for named in ({v: v for v in nodes}, first, thirds)]


def with_resolutions(network: Network) -> list[Arguments]:
    """The partitions, one of them with another resolution."""
    calls = partitions(network)
    return [*calls, calls[-1] | {"resolution": 0.6}]


def grouped(community: dict[int, int]) -> list[set[int]]:
    """The nodes of every community."""
    groups = defaultdict(set)
    for v, name in community.items():
        groups[name].add(v)
    return list(groups.values())


def modularity(network: Network, community: dict[int, int], resolution: float = 1.0) -> Answer:
    groups = grouped(community)
    heavy = network.size(weight="weight") > 0
    return {RETURNED: nx.community.modularity(network, groups, resolution=resolution) if heavy else 0.0}


def connected_parts(network: Network, community: dict[int, int]) -> Answer:
    part = {}
    within = nx.Graph((u, v) for u, v in network.edges() if community[u] == community[v])
    within.add_nodes_from(network)
    for nodes in nx.connected_components(within):
        part |= dict.fromkeys(nodes, min(nodes))
    return {"part": part, RETURNED: len(set(part.values()))}


def is_a_local_optimum(network: Network, answer: Answer) -> None:
    """No node alone raises the modularity by moving to a neighbor's community."""
    community = answer["community"]
    assert all(name == min(v for v in community if community[v] == name) for name in set(community.values()))
    if network.size(weight="weight") == 0:
        assert answer[RETURNED] == 0
        return
    best = nx.community.modularity(network, grouped(community))
    assert abs(best - answer[RETURNED]) < 1e-9
    for v, w in list(network.to_directed().edges()) if len(network) < 30 else ():
        moved = community | {v: community[w]}
        assert nx.community.modularity(network, grouped(moved)) < best + 1e-6, (v, w)


def coverage(network: Network, community: dict[int, int]) -> Answer:
    arcs = [(community[u] == community[v], weight) for u, v, weight in network.to_directed().edges(data="weight")]
    all_weight = sum(weight for _, weight in arcs)
    return {RETURNED: sum(weight for same, weight in arcs if same) / all_weight if all_weight else 0.0}


def some_sets(network: Network) -> list[Arguments]:
    """The first half of the nodes, all, none."""
    nodes = list(network)
    return [{"nodes": chosen} for chosen in (nodes[: len(nodes) // 2], nodes, [])]


def conductance(network: Network, nodes: list[int]) -> Answer:
    try:
        return {RETURNED: nx.conductance(network, nodes, weight="weight")}
    except ZeroDivisionError:
        return {RETURNED: 0.0}


TABLE = (
    Judged("coverage", coverage, directed, partitions),
    Judged("conductance", conductance, undirected, some_sets),
    Judged("local_moving", None, undirected, verify=is_a_local_optimum),
    Judged("modularity", modularity, loopless, with_resolutions),
    Judged("connected_parts", connected_parts, directed, partitions),
)
