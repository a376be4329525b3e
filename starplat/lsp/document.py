"""One open program: its text as the editor has it, what can be read of it, and the last program without errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lsprotocol import types as lsp

from starplat import pipeline
from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.editing.reading import Reading, read
from starplat.lsp.places import Places
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

    def next(self, text: str, version: int | None) -> Document:
        """The document with another text."""
        return Document(replace(self.source, text=text), self.encoding, version, self.good)

    def location(self, span: Span, uri: str) -> lsp.Location:
        """A place in the document, which has this URI, or in a file that it imports."""
        return located(self.reading.source, span, uri, self.encoding)

    @cached_property
    def places(self) -> Places:
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
