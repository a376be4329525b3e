"""Reads a graph with memory for its nodes and the arcs of a piece of them; the result is mapped from files.

A `.spg` is mapped. The arcs of other files are written down as they are read, then put into a bin for each piece of the
nodes; each bin is sorted by itself. The graph is the one that `reading.read` gives, arc for arc.
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import csr, errors, reading, streams, tables
from starplat.graph.csr import Rows
from starplat.graph.formats import FORMATS, native
from starplat.graph.formats.base import Listing
from starplat.graph.graph import Graph, as_weights
from starplat.graph.tables import Arcs

ARCS_AT_ONCE = 1 << 18


def read_in_pieces(
    path: Path,
    pieces: int,
    folder: Path,
    *,
    undirected: bool = False,
    format: str | None = None,
    progress: streams.Progress | None = None,
    **changes: Any,
) -> Graph:
    """The graph in a file; `folder` is for files without names, `changes` are the other options of `reading.read`.
    Raises E0801 to E0817: as by `reading.read`, or the file is of a format that is not read in pieces; OSError: the
    folder has no room."""
    require_weights(changes.get("weights"))
    input = streams.Input(path, progress or streams.unheard)
    found = reading.format_of(input, format)
    if found is native.FORMAT:
        graph = native.read(input)
        if not undirected or not graph.directed:
            return _of_sorted(graph, pieces, changes, folder)
        return _of_arcs(_Unsorted(graph, graph.num_arcs, lambda: _in_blocks(graph)), pieces, True, changes, folder)
    if found.listing is None:
        names = ", ".join(format.title for format in FORMATS if format.listing is not None)
        message = f"{input.shown}: {found.title} is not read in pieces: {names} and starplat graph are"
        raise errors.wrong_arguments(message, "leave out --pieces, or convert the file to a .spg first")
    return _of_arcs(_written_down(found.listing(input), folder), pieces, undirected, changes, folder)


def require_weights(weights: str | None) -> None:
    """Refuses weights whose type would depend on what is drawn for all arcs. Raises E0817."""
    low, high, _ = reading.weights_in(weights or "ones") or (1, 1, 1)
    if low < -(2**31) or high >= 2**31:
        raise errors.wrong_arguments("in pieces, random weights lie within -2^31..2^31-1", "leave out --pieces")


@dataclass(frozen=True)
class _Unsorted:
    """Arcs between nodes in blocks, as often as asked, and the graph that they belong to, whose rows do not count."""

    graph: Graph
    count: int
    blocks: Callable[[], Iterator[Arcs]]


def _written_down(listing: Listing, folder: Path) -> _Unsorted:
    """The arcs of a file, numbered and with weights of one type."""
    bins, count = Bins(folder), 0
    extremes = [np.zeros(0, np.int64)]
    for block in listing.arcs():
        bins.put(0, block)
        count += len(block)
        if block.weights is not None and len(block):
            extremes.append(np.array([block.weights.min(), block.weights.max()]))
    weights = as_weights(np.concatenate(extremes)).dtype if listing.weighted else None
    numbering = listing.numbering(lambda: (ids for block in bins.blocks() for ids in (block.source, block.destination)))

    def blocks() -> Iterator[Arcs]:
        for block in bins.blocks():
            carried = None if block.weights is None else block.weights.astype(weights)
            yield Arcs(numbering.nodes_of(block.source), numbering.nodes_of(block.destination), carried)

    rows = np.zeros(numbering.n + 1, np.int64), np.zeros(0, np.int32), None if weights is None else np.zeros(0, weights)
    name, base = listing.input.path.name, numbering.index_base
    return _Unsorted(Graph(*rows, listing.directed, numbering.ids, name, base, listing.title), count, blocks)


def _in_blocks(graph: Graph) -> Iterator[Arcs]:
    for start in range(0, graph.num_arcs, ARCS_AT_ONCE):
        arcs = np.arange(start, min(start + ARCS_AT_ONCE, graph.num_arcs))
        source = (np.searchsorted(graph.row_offsets, arcs, "right") - 1).astype(np.int32)
        at = slice(start, start + ARCS_AT_ONCE)
        yield Arcs(source, graph.columns[at], None if graph.weights is None else graph.weights[at])


def _of_sorted(graph: Graph, pieces: int, changes: dict[str, Any], folder: Path) -> Graph:
    """A mapped graph, with the options' changes."""
    if not any(changes.values()):
        return graph
    bounds = csr.bounds_of(graph.row_offsets, pieces)

    def rows(piece: int) -> Rows:
        start, end = (int(graph.row_offsets[node]) for node in bounds[piece : piece + 2])
        weights = None if graph.weights is None else graph.weights[start:end]
        return Rows(np.clip(graph.row_offsets, start, end) - start, graph.columns[start:end], weights)

    return _sorted(graph, rows, pieces, changes, folder)[0]


def _of_arcs(unsorted: _Unsorted, pieces: int, undirected: bool, changes: dict[str, Any], folder: Path) -> Graph:
    graph, n = unsorted.graph, unsorted.graph.num_nodes
    closing = undirected or not graph.directed
    bounds = csr.bounds_of(_offsets(unsorted, closing), pieces)
    given, turned = Bins(folder, pieces), Bins(folder, pieces)
    for block in unsorted.blocks():
        _sort_into(given, bounds, block.source, block.destination, block.weights)
        if closing:
            proper = block.source != block.destination
            weights = None if block.weights is None else block.weights[proper]
            _sort_into(turned, bounds, block.destination[proper], block.source[proper], weights)

    def joined(blocks: Iterable[Arcs]) -> tuple[csr.Nodes, csr.Nodes, csr.Weights | None]:
        arcs = tables.joined(blocks, graph.weights is not None)
        if graph.weights is None or arcs.weights is None:
            return arcs.source, arcs.destination, None
        return arcs.source, arcs.destination, arcs.weights.astype(graph.weights.dtype, copy=False)

    def as_given(piece: int) -> Rows:
        return csr.compressed(n, *joined(given.blocks(piece)))

    def closed(piece: int) -> Rows:
        own = sum(map(len, given.blocks(piece)))
        return csr.closed_rows(n, *joined([*given.blocks(piece), *turned.blocks(piece)]), own)

    if not closing:
        return _sorted(graph, as_given, pieces, changes, folder)[0]
    made, arcs = _sorted(replace(graph, directed=False), closed, pieces, changes, folder)
    if (
        graph.directed and arcs == unsorted.count and graph.weights is not None
    ):  # symmetric already: parallel arcs stay in their order
        return _sorted(replace(graph, directed=False), as_given, pieces, changes, folder)[0]
    return replace(made, expanded=made.expanded or arcs > unsorted.count)


def _offsets(unsorted: _Unsorted, closing: bool) -> csr.Offsets:
    """Row offsets int64[n+1] of the arcs, of both directions where they are to be `closing`."""
    offsets = np.zeros(unsorted.graph.num_nodes + 1, np.int64)
    for block in unsorted.blocks():
        for ends in (block.source, block.destination) if closing else (block.source,):
            nodes, counts = np.unique(ends, return_counts=True)
            offsets[nodes + 1] += counts
    return np.cumsum(offsets, out=offsets)


def _sort_into(
    bins: "Bins", bounds: list[int], source: NDArray[Any], destination: NDArray[Any], weights: NDArray[Any] | None
) -> None:
    """Puts arcs into the bins of their sources."""
    bin = np.searchsorted(bounds[1:-1], source, "right")
    order = np.argsort(bin, kind="stable")
    ends = np.cumsum(np.bincount(bin, minlength=len(bounds) - 1))
    for number, arcs in enumerate(np.split(order, ends[:-1])):
        if len(arcs):
            carried = None if weights is None else weights[arcs]
            bins.put(number, Arcs(source[arcs], destination[arcs], carried))


def _sorted(
    graph: Graph, rows: Callable[[int], Rows], pieces: int, changes: dict[str, Any], folder: Path
) -> tuple[Graph, int]:
    """The graph with these rows, piece by piece, and the number of its arcs before the options' changes."""
    count = 0

    def changed() -> Iterator[Graph]:
        nonlocal count
        for piece in range(pieces):
            found = rows(piece)
            count += len(found.columns)
            own = replace(graph, row_offsets=found.row_offsets, columns=found.columns, weights=found.weights)
            yield reading.prepared(own, **changes)

    return on_disk(changed(), folder), count


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
