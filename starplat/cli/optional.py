"""An option whose value may be left out: `--trace`, and `--trace page.html`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from typer.core import TyperCommand

OPTION, NO_PAGE, ENDINGS = "--trace", "-", (".html", ".htm")


def with_values(arguments: Sequence[str]) -> list[str]:
    """The words of a command line, with a value for every `--trace`: the word after it is one only if it is a page.

    >>> with_values(["--trace", "bfs.sp"]), with_values(["--trace", "a.html"])
    (['--trace', '-', 'bfs.sp'], ['--trace', 'a.html'])
    """
    found: list[str] = []
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for word, following in zip_longest(arguments[:end], arguments[1:end]):
        found.append(word)
        if word == OPTION and not (following or "").lower().endswith(ENDINGS):
            found.append(NO_PAGE)
    return [*found, *arguments[end:]]


class TracingCommand(TyperCommand):
    """A verb with that option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_values(args))
