"""Completion in `%%starplat` cells, as editors have it."""

from __future__ import annotations

from typing import Any

from starplat.editing.completion import completions
from starplat.notebook.cells import MAGIC


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
