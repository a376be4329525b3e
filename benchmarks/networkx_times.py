"""Times of NetworkX's functions with and without starplat: `python benchmarks/networkx_times.py [EDGES…]`, or of
the conversion alone: `python benchmarks/networkx_times.py conversion [EDGES]`.

Random graphs of n nodes and 5 n edges, directed or not as the function wants, with random weights. A call with starplat
converts the graph anew; kernels have been built by a call before. The least of three calls counts, of slow ones the
only one. Prints rows for the table of `docs/networkx.md`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import networkx as nx

SLOW = 10.0
Call = Callable[..., Any]

CALLS: dict[str, tuple[bool, Call]] = {
    "pagerank": (True, nx.pagerank),
    "hits": (True, nx.hits),
    "single_source_shortest_path_length": (True, lambda G, **b: nx.single_source_shortest_path_length(G, 0, **b)),
    "single_source_dijkstra_path_length": (True, lambda G, **b: nx.single_source_dijkstra_path_length(G, 0, **b)),
    "connected_components": (False, lambda G, **b: list(nx.connected_components(G, **b))),
    "strongly_connected_components": (True, lambda G, **b: list(nx.strongly_connected_components(G, **b))),
    "core_number": (False, nx.core_number),
    "triangles": (False, nx.triangles),
    "clustering": (False, nx.clustering),
    "minimum_spanning_tree": (False, nx.minimum_spanning_tree),
    "average_neighbor_degree": (False, nx.average_neighbor_degree),
    "degree_centrality": (False, nx.degree_centrality),
    "betweenness_centrality, k=20": (False, lambda G, **b: nx.betweenness_centrality(G, k=20, seed=1, **b)),
    "closeness_centrality": (True, nx.closeness_centrality),
}
ALL_PAIRS = {"closeness_centrality"}
"""Functions that search from every node, which are measured on small graphs only."""


def graph(edges: int, *, directed: bool) -> Any:
    """A random graph, the same for the same arguments."""
    draw = random.Random(1)
    nodes = edges // 5
    G = nx.DiGraph() if directed else nx.Graph()
    G.add_nodes_from(range(nodes))
    G.add_weighted_edges_from((draw.randrange(nodes), draw.randrange(nodes), draw.random()) for _ in range(edges))
    G.remove_edges_from(list(nx.selfloop_edges(G)))
    return G


def best(call: Callable[[], Any], before: Callable[[], None]) -> float:
    """Seconds of the fastest of three calls."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < SLOW:
        before()
        started = perf_counter()
        call()
        times.append(perf_counter() - started)
    return min(times)


def rows(edges: int) -> Iterator[str]:
    graphs = {directed: graph(edges, directed=directed) for directed in (False, True)}
    for name, (directed, call) in CALLS.items():
        if name in ALL_PAIRS and edges > 20_000:
            continue
        G = graphs[directed]
        call(G, backend="starplat")
        ours = best(lambda: call(G, backend="starplat"), G.__networkx_cache__.clear)  # noqa: B023
        kept = best(lambda: call(G, backend="starplat"), lambda: None)  # noqa: B023
        theirs = best(lambda: call(G, backend="networkx"), lambda: None)  # noqa: B023
        yield f"| `{name}` | {edges:,} | {theirs:.3g} | {ours:.3g} | {kept:.3g} | {theirs / ours:.2g} |"


def conversion(edges: int) -> str:
    """How long a graph takes to be converted with the weights of its edges, and to be walked through."""
    from starplat.networkx.interface import backend

    G = graph(edges, directed=True)
    converted = best(lambda: backend.convert_from_nx(G, edge_attrs={"weight": 1}).weighted("weight"), lambda: None)
    walked = best(lambda: sum(data["weight"] for row in G.adj.values() for data in row.values()), lambda: None)
    share = converted / walked
    return f"{edges:,} edges: converted in {converted:.3g} s, walked in {walked:.3g} s, {share:.2g} times as long"


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["conversion"]:
        print(conversion(int(sys.argv[2]) if sys.argv[2:] else 1_000_000))
        sys.exit()
    print(
        "| function | edges | NetworkX, s | starplat, s | converted before, s | times as fast |",
        "|---|---|---|---|---|---|",
        sep="\n",
    )
    for size in map(int, sys.argv[1:] or ("1000", "10000", "100000")):
        for row in rows(size):
            print(row, flush=True)
