"""Validates compressed rows from outside: a binary file, another library's arrays."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import DiagnosticError
from starplat.graph import csr
from starplat.graph.csr import Rows
from starplat.graph.graph import MAX_NODES, as_weights


def checked_rows(
    row_offsets: NDArray[Any],
    columns: NDArray[Any],
    weights: NDArray[Any] | None,
    wrong: Callable[[str], DiagnosticError],
) -> Rows:
    """The rows with the types that a Graph has, each row's columns ascending. Raises DiagnosticError: made by `wrong`,
    when offsets do not ascend from 0 to m or a column is no node."""
    offsets = checked_offsets(row_offsets, columns, wrong)
    n = len(offsets) - 1
    _require_arcs(n, columns, weights, wrong)
    rows = Rows(offsets, np.ascontiguousarray(columns, np.int32), None if weights is None else as_weights(weights))
    return rows if ascending(rows) else csr.compressed(n, csr.sources_of(offsets), rows.columns, rows.weights)


def checked_offsets(
    row_offsets: NDArray[Any], columns: NDArray[Any], wrong: Callable[[str], DiagnosticError]
) -> csr.Offsets:
    """The row offsets, int64[n + 1], if they are those of so many columns; raises as `checked_rows` does."""
    n, m = len(row_offsets) - 1, len(columns)
    if n < 0 or n > MAX_NODES or row_offsets.dtype.kind not in "iu" or columns.dtype.kind not in "iu":
        raise wrong("row offsets and columns must be integers, one offset more than there are nodes")
    if int(row_offsets[0]) != 0 or int(row_offsets[-1]) != m or (row_offsets[1:] < row_offsets[:-1]).any():
        raise wrong(f"row offsets must ascend from 0 to the number of arcs, {m}")
    return np.ascontiguousarray(row_offsets, np.int64)


def _require_arcs(
    n: int, columns: NDArray[Any], weights: NDArray[Any] | None, wrong: Callable[[str], DiagnosticError]
) -> None:
    m = len(columns)
    if m and (int(columns.min()) < 0 or int(columns.max()) >= n):
        bad = int(columns.min()) if int(columns.min()) < 0 else int(columns.max())
        raise wrong(f"an arc leads to node {bad}, but nodes are 0..{n - 1}")
    if weights is not None and (len(weights) != m or weights.dtype.kind not in "iufb"):
        raise wrong(f"weights must be numbers, one for each of the {m} arcs")
    if (
        weights is not None
        and weights.dtype.kind == "f"
        and not all(np.isfinite(part).all() for part in _parts(weights))
    ):
        raise wrong("a weight is not a finite number")


def _parts(arcs: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """What is told of arcs in stretches, as they may be mapped from a file and more than memory holds."""
    return (arcs[start : start + _AT_ONCE] for start in range(0, len(arcs), _AT_ONCE))


_AT_ONCE = 1 << 22


def checked_piece(
    row_offsets: NDArray[Any],
    columns: NDArray[Any],
    weights: NDArray[Any] | None,
    part: tuple[int, int],
    wrong: Callable[[str], DiagnosticError],
) -> Rows:
    """The rows as they lie, after a check of all offsets and of the arcs of one `part` (its number, and how many there
    are). No other arc is read. Raises DiagnosticError: made by `wrong`: as by `checked_rows`, or arcs would have to be
    sorted or converted."""
    offsets, n = checked_offsets(row_offsets, columns, wrong), len(row_offsets) - 1
    if columns.dtype != np.int32 or (weights is not None and weights.dtype not in (np.int32, np.int64, np.float64)):
        raise wrong("its arcs are of a type that is not read in pieces")
    if weights is not None and len(weights) != len(columns):
        raise wrong(f"weights must be numbers, one for each of the {len(columns)} arcs")
    number, parts = part
    first, end = csr.bounds_of(offsets, parts)[number : number + 2]
    own = slice(int(offsets[first]), int(offsets[end]))
    piece = Rows(offsets[first : end + 1] - own.start, columns[own], None if weights is None else weights[own])
    _require_arcs(n, piece.columns, piece.weights, wrong)
    if not ascending(piece):
        raise wrong("the arcs of a row are not in order")
    return Rows(offsets, columns, weights)


def ascending(rows: Rows) -> bool:
    """Whether the columns of every row ascend."""
    for start in range(0, len(rows.columns), _AT_ONCE):
        columns = rows.columns[start : start + _AT_ONCE + 1]
        falls = np.flatnonzero(columns[1:] < columns[:-1]) + start + 1
        if not (rows.row_offsets[np.searchsorted(rows.row_offsets, falls)] == falls).all():
            return False
    return True
