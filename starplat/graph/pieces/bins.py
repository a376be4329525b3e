"""Arcs in files without names: in bins while they are sorted, then mapped as the arrays of a graph."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph.graph import Graph
from starplat.graph.tables import Arcs

_Place = tuple[int, int, np.dtype[Any]]
"""Where an array lies: its first byte, the end, and its type."""


class Bins:
    """Numbered bins of arcs in one file; each gives its blocks back in the order in which they came in.

    The file goes when the object does, however the process ends. Nothing is put in once something was taken out.
    """

    def __init__(self, folder: Path, count: int = 1) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._places: list[list[tuple[_Place | None, ...]]] = [[] for _ in range(count)]

    def put(self, bin: int, arcs: Arcs) -> None:
        """Adds a block to a bin."""
        self._places[bin].append(tuple(map(self._put, (arcs.source, arcs.destination, arcs.weights))))

    def _put(self, array: NDArray[Any] | None) -> _Place | None:
        if array is None:
            return None
        start = self._file.tell()
        self._file.write(np.ascontiguousarray(array).data)
        return start, start + array.nbytes, array.dtype

    def blocks(self, bin: int = 0) -> Iterator[Arcs]:
        """The blocks of a bin, mapped."""
        return (Arcs(*map(self._at, places)) for places in self._places[bin])

    def _at(self, place: _Place | None) -> Any:
        return None if place is None else self._bytes[place[0] : place[1]].view(place[2])

    @cached_property
    def _bytes(self) -> NDArray[np.uint8]:
        return _mapped(self._file, np.dtype(np.uint8))


def on_disk(pieces: Iterable[Graph], folder: Path) -> Graph:
    """A graph whose arcs are mapped from files without names in a folder, so that they need no memory: from graphs that
    have the rows of some nodes each, in order of these, and all weights of one type or none. Raises OSError: there is
    no room."""
    with tempfile.TemporaryFile(dir=folder) as columns, tempfile.TemporaryFile(dir=folder) as weights:
        offsets: NDArray[np.int64] | None = None
        for piece in pieces:
            offsets = piece.row_offsets if offsets is None else offsets + piece.row_offsets
            columns.write(piece.columns.data)
            if piece.weights is not None:
                weights.write(piece.weights.data)
        assert offsets is not None, "there are pieces"
        mapped = None if piece.weights is None else _mapped(weights, piece.weights.dtype)
        return replace(piece, row_offsets=offsets, columns=_mapped(columns, piece.columns.dtype), weights=mapped)


def _mapped(file: IO[bytes], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers in a file; an empty one cannot be mapped."""
    file.flush()
    return np.memmap(file, dtype, "r") if os.fstat(file.fileno()).st_size else np.empty(0, dtype)
