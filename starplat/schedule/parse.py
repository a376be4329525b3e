"""Parses schedules: `direction=pull,balance=edge`, the words `plain` and `auto`, and `.toml` files.

A schedule in a file is its table `[schedule]`; one that lies beside a program under the program's name is the program's
own. All errors of a text are reported at once.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, Label, Reporter
from starplat.frontend.mistakes.remedies import closest
from starplat.schedule.schedule import AUTO, BASES, KNOBS, Knob, Schedule
from starplat.source import SourceFile, Span

TEXT_NAME = "schedule"
"""What messages call a schedule that is not in a file."""

FILE_SUFFIX = ".toml"

_TABLE = re.compile(r"^[ \t]*\[[ \t]*schedule[ \t]*\]", re.MULTILINE)
_SETTING = re.compile(r"^[ \t]*(?P<name>[\w-]+)[ \t]*=[ \t]*(?P<value>[^#\n]*?)[ \t]*(?:#.*)?$", re.MULTILINE)


def parse_schedule(text: str) -> Schedule:
    """The schedule that a text says; a text that ends in `.toml` is the path of a file.

    `plain` or `auto` may stand first: it says what the knobs are that are not named. By default they are `auto`.

    >>> str(parse_schedule("direction=pull"))
    'direction=pull'

    Raises:
        DiagnosticError: E0660 to E0663, the text is wrong; E0664, the file is.
    """
    if text.strip().endswith(FILE_SUFFIX):
        return read_schedule(Path(text.strip()))
    reporter = Reporter(SourceFile(TEXT_NAME, text))
    found = _Reading(reporter).schedule(_words_in(text))
    if reporter.errors:
        raise DiagnosticError(*reporter.errors, exit_code=ExitCode.USAGE)
    return found


def is_schedule(text: str) -> bool:
    """Whether a word of the command line means a schedule, rather than the name of something."""
    return "=" in text or text.strip() in BASES or text.strip().endswith(FILE_SUFFIX)


def as_schedule(given: Schedule | str | None) -> Schedule | None:
    """The schedule, however a caller gave it.

    Raises:
        DiagnosticError: as for `parse_schedule`.
    """
    return parse_schedule(given) if isinstance(given, str) else given


def read_schedule(path: Path) -> Schedule:
    """The schedule in a file.

    Raises:
        DiagnosticError: E0660 to E0663, its table says what no schedule can; E0664, there is no such file or table.
    """
    text = _text_of(path)
    table = _table_in(path, text)
    reporter = Reporter(SourceFile(str(path), text))
    found = _Reading(reporter).schedule(_settings_in(text, table))
    reporter.raise_errors()
    return found


def file_beside(program: Path) -> Path | None:
    """The program's own schedule: `sssp.toml` beside `sssp.sp`, if it has a table `[schedule]`."""
    if not program.name:
        return None  # no file, which reading it will say
    path = program.with_suffix(FILE_SUFFIX)
    try:
        says = path.is_file() and _TABLE.search(path.read_text(encoding="utf-8-sig", errors="replace")) is not None
    except (OSError, ValueError):
        return None  # an unreadable file may not be ours
    return path if says else None


@dataclass(frozen=True, slots=True)
class _Word:
    """A piece of the text, and where it stands."""

    text: str
    span: Span


def _words_in(text: str) -> Iterator[tuple[_Word, _Word | None]]:
    """Name and value of each knob between commas; no value where there is no `=`."""
    start = 0
    for piece in text.split(","):
        name, equals, value = piece.partition("=")
        yield _word(name, start), _word(value, start + len(name) + 1) if equals else None
        start += len(piece) + 1


def _word(text: str, start: int) -> _Word:
    bare = text.strip()
    begin = start + (len(text) - len(text.lstrip()) if bare else 0)
    return _Word(bare, Span(begin, begin + max(len(bare), 1)))


def _settings_in(text: str, table: dict[str, Any]) -> Iterator[tuple[_Word, _Word | None]]:
    """Name and value of each line of the table; what is no text stands as it is written."""
    begin = found.end() if (found := _TABLE.search(text)) else 0
    places = {m["name"]: m for m in _SETTING.finditer(text, begin)}
    for name, value in table.items():
        said = value if isinstance(value, str) else str(value)
        if (place := places.get(name)) is None:
            yield _Word(name, Span(begin, begin)), _Word(said, Span(begin, begin))
        else:
            yield _Word(name, Span(*place.span("name"))), _Word(said, Span(*place.span("value")))


class _Reading:
    """Turns names and values into a schedule and reports what is wrong with them."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self.base = AUTO
        self.said: dict[str, _Word] = {}
        self.values: dict[str, Any] = {}

    def schedule(self, words: Iterable[tuple[_Word, _Word | None]]) -> Schedule:
        for number, (name, value) in enumerate(words):
            if value is not None:
                self.setting(name, value)
            elif number == 0 and name.text in BASES:
                self.base = BASES[name.text]
            else:
                self.no_setting(name)
        return replace(self.base, **self.values)

    def setting(self, name: _Word, value: _Word) -> None:
        if (knob := KNOBS.get(name.text)) is None:
            self.no_knob(name)
            return
        if name.text in self.said:
            self.twice(name)
            return
        self.said[name.text] = name
        if (found := knob.parsed(value.text)) is None:
            self.no_value(knob, value)
        else:
            self.values[name.text] = found

    def no_setting(self, word: _Word) -> None:
        shown = f"'{word.text}'" if word.text else "this"
        late = word.text in BASES
        help = f"'{word.text}' may stand first" if late else "write knob=value, such as direction=pull"
        self.reporter.report("E0663", f"{shown} says nothing about a knob", word.span, help=help)

    def no_knob(self, name: _Word) -> None:
        near = closest(name.text, KNOBS)
        known = f"the knobs are: {', '.join(KNOBS)}"
        help = f"did you mean '{near}'? {known}" if near else known
        self.reporter.report("E0660", f"a schedule has no knob '{name.text}'", name.span, help=help)

    def no_value(self, knob: Knob, value: _Word) -> None:
        near = closest(value.text, knob.words)
        known = f"'{knob.name}' is one of: {', '.join(knob.words)}{knob.remark}"
        help = f"did you mean '{near}'? {known}" if near else known
        self.reporter.report("E0661", f"'{knob.name}' cannot be '{value.text}'", value.span, help=help)

    def twice(self, name: _Word) -> None:
        first = Label(self.said[name.text].span, "here first")
        self.reporter.report("E0662", f"'{name.text}' is said twice", name.span, related=[first])


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None)
        reason = said.lower() if said else "it is not UTF-8 text"
        raise _unfit(f"{path}: cannot be read: {reason}") from error


def _table_in(path: Path, text: str) -> dict[str, Any]:
    import tomllib

    try:
        table = tomllib.loads(text).get("schedule")
    except tomllib.TOMLDecodeError as error:
        raise _unfit(f"{path}: {str(error)[:1].lower()}{str(error)[1:]}") from error
    if not isinstance(table, dict):
        raise _unfit(f"{path}: there is no table [schedule]")
    return table


def _unfit(message: str) -> DiagnosticError:
    """E0664."""
    help = 'a schedule in a file is a table [schedule] with lines such as direction = "pull"'
    return DiagnosticError(Diagnostic("E0664", message, help=help))
