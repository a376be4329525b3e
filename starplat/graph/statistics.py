"""Statistics of a graph for `starplat graph info`."""

from dataclasses import dataclass

import numpy as np

from starplat.graph.csr import Rows, repeats
from starplat.graph.graph import Graph


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of a graph. `duplicates` are arcs beyond the first between the same two ends in the same direction;
    `isolated` nodes have no arc in or out; degrees are out-degrees; weights are None for an unweighted graph."""

    nodes: int
    arcs: int
    directed: bool
    symmetric: bool
    loops: int
    duplicates: int
    min_degree: int
    mean_degree: float
    max_degree: int
    max_in_degree: int
    isolated: int
    weight_type: str | None
    min_weight: float | None
    max_weight: float | None


def statistics(graph: Graph) -> Statistics:
    """The graph's numbers, in O(n + m)."""
    out = graph.out_degrees
    incoming = np.bincount(graph.columns, minlength=graph.num_nodes)
    weights = graph.weights
    some = weights is not None and len(weights) > 0
    return Statistics(
        nodes=graph.num_nodes,
        arcs=graph.num_arcs,
        directed=graph.directed,
        symmetric=graph.is_symmetric,
        loops=int(np.count_nonzero(graph.sources == graph.columns)),
        duplicates=int(np.count_nonzero(repeats(Rows(graph.row_offsets, graph.columns, None)))),
        min_degree=int(out.min()) if len(out) else 0,
        mean_degree=graph.num_arcs / graph.num_nodes if graph.num_nodes else 0.0,
        max_degree=int(out.max(initial=0)),
        max_in_degree=int(incoming.max(initial=0)),
        isolated=int(np.count_nonzero((out == 0) & (incoming == 0))),
        weight_type=None if weights is None else str(weights.dtype),
        min_weight=weights.min().item() if weights is not None and some else None,
        max_weight=weights.max().item() if weights is not None and some else None,
    )
