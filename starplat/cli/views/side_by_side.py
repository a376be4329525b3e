"""An annotation in a terminal: the program on the left, its code on the right, the reasons below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from starplat.cli.views.annotation import Annotation, Line, Section
from starplat.cli.views.colouring import Ink, Piece, emitted_lines, program_lines
from starplat.source import SourceFile

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

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
