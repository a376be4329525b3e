"""Facts of a graph for scheduling: computed once per graph, only where some step reads them.

Where kernels run on a device with memory of its own, the longest row is looked for there, in one pass over what lies
there anyway (`longest_row`); elsewhere the host's cores do it.
"""

import weakref
from collections.abc import Callable

import numpy as np

from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.schedule import PLAIN, Schedule
from starplat.schedule.apply import looks_at_the_graph
from starplat.schedule.facts import FAR, GraphFacts

_FACTS: weakref.WeakKeyDictionary[Graph, GraphFacts] = weakref.WeakKeyDictionary()


def wants_facts(module: ir.Module, schedule: Schedule | None, capabilities: Capabilities) -> bool:
    """Whether scheduling a run on a target with these capabilities looks at the graph."""
    return schedule != PLAIN and looks_at_the_graph(module, capabilities)


def facts_of(graph: Graph, longest_row: Callable[[Graph], int] | None = None) -> GraphFacts:
    """The facts, in O(n + m) the first time; `longest_row` finds the largest degree, by default on the host."""
    if graph not in _FACTS:
        most = (longest_row or longest_row_by_host)(graph)
        _FACTS[graph] = GraphFacts(graph.num_nodes, graph.num_arcs, most, not graph.directed, far_arcs(graph))
    return _FACTS[graph]


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
