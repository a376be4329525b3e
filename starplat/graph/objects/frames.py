"""Converts tables of edges from pandas, polars and pyarrow, by column names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import errors, graph
from starplat.graph.objects.columns import expected_columns, find_columns, graph_of_columns


def from_table(obj: Any, *, directed: bool = True, name: str = "graph", format: str = "table") -> graph.Graph:
    """The graph of a table's edge columns; other columns may hold anything. Raises E0814: no columns are those of
    edges, or a value is missing or wrong."""
    names = column_names(obj) or []
    if (found := find_columns(names)) is None:
        raise errors.not_a_graph(f"{name}: {expected_columns(names)}")
    source, destination, weight = found
    columns = [complete_column(obj, names[i], name) for i in (source, destination, weight) if i is not None]
    return graph_of_columns(*columns, directed=directed, name=name, format=format)


def column_names(obj: Any) -> list[str] | None:
    """The names of a table's columns; None for what is no table."""
    names = getattr(obj, "column_names", None)  # pyarrow
    if names is None and hasattr(obj, "columns") and hasattr(obj, "__getitem__"):
        names = obj.columns  # pandas, polars
    return None if names is None or callable(names) else [str(column) for column in names]


def complete_column(obj: Any, column: str, name: str) -> NDArray[Any]:
    """A column of the table that messages call `name`. Raises E0814: it lacks values."""
    if missing := _missing(obj[column]):
        raise errors.not_a_graph(f"{name}: column '{column}' has {missing:,} missing value{'s' * (missing != 1)}")
    return column_of(obj, column)


def column_of(obj: Any, column: str) -> NDArray[Any]:
    """A column of a table, which may lack values."""
    values = obj[column]
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)


def _missing(values: Any) -> int:
    """How many values a column lacks; pandas counts not-a-number among them."""
    if hasattr(values, "isna"):
        return int(values.isna().sum())
    missing = getattr(values, "null_count", 0)
    return int(missing() if callable(missing) else missing)
