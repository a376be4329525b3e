"""Reads updates as words, row by row, and finds the nodes that they name in a graph.

Rows are taken by the hundred thousand, so that a long file needs little more room than its updates do.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import DiagnosticError
from starplat.graph import csr, ids, numbers, spelt, streams, tables
from starplat.graph.errors import Place, malformed, no_such_node, unsupported
from starplat.graph.formats import base, edge_list, tabular
from starplat.graph.graph import Graph
from starplat.graph.numbers import NotNumbersError
from starplat.graph.spelt import text_lines
from starplat.graph.updates.objects import expected_columns, find_columns, updates_of_table
from starplat.graph.updates.updates import ADD, DELETE, KINDS, Updates

AT_ONCE = 1 << 17

Row = tuple[int, Sequence[str]]
"""The number of a line, and its cells."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Which cells of a row are the kind, the ends and the weight; None or a row that is too short have no weight."""

    kind: int = 0
    source: int = 1
    destination: int = 2
    weight: int | None = 3


def updates_of_rows(graph: Graph, input: streams.Input, rows: Iterable[Row], cells: Cells) -> Updates:
    """The updates of `graph` in all rows of a file. Raises E0805, E0809 or E0816 with the line and column."""
    listed = iter(rows)
    parts = []
    while block := list(islice(listed, AT_ONCE)):
        parts.append(_Block(graph, input, block, cells).arrays())
    if not parts:
        return Updates.of(graph, [], [], [])
    kinds, sources, destinations = (np.concatenate([part[i] for part in parts]) for i in range(3))
    weights = None
    if any(part[3] is not None for part in parts):
        weights = np.concatenate([np.ones(len(p[0]), np.int32) if p[3] is None else p[3] for p in parts])
    return Updates.of(graph, kinds, sources, destinations, weights)


@dataclass(frozen=True, slots=True)
class _Block:
    graph: Graph
    input: streams.Input
    rows: list[Row]
    cells: Cells

    def arrays(self) -> tuple[NDArray[np.int8], csr.Nodes, csr.Nodes, NDArray[Any] | None]:
        try:
            kinds = np.array([KINDS.get(word, -1) for word in self._column(self.cells.kind)], np.int8)
            sources = nodes_of_words(self.graph, self._column(self.cells.source))
            destinations = nodes_of_words(self.graph, self._column(self.cells.destination))
            weights = self._weights()
        except NotNumbersError:
            raise next(self._problems()) from None
        if min(kinds.min(), sources.min(), destinations.min()) < 0:
            raise next(self._problems())
        return kinds, sources, destinations, weights

    def _column(self, cell: int) -> list[str]:
        return [cells[cell] for _, cells in self.rows]

    def _weight_words(self) -> list[str]:
        """What stands for the weight of every addition, nothing for that of a deletion."""
        kind, at = self.cells.kind, self.cells.weight
        if at is None:
            return [""] * len(self.rows)
        return [cells[at] if len(cells) > at and KINDS.get(cells[kind]) == ADD else "" for _, cells in self.rows]

    def _weights(self) -> NDArray[Any] | None:
        words = self._weight_words()
        if not any(words):
            return None
        found = spelt.in_lines([word or "1" for word in words])
        values = numbers.numbers(found, found.starts, found.ends)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise NotNumbersError
        return values

    def _problems(self) -> Iterator[DiagnosticError]:
        """What is wrong, row by row; asked for only where something is."""
        for row, weight in zip(self.rows, self._weight_words(), strict=True):
            kind = row[1][self.cells.kind]
            if kind not in KINDS:
                message = f"expected a (add) or d (delete), found {_quoted(kind)}"
                yield malformed(self._place(row, self.cells.kind), message, FORM)
            for at in (self.cells.source, self.cells.destination):
                if node_of_word(self.graph, row[1][at]) == ids.ABSENT:
                    yield self._wrong_id(row[1][at], self._place(row, at))
            if weight and self.cells.weight is not None:
                error = spelt.wrong_weight(weight, partial(self._place, row, self.cells.weight))
                if error is not None:
                    yield error

    def _wrong_id(self, word: str, place: Place) -> DiagnosticError:
        named = isinstance(self.graph.names, ids.Labelled)
        if not word or not (named or re.fullmatch(r"[-+]?\d+", word, re.ASCII)):
            return malformed(place, f"expected a node id, found {_quoted(word)}", FORM)
        return no_such_node(self.graph.name, word if named else int(word[:40]), self.graph.ids_there, place=place)

    def _place(self, row: Row, cell: int) -> Place:
        """Where a cell stands in its line: after those before it."""
        line, cells = row
        text = next((tables.shown(text) for number, text in self.input.lines() if number == line), "")
        start = end = 0
        for word in cells[: cell + 1]:
            start = max(text.find(word, end), end)
            end = start + len(word)
        return Place(self.input.shown, line, text, start + 1, max(end - start, 1))


FORM = "a line is 'a SOURCE DESTINATION', perhaps with a weight, or 'd SOURCE DESTINATION'"


def nodes_of_words(graph: Graph, words: Sequence[str]) -> csr.Nodes:
    """The nodes that are called so, int32, -1 where there is none."""
    if not isinstance(graph.names, ids.Labelled):
        try:
            return graph.names.nodes_of(spelt.naturals(words))
        except NotNumbersError:
            pass  # a number with a sign, perhaps, or no number: one by one tells
    return np.array([node_of_word(graph, word) for word in words], np.int32)


def node_of_word(graph: Graph, word: str) -> int:
    """The node that is called so, or by the number that the word spells; -1 where there is none."""
    found = graph.names.node_of(word)
    if found == ids.ABSENT and re.fullmatch(r"[-+]?\d{1,24}", word, re.ASCII):
        return graph.names.node_of(int(word))
    return found


def _quoted(word: str) -> str:
    return f"'{word if len(word) <= 40 else word[:37] + '...'}'" if word else "nothing"


def read_updates(path: str | os.PathLike[str], graph: Graph) -> Updates:
    """The updates of `graph` that a file lists, in its order; an addition without a weight has weight 1. Raises E0801,
    E0803, E0811 or E0812, the file cannot be read; E0805, a line is malformed; E0809, a weight is no finite number;
    E0810, a table has no such columns; E0813, reading it needs a library; E0816, the graph has no such node."""
    input = streams.Input(Path(path))
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
