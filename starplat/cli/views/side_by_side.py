"""An annotation in a terminal (program on the left, its code on the right, reasons below), or as one HTML page.

Programs and emitted code are cut up by lexers of Pygments, and coloured by the kind of each word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from starplat.cli.views import html
from starplat.cli.views.annotation import Annotation, Line, Section
from starplat.source import SourceFile

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text


class Ink(Enum):
    """Kinds of words, as many as a reader tells apart."""

    PLAIN = "plain"
    COMMENT = "comment"
    KEYWORD = "keyword"
    TYPE = "type"
    NUMBER = "number"
    DIRECTIVE = "directive"


Piece = tuple[Ink, str]


def program_lines(source: SourceFile) -> list[list[Piece]]:
    from starplat.highlighting import ProgramLexer

    return _cut(_pieces(ProgramLexer(stripnl=False, ensurenl=False), source.text))


def emitted_lines(text: str) -> list[list[Piece]]:
    """The lines of C++ or what is near to it."""
    from pygments.lexers import CppLexer

    return _cut(_pieces(CppLexer(stripnl=False, ensurenl=False), text))


def _pieces(lexer: Lexer, text: str) -> Iterator[Piece]:
    from pygments.token import Comment, Keyword, Name, Number

    inks = (
        (Comment.Preproc, Ink.DIRECTIVE),
        (Comment.PreprocFile, Ink.DIRECTIVE),
        (Comment, Ink.COMMENT),
        (Keyword.Type, Ink.TYPE),
        (Keyword.Constant, Ink.NUMBER),
        (Keyword, Ink.KEYWORD),
        (Number, Ink.NUMBER),
        (Name.Builtin, Ink.NUMBER),
    )
    for kind, piece in lexer.get_tokens(text):
        yield next((ink for known, ink in inks if kind in known), Ink.PLAIN), piece


def _cut(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The pieces line by line, without the ends of lines, as `str.splitlines` knows them."""
    lines: list[list[Piece]] = [[]]
    for ink, text in pieces:
        for part in text.splitlines(keepends=True):
            (bare,) = part.splitlines()
            if bare:
                lines[-1].append((ink, bare))
            if bare != part:
                lines.append([])
    return lines


STYLES: Mapping[Ink, str] = {
    Ink.PLAIN: "",
    Ink.COMMENT: "green",
    Ink.KEYWORD: "bold blue",
    Ink.TYPE: "cyan",
    Ink.NUMBER: "magenta",
    Ink.DIRECTIVE: "dim",
}
ATOMIC_MARK = "◆"
LEFT_SHARE = 0.45
"""Of the width, at most."""


def show(annotation: Annotation, source: SourceFile, console: Console) -> None:
    """Prints the whole."""
    left = program_lines(source)
    widest = max((len(line.text) for section in annotation.sections for line in section.lines), default=0)
    width = min(widest + 6, int(console.width * LEFT_SHARE))
    console.print(f"{annotation.program} for {annotation.target}", style="bold", markup=False)
    for section in annotation.sections:
        for part in _section(section, left, width):
            console.print(part)
    console.print()
    for part in _rest(annotation):
        console.print(part)


def _section(section: Section, left: Sequence[Sequence[Piece]], width: int) -> Iterable[RenderableType]:
    from rich.rule import Rule
    from rich.table import Table
    from rich.text import Text

    yield Text()
    yield Rule(Text(section.title, style="bold"), align="left", style="dim")
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(width=width)
    table.add_column(ratio=1)
    table.add_row(_numbered(section.lines, left), _became(section))
    yield table
    yield from _reasons(section)


def _numbered(lines: Sequence[Line], pieces: Sequence[Sequence[Piece]]) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="dim", width=len(str(len(pieces))))
    table.add_column(overflow="fold")
    for line in lines:
        table.add_row(str(line.number), _coloured(pieces[line.number - 1]))
    return table


def _became(section: Section) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    table.add_column(style="bold red", width=1)
    table.add_column(overflow="fold")
    for depth, text in section.host:
        table.add_row("", Text("  " * depth + f"host: {text}", style="yellow"))
    for number, kernel in enumerate(section.kernels):
        if number or section.host:
            table.add_row("", "")
        for line, coloured in zip(kernel.lines, _emitted(kernel.lines), strict=True):
            table.add_row(ATOMIC_MARK if line.atomic else "", _coloured(coloured))
    return table


def _emitted(lines: Sequence[Line]) -> list[list[Piece]]:
    return emitted_lines("\n".join(line.text for line in lines))


def _coloured(pieces: Iterable[Piece]) -> Text:
    from rich.text import Text

    return Text.assemble(*((text, STYLES[ink]) for ink, text in pieces))


def _reasons(section: Section) -> Iterable[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    rows: list[tuple[Text, Text]] = []
    for kernel in section.kernels:
        for atomic in kernel.atomics:
            rows.append((Text(f"{ATOMIC_MARK} {atomic.operation}", style="bold red"), Text(atomic.reason)))
    for cell in section.cells:
        rows.append((Text(f"({cell.letter}) {cell.title}"), Text(f"{cell.race_class}: {cell.reason}")))
    for title, names in section.transfers:
        rows.append((Text(title, style="yellow"), Text(", ".join(names))))
    if rows:
        table = Table.grid(padding=(0, 2))
        table.add_column(overflow="fold")
        table.add_column(overflow="fold")
        for row in rows:
            table.add_row(*row)
        yield Text()
        yield table


def _rest(annotation: Annotation) -> Iterable[RenderableType]:
    from rich.rule import Rule
    from rich.table import Table
    from rich.text import Text

    yield Rule(Text("between host and device", style="bold"), align="left", style="dim")
    table = Table.grid(padding=(0, 2))
    for title, names in annotation.transfers:
        table.add_row(Text(title, style="yellow"), Text(", ".join(names)))
    yield table
    yield Text()
    yield Rule(Text("what all kernels share", style="bold"), align="left", style="dim")
    yield Text("\n").join(map(_coloured, _emitted(annotation.shared_text)))


def page(annotation: Annotation, source: SourceFile) -> str:
    """The page; the same annotation gives the same bytes."""
    left = program_lines(source)
    return html.filled(
        "annotation.html.jinja",
        name=PurePosixPath(PureWindowsPath(annotation.program).as_posix()).name,
        target=annotation.target,
        function=annotation.function,
        transfers=annotation.transfers,
        sections=[_section_of_page(section, left) for section in annotation.sections],
        shared=_emitted(annotation.shared_text),
    )


def _section_of_page(section: Section, left: Sequence[Sequence[Piece]]) -> dict[str, Any]:
    return {
        "title": section.title,
        "left": [_line(line, left[line.number - 1]) for line in section.lines],
        "kernels": [{"lines": list(map(_line, k.lines, _emitted(k.lines)))} for k in section.kernels],
        "host": section.host,
        "atomics": [atomic for kernel in section.kernels for atomic in kernel.atomics],
        "cells": section.cells,
        "transfers": section.transfers,
    }


def _line(line: Line, pieces: Sequence[Piece]) -> dict[str, Any]:
    return {"number": line.number, "pieces": pieces, "names": " ".join(line.names), "atomic": line.atomic}
