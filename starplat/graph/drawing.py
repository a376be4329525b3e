"""Pictures of small graphs, by NetworkX and matplotlib."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from starplat.graph.errors import needs_library, too_large_to_draw, wrong_arguments

MOST_DRAWN = 300
"""Nodes of the largest graph in whose picture a reader finds anything."""
MOST_LABELLED = 60


class Graph(Protocol):
    """What is drawn of a `graph.Graph`."""

    @property
    def num_nodes(self) -> int: ...
    @property
    def directed(self) -> bool: ...
    @property
    def sources(self) -> NDArray[np.int32]: ...
    @property
    def columns(self) -> NDArray[np.int32]: ...
    def original_id(self, node: int) -> Any: ...


def drawn(graph: Graph, values: ArrayLike | None) -> Any:
    """Matplotlib's axes with the graph, its nodes coloured by `values`, [n], if there are any. Raises E0813, a library
    is not installed; E0817, there are not n values; E0818, it has too many nodes."""
    if graph.num_nodes > MOST_DRAWN:
        raise too_large_to_draw(graph.num_nodes, MOST_DRAWN)
    colours = None if values is None else _colours(graph, np.asarray(values))
    try:
        import networkx
        from matplotlib import pyplot
    except ImportError as error:
        raise needs_library("Graph.draw", str(error.name)) from None
    shape = networkx.DiGraph() if graph.directed else networkx.Graph()
    shape.add_nodes_from(range(graph.num_nodes))
    shape.add_edges_from(zip(graph.sources.tolist(), graph.columns.tolist(), strict=True))
    labelled = graph.num_nodes <= MOST_LABELLED
    labels = {node: str(graph.original_id(node)) for node in shape} if labelled else {}
    _, axes = pyplot.subplots(figsize=(6, 4.5))
    networkx.draw_networkx(
        shape,
        networkx.spring_layout(shape, seed=1),
        ax=axes,
        labels=labels,
        font_size=8,
        node_size=260 if labelled else 40,
        node_color="#9ecae1" if colours is None else colours,
        edge_color="0.7",
    )
    axes.set_axis_off()
    return axes


def _colours(graph: Graph, values: NDArray[Any]) -> NDArray[Any]:
    """A colour for every node, [n, 4]: from dark to bright as its value grows; grey where it is INF or no number."""
    if values.shape != (graph.num_nodes,) or values.dtype.kind not in "biuf":
        raise wrong_arguments(f"a graph of {graph.num_nodes} nodes is coloured by as many numbers")
    from matplotlib import colormaps

    known = np.isfinite(values) if values.dtype.kind != "i" else values != np.iinfo(values.dtype).max
    numbers = values[known].astype(np.float64)
    least, greatest = (numbers.min(), numbers.max()) if len(numbers) else (0.0, 0.0)
    colours = np.full((len(values), 4), (0.8, 0.8, 0.8, 1.0))
    colours[known] = colormaps["viridis"](0.35 + 0.65 * (numbers - least) / (greatest - least or 1.0))
    return colours
