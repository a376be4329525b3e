"""Writes results to a file, `.npz`, `.csv` or `.parquet`, complete or not at all.

A table of nodes has a column `id`, the ids of the graph's file, and a column for every property. Properties of edges
have a length of their own: in `.npz` they stand beside the others, with `source` and `destination`; for `.csv` and
`.parquet` they go to a second file, `r.edges.csv`. What the program returned is `returned` in an `.npz` and in the
metadata of a `.parquet`. INF is the largest value of its type, as in the arrays.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starplat.cli import files
from starplat.diagnostics import Diagnostic, DiagnosticError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starplat.graph import Graph

    Columns = Mapping[str, NDArray[Any]]

ROWS_AT_ONCE = 65_536


@dataclass(frozen=True)
class Findings:
    """The data to write: properties of nodes [n] and of edges [m] by name, and the returned value, or None."""

    graph: Graph
    nodes: Columns
    edges: Columns
    returned: Any

    @property
    def node_table(self) -> dict[str, NDArray[Any]]:
        """The properties of nodes under the ids."""
        return {_free("id", self.nodes): self.graph.original_ids, **self.nodes}

    @property
    def edge_table(self) -> dict[str, NDArray[Any]]:
        """The properties of edges under the ids of both ends; empty where there are none."""
        if not self.edges:
            return {}
        ids = self.graph.original_ids
        source, destination = _free("source", self.edges), _free("destination", self.edges)
        return {source: ids[self.graph.sources], destination: ids[self.graph.columns], **self.edges}


def writer_for(path: Path) -> Callable[[Path, Findings], list[Path]]:
    """The function that writes this kind of file; it returns the files it wrote. Raises E0794: the name ends in nothing
    that is written, or what writes it is missing."""
    writers = {".npz": _write_npz, ".csv": _write_csv, ".parquet": _write_parquet}
    if path.suffix.lower() not in writers:
        message = f"{path}: results are written as .npz, .csv or .parquet, not '{path.suffix or path.name}'"
        raise DiagnosticError(Diagnostic("E0794", message))
    if path.suffix.lower() == ".parquet":
        _pyarrow()
    return writers[path.suffix.lower()]


def _write_npz(path: Path, findings: Findings) -> list[Path]:
    import numpy as np

    arrays = {**findings.edge_table, **findings.node_table}
    if findings.returned is not None:
        several = isinstance(findings.returned, tuple)
        for number, value in enumerate(findings.returned if several else (findings.returned,), 1):
            arrays[_free(f"returned_{number}" if several else "returned", arrays)] = np.asarray(value)
    with files.replacing(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **{name: _without_objects(array) for name, array in arrays.items()})
    return [path]


def _without_objects(array: NDArray[Any]) -> NDArray[Any]:
    """Names as NumPy's own text, which needs no pickle; no node is no text, as in a CSV."""
    import numpy as np

    if array.dtype.kind != "O":
        return array
    return np.array(["" if cell is None else str(cell) for cell in array.tolist()], np.str_)


def _write_csv(path: Path, findings: Findings) -> list[Path]:
    return [_write_csv_table(place, table) for place, table in _tables(path, findings)]


def _write_csv_table(path: Path, table: Columns) -> Path:
    with files.replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(table)
        length = len(next(iter(table.values())))
        for start in range(0, length, ROWS_AT_ONCE):
            writer.writerows(
                zip(*(_cells(column[start : start + ROWS_AT_ONCE]) for column in table.values()), strict=True)
            )
    return path


def _cells(column: NDArray[Any]) -> list[Any]:
    """Values as they are to be read: booleans as true and false, 32-bit floats with the digits that they have."""
    match column.dtype.kind, column.dtype.itemsize:
        case "b", _:
            return ["true" if value else "false" for value in column.tolist()]
        case "f", 4:
            return [str(value) for value in column]
    return list(column.tolist())


def _write_parquet(path: Path, findings: Findings) -> list[Path]:
    pyarrow, parquet = _pyarrow()
    written = []
    for place, columns in _tables(path, findings):
        plain = {name: cells.tolist() if cells.dtype.kind == "O" else cells for name, cells in columns.items()}
        table = pyarrow.table(plain)
        if findings.returned is not None:
            from starplat.runtime.results.shown import in_text

            table = table.replace_schema_metadata({"returned": in_text(findings.returned)})
        with files.replacing(place) as temporary:
            parquet.write_table(table, temporary)
        written.append(place)
    return written


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """The name, with underscores until no property is called so."""
    while name in taken:
        name += "_"
    return name


def _tables(path: Path, findings: Findings) -> list[tuple[Path, Columns]]:
    tables: list[tuple[Path, Columns]] = [(path, findings.node_table)]
    if findings.edges:
        tables.append((path.with_suffix(f".edges{path.suffix}"), findings.edge_table))
    return tables


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        message = "writing .parquet needs pyarrow, which is not installed"
        raise DiagnosticError(Diagnostic("E0794", message, help="pip install 'starplat[formats]'")) from error
    return pyarrow, parquet
