"""`starplat fmt`: formats programs."""

from difflib import unified_diff
from pathlib import Path
from typing import Annotated

import typer

from starplat.cli import arguments, console, files
from starplat.diagnostics import DiagnosticError, ExitCode
from starplat.program_text import read_file
from starplat.source import SourceFile

Files = Annotated[list[Path], typer.Argument(metavar="FILE.sp…", help="The programs; - reads stdin and writes stdout.")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 if a file is not formatted.")]
Diff = Annotated[bool, typer.Option("--diff", help="Write nothing; print what would change.")]


def fmt(paths: Files, check: Check = False, diff: Diff = False, all_errors: arguments.AllErrors = False) -> None:
    """Format programs in place."""
    from starplat.frontend.unparse import format_source

    failed = changed = False
    for path in paths:
        try:
            source = files.source_at(path) if files.is_stdin(path) else read_file(path)
            formatted = format_source(source)
        except DiagnosticError as error:
            console.show(error.diagnostics)
            failed = True
            continue
        changed |= formatted != source.text
        _deliver(path, source, formatted, check=check, diff=diff)
    if failed or (check and changed):
        raise typer.Exit(ExitCode.WRONG_INPUT.value)


def _deliver(path: Path, source: SourceFile, formatted: str, *, check: bool, diff: bool) -> None:
    if diff:
        console.write(_difference(source, formatted))
    if check and formatted != source.text:
        console.say(f"{source.name}: not formatted")
    if check or diff:
        return
    if files.is_stdin(path):
        console.write(formatted)
    elif formatted != source.text:
        files.write_text(path, formatted)
        console.say(f"{path}: formatted")


def _difference(source: SourceFile, formatted: str) -> str:
    before, after = (text.splitlines(keepends=True) for text in (source.text, formatted))
    lines = unified_diff(before, after, source.name, source.name + " (formatted)")
    return "".join(line if line.endswith("\n") else line + "\n\\ no newline at the end\n" for line in lines)
