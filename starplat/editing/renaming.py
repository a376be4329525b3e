"""Rename: the places of a name, and whether another may stand there."""

import re
from dataclasses import replace

from starplat import pipeline
from starplat.diagnostics import Severity
from starplat.editing.reading import Reading, declared, read
from starplat.frontend import builtins, parser
from starplat.frontend.prelude import prelude
from starplat.source import Span


class RenameError(ValueError):
    """The name may not stand there; the text says why."""


def renamed(reading: Reading, offset: int, name: str) -> list[Span]:
    """The places at which `name` is to stand, for what is named at a character to be called so. Raises RenameError:
    nothing of the program is named there, `name` is no name, is the language's or clashes with another."""
    if (span := reading.name_at(offset)) is None:
        raise RenameError("no name of the program stands here")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise RenameError(f"'{name}' is no name: names are letters, digits and '_', and start with no digit")
    if name in parser.keywords() or name in builtins.FUNCTION_NAMES or name in prelude():
        raise RenameError(f"'{name}' is a word of the language")
    places = reading.places_of(reading.meanings[span])
    for place in places:
        file, _ = reading.source.file_at(place.start)
        if file is not reading.source:
            raise RenameError(f"it is named in {file.name} too, which is not changed from here")
    text = reading.source.text
    if text[span.start : span.end] != name:
        _require_the_same_program(reading, places, name)
    return places


def replaced(text: str, places: list[Span], name: str) -> str:
    """The text with a name at each of these places, which are in its order."""
    for span in reversed(places):
        text = text[: span.start] + name + text[span.end :]
    return text


def _require_the_same_program(reading: Reading, places: list[Span], name: str) -> None:
    """Refuses a name that would stand for something else somewhere, or that makes new errors."""
    after = read(replace(reading.source, text=replaced(reading.source.text, places, name)))
    before = {d.message for d in pipeline.diagnostics(reading.source)}
    new = [d for d in pipeline.diagnostics(after.source) if d.severity is Severity.ERROR and d.message not in before]
    if new:
        raise RenameError(f"'{name}' would clash: {new[0].message}")
    shift = len(name) - (places[0].end - places[0].start)
    for span, meaning in reading.meanings.items():
        now = _moved(span, places, shift)
        found = after.meanings.get(now)
        if found is None or declared(found) != _moved(declared(meaning), places, shift):
            line, _ = reading.source.position(span.start)
            raise RenameError(f"'{name}' would clash: in line {line} a name would mean something else")


def _moved(span: Span, places: list[Span], shift: int) -> Span:
    """Where a piece of the text stands after the names at `places` have become longer by `shift`."""
    before = sum(place.start < span.start for place in places)
    inside = sum(span.start <= place.start < span.end for place in places)
    return replace(span, start=span.start + before * shift, end=span.end + (before + inside) * shift)
