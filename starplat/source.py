"""Program texts and places in them.

A `SourceFile` is text with a name; a `Span` is a half-open range of characters in it. Lines and columns are worked out
on demand, because most spans are never shown.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` up to, not including, `end` of one source file."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of `other`."""
        return Span(self.start, other.end)


NOWHERE = Span(0, 0)
"""The span of what no text stands for: nodes that the compiler itself makes."""


@dataclass(frozen=True)
class SourceFile:
    """A program's text and the name that messages call it by."""

    name: str
    text: str

    @classmethod
    def read(cls, path: str | Path) -> SourceFile:
        """The file at `path`; its bytes must be UTF-8 (a byte order mark is dropped).

        Raises:
            OSError: the file cannot be read.
            UnicodeDecodeError: the file is not text.
        """
        return cls(str(path), Path(path).read_bytes().decode("utf-8-sig"))

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for line in self.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both counted from 1."""
        line = max(bisect_right(self._line_starts, offset) - 1, 0)
        if line == len(self._line_starts) - 1 and line > 0 and not self.text.endswith(("\n", "\r")):
            line -= 1
        return line + 1, offset - self._line_starts[line] + 1

    def piece(self, span: Span) -> str:
        """The text of a span, in one line."""
        return " ".join(self.text[span.start : span.end].split())

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        starts = self._line_starts
        end = starts[number] if number < len(starts) else None
        lines = self.text[starts[number - 1] : end].splitlines()
        return lines[0] if lines else ""
