"""Reads arcs as words, row by row: for files whose ids may be names, or that mix arcs with other words.

A format lists its rows; `graph_of_rows` turns the words into numbers, or keeps them as names, and makes the graph. Ids
are numbers where all of them are, and names where one is nothing like a number; `-1` and `1.5` are neither. Slower than
`tables`, which reads arcs that are nothing but numbers.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import DiagnosticError, warn
from starplat.graph import errors, numbering, numbers, streams, tables
from starplat.graph.graph import Graph
from starplat.graph.numbers import NotNumbersError

BLANKS = " \t\v\f\r"
"""What stands between words of a line; a blank of another alphabet is part of a name."""
Row = tuple[int, str, str, str | None]
"""The number of a line, the source and the destination of the arc in it, and its weight, None where it has none."""


@dataclass(frozen=True, slots=True)
class _Columns:
    """All rows of a file, and the nodes that it names by themselves, which come first."""

    input: streams.Input
    lines: Sequence[int]
    source: Sequence[str]
    destination: Sequence[str]
    weights: Sequence[str | None]
    alone: Sequence[str]
    numbers_only: bool


def graph_of_rows(
    input: streams.Input,
    rows: Iterable[Row],
    format: str,
    *,
    directed: bool = True,
    alone: Sequence[str] = (),
    numbers_only: bool = False,
) -> Graph:
    """The graph of all rows: numbers in ascending order, names in the order in which they come.

    `alone`: ids that the file names by themselves; names among them come first. `numbers_only`: no id may be a name.
    Raises E0805 or E0809 with the line: an id or a weight is wrong.
    """
    lines, source, destination, weights = tuple(zip(*rows, strict=True)) or ((), (), (), ())
    columns = _Columns(input, lines, source, destination, weights, alone, numbers_only)
    numbered, values = _numbered(columns), _weights(columns)
    return numbered.graph(values, input.path.name, format, directed=directed)


def label_blocks(
    input: streams.Input, rows: Callable[[], Iterator[Row]], labels: numbering.Labels
) -> Iterator[tables.Arcs]:
    """Arcs between named nodes, block by block; `labels` hears the names. Raises E0805 or E0809 with the line: an id or
    a weight is wrong."""
    remaining = rows()
    while block := tuple(islice(remaining, _ROWS)):
        lines, source, destination, weights = zip(*block, strict=True)
        columns = _Columns(input, lines, source, destination, weights, (), numbers_only=False)
        if not all(columns.source) or not all(columns.destination):
            raise _wrong_id(columns, named=True)
        yield tables.Arcs(*labels.numbers(columns.source, columns.destination), _weights(columns))


_ROWS = 1 << 16
"""Rows of a block."""


def is_name(word: str) -> bool:
    """Whether a word is nothing like a number, so that as an id it can only be a name."""
    return not tables.is_decimal(word.encode())


def is_natural(word: str) -> bool:
    """Whether a word is an id that is a number: below 2^64."""
    return re.fullmatch(r"\d{1,24}", word, re.ASCII) is not None and int(word) < 2**64


def text_lines(input: streams.Input, longest: int = streams.LONGEST_ROW) -> Iterator[tuple[int, str]]:
    """The lines that are neither blank nor comments, without the blanks around them, and their numbers. Raises E0805: a
    line is not UTF-8 text, or is longer than `longest`."""
    for piece in input.pieces(longest=longest):
        try:
            text = piece.text.decode()
        except UnicodeDecodeError as error:
            line = piece.line + piece.text.count(b"\n", 0, error.start)
            wrong = tables.shown(piece.text.split(b"\n")[line - piece.line])
            raise errors.malformed(errors.Place(input.shown, line, wrong), "this line is no UTF-8 text") from None
        for number, line_text in enumerate(text.split("\n"), piece.line):
            if (stripped := line_text.strip(BLANKS)) and stripped[0] not in "#%":
                yield number, stripped


def place_of(input: streams.Input, line: int, word: str) -> errors.Place:
    """A word, wherever it first stands in a line of a file; the line's end for a word that is empty."""
    text = next((tables.shown(text) for number, text in input.lines() if number == line), "")
    column = text.find(word) if word else len(text)
    return errors.Place(input.shown, line, text, max(column, 0) + 1, max(len(word), 1))


def _numbered(columns: _Columns) -> numbering.Numbered:
    every = (columns.source, columns.destination, columns.alone)
    try:
        return numbering.by_ids_seen(columns.input.shown, *map(naturals, every))
    except NotNumbersError:
        named = not columns.numbers_only and any(is_name(word) for words in every for word in words)
        if not named or not all(map(all, every)):
            raise _wrong_id(columns, named=named) from None
    return numbering.by_labels(columns.input.shown, *every)


def naturals(words: Sequence[str]) -> NDArray[np.uint64]:
    """The values of words made of digits. Raises NotNumbersError: a word is something else, or 2^64 and more."""
    found = in_lines(words)
    return numbers.naturals(found, found.starts, found.ends)


def in_lines(words: Sequence[str]) -> numbers.Words:
    """The words as a text of one a line. Raises NotNumbersError: a word is empty, or holds what no word holds."""
    found = numbers.words_of(("\n".join(words) + "\n").encode())
    if len(found.starts) != len(words) or not (found.per_line()[: len(words)] == 1).all():
        raise NotNumbersError
    return found


def _weights(columns: _Columns) -> NDArray[Any] | None:
    """The weights; an arc without one counts 1 where others have one."""
    if (missing := columns.weights.count(None)) == len(columns.weights):
        return None
    if missing:
        first = columns.lines[columns.weights.index(None)]
        warn(f"{columns.input.shown}:{first}: this and perhaps other edges have no weight; they count 1")
    try:
        found = in_lines(["1" if weight is None else weight for weight in columns.weights])
        values = numbers.numbers(found, found.starts, found.ends)
    except NotNumbersError:
        raise _wrong_weight(columns) from None
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise _wrong_weight(columns)
    return values


def _wrong_id(columns: _Columns, *, named: bool) -> DiagnosticError:
    """What is wrong with the first id that is no number, or nothing at all where ids are names."""

    def fits(word: str) -> bool:
        return bool(word) if named else is_natural(word)

    for line, *ends in zip(columns.lines, columns.source, columns.destination, strict=True):
        for word in ends:
            if not fits(word):
                might_be_name = columns.numbers_only and is_name(word)
                help = tables.NAMES_NEED_A_HEADER if might_be_name else None
                return errors.malformed(place_of(columns.input, line, word), _expected_id(word), help)
    word = next(word for word in columns.alone if not fits(word))
    return errors.malformed(errors.Place(columns.input.shown, 1, ""), _expected_id(word))


def _expected_id(word: str) -> str:
    if not word:
        return "expected a node id, found nothing"
    negative = " the negative number" if re.fullmatch(r"-\d+", word) else ""
    return f"expected a node id, found{negative} '{word[:40]}'"


def _wrong_weight(columns: _Columns) -> DiagnosticError:
    for line, word in zip(columns.lines, columns.weights, strict=True):
        error = None if word is None else wrong_weight(word, partial(place_of, columns.input, line, word))
        if error is not None:
            return error
    raise AssertionError("all weights are finite numbers")


def wrong_weight(word: str, place: Callable[[], errors.Place]) -> DiagnosticError | None:
    """What is wrong with a weight, E0805 or E0809, or None if nothing is."""
    if not tables.is_weight(word.encode()):
        found = f"found '{word[:40]}'" if word else "found nothing"
        return errors.malformed(place(), f"expected a weight, {found}")
    if not np.isfinite(float(word)):
        message = f"the weight {word[:37]}{'...' * (len(word) > 37)} is not a finite number"
        return errors.at(place(), "E0809", message)
    return None
