"""Program texts and places in them.

A `SourceFile` is text with a name; a `Span` is a half-open range of characters in it. Lines and columns are worked out
on demand, because most spans are never shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
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


def _not_open(path: Path) -> str | None:
    """What is known of a file where no editor has one open; the parser's tables are kept with it, so it has a name."""
    return None


@dataclass(frozen=True)
class SourceFile:
    """A program's text and the name that messages call it by.

    Places in the files that it imports are numbers as well: those of each file follow those of the one before, with one
    between them. A text that came as such `is_file` not, and is not the file of its name; `opened` gives the text of a
    file that an editor has changed and not saved, by its path without links.
    """

    name: str
    text: str
    imported: tuple[SourceFile, ...] = ()
    is_file: bool = field(default=True, compare=False)
    opened: Callable[[Path], str | None] = field(default=_not_open, compare=False, repr=False)

    @classmethod
    def read(cls, path: str | Path) -> SourceFile:
        """The file at `path`; its bytes must be UTF-8 (a byte order mark is dropped). Raises OSError: the file cannot
        be read; UnicodeDecodeError: the file is not text."""
        return cls(str(path), Path(path).read_bytes().decode("utf-8-sig"))

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for line in self.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    @cached_property
    def whole(self) -> str:
        """The text with those of the imported files behind it, which places count in."""
        return "\n".join([self.text, *(file.text for file in self.imported)])

    def in_one(self) -> SourceFile:
        """The program as if all its files were one: lines and places count on from one to the next."""
        return SourceFile(self.name, self.whole)

    def owns(self, span: Span) -> bool:
        """Whether a place is in the program's own file."""
        return span.start <= len(self.text)

    def file_at(self, offset: int) -> tuple[SourceFile, int]:
        """The file that a character is in, and where it stands there."""
        if offset <= len(self.text) or not self.imported:
            return self, offset
        offset -= len(self.text) + 1
        for file in self.imported:
            if offset <= len(file.text):
                return file, offset
            offset -= len(file.text) + 1
        raise ValueError("this place is in none of the program's files")

    def line_at(self, offset: int) -> str:
        """The text of the line that a character is in."""
        file, own = self.file_at(offset)
        return file.line(file.position(own)[0])

    def line_name(self, offset: int) -> str:
        """What to call the line of a character: `line 7`, in an imported file `other.sp, line 7`."""
        file, own = self.file_at(offset)
        name = "" if file is self else f"{file.name}, "
        return f"{name}line {file.position(own)[0]}"

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character in its file, both counted from 1."""
        if offset > len(self.text) and self.imported:
            file, own = self.file_at(offset)
            return file.position(own)
        line = max(bisect_right(self._line_starts, offset) - 1, 0)
        if line == len(self._line_starts) - 1 and line > 0 and not self.text.endswith(("\n", "\r")):
            line -= 1
        return line + 1, offset - self._line_starts[line] + 1

    def piece(self, span: Span) -> str:
        """The text of a span, in one line."""
        return " ".join(self.whole[span.start : span.end].split())

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        starts = self._line_starts
        end = starts[number] if number < len(starts) else None
        lines = self.text[starts[number - 1] : end].splitlines()
        return lines[0] if lines else ""
