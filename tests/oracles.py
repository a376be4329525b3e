"""What the right answers are, by other people's programs (SciPy, NetworkX) or straight from the definition.

Every function takes a graph and gives an answer over its nodes 0..n-1; nothing here knows how a program computes. The
verifiers at the end judge answers of which there may be several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from starplat.graph import Graph

INF = 2**31 - 1
Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


# --- matrices and NetworkX graphs ----------------------------------------------------------------------------------


def weights_of(graph: Graph) -> NDArray[np.float64]:
    """The weight of every arc, 1 where the graph has none."""
    return np.ones(graph.num_arcs) if graph.weights is None else graph.weights.astype(np.float64)


def lightest(graph: Graph, weights: Reals, *, both_ways: bool = False) -> sparse.csr_array:
    """The matrix of arcs, of parallel ones the lightest; its explicit zeros are arcs too."""
    tails, heads = graph.sources.astype(np.int64), graph.columns.astype(np.int64)
    if both_ways:
        tails, heads = np.concatenate([tails, heads]), np.concatenate([heads, tails])
        weights = np.concatenate([weights, weights])
    order = np.lexsort((weights, heads, tails))
    tails, heads, weights = tails[order], heads[order], weights[order]
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(tails) != 0) | (np.diff(heads) != 0)
    rows = np.searchsorted(tails[first], np.arange(graph.num_nodes + 1))
    return sparse.csr_array((weights[first], heads[first], rows), shape=(graph.num_nodes, graph.num_nodes))


def counted(graph: Graph) -> sparse.csr_array:
    """The matrix of arcs, parallel ones counted."""
    shape = (graph.num_nodes, graph.num_nodes)
    return sparse.csr_array(sparse.coo_array((np.ones(graph.num_arcs), (graph.sources, graph.columns)), shape=shape))


def simple(graph: Graph, *, directed: bool) -> nx.Graph:
    """The same nodes, no loops, and of parallel arcs one."""
    network = nx.DiGraph() if directed else nx.Graph()
    network.add_nodes_from(range(graph.num_nodes))
    ends = zip(graph.sources.tolist(), graph.columns.tolist(), strict=True)
    network.add_edges_from((u, v) for u, v in ends if u != v)
    return network


def _neighbor_lists(graph: Graph) -> list[list[int]]:
    """In- and out-neighbors of every node, one for each arc."""
    lists: list[list[int]] = [[] for _ in range(graph.num_nodes)]
    for u, v in zip(graph.sources.tolist(), graph.columns.tolist(), strict=True):
        lists[u].append(v)
        lists[v].append(u)
    return lists


# --- distances -----------------------------------------------------------------------------------------------------


def distances(graph: Graph, source: int) -> Reals:
    """The length of a shortest path from the source to every node, infinity where there is none."""
    return csgraph.dijkstra(lightest(graph, weights_of(graph)), indices=source)


def levels(graph: Graph, source: int) -> Reals:
    """The number of arcs on a shortest path from the source, infinity where there is none."""
    order, before = csgraph.breadth_first_order(counted(graph), source)
    steps = np.full(graph.num_nodes, np.inf)
    steps[source] = 0
    for node in order[1:]:
        steps[node] = steps[before[node]] + 1
    return steps


def all_levels(graph: Graph) -> Reals:
    """`levels` from every node, a row each."""
    if graph.num_nodes == 0:
        return np.zeros((0, 0))
    return csgraph.dijkstra(counted(graph), unweighted=True)


def radii(graph: Graph, sources: Sequence[int]) -> Ints:
    """The largest number of steps from any of the sources, -1 where none reaches."""
    steps = all_levels(graph)[list(sources)]
    reached = np.where(np.isfinite(steps), steps, -1)
    return reached.max(axis=0, initial=-1).astype(np.int64)


def closeness(graph: Graph) -> Reals:
    """NetworkX's closeness centrality, along incoming arcs."""
    return _by_node(nx.closeness_centrality(simple(graph, directed=True)))


# --- centralities --------------------------------------------------------------------------------------------------


def pagerank(graph: Graph, damping: float = 0.85) -> Reals:
    """NetworkX's PageRank, converged; parallel arcs count as many."""
    network = nx.from_scipy_sparse_array(counted(graph), create_using=nx.DiGraph)
    return _by_node(nx.pagerank(network, alpha=damping, tol=1e-14, max_iter=2000))


def betweenness(graph: Graph, sources: Sequence[int]) -> Reals:
    """By definition: shares of the shortest paths from the sources through every node; parallel arcs make several."""
    n = graph.num_nodes
    steps, arcs = all_levels(graph), counted(graph).toarray()
    paths = np.eye(n)
    for depth in range(1, 1 + int(steps[np.isfinite(steps)].max(initial=0))):
        walks = paths * (steps == depth - 1) @ arcs
        paths = np.where(steps == depth, walks, paths)
    shares = np.zeros(n)
    for s in sources:
        for t in range(n):
            if s == t or not np.isfinite(steps[s, t]):
                continue
            through = steps[s] + steps[:, t] == steps[s, t]
            through[[s, t]] = False
            shares += np.where(through, paths[s] * paths[:, t], 0) / paths[s, t]
    return shares


def clustering(graph: Graph) -> Reals:
    """LDBC's local clustering coefficient, by its definition."""
    network = simple(graph, directed=True)
    coefficients = np.zeros(graph.num_nodes)
    for v in network:
        around = {*network.successors(v), *network.predecessors(v)}
        if len(around) > 1:
            arcs = sum(w in around for u in around for w in network.successors(u))
            coefficients[v] = arcs / (len(around) * (len(around) - 1))
    return coefficients


# --- counts and components -----------------------------------------------------------------------------------------


def triangles(graph: Graph) -> int:
    """Triangles of the undirected simple graph."""
    matrix = lightest(graph, np.ones(graph.num_arcs), both_ways=True)
    above = sparse.triu(matrix, k=1).tocsr()
    return round((above @ above * above).sum())


def components(graph: Graph, connection: str) -> Ints:
    """The smallest node of every node's `weak` or `strong` component."""
    if graph.num_nodes == 0:
        return np.zeros(0, np.int64)
    _, labels = csgraph.connected_components(counted(graph), connection=connection)
    return smallest_members(labels)


def smallest_members(labels: NDArray[np.generic]) -> Ints:
    """The same partition, each part named by its smallest member."""
    _, first, part = np.unique(labels, return_index=True, return_inverse=True)
    return first[part].astype(np.int64)


def core_numbers(graph: Graph) -> Ints:
    """For every node the largest k for which it survives when nodes with less than k arcs from others are removed."""
    arcs = counted(graph)
    arcs.setdiag(0)
    cores = np.zeros(graph.num_nodes, np.int64)
    alive = np.ones(graph.num_nodes)
    k = 0
    while alive.any():
        k += 1
        while True:
            survives = alive * (alive @ arcs >= k)
            if (survives == alive).all():
                break
            alive = survives
        cores[alive > 0] = k
    return cores


def communities(graph: Graph, iterations: int) -> Ints:
    """LDBC's community detection by label propagation, by its definition."""
    around = _neighbor_lists(graph)
    labels = list(range(graph.num_nodes))
    for _ in range(iterations):
        votes = [Counter(labels[u] for u in neighbors) for neighbors in around]
        labels = [
            min(count, key=lambda label: (-count[label], label)) if count else old
            for count, old in zip(votes, labels, strict=True)
        ]
    return np.array(labels, np.int64)


def tree_weight(graph: Graph) -> int:
    """The weight of a minimum spanning forest, arcs taken both ways."""
    if graph.num_nodes == 0:
        return 0
    weights = weights_of(graph)
    shift = 1 - weights.min(initial=0)  # SciPy takes a weight of 0 for no edge
    tree = csgraph.minimum_spanning_tree(lightest(graph, weights + shift, both_ways=True))
    return round(tree.sum() - shift * tree.nnz)


# --- verifiers -----------------------------------------------------------------------------------------------------


def assert_parents(graph: Graph, source: int, steps: Reals, parent: Ints) -> None:
    """Every node that is reached, the source apart, has a parent one step nearer and an arc from it; others have -1."""
    arcs = counted(graph)
    for node in range(graph.num_nodes):
        if node == source or not np.isfinite(steps[node]):
            assert parent[node] == -1, f"node {node} needs no parent but has {parent[node]}"
        else:
            assert arcs[parent[node], node] > 0, f"no arc from the parent {parent[node]} to node {node}"
            assert steps[parent[node]] == steps[node] - 1, f"the parent {parent[node]} of node {node} is not one nearer"


def _joined(graph: Graph) -> tuple[Ints, Ints]:
    """The ends of all arcs but loops."""
    proper = graph.sources != graph.columns
    return graph.sources[proper].astype(np.int64), graph.columns[proper].astype(np.int64)


def assert_coloring(graph: Graph, color: Ints) -> None:
    """No arc joins two nodes of a color, every node has one, and no node could have a smaller one."""
    tails, heads = _joined(graph)
    assert (color >= 0).all()
    assert (color[tails] != color[heads]).all()
    around = _neighbor_lists(graph)
    for node in range(graph.num_nodes):
        missing = set(range(color[node])) - {int(color[u]) for u in around[node]}
        assert not missing, f"node {node} has color {color[node]}, and {missing} were free"


def assert_independent_and_maximal(graph: Graph, in_set: NDArray[np.bool_]) -> None:
    """No arc joins two members, and everyone else has a member beside."""
    tails, heads = _joined(graph)
    assert not (in_set[tails] & in_set[heads]).any()
    beside = in_set.copy()
    beside[tails[in_set[heads]]] = True
    beside[heads[in_set[tails]]] = True
    assert beside.all()


def assert_cover(graph: Graph, in_cover: NDArray[np.bool_]) -> None:
    """Every arc has an end in the cover."""
    assert (in_cover[graph.sources] | in_cover[graph.columns]).all()


def assert_cover_is_a_matching(graph: Graph, in_cover: NDArray[np.bool_]) -> None:
    """The cover, nodes with loops apart, can be matched in pairs: so it is at most twice the smallest."""
    has_loop = np.zeros(graph.num_nodes, bool)
    has_loop[graph.sources[graph.sources == graph.columns]] = True
    members = np.flatnonzero(in_cover & ~has_loop).tolist()
    matching = nx.max_weight_matching(simple(graph, directed=False).subgraph(members), maxcardinality=True)
    assert 2 * len(matching) == len(members)


def assert_spanning_forest(graph: Graph, in_tree: NDArray[np.bool_], returned: int) -> None:
    """The marked arcs weigh what was returned, join what the graph joins and are no more than that needs."""
    ends = (graph.sources[in_tree], graph.columns[in_tree])
    n = graph.num_nodes
    count = csgraph.connected_components(counted(graph), directed=False)[0] if n else 0
    forest = sparse.coo_array((np.ones(len(ends[0])), ends), shape=(n, n))
    assert len(ends[0]) == n - count
    assert not n or csgraph.connected_components(forest, directed=False)[0] == count
    assert int(weights_of(graph)[in_tree].sum()) == returned


def _by_node(values: dict[int, float]) -> Reals:
    return np.array([values[node] for node in sorted(values)], np.float64)
