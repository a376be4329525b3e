"""Judges of components and of orders."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from starplat.graph import Graph
from tests.algorithms.graphs import network
from tests.programs.cases import Arguments, Case, Results, once, same


def _topological_generations(graph: Graph, call: Arguments, results: Results, returned: Any) -> None:
    arcs = network(graph)
    on_cycles = {v for part in nx.strongly_connected_components(arcs) if len(part) > 1 for v in part}
    on_cycles |= set(nx.nodes_with_selfloops(arcs))
    arcs.remove_nodes_from([w for v in on_cycles for w in nx.descendants(arcs, v)] + sorted(on_cycles))
    expected = np.full(graph.num_nodes, -1)
    for number, nodes in enumerate(nx.topological_generations(arcs)):
        expected[list(nodes)] = number
    same(results["generation"], expected)


TABLE = (Case("topological_generations", ("generation",), once, _topological_generations),)
