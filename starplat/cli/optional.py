"""An option with an optional value: `--trace`, and `--trace page.html`.

The word after it may be the program. Any other word is taken for its value, so that a page whose name does not end in
`.html` is reported.
"""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from starplat.resources import shipped_programs

OPTION, NO_PAGE, ENDINGS, PROGRAM = "--trace", "-", (".html", ".htm"), ".sp"


def with_values(arguments: Sequence[str]) -> list[str]:
    """The words of a command line, with a value for every `--trace`: the word after it is one unless it is an option or
    the program.

    >>> with_values(["--trace", "bfs.sp"]), with_values(["--trace", "a.html"])
    (['--trace', '-', 'bfs.sp'], ['--trace', 'a.html'])
    """
    found: list[str] = []
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for word, following in zip_longest(arguments[:end], arguments[1:end]):
        found.append(word)
        if word == OPTION and (following is None or _is_no_value(following)):
            found.append(NO_PAGE)
    return [*found, *arguments[end:]]


def _is_no_value(word: str) -> bool:
    """Whether a word after the option is one by itself: another option, or a program, which most often ends in `.sp`
    and else is shipped or a file."""
    if word.lower().endswith(ENDINGS):
        return False
    is_named = word.endswith(PROGRAM) or word in shipped_programs()
    return word.startswith("-") or is_named or (not Path(word).suffix and Path(word).is_file())


class TracingCommand(TyperCommand):
    """A verb with that option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_values(args))
