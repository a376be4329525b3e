"""Diagnostics: what is wrong, where, and the remedy.

A `Diagnostic` has a code, one sentence, the smallest wrong piece of text, related places and a help line; `render`
draws it. Which codes exist, and the page that explains each, is in `docs/errors/`.
"""

import os
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self

from starplat.source import SourceFile, Span

LONGEST_LINE = 112
"""Columns of program text that a diagnostic shows; of a longer line, those around the place."""
ELLIPSIS = "..."
MOST_ERRORS = 20
"""Errors that are written out unless all are asked for."""


class Severity(Enum):
    """How bad it is: errors stop the compiler, warnings and notes do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Label:
    """A place in the text with a few words beside it."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """The remedy as a change of the text: `text` in the place of `span`."""

    span: Span
    text: str


class Rewrite(str):
    """A help line that says what to write in the place of what is underlined."""

    replacement: str

    def __new__(cls, line: str, replacement: str) -> Self:
        made = super().__new__(cls, line)
        made.replacement = replacement
        return made


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake.

    `place` is underlined with carets, `related` with dashes; `source` is None for what no program text caused
    (an argument, a graph file, a device), and then no text is drawn. `fix` is what `help` says, where that is exact.
    """

    code: str
    message: str
    source: SourceFile | None = None
    place: Label | None = None
    related: tuple[Label, ...] = ()
    help: str | None = None
    severity: Severity = Severity.ERROR
    fix: Fix | None = None

    def to_json(self) -> dict[str, Any]:
        """With places as lines and columns, both counted from 1; ends are exclusive."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "place": None if self.place is None else _place_to_json(self.source, self.place),
            "related": [_place_to_json(self.source, label) for label in self.related],
            "help": self.help,
            "fix": None if self.fix is None else _place_to_json(self.source, Label(self.fix.span, self.fix.text)),
        }


def _place_to_json(source: SourceFile | None, label: Label) -> dict[str, Any]:
    assert source is not None
    start, end = label.span.start, label.span.end
    (line, column), (end_line, end_column) = source.position(start), source.position(max(start, end))
    ends = {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
    return {"file": source.file_at(start)[0].name, **ends, "text": label.text}


class ExitCode(Enum):
    """What the process tells the shell."""

    FINE = 0
    WRONG_INPUT = 1
    USAGE = 2
    NO_DEVICE = 3
    BUILD_FAILED = 4
    INTERRUPTED = 130


class DiagnosticError(Exception):
    """An exception that carries diagnostics; its text is that of the first errors."""

    def __init__(self, *diagnostics: Diagnostic, exit_code: ExitCode = ExitCode.WRONG_INPUT) -> None:
        shown, more = first_errors(diagnostics)
        super().__init__("\n\n".join([*map(render, shown), *([f"and {more}: see `diagnostics`"] if more else [])]))
        self.diagnostics = diagnostics
        self.exit_code = exit_code

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of it in the place of a traceback: the same as a terminal."""
        return str(self).split("\n")


def first_errors(diagnostics: Iterable[Diagnostic], most: int = MOST_ERRORS) -> tuple[list[Diagnostic], str]:
    """The diagnostics up to the error number `most`, and in words how many there are after it."""
    found = list(diagnostics)
    errors = [place for place, diagnostic in enumerate(found) if diagnostic.severity is Severity.ERROR]
    if len(errors) <= most:
        return found, ""
    shown, left = found[: errors[most - 1] + 1], len(errors) - most
    return shown, f"{left:,} more error{'s' * (left != 1)}"


class StarplatWarning(UserWarning):
    """What is doubtful in a program or a graph, as Python's `warnings` show it.

    Attributes:
        diagnostic: the whole message with its place in the program, where it is about one.
    """

    def __init__(self, message: str, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(message)
        self.diagnostic = diagnostic


def warn(message: str, diagnostic: Diagnostic | None = None) -> None:
    """Warns in Python's way, at the line outside this package from which it was called."""
    package = os.path.dirname(__file__) + os.sep
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(StarplatWarning(message, diagnostic), stacklevel=level)


@dataclass
class Reporter:
    """Collects diagnostics while a stage goes on past the first mistake."""

    source: SourceFile
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _seen: set[Diagnostic] = field(default_factory=set, repr=False)

    def report(
        self,
        code: str,
        message: str,
        span: Span | None,
        text: str = "",
        *,
        related: Iterable[Label] = (),
        help: str | None = None,
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Adds a diagnostic; one that says the same of the same place is kept once. A `Rewrite` as help is its fix."""
        place = None if span is None else Label(span, text)
        fix = Fix(span, help.replacement) if span is not None and isinstance(help, Rewrite) else None
        said = None if help is None else str(help)
        diagnostic = Diagnostic(code, message, self.source, place, tuple(related), said, severity, fix)
        if diagnostic not in self._seen:
            self._seen.add(diagnostic)
            self.diagnostics.append(diagnostic)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Those that stop the compiler, in the order of the text."""
        return tuple(sort(d for d in self.diagnostics if d.severity is Severity.ERROR))

    def raise_errors(self) -> None:
        """Raises what has been collected, but for notes, if any of it is an error."""
        if self.errors:
            raise DiagnosticError(*sort(d for d in self.diagnostics if d.severity is not Severity.NOTE))


def sort(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """In the order of the text, those without a place first."""
    return sorted(diagnostics, key=lambda d: d.place.span.start if d.place else -1)


def render(diagnostic: Diagnostic) -> str:
    """The diagnostic as plain text: header, arrow to the place, lines with underlines, help."""
    header = f"{diagnostic.severity.value}[{diagnostic.code}]: {diagnostic.message}"
    parts = [header]
    if diagnostic.source is not None and diagnostic.place is not None:
        parts.extend(_excerpt(diagnostic.source, diagnostic.place, diagnostic.related))
    if diagnostic.help:
        gutter = "   " if diagnostic.place is not None else ""
        parts.append(f"{gutter}= help: {diagnostic.help}")
    return "\n".join(parts)


def in_a_line(diagnostic: Diagnostic) -> str:
    """The diagnostic as one line with its place: `sssp.sp:4:7: 'x' is never used (W0201)`."""
    said = f"{diagnostic.message} ({diagnostic.code})"
    if diagnostic.source is None or diagnostic.place is None:
        return said
    return f"{_where(diagnostic.source, diagnostic.place)}: {said}"


def _excerpt(source: SourceFile, place: Label, related: tuple[Label, ...]) -> list[str]:
    file = source.file_at(place.span.start)[0]
    lines = [f"  --> {_where(source, place)}", "   |"]
    lines.extend(_underlined(source, place, "^"))
    for label in related:
        if source.file_at(label.span.start)[0] is not file:
            file = source.file_at(label.span.start)[0]
            lines.append(f"  ::: {_where(source, label)}")
        lines.extend(_underlined(source, label, "-"))
    return [*lines, "   |"] if len(lines) > 2 else lines


def _where(source: SourceFile, label: Label) -> str:
    line, column = source.position(label.span.start)
    return f"{source.file_at(label.span.start)[0].name}:{line}:{column}"


def _underlined(source: SourceFile, label: Label, mark: str) -> list[str]:
    number, column = source.position(label.span.start)
    text, before = _window(source.line_at(label.span.start), column - 1)
    width = max(1, min(label.span.end - label.span.start, len(text) - before))
    lead = "".join("\t" if c == "\t" else " " for c in text[:before])
    words = f" {label.text}" if label.text else ""
    return [f"{number:2d} | {text}", f"   | {lead}{mark * width}{words}"]


def _window(line: str, start: int) -> tuple[str, int]:
    """As much of a line as is shown around the character `start`, and where that stands in it."""
    if len(line) <= LONGEST_LINE:
        return line, start
    first = max(0, min(start - LONGEST_LINE // 3, len(line) - LONGEST_LINE))
    shown = line[first : first + LONGEST_LINE]
    if first + LONGEST_LINE < len(line):
        shown = shown[: -len(ELLIPSIS)] + ELLIPSIS
    if first > 0:
        shown = ELLIPSIS + shown[len(ELLIPSIS) :]
    return shown, start - first
