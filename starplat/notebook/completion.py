"""Completion in `%%starplat` cells: the language's words, its methods behind a point, and the names in the cell."""

from __future__ import annotations

import re
from typing import Any

from starplat.frontend.builtins import GRAPH_METHODS, SET_METHODS
from starplat.frontend.parser import keywords, words
from starplat.notebook.cells import MAGIC


def matcher() -> Any:
    """A matcher of IPython's completer; it is the only one that is asked in cells that are programs."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    def starplat_matcher(context: Any) -> dict[str, Any]:
        if not in_program(context.full_text, context.cursor_line):
            return {"completions": []}
        head, candidates = candidates_at(context.full_text, context.text_until_cursor, context.token)
        return {"completions": [SimpleCompletion(text=head + found) for found in candidates], "suppress": True}

    return context_matcher()(starplat_matcher)


def in_program(text: str, line: int) -> bool:
    """Whether a line of a cell is one of a program's."""
    return line > 0 and text.lstrip().startswith(MAGIC)


def candidates_at(text: str, before: str, token: str) -> tuple[str, list[str]]:
    """What stands before the word under the cursor in what IPython replaces, and the words that it may become.

    >>> candidates_at("%%starplat f\\nfor", "for", "for")
    ('', ['for', 'forall'])
    >>> candidates_at("%%starplat f\\ng.num_n", "  g.num_n", "g.num_n")
    ('g.', ['num_nodes'])
    """
    point, start = re.search(r"(\.?)(\w*)$", before).groups()  # type: ignore[union-attr]  # it matches anything
    cell = text.partition("\n")[2]
    own = {word.text for word in words(cell) if word.kind == "name"} - {start}
    known = own | (GRAPH_METHODS | SET_METHODS if point else set(keywords()))
    return token.removesuffix(start), sorted(word for word in known if word.startswith(start))
