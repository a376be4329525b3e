"""One open program: its text as the editor has it, what can be read of it, and the last program without errors.

Places are as the protocol counts them: lines from 0, columns in units of an encoding (UTF-16 by default).
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lsprotocol import types as lsp

from starplat import pipeline
from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.editing.reading import Reading, read
from starplat.pipeline import Checked
from starplat.resources import shipped_programs
from starplat.source import SourceFile, Span


def located(source: SourceFile, span: Span, uri: str, encoding: str) -> lsp.Location:
    """A place of a program as the protocol has it; the program's own file has this URI."""
    file, start = source.file_at(span.start)
    if file is not source:
        shipped = shipped_programs().get(Path(file.name).stem)
        path = shipped if shipped is not None and file.name == shipped.name else Path(file.name)
        uri = path.resolve().as_uri()
    own = Span(start, start + span.end - span.start)
    return lsp.Location(uri=uri, range=Places(file.text, encoding).range(own))


@dataclass
class Document:
    """A text of one version; `next` makes the next. `good` is the program that the text was when it last was one."""

    source: SourceFile
    encoding: str
    version: int | None = None
    good: Checked | None = None

    def next(self, text: str, version: int | None) -> "Document":
        return Document(replace(self.source, text=text), self.encoding, version, self.good)

    def location(self, span: Span, uri: str) -> lsp.Location:
        """A place in the document, which has this URI, or in a file that it imports."""
        return located(self.reading.source, span, uri, self.encoding)

    @cached_property
    def places(self) -> "Places":
        """Its places as the editor counts them."""
        return Places(self.source.text, self.encoding)

    @cached_property
    def reading(self) -> Reading:
        """What its names mean, whatever is wrong with it."""
        return read(self.source)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that is wrong or doubtful; a text without errors is `good` from then on."""
        try:
            self.good = pipeline.check(self.source)
        except DiagnosticError as error:
            return error.diagnostics
        return self.good.warnings


_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Places:
    """Converts the places of one text; what lies outside it is brought to its nearest end.

    >>> places = Places("// 🙂 x\\ny", "utf-16")
    >>> places.position(5), places.offset(lsp.Position(line=0, character=6))
    (0:6, 5)
    """

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._codec, self._size = _UNITS[encoding]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", self.text))]

    def _line(self, number: int) -> str:
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : end]

    def position(self, offset: int) -> lsp.Position:
        """The line and column of a character."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        return lsp.Position(line=line, character=self._units(before))

    def offset(self, position: lsp.Position) -> int:
        """The character at a line and column; a column inside a character is that character's."""
        if position.line >= len(self._starts):
            return len(self.text)
        line = self._line(position.line).rstrip("\r\n")
        encoded = line.encode(self._codec, "surrogatepass")[: position.character * self._size]
        start: int = self._starts[position.line]
        return start + len(encoded.decode(self._codec, "ignore"))

    def range(self, span: Span) -> lsp.Range:
        """The lines and columns of a piece of the text."""
        return lsp.Range(start=self.position(span.start), end=self.position(max(span.start, span.end)))

    def _units(self, text: str) -> int:
        return len(text.encode(self._codec, "surrogatepass")) // self._size
