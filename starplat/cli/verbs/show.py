"""`starplat show`: lists or prints the shipped programs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starplat.cli import arguments, console
from starplat.diagnostics import Diagnostic, DiagnosticError

if TYPE_CHECKING:
    from rich.table import Table


def show(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The program to print; without it, all are listed.")
    ] = None,
    json: arguments.Json = False,
) -> None:
    """Print a program that comes with starplat, or list them."""
    from starplat.resources import shipped_programs

    if name is not None:
        text = text_of(name)
        console.write_json({"schema": 1, "program": name, "text": text}) if json else _write_coloured(text)
        return
    purposes = {program: _purpose(path) for program, path in shipped_programs().items()}
    if json:
        console.write_json({"schema": 1, "programs": purposes})
    else:
        console.show_table(_table(purposes))


def text_of(name: str) -> str:
    """The text of a shipped program, which may be called with its ending. Raises E0790: there is none of that name."""
    from starplat.program_text import unknown_program
    from starplat.resources import shipped_programs

    if (path := shipped_programs().get(name.removesuffix(".sp"))) is None:
        message = f"no program that comes with starplat is called '{name}'"
        raise DiagnosticError(Diagnostic("E0790", message, help=unknown_program(name.removesuffix(".sp"))))
    return path.read_text(encoding="utf-8")


def _write_coloured(text: str) -> None:
    """The program, coloured on a terminal."""
    if not console.wants_colour(sys.stdout):
        console.write(text)
        return
    from rich.syntax import Syntax

    from starplat.highlighting import ProgramLexer

    console.out().print(Syntax(text, ProgramLexer(), theme="ansi_dark").highlight(text), soft_wrap=True, end="")


def _purpose(path: Path) -> str:
    """The first line of a program, which says what it computes."""
    return path.read_text(encoding="utf-8").splitlines()[0].removeprefix("//").strip()


def _table(purposes: dict[str, str]) -> "Table":
    from rich.markup import escape

    table = console.table("name", "what it computes")
    for name, purpose in purposes.items():
        table.add_row(name, escape(purpose))
    return table
