"""Reads arcs in columns, one a line: shared by edge lists, Matrix Market, DIMACS and PACE.

Pieces of text are parsed whole, on all cores. A piece that is refused is read again line by line, only to say which
line and column is wrong and what was expected there.
"""

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import DiagnosticError
from starplat.graph import numbers, streams
from starplat.graph.errors import Place, at, malformed
from starplat.graph.numbers import NotNumbersError, Words

SMALL = 1 << 20
"""Bytes of a file that is read without threads."""

NAMES_NEED_A_HEADER = "ids are numbers, as in the first line; under a line 'source target' they may be names"


class WeightKind(Enum):
    """What the words of a weight column may be."""

    INTEGER = "an integer"
    REAL = "a number"
    ANY = "a weight"


@dataclass(frozen=True, slots=True)
class Layout:
    """How the arcs stand in their lines.

    Attributes:
        columns: how many words a line has.
        ends: which of them are the arc's source and destination.
        weight: which is its weight, or None.
        keyword: what the first word must be, if it is no number.
        comments: the characters that open a comment line.
        separator: the character between words that is no blank, if any.
        ids: the lowest and highest node id, if a header told.
        weight_range: the lowest and highest weight, if a header told.
    """

    columns: int
    ends: tuple[int, int] = (0, 1)
    weight: int | None = None
    weight_kind: WeightKind = WeightKind.ANY
    keyword: bytes | None = None
    comments: bytes = b"#%"
    separator: bytes | None = None
    ids: tuple[int, int] | None = None
    weight_range: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Arcs:
    """Arcs as their file lists them: ids int32 where they fit, else uint64; `weights` int64, float64 or None."""

    source: NDArray[Any]
    destination: NDArray[Any]
    weights: NDArray[Any] | None

    def __len__(self) -> int:
        return len(self.source)


def read_arcs(input: streams.Input, layout: Layout, skip_lines: int = 0) -> Arcs:
    """All arcs of a file after its first `skip_lines` lines. Raises E0805, E0808 or E0809 with the line and column."""
    return joined(arc_blocks(input, layout, skip_lines), layout.weight is not None)


def joined(blocks: Iterable[Arcs], weighted: bool) -> Arcs:
    """Arcs of several pieces as one."""
    parts = [block for block in blocks if len(block)]
    if not parts:
        nothing = np.zeros(0, np.int32)
        return Arcs(nothing, nothing, np.zeros(0, np.int64) if weighted else None)
    source = _concatenated([part.source for part in parts])
    destination = _concatenated([part.destination for part in parts])
    weights = np.concatenate([part.weights for part in parts if part.weights is not None]) if weighted else None
    return Arcs(source, destination, weights)


def _concatenated(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    narrow = all(array.dtype == np.int32 for array in arrays)
    return np.concatenate(arrays, dtype=np.int32 if narrow else np.uint64, casting="unsafe")


def arc_blocks(
    input: streams.Input,
    layout: Layout,
    skip_lines: int = 0,
    promised: int | None = None,
    wrong: Callable[[int], DiagnosticError] | None = None,
) -> Iterator[Arcs]:
    """The arcs of a file, block by block; where it promises so many, `wrong` tells what to raise after the last one if
    there are others. Raises E0805, E0808 or E0809 with the line and column."""
    count = 0
    for block in _parsed(input, layout, skip_lines):
        count += len(block)
        yield block
    if wrong is not None and count != promised:
        raise wrong(count)


def _parsed(input: streams.Input, layout: Layout, skip_lines: int) -> Iterator[Arcs]:
    if input.size <= SMALL and input.compression is None:
        yield from (parse_piece(input.shown, layout, piece) for piece in input.pieces(skip_lines))
        return
    workers = min(4, os.cpu_count() or 1)
    waiting: deque[Future[Arcs]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for piece in input.pieces(skip_lines):
                waiting.append(pool.submit(parse_piece, input.shown, layout, piece))
                if len(waiting) > workers + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def parse_piece(file: str, layout: Layout, piece: streams.Piece) -> Arcs:
    """The arcs of some whole lines."""
    try:
        return _parse_fast(layout, _plain(layout, piece.text))
    except NotNumbersError:
        raise _explained(file, layout, piece) from None


def _plain(layout: Layout, text: bytes) -> bytes:
    """The text without comments and with blanks between its words."""
    if layout.separator:
        text = text.replace(layout.separator, b" ")
    if any(mark in text for mark in _marks(layout)):
        text = re.sub(rb"(?m)^[ \t]*[" + re.escape(layout.comments) + rb"][^\n]*", b"", text)
    return text


def _marks(layout: Layout) -> list[bytes]:
    return [layout.comments[i : i + 1] for i in range(len(layout.comments))]


def _parse_fast(layout: Layout, text: bytes) -> Arcs:
    words = numbers.words_of(text)
    starts, ends = words.table(layout.columns)
    if layout.keyword is not None and len(starts):
        _require_keyword(words, starts[:, 0], ends[:, 0], layout.keyword)
    source, destination = (_ids(words, starts[:, c], ends[:, c], layout.ids) for c in layout.ends)
    return Arcs(source, destination, _weights(words, starts, ends, layout))


def _require_keyword(words: Words, starts: NDArray[np.int64], ends: NDArray[np.int64], keyword: bytes) -> None:
    if not ((ends - starts == 1) & (words.characters[starts] == keyword[0])).all():
        raise NotNumbersError


def _ids(
    words: Words, starts: NDArray[np.int64], ends: NDArray[np.int64], allowed: tuple[int, int] | None
) -> NDArray[Any]:
    ids = numbers.naturals(words, starts, ends)
    if not len(ids):
        return np.zeros(0, np.int32)
    highest = int(ids.max())
    if allowed is not None and (int(ids.min()) < allowed[0] or highest > allowed[1]):
        raise NotNumbersError
    return ids.astype(np.int32) if highest < 2**31 else ids


def _weights(words: Words, starts: NDArray[np.int64], ends: NDArray[np.int64], layout: Layout) -> NDArray[Any] | None:
    if layout.weight is None:
        return None
    at_weight = words, starts[:, layout.weight], ends[:, layout.weight]
    match layout.weight_kind:
        case WeightKind.INTEGER:
            weights: NDArray[Any] = numbers.integers(*at_weight)
        case WeightKind.REAL:
            weights = numbers.reals(*at_weight)
        case WeightKind.ANY:
            weights = numbers.numbers(*at_weight)
    if weights.dtype.kind == "f" and not np.isfinite(weights).all():
        raise NotNumbersError
    if layout.weight_range and len(weights):
        low, high = layout.weight_range
        if weights.min() < low or weights.max() > high:
            raise NotNumbersError
    return weights


def _explained(file: str, layout: Layout, piece: streams.Piece) -> DiagnosticError:
    """What is wrong with the first wrong line of a piece that was refused."""
    for number, line in enumerate(piece.text.split(b"\n"), piece.line):
        if (error := explain_line(file, layout, number, line)) is not None:
            return error
    first = piece.text.split(b"\n", 1)[0]
    return malformed(Place(file, piece.line, shown(first)), "this or a later line holds characters that are no text")


_WORD = re.compile(rb"\S+")
_NATURAL = re.compile(rb"\d{1,24}")
_INTEGER = re.compile(rb"[-+]?\d+")
_DECIMAL = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
_NOT_FINITE = re.compile(rb"[-+]?(?:inf|infinity|nan)", re.IGNORECASE)


def explain_line(file: str, layout: Layout, number: int, line: bytes) -> DiagnosticError | None:
    """What is wrong with a line, or None if nothing is."""
    text = shown(line)
    plain = line.replace(layout.separator, b" ") if layout.separator else line
    if not (words := list(_WORD.finditer(plain))) or words[0].group()[:1] in _marks(layout):
        return None
    where = [
        Place(file, number, text, len(shown(line[: word.start()])) + 1, len(shown(word.group()))) for word in words
    ]
    if layout.keyword is not None and words[0].group() != layout.keyword:
        return malformed(where[0], f"expected a line that starts with '{layout.keyword.decode()}', {_found(words[0])}")
    for column in layout.ends:
        if column < len(words) and (error := _wrong_id(words[column], where[column], layout)) is not None:
            return error
    if len(words) != layout.columns:
        return _wrong_width(layout, words, where)
    if layout.weight is None:
        return None
    return _wrong_weight(words[layout.weight], where[layout.weight], layout)


def _wrong_width(layout: Layout, words: list[re.Match[bytes]], where: list[Place]) -> DiagnosticError:
    expected = f"expected {layout.columns} columns as in the lines before, found {len(words)}"
    if len(words) > layout.columns:
        return malformed(where[layout.columns], expected)
    last = where[-1]
    end = last.column - 1 + last.length
    return malformed(Place(last.file, last.line, last.text, end + 1), expected)


def _wrong_id(word: re.Match[bytes], where: Place, layout: Layout) -> DiagnosticError | None:
    if not _NATURAL.fullmatch(word.group()) or int(word.group()) >= 2**64:
        negative = " the negative number" if re.fullmatch(rb"-\d+", word.group()) else ""
        message = f"expected a node id, found{negative} '{_shortened(word.group())}'"
        might_be_name = layout.ids is None and layout.keyword is None and not is_decimal(word.group())
        return malformed(where, message, NAMES_NEED_A_HEADER if might_be_name else None)
    if layout.ids is not None and not layout.ids[0] <= int(word.group()) <= layout.ids[1]:
        low, high = layout.ids
        allowed = f"nodes are {low}..{high}" if high >= low else "there are no nodes"
        return at(where, "E0808", f"there is no node {int(word.group())}: {allowed}")
    return None


def _wrong_weight(word: re.Match[bytes], where: Place, layout: Layout) -> DiagnosticError | None:
    text, kind = word.group(), layout.weight_kind
    whole = _whole(text)
    if kind is WeightKind.INTEGER and whole is None:
        if not _INTEGER.fullmatch(text):
            return malformed(where, f"expected an integer weight, {_found(word)}")
        return at(where, "E0809", f"the weight {_shortened(text)} does not fit 64 bits")
    if not is_weight(text):
        return malformed(where, f"expected a weight, {_found(word)}")
    value = float(text) if whole is None else whole
    if not np.isfinite(value):
        return at(where, "E0809", f"the weight {_shortened(text)} is not a finite number")
    if layout.weight_range and not layout.weight_range[0] <= value <= layout.weight_range[1]:
        low, high = layout.weight_range
        message = f"the weight {_shortened(text)} is outside {low}..{high}, what the header's type can hold"
        return at(where, "E0809", message)
    return None


def is_decimal(word: bytes) -> bool:
    """Whether a word is a number: digits, perhaps with a sign, a point and an exponent."""
    return _DECIMAL.fullmatch(word) is not None


def is_weight(word: bytes) -> bool:
    """Whether a word is a number, finite or not."""
    return is_decimal(word) or _NOT_FINITE.fullmatch(word) is not None


def _whole(text: bytes) -> int | None:
    """The integer of 64 bits with a sign that a word is, if it is one; Python refuses to read thousands of digits."""
    digits = text.lstrip(b"+-").lstrip(b"0") or b"0"
    if not _INTEGER.fullmatch(text) or len(digits) > 19:
        return None
    value = -int(digits) if text.startswith(b"-") else int(digits)
    return value if -(2**63) <= value < 2**63 else None


def _shortened(text: bytes) -> str:
    return shown(text if len(text) <= 40 else text[:37] + b"...")


def _found(word: re.Match[bytes]) -> str:
    return f"found '{_shortened(word.group())}'"


def shown(text: bytes) -> str:
    """Bytes of a file as text for a message; what is no text, or not printable, becomes a dot."""
    decoded = text.rstrip(b"\r\n").decode("utf-8", "replace")
    return "".join(c if (c.isprintable() and c != "\ufffd") or c == "\t" else "." for c in decoded)
