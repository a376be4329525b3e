"""Facts of a graph for scheduling: computed once per graph, only where some step reads them.

Where kernels run on a device with memory of its own, the longest row is looked for there, in one pass over what lies
there anyway (`longest_row`); elsewhere the host's cores do it.
"""

import weakref
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.schedule import PLAIN, Schedule
from starplat.schedule.apply import looks_at_the_graph
from starplat.schedule.facts import FAR, GraphFacts
from starplat.schedule.sources.step import searches_on_cpus

_FACTS: weakref.WeakKeyDictionary[Graph, GraphFacts] = weakref.WeakKeyDictionary()
_THIN: weakref.WeakKeyDictionary[Graph, bool] = weakref.WeakKeyDictionary()

ITEMS_OF_A_LEVEL = 150
"""Nodes and arcs that one search visits in the time in which the host begins one level of many searches, by 256 sources
of a batch. Seconds of closeness on OpenMP by one thread, one after another and in batches: a grid of 70 x 70 2.2 and
1.6 (178 items a level), Liechtenstein's roads 17 and 52 (50), a path of 3,000 nodes 0.8 and 12 (3), 6,000 nodes of 3
random arcs each 8.6 and 0.3 (2,000)."""


def wants_facts(module: ir.Module, schedule: Schedule | None, capabilities: Capabilities, graph: Graph) -> bool:
    """Whether scheduling a run on a target with these capabilities looks at the graph."""
    return schedule != PLAIN and looks_at_the_graph(module, capabilities, graph.num_nodes, graph.num_arcs)


def facts_of(graph: Graph, longest_row: Callable[[Graph], int] | None = None) -> GraphFacts:
    """The facts, in O(n + m) the first time; `longest_row` finds the largest degree, by default on the host."""
    if graph not in _FACTS:
        most = (longest_row or longest_row_by_host)(graph)
        _FACTS[graph] = GraphFacts(graph.num_nodes, graph.num_arcs, most, not graph.directed, far_arcs(graph))
    return _FACTS[graph]


def facts_for(
    module: ir.Module, capabilities: Capabilities, graph: Graph, longest_row: Callable[[Graph], int] | None = None
) -> GraphFacts:
    """The same, with what only this module asks for."""
    facts = facts_of(graph, longest_row)
    if not searches_on_cpus(module, capabilities):
        return facts
    if graph not in _THIN:
        _THIN[graph] = has_thin_levels(graph)
    return replace(facts, thin_levels=_THIN[graph])


def has_thin_levels(graph: Graph) -> bool:
    """Whether a breadth-first search from a node of most arcs takes more than a level for each 150 nodes and arcs,
    and more than 64."""
    most = max(64, (graph.num_nodes + graph.num_arcs) // ITEMS_OF_A_LEVEL)
    if graph.num_nodes <= most:
        return False
    unseen = np.ones(graph.num_nodes, bool)
    level = np.array([graph.out_degrees.argmax()])
    unseen[level] = False
    for _ in range(most):
        starts = graph.row_offsets[level]
        lengths = graph.row_offsets[level + 1] - starts
        before = np.cumsum(lengths) - lengths
        reached = graph.columns[np.arange(lengths.sum()) + np.repeat(starts - before, lengths)]
        level = np.unique(reached[unseen[reached]])
        if not len(level):
            return False
        unseen[level] = False
    return True


def far_arcs(graph: Graph, looks: int = 4096) -> float:
    """The share of arcs between nodes of distant numbers, among so many arcs at even distances."""
    if graph.num_nodes <= FAR or not graph.num_arcs:
        return 0.0
    arcs = np.linspace(0, graph.num_arcs - 1, looks).astype(np.int64)
    sources = np.searchsorted(graph.row_offsets, arcs, side="right") - 1
    return float(np.mean(np.abs(sources - graph.columns[arcs]) >= FAR))


def longest_row_by_host(graph: Graph) -> int:
    """The largest number of arcs that leave a node, or enter one."""
    most = int(graph.out_degrees.max(initial=0))
    return max(most, int(np.bincount(graph.columns).max(initial=0))) if graph.directed else most


def mean_weight_of(graph: Graph) -> float | None:
    """The mean weight of the arcs, in O(m); None without weights. Deltas go by it."""
    weights = graph.weights
    return None if weights is None or not len(weights) else float(weights.mean(dtype=float))
