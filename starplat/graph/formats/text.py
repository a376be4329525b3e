"""Shared by text writers: columns of numbers in pieces, and a refusal to lose nodes."""

import csv
import io
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.errors import cannot_write
from starplat.graph.graph import Graph

LINES = 1 << 16


def write_table(
    stream: IO[bytes],
    columns: Sequence[NDArray[Any]],
    weights: NDArray[Any] | None = None,
    *,
    prefix: str = "",
    separator: str = " ",
) -> None:
    """Lines of ids, the weight last if there is one; reals are written so that reading gives the same double, and names
    are quoted where they hold a separator."""
    if columns[0].dtype == object:
        _write_names(stream, columns, weights, separator)
        return
    every = [*columns] if weights is None else [*columns, weights]
    for start in range(0, len(columns[0]), LINES):
        parts = [_words(column[start : start + LINES]) for column in every]
        lines = [prefix + separator.join(words) for words in zip(*parts, strict=True)]
        stream.write(("\n".join(lines) + "\n").encode())


def _write_names(
    stream: IO[bytes], columns: Sequence[NDArray[Any]], weights: NDArray[Any] | None, separator: str
) -> None:
    text = io.TextIOWrapper(stream, "utf-8", newline="", write_through=True)
    parts = [column.tolist() for column in columns] + ([] if weights is None else [_words(weights)])
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(zip(*parts, strict=True))
    text.detach()


def _words(values: NDArray[Any]) -> list[str]:
    if values.dtype.kind == "f":
        return [repr(value) for value in values.tolist()]
    return list(map(str, values.astype(np.int64 if values.dtype.kind == "i" else values.dtype).tolist()))


def require_no_isolated(graph: Graph) -> None:
    """For formats that know nodes by their arcs only. Raises E0815: a node has no arcs and would be lost."""
    touched = graph.out_degrees > 0
    touched[graph.columns] = True
    isolated = graph.num_nodes - int(np.count_nonzero(touched))
    if isolated:
        message = f"{isolated} node{'s' * (isolated != 1)} without arcs would be lost in a list of edges"
        raise cannot_write(graph.name, message, "write mtx, dimacs, npz or spg, which keep them")
