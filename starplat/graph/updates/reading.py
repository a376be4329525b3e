"""Reads updates of a graph from a file: lines `a SOURCE DESTINATION [WEIGHT]` and `d SOURCE DESTINATION`, in the ids of
the graph's file; or a table, CSV, Parquet or Arrow, with columns for the kind, the ends and perhaps the weight.

Lines that start with `#` or `%` are comments. Files may be compressed, as those of graphs.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from starplat.graph import streams, tables
from starplat.graph.errors import Place, malformed, unsupported
from starplat.graph.formats import base, edge_list, tabular
from starplat.graph.graph import Graph
from starplat.graph.spelt import text_lines
from starplat.graph.updates.objects import expected_columns, find_columns, updates_of_table
from starplat.graph.updates.spelt import FORM, KINDS, Cells, Row, updates_of_rows
from starplat.graph.updates.updates import DELETE, Updates


def read_updates(path: str | os.PathLike[str], graph: Graph, progress: streams.Progress | None = None) -> Updates:
    """The updates of `graph` that a file lists, in its order; an addition without a weight has weight 1. Raises E0801,
    E0803, E0811 or E0812, the file cannot be read; E0805, a line is malformed; E0809, a weight is no finite number;
    E0810, a table has no such columns; E0813, reading it needs a library; E0816, the graph has no such node."""
    input = streams.Input(Path(path), progress or streams.unheard)
    if tabular.recognises_parquet(input) or tabular.recognises_arrow(input):
        return updates_of_table(tabular.table_in(input), graph, input.shown)
    if not base.is_text(input):
        raise unsupported(input.shown, "this binary file holds no updates", help=FORM)
    first = next((line for line in base.first_lines(input) if line.strip() and line.lstrip()[:1] not in b"#%"), b"")
    words = edge_list.words_in(tables.shown(first).strip(), edge_list.separator_in(tables.shown(first)))
    if words and words[0].lower() not in KINDS and (input.name.endswith((".csv", ".tsv")) or find_columns(words)):
        return _of_csv(input, graph)
    return updates_of_rows(graph, input, _rows(input), Cells())


def _rows(input: streams.Input) -> Iterator[Row]:
    """The words of every line; the first line says what stands between them."""
    separator: str | None = None
    for count, (number, line) in enumerate(text_lines(input)):
        if count == 0:
            separator = edge_list.separator_in(line)
        words = edge_list.words_in(line, separator)
        if len(words) not in (3, 4):
            where = Place(input.shown, number, line, 1, len(line))
            raise malformed(where, f"expected 3 or 4 words, found {len(words)}", FORM)
        if len(words) == 4 and KINDS.get(words[0]) == DELETE:
            where = Place(input.shown, number, line, line.rfind(words[3]) + 1, len(words[3]))
            raise malformed(where, "a deletion has no weight", "it takes all parallel arcs: leave the weight out")
        yield number, words


def _of_csv(input: streams.Input, graph: Graph) -> Updates:
    header, separator, names = tabular.header_columns(input)
    if (found := find_columns(names)) is None:
        raise unsupported(input.shown, expected_columns(names), header.place())
    return updates_of_rows(graph, input, tabular.rows_below(input, header, separator, len(names)), Cells(*found))
