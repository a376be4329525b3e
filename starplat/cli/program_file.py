"""Reads the program that a command line names: a file, or `-` for stdin."""

import sys
from pathlib import Path

from starplat.program_text import decoded, read_program
from starplat.source import SourceFile

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
