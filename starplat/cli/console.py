"""Output of the command line: data on stdout, everything else on stderr, colour on terminals.

rich is imported only when a terminal (or FORCE_COLOR) asks for colour or a table is drawn, because importing it costs
more than checking a program does. A coloured diagnostic is the plain one with styles on it: the text is the same.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, TYPE_CHECKING, Any

from starplat.diagnostics import Diagnostic, ExitCode, first_errors, render

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

PIPE_WIDTH = 200
"""Columns of a table that neither a terminal nor COLUMNS limits."""

WIDEST = 1000
"""The most columns that a word of a table needs."""

STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}


def out() -> Console:
    return _console(sys.stdout)


def err() -> Console:
    return _console(sys.stderr)


def table(*headings: str, numbers: Iterable[str] = (), last: str | None = None, title: str | None = None) -> Table:
    """A table without rows: columns of words, then those of `numbers`, which do not wrap, then the `last`, which may be
    long."""
    from rich.table import Table

    drawn = Table(*headings, title=title, title_justify="left", title_style="bold", header_style="bold")
    drawn.box, drawn.pad_edge = None, False
    for heading in numbers:
        drawn.add_column(heading, justify="right", no_wrap=True)
    if last is not None:
        drawn.add_column(last, overflow="fold")
    return drawn


def show_table(table: Table) -> None:
    """A table on stdout. One that is too wide wraps its lines between words; none is cut short, and a terminal that is
    too narrow for its words wraps them itself."""
    from rich.measure import Measurement

    console = out()
    options = console.options.update(max_width=WIDEST)
    sizes = []
    for column in table.columns:
        found = [Measurement.get(console, options, cell) for cell in (column.header, *column.cells)]
        most = max(each.maximum for each in found)
        least = most if column.no_wrap else max(each.minimum for each in found)
        column.min_width = least
        sizes.append((least, most))
    between = Measurement.get(console, options, table).maximum - sum(most for _, most in sizes)
    for column, width in zip(table.columns, shared_out(sizes, console.width - between), strict=True):
        column.width = width
    console.width = max(console.width, Measurement.get(console, options, table).minimum)
    console.print(table, crop=False)


def shared_out(sizes: list[tuple[int, int]], room: int) -> list[int]:
    """The widths of columns with a least and a most width each: room beyond the least is shared evenly, as far as
    needed."""
    widths = [least for least, _ in sizes]
    left = max(room - sum(widths), 0)
    waiting = sorted(range(len(sizes)), key=lambda column: sizes[column][1] - sizes[column][0])
    for place, column in enumerate(waiting):
        least, most = sizes[column]
        more = min(most - least, left // (len(waiting) - place))
        widths[column] += more
        left -= more
    return widths


def wants_colour(stream: IO[str]) -> bool:
    """Whether escape sequences may go to `stream`: NO_COLOR, then FORCE_COLOR, then TERM=dumb and what the stream is
    decide."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def shows_progress() -> bool:
    """Whether stderr is a terminal that can redraw a line."""
    return sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """An animation on stderr, on a terminal; gives a function that changes its words."""
    if not shows_progress():
        yield lambda words: None
        return
    with err().status(_escaped(what)) as status:
        yield lambda words: status.update(_escaped(words))


def say(message: str) -> None:
    print(message, file=sys.stderr)


def write(text: str) -> None:
    """Data, on stdout, ending in one newline."""
    sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")


def write_json(value: Any) -> None:
    """One object on stdout. Infinities and NaN become null, which JSON has instead."""
    write(json.dumps(finite(value), ensure_ascii=False, allow_nan=False))
    _WROTE_JSON.set(True)


def finite(value: Any) -> Any:
    """`value` with None for every number that JSON cannot write."""
    match value:
        case dict():
            return {key: finite(item) for key, item in value.items()}
        case list() | tuple():
            return [finite(item) for item in value]
        case float() if value - value != 0.0:
            return None
    return value


def show(diagnostics: Iterable[Diagnostic]) -> None:
    """Diagnostics on stderr, a blank line between them: the first errors, or all where that is asked for."""
    shown, more = (list(diagnostics), "") if _ALL_ERRORS.get() else first_errors(diagnostics)
    for number, diagnostic in enumerate(shown):
        if number:
            say("")
        if wants_colour(sys.stderr):
            err().print(coloured(diagnostic), soft_wrap=True, highlight=False)
        else:
            say(render(diagnostic))
    if more:
        say(f"\nand {more}; --all-errors shows all")


_ALL_ERRORS: ContextVar[bool] = ContextVar("_ALL_ERRORS", default=False)
_WROTE_JSON: ContextVar[bool] = ContextVar("_WROTE_JSON", default=False)


def begin() -> None:
    _ALL_ERRORS.set(False)
    _WROTE_JSON.set(False)


def show_all_errors(wanted: bool) -> bool:
    """Says for the rest of the command whether all errors are shown."""
    _ALL_ERRORS.set(wanted)
    return wanted


def usage_error(message: str, hint: str | None = None) -> None:
    """What is wrong with the command line itself, in the shape of a diagnostic."""
    if wants_colour(sys.stderr):
        err().print(f"[bold red]error[/]: {_escaped(message)}", soft_wrap=True, highlight=False)
    else:
        say(f"error: {message}")
    if hint:
        say(f"= help: {hint}")


def coloured(diagnostic: Diagnostic) -> Text:
    """The text of `render` with styles."""
    from rich.text import Text

    style = STYLES[diagnostic.severity.value]
    lines = render(diagnostic).split("\n")
    return Text("\n").join([_header(lines[0], style), *(_line(line, style) for line in lines[1:])])


def _header(line: str, style: str) -> Text:
    from rich.text import Text

    severity, colon, message = line.partition("]: ")
    return Text.assemble((severity + colon[:1], style), (colon[1:] + message, "bold"))


_GUTTER = re.compile(r"^ *\d* \| ?|^ +--> |^ *= (?:help|note): ")
_MARKS = re.compile(r"^\s*(\^+.*|-+.*)$")


def _line(line: str, style: str) -> Text:
    from rich.text import Text

    if (found := _GUTTER.match(line)) is None:
        return Text(line)
    rest = line[found.end() :]
    marked = _MARKS.match(rest) if line.startswith("   |") else None
    if marked is None:
        return Text.assemble((found.group(), "bold blue"), rest)
    return Text.assemble((found.group(), "bold blue"), (rest, style if "^" in marked.group(1) else "blue"))


def _console(stream: IO[str]) -> Console:
    from rich.console import Console

    colour = wants_colour(stream)
    width = None if stream.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH
    return Console(
        file=stream,
        force_terminal=colour or None,
        no_color=not colour,
        width=width,
        markup=True,
        emoji=False,
        highlight=False,
    )


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def wants_json(words: Sequence[str]) -> bool:
    """Whether a command line asks for an object on stdout, even one that was given up before it was understood; the
    `--json` of `bench` may name a file instead."""
    if "--json" not in words:
        return False
    after = words[words.index("--json") + 1 :]
    return words[0] != "bench" or after[:1] == ["-"]


def write_failure(words: Sequence[str], code: ExitCode, message: str, diagnostics: Iterable[Diagnostic] = ()) -> None:
    """Writes the object if the command line asks for one, unless the command has written its own."""
    if not wants_json(words) or _WROTE_JSON.get():
        return
    shown = [diagnostic.to_json() for diagnostic in diagnostics]
    write_json({"schema": 1, "exit_code": code.value, "error": message, "diagnostics": shown})
