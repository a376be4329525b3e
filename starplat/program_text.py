"""Reads the text of a program: from a file, from bytes, as given, or of a shipped program."""

from pathlib import Path

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.resources import shipped_programs
from starplat.source import SourceFile

TEXT_NAME = "program.sp"
"""What messages call a program that came as text."""


def read_program(path: str | Path) -> SourceFile:
    """The text of a program file; or, where no such file is, of the shipped program of that name. Messages call that
    as if it lay in the current folder.

    >>> read_program("sssp").name
    'sssp.sp'

    Raises:
        DiagnosticError: E0790, the file cannot be read; E0791, it is not text.
    """
    if (shipped := shipped_programs().get(str(path))) is None or Path(path).is_file():
        return read_file(path)
    return SourceFile(shipped.name, shipped.read_text(encoding="utf-8"), is_file=False)


def read_file(path: str | Path) -> SourceFile:
    """The text of a program file. Raises E0790, the file cannot be read; E0791, it is not text."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        message = f"{path}: cannot be read: {reason}" if str(path) else "the program has no name and no text"
        raise DiagnosticError(Diagnostic("E0790", message, help=_near(Path(path)))) from error
    return SourceFile(str(path), decoded(str(path), data))


def decoded(name: str, data: bytes) -> str:
    """The text of a program; a byte order mark is dropped. Raises E0791: it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name}:{line}: byte {error.start} of the file is not UTF-8 text"
        raise DiagnosticError(Diagnostic("E0791", message, help="programs are UTF-8 text files")) from error


def source_of(program: str | Path | SourceFile) -> SourceFile:
    """A program given as text, as the path of a file, or as the name of a shipped program: a `str` that holds a newline
    or a `{` is text."""
    match program:
        case SourceFile():
            return program
        case str() if "\n" in program or "{" in program:
            return SourceFile(TEXT_NAME, program, is_file=False)
    return read_program(program)


def unknown_program(name: str) -> str:
    """A hint for a name that is no file's and no shipped program's."""
    from starplat.frontend.mistakes.remedies import did_you_mean

    near = did_you_mean(name, shipped_programs())
    return near or "`starplat show` lists the programs that come with starplat"


def _near(path: Path) -> str | None:
    """A hint for a path that leads nowhere."""
    from starplat.frontend.mistakes.remedies import did_you_mean

    if str(path) in shipped_programs():
        return f"`starplat new {path}.sp --from {path}` copies the program that comes with starplat"
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix == ".sp"]
    except (OSError, ValueError):
        names = []
    return did_you_mean(path.name, names) or (unknown_program(str(path)) if str(path).isidentifier() else None)
