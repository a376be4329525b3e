"""Takes graphs that other libraries hold in memory: SciPy, NumPy, NetworkX, pandas, polars, pyarrow, anything DLPack.

No library is imported for this but the one that the object is from.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.columns import expected_columns, find_columns, graph_of_columns
from starplat.graph.errors import not_a_graph
from starplat.graph.graph import Graph


def from_object(obj: Any, *, directed: bool | None = None, name: str = "graph") -> Graph:
    """The graph that an object holds.

    Args:
        obj: a Graph; a square `scipy.sparse` array or matrix (n nodes, an arc for every stored entry); a tuple
            (sources, destinations) or (sources, destinations, weights) of arrays; one [m, 2] array of arcs; a NetworkX
            graph; a pandas, polars or pyarrow table with columns src and dst (or source and target, from and to, u and
            v) and perhaps weight. Arrays may be on a device, if they know DLPack or have a `get` method.
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
        arrays = [_array(part) for part in obj]
        return graph_of_columns(*arrays, directed=directed is not False, name=name)
    if hasattr(obj, "is_directed") and hasattr(obj, "edges") and hasattr(obj, "nodes"):
        return from_networkx(obj, directed=directed, name=name)
    names = _column_names(obj)
    if names is not None:
        return _from_table(obj, names, directed is not False, name)
    if hasattr(obj, "__dlpack__") or hasattr(obj, "__cuda_array_interface__"):
        return _from_pairs(_array(obj), directed is not False, name)
    raise not_a_graph(f"a {type(obj).__module__}.{type(obj).__qualname__} holds no graph that starplat knows")


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


def from_networkx(graph: Any, *, directed: bool | None = None, name: str = "graph", format: str = "NetworkX") -> Graph:
    """The graph that a NetworkX graph holds; the attribute `weight` is used where every edge has it.

    Nodes that are natural numbers keep these as their ids and stand in ascending order; others are numbered from 0 in
    the graph's own order, which `format` then says.
    """
    labels = list(graph.nodes)
    ids = _integer_labels(labels)
    if ids is not None:
        order = np.argsort(ids, kind="stable")
        labels, ids = [labels[i] for i in order.tolist()], ids[order]
    number = {label: node for node, label in enumerate(labels)}
    edges = list(graph.edges(data="weight"))
    ends = np.array([(number[u], number[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
    first = int(ids[0]) if ids is not None and len(ids) else 0
    gapless = ids is not None and (not len(ids) or int(ids[-1]) - first + 1 == len(ids))
    return Graph.from_arcs(
        len(labels),
        ends[:, 0],
        ends[:, 1],
        _edge_weights(name, [weight for _, _, weight in edges]),
        directed=bool(graph.is_directed()) if directed is None else directed,
        ids=None if gapless else ids,
        name=name,
        index_base=first if gapless else 0,
        format=format if ids is not None else f"{format} (its nodes have names, and are numbered in its order)",
    )


def _integer_labels(labels: list[Hashable]) -> NDArray[np.int64] | None:
    """The labels as ids, if all are different natural numbers or the digits of such."""
    if not all(isinstance(label, int | str | np.integer) and not isinstance(label, bool) for label in labels):
        return None
    texts = [str(label) for label in labels]
    if not all(t.isascii() and t.isdigit() and len(t) < 19 for t in texts):
        return None
    ids = np.array([int(text) for text in texts], np.int64)
    return ids if len(np.unique(ids)) == len(ids) else None


def _edge_weights(name: str, weights: list[Any]) -> NDArray[Any] | None:
    given = [weight for weight in weights if weight is not None]
    if not given:
        return None
    if len(given) < len(weights):
        without = len(weights) - len(given)
        raise not_a_graph(f"{name}: {without} of {len(weights)} edges have no weight; give all or none")
    try:
        return np.array(given) if all(isinstance(w, int) for w in given) else np.array(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise not_a_graph(f"{name}: some edge's weight is no number") from None


def _column_names(obj: Any) -> list[str] | None:
    names = getattr(obj, "column_names", None)  # pyarrow
    if names is None and hasattr(obj, "columns") and hasattr(obj, "__getitem__"):
        names = obj.columns  # pandas, polars
    return None if names is None or callable(names) else [str(column) for column in names]


def _from_table(obj: Any, names: list[str], directed: bool, name: str, format: str = "table") -> Graph:
    found = find_columns(names)
    if found is None:
        raise not_a_graph(f"{name}: {expected_columns(names)}")
    source, destination, weight = found
    columns = [_column(obj, names[i], name) for i in (source, destination, weight) if i is not None]
    return graph_of_columns(*columns, directed=directed, name=name, format=format)


def from_table(obj: Any, *, directed: bool = True, name: str = "graph", format: str = "table") -> Graph:
    """The graph of a table's edge columns."""
    names = _column_names(obj)
    return _from_table(obj, names or [], directed, name, format)


def _column(obj: Any, column: str, name: str) -> NDArray[Any]:
    values = obj[column]
    missing = getattr(values, "null_count", 0)
    missing = missing() if callable(missing) else missing
    if missing:
        raise not_a_graph(f"{name}: column '{column}' has {missing} missing value{'s' * (missing != 1)}")
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)


def _from_pairs(pairs: NDArray[Any], directed: bool, name: str) -> Graph:
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise not_a_graph(f"{name}: an array of arcs has the shape (m, 2), not {pairs.shape}")
    return graph_of_columns(pairs[:, 0], pairs[:, 1], directed=directed, name=name)


def _array(part: Any) -> NDArray[Any]:
    if isinstance(part, np.ndarray | list | tuple):
        return np.asarray(part)
    if hasattr(part, "get") and hasattr(part, "__cuda_array_interface__"):  # CuPy
        return np.asarray(part.get())
    try:
        return np.from_dlpack(part) if hasattr(part, "__dlpack__") else np.asarray(part)
    except (BufferError, RuntimeError, TypeError):
        return np.asarray(part)
