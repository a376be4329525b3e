"""Matrix Market coordinate files (`.mtx`): a square sparse matrix is a graph, an entry (i, j) the arc from i to j.

Symmetric files list one triangle and are expanded. Dense, complex, skew-symmetric, hermitian and non-square matrices
are no graphs and are refused with the reason. A `%%GraphBLAS type` line limits the values. Files without a banner are
read as LAGraph writes them, `coordinate real general`, where their name ends in `.mtx`.
"""

from dataclasses import dataclass
from typing import IO

import numpy as np

from starplat.diagnostics import DiagnosticError
from starplat.graph import numbering, streams
from starplat.graph.errors import bad_header, unsupported, wrong_count
from starplat.graph.formats.base import Format, Header, Keeps, Listing, header_of, write_table
from starplat.graph.graph import Graph
from starplat.graph.tables import Layout, WeightKind, arc_blocks

BANNER = b"%%matrixmarket"

_REASONS = {
    b"array": "a dense matrix is no graph file: write it as 'coordinate'",
    b"complex": "complex values are no weights",
    b"skew-symmetric": "in a skew-symmetric matrix the two directions of an edge have opposite weights; "
    "write it as 'general'",
    b"hermitian": "hermitian matrices hold complex values, which are no weights",
}

_BANNER_WORDS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("the object", (b"matrix",)),
    ("the layout", (b"coordinate", b"array")),
    ("the field", (b"pattern", b"integer", b"real", b"double", b"complex")),
    ("the symmetry", (b"general", b"symmetric", b"skew-symmetric", b"hermitian")),
)

_RANGES: dict[bytes, tuple[int, int] | None] = {
    b"bool": (0, 1),
    **{f"int{bits}".encode(): (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}".encode(): (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    b"float": None,
    b"double": None,
}


@dataclass(frozen=True, slots=True)
class _Kind:
    field: bytes
    symmetry: bytes


def read(input: streams.Input) -> Graph:
    """The graph whose adjacency matrix the file holds."""
    return listing(input).read()


def listing(input: streams.Input) -> Listing:
    """The entries of the matrix."""
    kind = _banner(input)
    header = header_of(input, lambda line: line.startswith(b"%"), "the line with the matrix's size")
    n, entries = _size(header)
    layout = _layout(input, kind, n)

    def wrong(count: int) -> DiagnosticError:
        return wrong_count(header.place(2), f"the size line promises {entries} entries, the file holds {count}")

    return Listing(
        input,
        "Matrix Market",
        kind.symmetry == b"general",
        layout.weight is not None,
        lambda: arc_blocks(input, layout, header.number, entries, wrong),
        lambda _: numbering.of_header(input.shown, n),
    )


def _banner(input: streams.Input) -> _Kind:
    line = input.head.split(b"\n", 1)[0]
    if not line.lower().startswith(BANNER):
        return _Kind(b"", b"general")
    banner = Header(input.shown, 1, line, ())
    words = line.lower().split()
    for word, (what, allowed) in enumerate(_BANNER_WORDS, 1):
        if word >= len(words) or words[word] not in allowed:
            expected = " or ".join(f"'{choice.decode()}'" for choice in allowed)
            raise bad_header(banner.place(word), f"expected {what}, {expected}")
    _, _, layout, field, symmetry, *_ = words
    if layout == b"array" and field == b"pattern":
        raise bad_header(banner.place(3), "a dense matrix cannot be a 'pattern'")
    if symmetry == b"hermitian" and field != b"complex":
        raise bad_header(banner.place(4), f"a hermitian matrix cannot be of '{field.decode()}' values")
    for word, value in ((2, layout), (3, field), (4, symmetry)):
        if value in _REASONS:
            raise unsupported(input.shown, _REASONS[value], banner.place(word))
    return _Kind(field, symmetry)


def _size(header: Header) -> tuple[int, int]:
    if len(header.words) == 2:
        raise unsupported(header.file, _REASONS[b"array"], header.place())
    rows, columns, entries = (
        header.count(word, f"the number of {what}") for word, what in enumerate(("rows", "columns", "entries"))
    )
    if len(header.words) > 3:
        raise bad_header(header.place(3), "expected three numbers: rows, columns and entries")
    if rows != columns:
        message = f"a matrix of {rows} rows and {columns} columns is not square, so it is no graph"
        raise unsupported(header.file, message, header.place(1))
    return rows, entries


def _layout(input: streams.Input, kind: _Kind, n: int) -> Layout:
    numbering.require_room(input.shown, n)
    weight_range = _graphblas_range(input)
    match kind.field:
        case b"pattern":
            return Layout(2, comments=b"%", ids=(1, n))
        case b"integer":
            return Layout(3, (0, 1), 2, WeightKind.INTEGER, comments=b"%", ids=(1, n), weight_range=weight_range)
    return Layout(3, (0, 1), 2, WeightKind.REAL, comments=b"%", ids=(1, n), weight_range=weight_range)


def _graphblas_range(input: streams.Input) -> tuple[int, int] | None:
    """The values that the type of a `%%GraphBLAS type` line can take."""
    for number, line in enumerate(input.head.split(b"\n")[:16], 1):
        words = line.lower().split()
        if words[:2] == [b"%%graphblas", b"type"]:
            header = Header(input.shown, number, line, ())
            if len(words) < 3 or words[2].removesuffix(b"_t") not in _RANGES:
                raise bad_header(header.place(2), "expected a GraphBLAS type such as 'int32_t' or 'double'")
            if b"complex" in words:
                raise unsupported(input.shown, _REASONS[b"complex"], header.place(3))
            return _RANGES[words[2].removesuffix(b"_t")]
    return None


def write(graph: Graph, stream: IO[bytes]) -> None:
    """A `coordinate general` file (`symmetric` for an undirected graph), ids from 1."""
    source, destination, weights = graph.sources, graph.columns, graph.weights
    if not graph.directed:
        lower = destination <= source
        source, destination = source[lower], destination[lower]
        weights = None if weights is None else weights[lower]
    field = "pattern" if weights is None else "integer" if weights.dtype.kind == "i" else "real"
    symmetry = "general" if graph.directed else "symmetric"
    n = graph.num_nodes
    stream.write(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{n} {n} {len(source)}\n".encode())
    write_table(stream, [source.astype(np.int64) + 1, destination.astype(np.int64) + 1], weights)


def recognises(input: streams.Input) -> bool:
    """The banner, or the name `.mtx` on text that starts with a number or a comment."""
    start = input.head.lstrip()
    return input.head[:14].lower() == BANNER or (input.name.endswith(".mtx") and start[:1] in b"%0123456789")


FORMAT = Format("mtx", "Matrix Market", (".mtx",), recognises, read, write, Keeps.DIRECTION | Keeps.NO_WEIGHTS, listing)
