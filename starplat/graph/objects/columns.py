"""Makes a graph from columns: two arrays of ids, perhaps weights (arrays, or one Python object each).

They may be columns of a table of pandas, polars or pyarrow, found by their names, or those of a list of edges.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import warn
from starplat.graph import errors, graph, ids, numbering
from starplat.graph.errors import not_a_graph

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
) -> graph.Graph:
    """The graph whose nodes are the ids that occur: integers in ascending order, names in that of their first edges.
    Raises E0814: the arrays are not equally long columns of ids, or a weight is no finite number."""
    ends = [_ids(name, end) for end in (source, destination)]
    if len(ends[0]) != len(ends[1]) or (weights is not None and len(weights) != len(ends[0])):
        raise not_a_graph(f"{name}: sources, destinations and weights must be equally many")
    numbered = _numbered(name, *ends)
    values = None if weights is None else _numbers(name, np.asarray(weights))
    return numbered.graph(values, name, format, directed=directed)


def plain_column(values: Sequence[Any]) -> NDArray[Any]:
    """Integers as such, everything else as objects: NumPy would make texts of a 1 beside an "a"."""
    whole = all(issubclass(kind, int | np.integer) and kind is not bool for kind in set(map(type, values)))
    try:
        return np.array(values, np.int64) if whole else ids.label_array(values)
    except OverflowError:
        return ids.label_array(values)


def _numbered(name: str, source: NDArray[Any], destination: NDArray[Any]) -> numbering.Numbered:
    if source.dtype.kind in "iu" and destination.dtype.kind in "iu":
        return numbering.by_ids_seen(name, source, destination)
    try:
        numbered = numbering.by_labels(name, source.tolist(), destination.tolist())
    except TypeError as error:
        raise not_a_graph(f"{name}: some node's id is nothing that can be looked up: {error}") from None
    for label in numbered.ids.tolist() if numbered.ids is not None else ():
        if _is_missing(label):
            raise not_a_graph(f"{name}: some edge lacks a source or a destination")
        if isinstance(label, float | complex | bool):
            raise not_a_graph(f"{name}: node ids are integers or names, but {label!r} is among them")
    return numbered


def _is_missing(label: Any) -> bool:
    """None, not-a-number and pandas' NA, which equal nothing."""
    return label is None or type(label).__name__ == "NAType" or bool(label != label)  # noqa: PLR0124


def _ids(name: str, end: NDArray[Any]) -> NDArray[Any]:
    """A column of ids, integers or objects."""
    array = np.asarray(end)
    if array.ndim != 1 or array.dtype.kind not in "iuOUST":
        message = f"{name}: node ids must be one-dimensional arrays of integers or of names, not {array.dtype}"
        if array.size:
            raise not_a_graph(message, "convert whole numbers with .astype(int)" if array.dtype.kind == "f" else None)
        return np.zeros(0, np.int32)
    if array.dtype.kind not in "iu":
        return plain_column(np.char.decode(array, "utf-8").tolist() if array.dtype.kind == "S" else array.tolist())
    if array.size and int(array.min()) < 0:
        raise not_a_graph(f"{name}: node ids cannot be negative, but {int(array.min())} is among them")
    return array if array.size else np.zeros(0, np.int32)


def _numbers(name: str, weights: NDArray[Any]) -> NDArray[Any]:
    if weights.dtype == object:
        weights = np.array(weights.tolist())
    if weights.dtype.kind not in "iufb":
        raise not_a_graph(f"{name}: weights must be numbers, not {weights.dtype}")
    if weights.dtype.kind == "f" and not np.isfinite(weights).all():
        wrong = int(np.flatnonzero(~np.isfinite(weights))[0])
        raise not_a_graph(f"{name}: the weight of edge {wrong} is {weights[wrong]}, which is no finite number")
    return graph.as_weights(weights)


_INT64 = np.iinfo(np.int64)


def weights_of(name: str, values: Sequence[Any], edge: Callable[[int], object]) -> NDArray[Any] | None:
    """The weights of edges, None where no edge has one. An edge without one among others that have one counts 1, as in
    NetworkX, with a warning.

    `values`: a number for every edge, or None. `edge`: what messages call the edge of that number. Raises E0814: a
    weight is no finite number.
    """
    if (kinds := set(map(type, values))) <= {type(None)}:
        return None
    if type(None) in kinds:
        first = next(number for number, value in enumerate(values) if value is None)
        warn(f"{name}: the edge {edge(first)} and perhaps others have no weight; they count 1")
        values = [1 if value is None else value for value in values]
    if kinds == {int}:
        with suppress(OverflowError):  # of whole numbers that are too large, `_reals` makes reals
            return np.array(values, np.int64)
    whole = all(issubclass(kind, int | np.integer | np.bool_) for kind in kinds - {type(None)})
    if whole and _INT64.min <= min(values) and max(values) <= _INT64.max:
        return np.array(values, np.int64)
    return _reals(name, values, edge)


def _reals(name: str, values: Sequence[Any], edge: Callable[[int], object]) -> NDArray[np.float64]:
    numbers = all(issubclass(kind, Real | np.number) for kind in set(map(type, values)))
    try:
        reals = np.array(values, np.float64) if numbers else None
    except (TypeError, ValueError, OverflowError):
        reals = None  # one of them is no finite number: which, is found below
    if reals is not None and np.isfinite(reals).all():
        return reals
    wrong = next(number for number, value in enumerate(values) if not _is_finite(value))
    raise not_a_graph(f"{name}: the weight of {edge(wrong)} is {values[wrong]!r:.60}, which is no finite number")


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, Real | np.number) and bool(np.isfinite(float(value)))
    except (TypeError, OverflowError):
        return False


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
