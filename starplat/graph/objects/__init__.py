"""Converts graphs of other libraries: SciPy, NumPy, NetworkX, pandas, polars, pyarrow, anything DLPack; and lists of
edges.

Only the object's own library is imported.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.errors import not_a_graph
from starplat.graph.graph import Graph
from starplat.graph.objects.columns import column_names, from_edges, from_table, graph_of_columns, plain_column
from starplat.graph.objects.networks import from_networkx

__all__ = ["from_networkx", "from_object", "from_sparse", "from_table", "host_array"]


def from_object(obj: Any, *, directed: bool | None = None, name: str = "graph") -> Graph:
    """The graph that an object holds. Numbers and names that it calls its nodes by are kept.

    Args:
        obj: a Graph; a square `scipy.sparse` array or matrix (n nodes, an arc for every stored entry); a NetworkX
            graph, whose nodes keep their order; a tuple (sources, destinations) or (sources, destinations, weights) of
            arrays; one [m, 2] array of arcs; a list of edges (u, v) or (u, v, weight); a pandas, polars or pyarrow
            table with columns src and dst (or source and target, from and to, u and v) and perhaps weight. Arrays may
            be on a device, if they know DLPack or have a `get` method.
        directed: False adds the other direction of every arc that lacks it; by default NetworkX's graphs know, and
            all else is directed.
        name: what messages call the graph.

    Raises:
        DiagnosticError: E0814, it holds no graph.
    """
    if isinstance(obj, Graph):
        return obj if directed is not False else obj.undirected()
    if hasattr(obj, "tocoo") and hasattr(obj, "nnz"):
        return from_sparse(obj, directed=directed is not False, name=name)
    if isinstance(obj, tuple) and len(obj) in (2, 3):
        arrays = [host_array(part) for part in obj]
        return graph_of_columns(*arrays, directed=directed is not False, name=name)
    if hasattr(obj, "is_directed") and hasattr(obj, "adjacency") and hasattr(obj, "nodes"):
        return from_networkx(obj, directed=directed, name=name)
    if column_names(obj) is not None:
        return from_table(obj, directed=directed is not False, name=name)
    if hasattr(obj, "__dlpack__") or hasattr(obj, "__cuda_array_interface__"):
        if (pairs := host_array(obj)).ndim != 2 or pairs.shape[1] != 2:
            raise not_a_graph(f"{name}: an array of arcs has the shape (m, 2), not {pairs.shape}")
        return graph_of_columns(pairs[:, 0], pairs[:, 1], directed=directed is not False, name=name)
    if isinstance(obj, Iterable) and not isinstance(obj, str | bytes | Mapping):
        return from_edges(obj, directed=directed is not False, name=name)
    home = type(obj).__module__
    kind = f"{home}.{type(obj).__qualname__}".removeprefix("builtins.")
    raise not_a_graph(f"a value of type {kind} holds no graph that starplat knows", _KNOWN)


_KNOWN = (
    "give a NetworkX graph, a SciPy sparse array, a data frame or a list of edges, or arrays (sources, destinations); "
    "`starplat.read` reads files"
)


def from_sparse(matrix: Any, *, directed: bool = True, name: str = "graph", format: str = "SciPy") -> Graph:
    """The graph whose adjacency matrix this is: every stored entry (i, j) is an arc from i to j, duplicates too."""
    rows, columns = matrix.shape if matrix.ndim == 2 else (0, -1)
    if rows != columns:
        raise not_a_graph(f"{name}: a graph's matrix is square, not of shape {matrix.shape}")
    entries = matrix.tocoo()
    if entries.data.dtype.kind not in "iufb":
        raise not_a_graph(f"{name}: {entries.data.dtype} values are no weights")
    weights = None if entries.data.dtype == np.bool_ else entries.data
    return Graph.from_arcs(rows, entries.row, entries.col, weights, directed=directed, name=name, format=format)


def host_array(part: Any) -> NDArray[Any]:
    """A column as NumPy's: of a list, of an array of any library, on a device too."""
    if isinstance(part, list | tuple):
        return plain_column(part)
    if isinstance(part, np.ndarray):
        return part
    if hasattr(part, "get") and hasattr(part, "__cuda_array_interface__"):  # CuPy
        return np.asarray(part.get())
    try:
        return np.from_dlpack(part) if hasattr(part, "__dlpack__") else np.asarray(part)
    except (BufferError, RuntimeError, TypeError):
        return np.asarray(part)
