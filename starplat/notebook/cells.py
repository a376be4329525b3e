"""`%%starplat [NAME] [--strict]`: a cell that is a program, and the completion in it."""

import sys
import warnings
from typing import Any

from starplat.diagnostics import StarplatWarning, render
from starplat.editing.completion import completions
from starplat.program import Program, compile
from starplat.source import SourceFile

MAGIC = "%%starplat"
USAGE = f"{MAGIC} [NAME] [--strict]: NAME is what the program is called from then on, by default as its entry is"


def compile_cell(shell: Any, line: str, cell: str) -> Program:
    """The program in a cell, which the notebook's names have from then on; its warnings are shown as in a terminal.
    Raises DiagnosticError: the program is wrong, or has no entry to be called after; UsageError: of IPython, the words
    after `%%starplat` are no name."""
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


def matcher() -> Any:
    """A matcher of IPython's completer; it is the only one that is asked in cells that are programs."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    def starplat_matcher(context: Any) -> dict[str, Any]:
        if not in_program(context.full_text, context.cursor_line):
            return {"completions": []}
        head, candidates = candidates_at(context.full_text, context.cursor_line, context.cursor_position, context.token)
        return {"completions": [SimpleCompletion(text=head + found) for found in candidates], "suppress": True}

    return context_matcher()(starplat_matcher)


def in_program(text: str, line: int) -> bool:
    """Whether a line of a cell is one of a program's."""
    return line > 0 and text.lstrip().startswith(MAGIC)


def candidates_at(text: str, line: int, column: int, token: str) -> tuple[str, list[str]]:
    """What stands before the word under the cursor in what IPython replaces, and the words that it may become. Lines
    and columns count from 0; the first line is that of the magic.

    >>> candidates_at("%%starplat f\\nfor", 1, 3, "for")
    ('', ['for', 'forall'])
    >>> candidates_at("%%starplat f\\ng.num_n", 1, 7, "g.num_n")
    ('g.', ['num_nodes'])
    """
    cell = text.partition("\n")[2]
    before = cell.split("\n")[: line - 1]
    span, found = completions(cell, sum(len(each) + 1 for each in before) + column)
    return token.removesuffix(cell[span.start : span.end]), list(dict.fromkeys(each.name for each in found))
