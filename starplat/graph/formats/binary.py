"""Binary compressed rows of other systems: Galois `.gr` versions 1 and 2, GAP `.sg` and `.wsg`. All little-endian.

Galois: u64 version, edge data size, n, m · u64 ends of rows[n] · u32 (version 1, padded to 8 bytes) or u64 (version 2)
destinations[m] · edge data[m]. GAP: u8 directed · i64 m, n · i64 row offsets[n+1] · i32 neighbors[m], or pairs of i32
neighbor and weight · the same of the incoming arcs where directed. Whatever a header says, the file's size must agree.
"""

import struct
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import streams
from starplat.graph.errors import cannot_write, too_many_nodes, wrong_size
from starplat.graph.formats.base import Format, Keeps, graph_of_rows
from starplat.graph.graph import MAX_NODES, Graph

GALOIS_HEADER = struct.Struct("<4Q")
GAP_HEADER = struct.Struct("<?qq")


@dataclass(frozen=True, slots=True)
class _Galois:
    """Where the parts of a Galois file stand, in bytes from its start."""

    version: int
    data_size: int
    n: int
    m: int

    @property
    def destinations(self) -> int:
        return GALOIS_HEADER.size + 8 * self.n

    @property
    def edge_data(self) -> int:
        return self.destinations + (4 * (self.m + self.m % 2) if self.version == 1 else 8 * self.m)

    @property
    def size(self) -> int:
        return self.edge_data + self.data_size * self.m

    @property
    def sizes(self) -> set[int]:
        """The sizes a file may have: padding that nothing follows may be absent."""
        unpadded = self.destinations + 4 * self.m
        return {self.size, unpadded} if self.version == 1 and not self.data_size else {self.size}


def read_galois(input: streams.Input) -> Graph:
    """The graph of a Galois file; edge data of 4 or 8 bytes is taken for integers."""
    content = input.start(GALOIS_HEADER.size)
    if len(content) < GALOIS_HEADER.size:
        raise wrong_size(input.shown, f"a Galois file has a header of 32 bytes, this one has {len(content)} in all")
    parts = _Galois(*GALOIS_HEADER.unpack(content))
    if parts.version not in (1, 2) or parts.data_size not in (0, 4, 8):
        message = f"Galois version {parts.version} with edge data of {parts.data_size} bytes is none that is read"
        raise wrong_size(input.shown, message)
    content = _sized(input, parts.sizes, parts.n, parts.m)
    ends = np.frombuffer(content, "<u8", parts.n, GALOIS_HEADER.size)
    if parts.n and int(ends.max()) > parts.m:
        raise wrong_size(input.shown, f"a row ends at arc {int(ends.max())}, but there are {parts.m} arcs")
    offsets = np.concatenate([np.zeros(1, np.int64), ends.astype(np.int64)])
    columns = np.frombuffer(content, "<u4" if parts.version == 1 else "<u8", parts.m, parts.destinations)
    weights = None
    if parts.data_size:
        weights = np.frombuffer(content, "<u4" if parts.data_size == 4 else "<i8", parts.m, parts.edge_data)
    return graph_of_rows(input, offsets, columns, weights, "Galois", directed=True)


def write_galois(graph: Graph, stream: IO[bytes]) -> None:
    """Version 1, with weights of 4 or 8 bytes if the graph has integer weights that are not negative."""
    weights = graph.weights
    if weights is not None and (weights.dtype.kind == "f" or (len(weights) and int(weights.min()) < 0)):
        raise cannot_write(graph.name, "a Galois file is written with natural numbers for weights only")
    size = 0 if weights is None else weights.dtype.itemsize
    stream.write(GALOIS_HEADER.pack(1, size, graph.num_nodes, graph.num_arcs))
    stream.write(graph.row_offsets[1:].astype("<u8").tobytes())
    stream.write(graph.columns.astype("<u4").tobytes() + bytes(4 * (graph.num_arcs % 2)))
    if weights is not None:
        stream.write(weights.astype("<u4" if size == 4 else "<i8").tobytes())


def recognises_galois(input: streams.Input) -> bool:
    """A small version number as 64 bits, a possible size of edge data, and a file as long as its header says."""
    if len(input.head) < GALOIS_HEADER.size:
        return False
    version, data_size, n, m = GALOIS_HEADER.unpack_from(input.head)
    if version not in (1, 2) or data_size not in (0, 4, 8):
        return False
    fits = input.compression is not None or input.size in _Galois(version, data_size, n, m).sizes
    return fits or not input.name.endswith((".sg", ".wsg"))


def read_gap(input: streams.Input) -> Graph:
    """The graph of a GAP `.sg` or `.wsg`, told apart by size."""
    content = input.start(GAP_HEADER.size)
    if len(content) < GAP_HEADER.size:
        raise wrong_size(input.shown, f"a GAP file has a header of 17 bytes, this one has {len(content)} in all")
    directed, m, n = GAP_HEADER.unpack(content)
    if content[0] > 1:
        raise wrong_size(input.shown, "a GAP file starts with a byte 0 or 1")
    if m < 0 or n < 0:
        raise wrong_size(input.shown, f"the header says {n} nodes and {m} arcs")
    content = _sized(input, {_gap_size(directed, m, n, 4), _gap_size(directed, m, n, 8)}, n, m)
    weighted = len(content) == _gap_size(directed, m, n, 8) and (m > 0 or input.name.endswith(".wsg"))
    offsets = np.frombuffer(content, "<i8", n + 1, GAP_HEADER.size)
    start = GAP_HEADER.size + 8 * (n + 1)
    entries = np.frombuffer(content, "<i4", m * (1 + weighted), start).reshape(m, 1 + weighted)
    weights = entries[:, 1] if weighted else None
    return graph_of_rows(input, offsets, entries[:, 0], weights, "GAP", directed=directed)


def write_sg(graph: Graph, stream: IO[bytes]) -> None:
    """A GAP `.sg`, without weights. Raises E0815: the graph has weights."""
    if graph.weights is not None:
        raise cannot_write(graph.name, "a .sg holds no weights", "write a .wsg")
    _write_gap(graph, stream)


def write_wsg(graph: Graph, stream: IO[bytes]) -> None:
    """A GAP `.wsg`; an unweighted graph gets weights of 1. Raises E0815: the weights are not 32-bit integers."""
    weighted = graph.with_unit_weights() if graph.weights is None else graph
    assert weighted.weights is not None
    if weighted.weights.dtype != np.int32:
        raise cannot_write(graph.name, f"a .wsg holds 32-bit integer weights only, not {weighted.weights.dtype}")
    _write_gap(weighted, stream)


def _write_gap(graph: Graph, stream: IO[bytes]) -> None:
    stream.write(GAP_HEADER.pack(graph.directed, graph.num_arcs, graph.num_nodes))
    _write_rows(stream, graph.row_offsets, graph.columns, graph.weights)
    if graph.directed:
        back = graph.reverse
        weights = None if graph.weights is None else graph.weights[back.arc_ids]
        _write_rows(stream, back.row_offsets, back.columns, weights)


def _write_rows(stream: IO[bytes], offsets: NDArray[Any], columns: NDArray[Any], weights: NDArray[Any] | None) -> None:
    stream.write(offsets.astype("<i8").tobytes())
    entries = columns if weights is None else np.column_stack([columns, weights])
    stream.write(entries.astype("<i4").tobytes())


def recognises_gap(input: streams.Input) -> bool:
    """A flag of 0 or 1 and a file as long as its header says; compressed ones also by their name."""
    by_name = input.name.endswith((".sg", ".wsg"))
    if len(input.head) < GAP_HEADER.size or input.head[0] > 1:
        return by_name
    directed, m, n = GAP_HEADER.unpack_from(input.head)
    by_size = input.size in (_gap_size(directed, m, n, 4), _gap_size(directed, m, n, 8))
    return min(m, n) >= 0 and (by_size or by_name)


def _gap_size(directed: bool, m: int, n: int, entry: int) -> int:
    return GAP_HEADER.size + (1 + directed) * (8 * (n + 1) + entry * m)


def _sized(input: streams.Input, expected: set[int], n: int, m: int) -> bytes:
    """The content, which has one of the expected sizes; of a larger one no more is read than shows that."""
    if n > MAX_NODES:
        raise too_many_nodes(input.shown, n)
    content = input.start(min(max(expected), streams.memory() // 2) + 1)
    if len(content) not in expected:
        sizes = " or ".join(f"{size}" for size in sorted(expected))
        held = "more" if len(content) > max(expected) else str(len(content))
        message = f"{n} nodes and {m} arcs take {sizes} bytes, but the file has {held}: it is cut short or damaged"
        raise wrong_size(input.shown, message)
    return content


GALOIS = Format("galois", "Galois", (".gr",), recognises_galois, read_galois, write_galois, Keeps.NO_WEIGHTS)
SG = Format("sg", "GAP", (".sg",), recognises_gap, read_gap, write_sg, Keeps.DIRECTION | Keeps.NO_WEIGHTS)
WSG = Format("wsg", "GAP weighted", (".wsg",), recognises_gap, read_gap, write_wsg, Keeps.DIRECTION)
