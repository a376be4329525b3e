"""Reads a property from a file of the command line: what `--out` wrote, or other tools.

`.npy` and text hold a value for every node or arc in the graph's order. `.csv`, `.npz` and `.parquet` are tables: where
they have a column `id` (of edges `source` and `destination`), values go by that, in any order; else they are in the
graph's order too. The column is the one that is called as the parameter, or the only one, or the one that
`FILE:COLUMN` names.
"""

import csv
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.runtime.arguments.keyed import Keyed, array_of
from starplat.runtime.arguments.scalars import UnfitError, parsed

Table = Mapping[str, Any]
"""Columns by name: arrays, or words."""

_NOT_FINITE = {"inf": np.inf, "+inf": np.inf, "-inf": -np.inf, "nan": np.nan}
"""How CSV files spell what the language writes as INF, and what is no number."""


def property_in(words: str, name: str, kind: PropertyType) -> Any:
    """The values of the parameter `name` in the file that the words after `@` tell. Raises UnfitError: the file holds
    no such values. OSError, UnicodeDecodeError: it cannot be read."""
    path, column = _path_and_column(words)
    if (reader := _TABLES.get(path.suffix.lower())) is not None:
        return _chosen(reader(path), path, column or name, kind, must=bool(column))
    if column:
        raise UnfitError(f"{path} has no columns")
    if path.suffix.lower() == ".npy":
        return _loaded(path)
    return _values(path.read_text(encoding="utf-8-sig").replace(",", " ").split(), kind)


def _path_and_column(words: str) -> tuple[Path, str]:
    """`r.csv:dist` is a file and a column, unless a file is called so."""
    path, colon, column = words.rpartition(":")
    if colon and path and column and Path(path).suffix.lower() in _TABLES and not Path(words).exists():
        return Path(path), column
    return Path(words), ""


def _chosen(table: Table, path: Path, name: str, kind: PropertyType, *, must: bool) -> Any:
    """The column of that name, or the only one there is; beside the columns of ids, if the table has them."""
    keys = _keys(table, kind)
    columns = [column for column in table if column not in keys]
    if name not in columns:
        if must or len(columns) != 1:
            listed = ", ".join(columns) or "none"
            raise UnfitError(f"{path} has no column '{name}'; its columns of values are: {listed}")
        name = columns[0]
    values = _values(table[name], kind)
    if not keys:
        return values
    if any(len(table[key]) != len(values) for key in keys):
        raise UnfitError(f"{path}: '{name}' has {len(values):,} values, but '{keys[0]}' {len(table[keys[0]]):,}")
    return Keyed(tuple(np.asarray(table[key]) for key in keys), values)


def _keys(table: Table, kind: PropertyType) -> list[str]:
    """The columns of ids that `--out` writes; it adds underscores where a property is called so."""
    wanted = ("id",) if kind.carrier is Carrier.NODE else ("source", "destination")
    found = [max((column for column in table if column.rstrip("_") == key), key=len, default="") for key in wanted]
    return found if all(found) else []


def _values(column: Any, kind: PropertyType) -> NDArray[Any]:
    """Words as the numbers that they spell, or, in a property of nodes, as ids; no word is no node."""
    array = np.asarray(column)
    if array.dtype.kind != "U" and not isinstance(column, list):
        return array
    if kind.element is Scalar.NODE:
        return array_of([str(word) or None for word in column])
    quick = _quickly(array, kind.element)
    return array_of([_value(str(word)) for word in column]) if quick is None else quick


def _quickly(words: NDArray[Any], kind: Scalar) -> NDArray[Any] | None:
    """What NumPy reads at once; None where one by one tells what a word is."""
    if not len(words) or kind is Scalar.BOOL or (np.char.find(words, "_") >= 0).any():
        return None
    try:
        return words.astype(np.float64 if kind.is_real else np.int64)
    except (ValueError, OverflowError):
        return None


def _value(word: str) -> Any:
    return _NOT_FINITE[word.lower()] if word.lower() in _NOT_FINITE else parsed(word)


def _is_value(word: str) -> bool:
    try:
        _value(word)
    except UnfitError:
        return False
    return True


def _csv_table(path: Path) -> Table:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        try:
            rows = [row for row in csv.reader(stream) if row]
        except csv.Error as error:
            raise UnfitError(f"{path} is no CSV: {error}") from None
    if not rows:
        raise UnfitError(f"{path} is empty")
    names = [name.strip() for name in rows[0]]
    if len(set(names)) < len(names) or all(map(_is_value, names)):
        raise UnfitError(f"{path}: the first line names the columns, each once; here it is '{','.join(rows[0])[:60]}'")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise UnfitError(f"{path}: row {number} has {len(row)} cells, the first {len(names)}")
    return {name: [row[index].strip() for row in rows[1:]] for index, name in enumerate(names)}


def _npz_table(path: Path) -> Table:
    if not isinstance(loaded := _loaded(path), np.lib.npyio.NpzFile):
        raise UnfitError(f"{path} is no .npz archive")
    with loaded:
        arrays: dict[str, NDArray[Any]] = _guarded(path, lambda: dict(loaded))
    return {name: array for name, array in arrays.items() if array.ndim == 1}


def _parquet_table(path: Path) -> Table:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UnfitError("reading .parquet needs pyarrow: pip install 'starplat[formats]'") from None
    try:
        table = parquet.read_table(path)
    except pyarrow.ArrowException as error:
        raise UnfitError(f"{path} is damaged: {error}") from None
    return {name: _plain(table.column(name).to_numpy()) for name in table.column_names}


def _plain(column: NDArray[Any]) -> NDArray[Any]:
    """Names as NumPy's text, as the other files have them; no node is no text."""
    if column.dtype.kind != "O":
        return column
    return np.array(["" if cell is None else str(cell) for cell in column.tolist()], np.str_)


def _loaded(path: Path) -> Any:
    return _guarded(path, lambda: np.load(path, allow_pickle=False))


def _guarded(path: Path, load: Callable[[], Any]) -> Any:
    """What NumPy reads, or the reason why it does not."""
    try:
        return load()
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error, MemoryError) as error:
        reason = "pickled objects are not loaded" if "pickle" in str(error) else error
        raise UnfitError(f"{path} holds no arrays of numbers: {reason}") from None


_TABLES: dict[str, Callable[[Path], Table]] = {".csv": _csv_table, ".npz": _npz_table, ".parquet": _parquet_table}
