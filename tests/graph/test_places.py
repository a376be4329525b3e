"""Places of arcs in sorted rows are those that NumPy's own search of each row finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from starplat.graph import Graph
from starplat.graph.updates.changed import first_places, last_places, places_between
from tests.zoo import random_graphs


@given(random_graphs(12, 60), st.integers(0, 2**32 - 1))
def test_places_are_those_of_a_search_in_each_row(graph: Graph, seed: int) -> None:
    rows, wanted = np.random.default_rng(seed).integers(0, graph.num_nodes, (2, 20)).astype(np.int32)
    first = first_places(graph.row_offsets, graph.columns, rows, wanted)
    last = last_places(graph.row_offsets, graph.columns, rows, wanted)
    for i, (row, column) in enumerate(zip(rows, wanted, strict=True)):
        begin, end = graph.row_offsets[row], graph.row_offsets[row + 1]
        expected = [begin + np.searchsorted(graph.columns[begin:end], column, side) for side in ("left", "right")]
        assert [first[i], last[i]] == expected
    listed = [place for i in range(len(rows)) for place in range(first[i], last[i])]
    assert places_between(first, last).tolist() == listed
