"""What scheduling may know of a graph: worked out once for each, and only where some step looks at it."""

from __future__ import annotations

import weakref

import numpy as np

from starplat.graph.graph import Graph
from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Module
from starplat.schedule import PLAIN, Schedule
from starplat.schedule.apply import looks_at_the_graph
from starplat.schedule.facts import GraphFacts

_FACTS: weakref.WeakKeyDictionary[Graph, GraphFacts] = weakref.WeakKeyDictionary()


def facts_for(module: Module, schedule: Schedule | None, graph: Graph, capabilities: Capabilities) -> GraphFacts | None:
    """The facts that scheduling this run wants on a target that can do that; None if it wants none."""
    return facts_of(graph) if schedule != PLAIN and looks_at_the_graph(module, capabilities) else None


def facts_of(graph: Graph) -> GraphFacts:
    """The facts, in O(n + m) the first time."""
    if graph not in _FACTS:
        weights = graph.weights
        mean = None if weights is None or not len(weights) else float(weights.mean(dtype=float))
        _FACTS[graph] = GraphFacts(graph.num_nodes, graph.num_arcs, _max_degree(graph), mean, not graph.directed)
    return _FACTS[graph]


def _max_degree(graph: Graph) -> int:
    most = int(graph.out_degrees.max(initial=0))
    return max(most, int(np.bincount(graph.columns).max(initial=0))) if graph.directed else most
