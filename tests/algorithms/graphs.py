"""On which graphs the library is judged: the zoo, random graphs, and three real ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np

from starplat.graph import Graph, read
from tests.oracles import lightest, weights_of
from tests.zoo import ZOO, graph

DATA = Path(__file__).parents[1] / "data"
SHIPPED = ("cugraph/karate.mtx", "cugraph/dolphins.csv", "networkit/lesmis.graph")
UGLY = ("empty", "one-loop", "parallel-undirected", "islands", "unreachable", "ids-from-one", "random-undirected")


@cache
def few() -> dict[str, Graph]:
    """The ugliest of the zoo and a random graph."""
    return {name: ZOO[name] for name in UGLY} | {"scattered": scattered(0)}


@cache
def many() -> dict[str, Graph]:
    """The zoo and random graphs."""
    return ZOO | {f"scattered-{seed}": scattered(seed) for seed in range(1, 9)}


@cache
def real() -> dict[str, Graph]:
    """Friends, dolphins and the people of a novel, who met each other some times."""
    return {name: read(DATA / name, undirected=True) for name in SHIPPED}


def scattered(seed: int) -> Graph:
    """A graph with loops, parallel arcs and nodes alone, directed for odd seeds."""
    draw = np.random.default_rng(seed)
    n, m = int(draw.integers(2, 30)), int(draw.integers(0, 90))
    arcs = [(int(u), int(v), int(w)) for u, v, w in draw.integers([0, 0, 1], [n, n, 9], (m, 3))]
    return graph(f"scattered-{seed}", n, arcs, directed=seed % 2 == 1)


@cache
def fractions() -> dict[str, Graph]:
    """Random graphs whose weights are no integers."""
    return {graph.name: sevenths(graph) for graph in map(scattered, (1, 3, 5, 7))}


def sevenths(graph: Graph) -> Graph:
    """The same nodes and arcs, of a directed graph, with a seventh of their weights."""
    n, sources, weights = graph.num_nodes, graph.sources, graph.weights
    assert weights is not None
    return Graph.from_arcs(n, sources, graph.columns, weights / 7, directed=True, name=graph.name)


def network(graph: Graph) -> nx.DiGraph:
    """The same nodes and arcs with their weights, of parallel arcs the lightest."""
    made = nx.DiGraph()
    made.add_nodes_from(range(graph.num_nodes))
    matrix = lightest(graph, weights_of(graph)).tocoo()
    made.add_weighted_edges_from(zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True))
    return made
