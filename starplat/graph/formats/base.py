"""The interface of a graph format (name, recognition, reading, writing), how headers are found, tables written."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from starplat.graph import checks, errors, graph, numbering, streams, tables
from starplat.graph.errors import cannot_write
from starplat.graph.graph import Graph

EDGE_LIST_SUFFIXES = (".el", ".wel", ".edges", ".edgelist")
"""Names that say "one arc a line", whatever the numbers in the lines look like."""


class Keeps(Flag):
    """What of a graph survives being written in a format, besides nodes, arcs and weights."""

    NOTHING = 0
    IDS = auto()
    DIRECTION = auto()
    NO_WEIGHTS = auto()
    ALL = IDS | DIRECTION | NO_WEIGHTS


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table of formats.

    Attributes:
        name: the word that `--format` takes.
        title: what messages call it.
        suffixes: how such files are called; the first is the one that writing knows.
        recognises: whether content (and, where content cannot tell, the name) is of this format.
        read: the graph in it.
        write: puts a graph into a binary stream, or None where starplat does not write the format.
        keeps: what writing it keeps.
        listing: the arcs in it as they stand there, where they can be read in blocks.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognises: Callable[[streams.Input], bool]
    read: Callable[[streams.Input], graph.Graph]
    write: Callable[[graph.Graph, IO[bytes]], None] | None = None
    keeps: Keeps = Keeps.NOTHING
    listing: "Callable[[streams.Input], Listing] | None" = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A file that lists arcs in any order, for a reader that goes through it once, block by block.

    Attributes:
        title: what is said of the format that the graph was read from.
        directed: whether an arc stands for itself alone.
        weighted: whether arcs have weights.
        arcs: gives the arcs in blocks; after the last one, a wrong number of them is refused.
        numbering: the nodes of the ids in these blocks, to be asked when all arcs were given.
    """

    input: streams.Input
    title: str
    directed: bool
    weighted: bool
    arcs: Callable[[], Iterator[tables.Arcs]]
    numbering: Callable[[numbering.Blocks], numbering.Numbering]

    def read(self) -> graph.Graph:
        """The graph, all at once."""
        arcs = tables.joined(self.arcs(), self.weighted)
        numbered = self.numbering(lambda: (arcs.source, arcs.destination)).of(arcs.source, arcs.destination)
        return graph_of(self.input, numbered, arcs, self.title, directed=self.directed)


@dataclass(frozen=True, slots=True)
class Header:
    """The first line that is no comment: its number, its text, its words with their places, the comments before it."""

    file: str
    number: int
    line: bytes
    comments: tuple[bytes, ...]

    @property
    def words(self) -> list[bytes]:
        return self.line.split()

    def place(self, word: int | None = None) -> errors.Place:
        """Where a word of the header stands (its end, if it has fewer words); the whole line without a number."""
        text = tables.shown(self.line)
        found = [m.span() for m in re.finditer(rb"\S+", self.line)]
        if word is None:
            return errors.Place(self.file, self.number, text, 1, max(len(text), 1))
        if word < len(found):
            start, end = found[word]
            return errors.Place(self.file, self.number, text, start + 1, end - start)
        return errors.Place(self.file, self.number, text, len(self.line.rstrip()) + 1)

    def count(self, word: int, what: str) -> int:
        """The natural number that a word of the header is. Raises E0806: it is none."""
        words = self.words
        if word >= len(words):
            raise errors.bad_header(self.place(word), f"expected {what} here")
        if not re.fullmatch(rb"\d{1,19}", words[word]):
            raise errors.bad_header(self.place(word), f"expected {what}, found '{tables.shown(words[word][:40])}'")
        return int(words[word])


def header_of(input: streams.Input, is_comment: Callable[[bytes], bool], what: str) -> Header:
    """The first line that is neither blank nor a comment. Raises E0804: there is none."""
    comments = []
    for number, line in input.lines():
        stripped = line.strip()
        if is_comment(stripped):
            comments.append(stripped)
        elif stripped:
            return Header(input.shown, number, line, tuple(comments))
    raise errors.empty(input.shown, f"the file ends before {what}")


def first_lines(input: streams.Input) -> list[bytes]:
    """The whole lines of the file's beginning, blank ones too."""
    lines = input.head.split(b"\n")
    return lines if len(input.head) < streams.HEAD and lines[-1:] != [b""] else lines[:-1]


def is_text(input: streams.Input) -> bool:
    """Whether the file's beginning looks like text."""
    return not re.search(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]", input.head)


def graph_of(
    input: streams.Input, numbered: numbering.Numbered, arcs: tables.Arcs, format: str, *, directed: bool = True
) -> graph.Graph:
    return numbered.graph(arcs.weights, input.path.name, format, directed=directed)


def graph_of_rows(
    input: streams.Input,
    offsets: NDArray[Any],
    columns: NDArray[Any],
    weights: NDArray[Any] | None,
    title: str,
    *,
    directed: bool,
) -> graph.Graph:
    """The graph of a binary file's rows. Raises E0812: they are no rows, or not symmetric as the file says."""
    rows = checks.checked_rows(offsets, columns, weights, lambda message: errors.wrong_size(input.shown, message))
    found = graph.Graph(rows.row_offsets, rows.columns, rows.weights, directed, None, input.path.name, 0, title)
    if not directed and not found.is_symmetric:
        message = "it is marked as undirected, but some arc has no partner in the other direction"
        raise errors.wrong_size(input.shown, message)
    return found


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
