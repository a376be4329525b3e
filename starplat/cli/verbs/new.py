"""`starplat new`: starts a program as a copy of a shipped one."""

from pathlib import Path
from typing import Annotated

import typer

from starplat.cli import console, files
from starplat.cli.verbs.show import text_of


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.sp", help="The file to write.", show_default=False)],
    source: Annotated[
        str, typer.Option("--from", metavar="NAME", help="The program to copy; `starplat show` lists them.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Copy a program that comes with starplat into a file of your own."""
    text = text_of(source)
    if not force and file.exists():
        raise files.cannot_write(file, "it exists already", help="--force replaces it")
    files.write_text(file, text)
    console.say(f"{file}: written")
