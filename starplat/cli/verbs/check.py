"""`starplat check`: errors and warnings of programs."""

from pathlib import Path
from typing import Any

import typer

from starplat.cli import console, files
from starplat.cli.arguments import AllErrors, Json, ProgramFiles, Strict
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, Severity


def check(files: ProgramFiles, strict: Strict = False, json: Json = False, all_errors: AllErrors = False) -> None:
    """Check programs: names, types, flow, races. Exit code 1 if any has an error."""
    found = {file: diagnostics_of(file, strict) for file in files}
    console.show(diagnostic for diagnostics in found.values() for diagnostic in diagnostics)
    if json:
        console.write_json({"schema": 1, "files": [_as_json(file, found[file]) for file in files]})
    else:
        for file in files:
            console.say(f"{file}: {verdict(found[file])}")
    if any(_count(diagnostics, Severity.ERROR) for diagnostics in found.values()):
        raise typer.Exit(ExitCode.WRONG_INPUT.value)


def diagnostics_of(file: Path, strict: bool) -> tuple[Diagnostic, ...]:
    """All diagnostics of a program, or what is wrong with its file."""
    from starplat import pipeline

    try:
        return pipeline.diagnostics(files.source_at(file), strict=strict)
    except DiagnosticError as error:
        return error.diagnostics


def verdict(diagnostics: tuple[Diagnostic, ...]) -> str:
    """How many errors and warnings there are, in words."""
    errors, warnings = _count(diagnostics, Severity.ERROR), _count(diagnostics, Severity.WARNING)
    said = [
        f"{number} {noun}{'s' * (number != 1)}" for number, noun in ((errors, "error"), (warnings, "warning")) if number
    ]
    return ", ".join(said) or "no errors"


def _as_json(file: Path, diagnostics: tuple[Diagnostic, ...]) -> dict[str, Any]:
    return {
        "file": str(file),
        "errors": _count(diagnostics, Severity.ERROR),
        "warnings": _count(diagnostics, Severity.WARNING),
        "diagnostics": [diagnostic.to_json() for diagnostic in diagnostics],
    }


def _count(diagnostics: tuple[Diagnostic, ...], severity: Severity) -> int:
    return sum(diagnostic.severity is severity for diagnostic in diagnostics)
