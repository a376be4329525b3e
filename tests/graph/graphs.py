"""Random small multigraphs, and places of graph files, for the tests of `starplat.graph`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from starplat.graph import Graph

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
SHARED = ROOT.parent / "shared" / "data"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the optional real graphs, ../shared/data, are absent")


def arcs_of(graph: Graph) -> Counter[tuple[int, int, float]]:
    """The multiset of a graph's arcs by original id, with weights (1 where there are none)."""
    ids = graph.original_ids
    weights = [1] * graph.num_arcs if graph.weights is None else graph.weights.tolist()
    ends = zip(ids[graph.sources].tolist(), ids[graph.columns].tolist(), weights, strict=True)
    return Counter(ends)


def well_formed(graph: Graph) -> bool:
    """Whether the arrays are what the class promises."""
    order = np.lexsort((graph.columns, graph.sources))
    typed = graph.row_offsets.dtype == np.int64 and graph.columns.dtype == np.int32
    symmetric = graph.directed or graph.is_symmetric
    return typed and np.array_equal(order, np.arange(graph.num_arcs)) and symmetric


@st.composite
def graphs(draw: st.DrawFn, weights: str = "any", directed: bool | None = None) -> Graph:
    """Graphs of up to 12 nodes with loops, parallel arcs and isolated nodes."""
    n = draw(st.integers(0, 12))
    node = st.integers(0, max(n - 1, 0))
    ends = draw(st.lists(st.tuples(node, node), max_size=40 if n else 0))
    kinds = {
        "none": st.none(),
        "int": st.integers(-(2**40), 2**40),
        "natural": st.integers(0, 2**31 - 1),
        "real": st.floats(allow_nan=False, allow_infinity=False),
    }
    kind = draw(st.sampled_from(sorted(kinds))) if weights == "any" else draw(st.sampled_from(weights.split("|")))
    values = None if kind == "none" else [draw(kinds[kind]) for _ in ends]
    if values is not None:
        values = np.array(values, np.float64 if kind == "real" else np.int64)
    way = draw(st.booleans()) if directed is None else directed
    source, destination = np.array(ends, np.int64).reshape(-1, 2).T
    return Graph.from_arcs(n, source, destination, values, directed=way)
