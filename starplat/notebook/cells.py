"""`%%starplat [NAME] [--strict]`: a cell that is a program."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from starplat.diagnostics import StarplatWarning, render
from starplat.program import Program, compile
from starplat.source import SourceFile

MAGIC = "%%starplat"
USAGE = f"{MAGIC} [NAME] [--strict]: NAME is what the program is called from then on, by default as its entry is"


def compile_cell(shell: Any, line: str, cell: str) -> Program:
    """The program in a cell, which the notebook's names have from then on; its warnings are shown as in a terminal.

    Raises:
        DiagnosticError: the program is wrong, or has no entry to be called after.
        UsageError: of IPython, the words after `%%starplat` are no name.
    """
    from IPython.core.error import UsageError

    names = [word for word in line.split() if word != "--strict"]
    if len(names) > 1 or not all(name.isidentifier() for name in names):
        raise UsageError(USAGE)
    strict = "--strict" in line.split()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StarplatWarning)
        name = names[0] if names else compile(SourceFile("cell.sp", cell, is_file=False), strict=strict).module().entry
        program = compile(SourceFile(f"{name}.sp", cell, is_file=False), strict=strict)
    for warning in program.warnings:
        print(render(warning), file=sys.stderr)
    shell.user_ns[name] = program
    return program
