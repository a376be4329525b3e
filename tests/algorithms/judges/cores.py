"""Judges of cores and trusses."""

from __future__ import annotations

from typing import Any

import networkx as nx

from starplat.graph import Graph
from tests.oracles import simple
from tests.programs.cases import Arguments, Case, Results, same, simple_undirected


def without_loops(graph: Graph) -> Graph:
    """Undirected, without loops and parallel edges."""
    return simple_undirected(graph.without_loops())


def _k_truss(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    truss = nx.k_truss(simple(graph, directed=False), call["k"])
    ends = zip(graph.sources.tolist(), graph.columns.tolist(), strict=True)
    same(results["kept"], [truss.has_edge(u, v) for u, v in ends])


TABLE = (Case("k_truss", ("kept",), lambda graph: [{"k": k} for k in (2, 3, 4, 5)], _k_truss, suits=without_loops),)
