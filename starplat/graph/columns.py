"""Makes a graph of columns: two arrays of ids, perhaps one of weights, and the names that tables give such columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.errors import not_a_graph
from starplat.graph.graph import Graph, as_weights
from starplat.graph.numbering import by_ids_seen

END_NAMES = (
    ("src", "dst"),
    ("source", "target"),
    ("source", "destination"),
    ("from", "to"),
    ("u", "v"),
    ("row", "col"),
)
WEIGHT_NAMES = ("weight", "weights", "w", "wgt", "cost", "distance", "length")


def find_columns(names: Sequence[str]) -> tuple[int, int, int | None] | None:
    """Which columns are source, destination and weight, or None where the names do not tell."""
    plain = [name.strip().strip('"').lower() for name in names]
    for source, destination in END_NAMES:
        if source in plain and destination in plain:
            weight = next((plain.index(name) for name in WEIGHT_NAMES if name in plain), None)
            return plain.index(source), plain.index(destination), weight
    return None


def expected_columns(names: Sequence[str]) -> str:
    """What a message says of columns that tell nothing."""
    pairs = ", ".join(f"'{a}' and '{b}'" for a, b in END_NAMES[:-1])
    return f"the columns {', '.join(names)} name no edges; expected {pairs}"


def graph_of_columns(
    source: NDArray[Any],
    destination: NDArray[Any],
    weights: NDArray[Any] | None = None,
    *,
    directed: bool = True,
    name: str = "graph",
    format: str = "",
) -> Graph:
    """The graph whose nodes are the ids that occur, in ascending order.

    Raises:
        DiagnosticError: E0814, the arrays are not equally long columns of ids that are no less than 0.
    """
    ends = [_ids(name, end) for end in (source, destination)]
    if len(ends[0]) != len(ends[1]) or (weights is not None and len(weights) != len(ends[0])):
        raise not_a_graph(f"{name}: sources, destinations and weights must be equally many")
    numbered = by_ids_seen(name, ends[0], ends[1])
    return Graph.from_arcs(
        numbered.n,
        numbered.source,
        numbered.destination,
        None if weights is None else as_weights(np.asarray(weights)),
        directed=directed,
        ids=numbered.ids,
        name=name,
        index_base=numbered.index_base,
        format=format,
    )


def _ids(name: str, end: NDArray[Any]) -> NDArray[Any]:
    array = np.asarray(end)
    if array.ndim == 1 and array.size and array.dtype.kind in "OUST" and isinstance(array[0], str | bytes):
        shown = str(array[0])[:40]
        raise not_a_graph(f"{name}: node ids must be whole numbers, not text such as '{shown}'; number the nodes first")
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise not_a_graph(f"{name}: node ids must be one-dimensional arrays of integers, not {array.dtype}")
    if array.size and int(array.min()) < 0:
        raise not_a_graph(f"{name}: node ids cannot be negative, but {int(array.min())} is among them")
    return array if array.size else np.zeros(0, np.int32)
