"""Pictures of small graphs, by NetworkX and matplotlib."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.csr import Rows, sources_of
from starplat.graph.errors import needs_library, too_large_to_draw, wrong_arguments
from starplat.graph.ids import Names

MOST_DRAWN = 300
"""Nodes of the largest graph in whose picture a reader finds anything."""
MOST_LABELLED = 60


def drawn(names: Names, rows: Rows, values: NDArray[Any] | None, *, directed: bool) -> Any:
    """Matplotlib's axes with a graph, its nodes coloured by `values`, [n], if there are any. Raises E0813, a library is
    not installed; E0817, there are not n values; E0818, it has too many nodes."""
    n = len(rows.row_offsets) - 1
    if n > MOST_DRAWN:
        raise too_large_to_draw(n, MOST_DRAWN)
    colours = None if values is None else _colours(n, values)
    try:
        import networkx
        from matplotlib import pyplot
    except ImportError as error:
        raise needs_library("Graph.draw", str(error.name)) from None
    shape = networkx.DiGraph() if directed else networkx.Graph()
    shape.add_nodes_from(range(n))
    shape.add_edges_from(zip(sources_of(rows.row_offsets).tolist(), rows.columns.tolist(), strict=True))
    labelled = n <= MOST_LABELLED
    labels = {node: str(names.of(node)) for node in shape} if labelled else {}
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


def _colours(n: int, values: NDArray[Any]) -> NDArray[Any]:
    """A colour for every node, [n, 4]: from dark to bright as its value grows; grey where it is INF or no number."""
    if values.shape != (n,) or values.dtype.kind not in "biuf":
        raise wrong_arguments(f"a graph of {n} nodes is coloured by as many numbers")
    from matplotlib import colormaps

    known = np.isfinite(values) if values.dtype.kind != "i" else values != np.iinfo(values.dtype).max
    numbers = values[known].astype(np.float64)
    least, greatest = (numbers.min(), numbers.max()) if len(numbers) else (0.0, 0.0)
    colours = np.full((len(values), 4), (0.8, 0.8, 0.8, 1.0))
    colours[known] = colormaps["viridis"](0.35 + 0.65 * (numbers - least) / (greatest - least or 1.0))
    return colours
