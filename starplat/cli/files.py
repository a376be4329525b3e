"""Files of the command line: the program, which may come through standard input, and what is written, atomically.

A file is written beside its destination under another name and then renamed over it, so that an interruption leaves
either the old file or the new one. The permissions of a file that is replaced are kept; a symbolic link stays one.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starplat import whole_files
from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.program_text import decoded, read_program
from starplat.source import SourceFile
from starplat.whole_files import NO_FILE, mode_of_new, why_not_writable


@contextmanager
def replacing(destination: Path) -> Iterator[Path]:
    """A path to write to, with the destination's ending; becomes the destination if the block ends well. Raises E0792:
    it cannot be written."""
    try:
        place = destination.resolve()
        if place.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        if place.exists() and not place.is_file():
            raise FileExistsError(17, NO_FILE)
        with whole_files.replacing(place, _mode_of(place), place.suffix) as temporary:
            yield temporary
    except (OSError, ValueError) as error:
        raise cannot_write(destination, reason_of(error)) from error


def write_text(destination: Path, text: str) -> None:
    """Writes a text file, `\\n` as line end everywhere.

    Raises:
        DiagnosticError: E0792, it cannot be written.
    """
    with replacing(destination) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def require_writable(*destinations: Path | None) -> None:
    """Refuses an unwritable file before the run; None is no file. Raises E0792: it cannot be written."""
    for destination in destinations:
        if destination is None:
            continue
        try:
            if (reason := why_not_writable(destination)) is not None:
                raise cannot_write(destination, reason)
        except (OSError, ValueError, RuntimeError) as error:
            raise cannot_write(destination, reason_of(error)) from error


def reason_of(error: Exception) -> str:
    """Why the system refused, as a part of a sentence."""
    reason = str(getattr(error, "strerror", None) or error)
    return reason[:1].lower() + reason[1:]


def cannot_write(destination: Path, reason: str, help: str | None = None) -> DiagnosticError:
    """E0792."""
    return DiagnosticError(Diagnostic("E0792", f"{destination}: cannot be written: {reason}", help=help))


def _mode_of(destination: Path) -> int:
    """The permissions to give: those of the file that is replaced, else what a new file gets."""
    try:
        return destination.stat().st_mode & 0o7777
    except FileNotFoundError:
        return mode_of_new()


STDIN_NAME = "<stdin>"
"""What messages call a program that came through standard input."""


def is_stdin(path: Path) -> bool:
    """Whether the name stands for standard input."""
    return str(path) == "-"


def source_at(path: Path) -> SourceFile:
    """The text of the program. Raises E0790, it cannot be read; E0791, it is not text."""
    return (
        SourceFile(STDIN_NAME, decoded(STDIN_NAME, sys.stdin.buffer.read())) if is_stdin(path) else read_program(path)
    )
