"""Tables with named columns: Parquet, Arrow and Feather through pyarrow, and CSV text with a header line."""

import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from starplat.diagnostics import DiagnosticError
from starplat.graph import numbering, objects
from starplat.graph.errors import Place, about, bad_header, malformed, needs_library, unsupported
from starplat.graph.formats import base, edge_list
from starplat.graph.formats.base import Format, Header, Keeps, first_lines, graph_of, header_of, is_text
from starplat.graph.graph import Graph
from starplat.graph.objects.columns import expected_columns, find_columns
from starplat.graph.spelt import graph_of_rows, place_of
from starplat.graph.streams import Input
from starplat.graph.tables import Layout, read_arcs, shown

SEPARATORS = (b",", b";", b"\t", b"|", b" ")


def read_parquet(input: Input) -> Graph:
    """The graph of a Parquet file's edge columns."""
    return objects.from_table(table_in(input), name=input.path.name, format="Parquet")


def read_arrow(input: Input) -> Graph:
    """The graph of an Arrow file's, stream's or Feather file's edge columns."""
    format = "Arrow stream" if input.head.startswith(STREAM) else "Arrow"
    return objects.from_table(table_in(input), name=input.path.name, format=format)


def table_in(input: Input) -> Any:
    """The table of pyarrow in a Parquet or an Arrow file. Raises E0812, the file is damaged; E0813, pyarrow is
    missing."""
    try:
        import pyarrow
    except ImportError:
        raise needs_library(f"reading {input.shown}", "pyarrow") from None
    import pyarrow.feather
    import pyarrow.parquet

    if recognises_parquet(input):
        load, format = pyarrow.parquet.read_table, "Parquet"
    elif input.head.startswith(STREAM):
        load, format = lambda content: pyarrow.ipc.open_stream(content).read_all(), "Arrow stream"
    else:
        load, format = pyarrow.feather.read_table, "Arrow"
    try:
        return load(io.BytesIO(input.read()))
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError) as error:
        first_line = (str(error) or type(error).__name__).splitlines()[0]
        raise about(input.shown, "E0812", f"the {format} file is damaged: {first_line}") from None


def read_csv(input: Input) -> Graph:
    """The graph of a CSV's edge columns; other columns may hold anything. Ids are numbers if all are, else names."""
    header, separator, names = header_columns(input)
    if (found := find_columns(names)) is None:
        raise unsupported(input.shown, expected_columns(names), header.place())
    source, destination, weight = found
    directed = not edge_list.says_undirected(header.comments)
    if _is_plain(input, header, separator):
        layout = Layout(len(names), (source, destination), weight, comments=b"", separator=separator)
        with suppress(DiagnosticError):  # not all of it is numbers: reading row by row tells what it is
            arcs = read_arcs(input, layout, header.number)
            numbered = numbering.by_ids_seen(input.shown, arcs.source, arcs.destination)
            return graph_of(input, numbered, arcs, "CSV", directed=directed)
    cells = rows_below(input, header, separator, len(names))
    rows = ((line, row[source], row[destination], None if weight is None else row[weight]) for line, row in cells)
    return graph_of_rows(input, rows, "CSV", directed=directed)


def header_columns(input: Input) -> tuple[Header, bytes, list[str]]:
    """The line that names a CSV's columns, what stands between them, and the names. Raises E0804 or E0806: there are no
    two columns."""
    header = header_of(input, lambda line: line.startswith(b"#"), "the line with the columns' names")
    separator = next((mark for mark in SEPARATORS if mark in header.line.strip()), b",")
    return header, separator, _names(header, separator)


def _names(header: Header, separator: bytes) -> list[str]:
    names = shown(header.line).split() if separator == b" " else shown(header.line).split(separator.decode())
    if len(names) < 2:
        raise bad_header(header.place(), "expected the names of two columns and more")
    return [name.strip().strip('"') for name in names]


def _is_plain(input: Input, header: Header, separator: bytes) -> bool:
    """Whether no cell is quoted, empty or of several words, as far as the beginning shows."""
    body = b"\n".join(first_lines(input)[header.number :])
    mark = re.escape(separator)
    odd = [b'"', mark + rb"[ \t]*" + mark, mark + rb"[ \t]*\r?$", rb"^" + mark]
    if separator not in b" \t":
        odd.append(rb"[^\s" + mark + rb"][ \t]+[^\s" + mark + b"]")
    return not re.search(b"|".join(odd), body, re.MULTILINE)


def rows_below(input: Input, header: Header, separator: bytes, width: int) -> Iterator[tuple[int, list[str]]]:
    """The number of every row's line and its cells, which the standard library's reader finds. Raises E0805: a row has
    not `width` cells, or is no CSV."""
    rows = csv.reader(_text(input, header), delimiter=separator.decode(), skipinitialspace=separator == b" ")
    try:
        for row in rows:
            line = header.number + rows.line_num
            count = max(width, len(row)) if any(map(str.strip, row[width:])) else min(width, len(row))
            if not row or (count != width and row[0].lstrip()[:1] in ("#", "%")):
                continue
            if count != width:
                raise malformed(place_of(input, line, ""), f"expected {width} columns as in the header, found {count}")
            yield line, list(map(str.strip, row))
    except csv.Error as error:
        raise malformed(place_of(input, header.number + rows.line_num, ""), f"this is no CSV: {error}") from None


def _text(input: Input, header: Header) -> Iterator[str]:
    """The lines below the header."""
    for number, line in input.lines():
        if number > header.number:
            try:
                yield line.decode() + "\n"
            except UnicodeDecodeError:
                raise malformed(Place(input.shown, number, shown(line)), "this line is no UTF-8 text") from None


def write_csv(graph: Graph, stream: IO[bytes]) -> None:
    """Columns src, dst and perhaps weight, every arc a row, with the original ids."""
    base.require_no_isolated(graph)
    stream.write(b"src,dst\n" if graph.weights is None else b"src,dst,weight\n")
    ids = graph.original_ids
    base.write_table(stream, [ids[graph.sources], ids[graph.columns]], graph.weights, separator=",")


def write_parquet(graph: Graph, stream: IO[bytes]) -> None:
    """Columns src, dst and perhaps weight, every arc a row, with the original ids."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise needs_library("writing Parquet", "pyarrow") from None
    base.require_no_isolated(graph)
    ids = graph.original_ids
    columns: dict[str, Any] = {"src": ids[graph.sources], "dst": ids[graph.columns]}
    if graph.weights is not None:
        columns["weight"] = graph.weights
    pyarrow.parquet.write_table(pyarrow.table(columns), stream)


def recognises_parquet(input: Input) -> bool:
    """Parquet's first four bytes."""
    return input.head.startswith(b"PAR1")


def recognises_arrow(input: Input) -> bool:
    """The first bytes of an Arrow file, of Feather version 1 or, by name too, of an Arrow stream."""
    stream = input.head.startswith(STREAM) and input.name.endswith((".arrow", ".arrows", ".feather", ".ipc"))
    return input.head.startswith((b"ARROW1", b"FEA1")) or stream


def recognises_csv(input: Input) -> bool:
    """Text whose first line that is no comment is words that name columns of edges; a `.csv` with other words too."""
    if not is_text(input):
        return False
    first = next((line for line in first_lines(input) if line.strip() and line.lstrip()[:1] not in b"#%"), b"")
    if not re.match(rb'\s*"?[A-Za-z_]', first):
        return False
    names = re.split(r"[,;|\s]+", shown(first).strip())
    return find_columns(names) is not None or input.name.endswith(".csv")


STREAM = b"\xff\xff\xff\xff"
TABLE_KEEPS = Keeps.IDS | Keeps.NO_WEIGHTS
PARQUET = Format(
    "parquet", "Parquet", (".parquet", ".pq"), recognises_parquet, read_parquet, write_parquet, TABLE_KEEPS
)
ARROW = Format("arrow", "Arrow", (".arrow", ".feather", ".ipc", ".arrows"), recognises_arrow, read_arrow)
CSV = Format("csv", "CSV with a header line", (".csv", ".tsv"), recognises_csv, read_csv, write_csv, TABLE_KEEPS)
