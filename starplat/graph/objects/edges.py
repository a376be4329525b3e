"""Converts a list of edges: pairs (u, v), or triples (u, v, weight), as in NetworkX's `G.edges(data=…)`."""

from collections.abc import Iterable, Mapping
from typing import Any

from starplat.graph import errors, graph
from starplat.graph.objects.columns import graph_of_columns, plain_column, weights_of


def from_edges(edges: Iterable[Any], *, directed: bool = True, name: str = "graph") -> graph.Graph:
    """The graph of some edges, each (u, v), (u, v, weight) or (u, v, {"weight": weight}), all of the same length.
    Raises E0814: something among them is no edge, an end no id, or a weight no number."""
    listed = list(edges)
    for number, edge in enumerate(listed):
        if isinstance(edge, str | bytes) or not hasattr(edge, "__len__") or len(edge) not in (2, 3):
            raise errors.not_a_graph(f"{name}: edge {number} is {_shown(edge)}, not (u, v) or (u, v, weight)")
    widths = set(map(len, listed))
    if len(widths) > 1:
        odd = next(number for number, edge in enumerate(listed) if len(edge) != len(listed[0]))
        message = f"{name}: edge {odd} is {_shown(listed[odd])}, but edge 0 has {len(listed[0])} parts; "
        raise errors.not_a_graph(message + "give all a weight or none")
    source, destination, *values = zip(*listed, strict=True) if listed else ((), ())
    weights = None
    if values:
        given = [value.get("weight") if isinstance(value, Mapping) else value for value in values[0]]
        weights = weights_of(name, given, lambda number: listed[number][:2])
    columns = plain_column(source), plain_column(destination)
    return graph_of_columns(*columns, weights, directed=directed, name=name, format="edges")


def _shown(edge: object) -> str:
    text = repr(edge)
    return text if len(text) <= 60 else text[:57] + "..."
