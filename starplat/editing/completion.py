"""Completion: what the word at a place of a program may become.

The text before the place is read as if the word stood there and everything open were closed after it, so that a
half-written program has the names and types that a whole one would have.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from starplat.editing.reading import Reading, of_function, of_symbol, read, signature
from starplat.frontend import ast, builtins, parser, typed, types
from starplat.frontend.parsing import lexer, syntax
from starplat.frontend.prelude import prelude
from starplat.imports import importable
from starplat.source import SourceFile, Span

_STAND_IN = "word_to_complete"
_IMPORT = re.compile(r'\bimport\s*"([^"\n\r]*)$')
_CLOSING = {"(": ")", "{": "}", "[": "]"}


class Kind(Enum):
    """What a candidate is."""

    KEYWORD = "keyword"
    FUNCTION = "function"
    FILE = "file"
    METHOD = "method"
    ATTRIBUTE = "attribute"
    PROPERTY = "property"
    VARIABLE = "variable"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that may stand at a place; `detail` is its type or signature."""

    name: str
    kind: Kind
    detail: str = ""


def completions(text: str, offset: int, name: str = "") -> tuple[Span, list[Candidate]]:
    """The word that ends at a character, and everything that may stand in its place, sorted by name. Imported files
    are looked for beside the file `name`.

    >>> span, found = completions("function f(Graph g) { forall (v in g.neighb", 43)
    >>> [candidate.name for candidate in found]
    ['neighbor', 'neighbors']
    """
    source = SourceFile(name, text)
    if (import_ := _IMPORT.search(text[:offset])) is not None:
        start = offset - len(import_[1].rpartition("/")[2])
        files = (Candidate(found, Kind.FILE) for found in importable(import_[1], source))
        return Span(start, offset), [c for c in files if c.name.startswith(text[start:offset])]
    start = offset - len(re.search(r"\w*$", text[:offset]).group())  # type: ignore[union-attr]  # it matches anything
    before = parser.words(text[:start])
    found: set[Candidate] = set()
    if not _stands_apart(text[:offset], before):
        before = [word for word in before if word.kind != "comment"]
        reading = read(replace(source, text=text[:start] + _STAND_IN + "()" + _closed(before)))
        if text[:start].rstrip().endswith("."):
            found.update(_members(reading, start))
        else:
            found.update(_names(reading, start))
    prefix = text[start:offset]
    return Span(start, offset), sorted((c for c in found if c.name.startswith(prefix)), key=lambda c: c.name)


def _stands_apart(text: str, before: list[lexer.Token]) -> bool:
    """Whether the end of a text stands in a comment, a text or a number."""
    last = parser.words(text)[-1:]
    end = last[0].span.end if last else 0
    if "/*" in text[end:] or not before:
        return "/*" in text[end:] or bool(last and last[0].kind == "comment")
    return end == len(text) and last[0].kind in ("comment", "integer", "real", "text", "unknown")


def _closed(before: list[lexer.Token]) -> str:
    """What closes the brackets that are open after these words: a head gets a body, a statement its `;`."""
    opened: list[int] = []
    for place, word in enumerate(before):
        if word.text in _CLOSING:
            opened.append(place)
        elif word.text in _CLOSING.values() and opened:
            opened.pop()
    text, ended = "", False
    for place in reversed(opened):
        if before[place].text == "{" and not ended:
            text, ended = text + ";", True
        text += _CLOSING[before[place].text]
        is_head = before[place].text == "(" and place and before[place - 1].kind in ("keyword", "name")
        if is_head and _begins_body(before, place):
            text, ended = text + "{}", True
    return text


def _begins_body(before: list[lexer.Token], bracket: int) -> bool:
    """Whether the bracket opens the head of a loop, a branch or a function."""
    word = before[bracket - 1]
    if word.kind == "keyword":
        return word.text in ("forall", "for", "if", "while", "loop", "until", "iterateInBFS", "iterateInReverse")
    return bracket > 1 and before[bracket - 2].text in ("function", "Static", "Dynamic")


# --- behind a point ------------------------------------------------------------------------------------------------


def _members(reading: Reading, offset: int) -> Iterator[Candidate]:
    """What may stand behind a point; everything of nodes, edges and graphs where it is not known what is before it."""
    points = (node for node in syntax.syntax_within(reading.tree) if isinstance(node, ast.Attribute))
    base = next((point.value for point in points if point.name.text == _STAND_IN), None)
    if _is_domain(base):
        yield Candidate("filter", Kind.METHOD, "filter(condition)")
        return
    properties = [s for s in reading.visible(offset) if isinstance(s.type, types.PropertyType)]
    match None if base is None else reading.types.get(base.span):
        case types.Scalar.EDGE:
            yield from _attributes(builtins.EDGE_ATTRIBUTES)
            yield from (_named(s) for s in properties if s.property.carrier is types.Carrier.EDGE)
        case types.Scalar.NODE | types.Scalar.INT | types.Scalar.LONG:
            yield from (_named(s) for s in properties if s.property.carrier is types.Carrier.NODE)
        case types.UpdateType():
            yield from _attributes(builtins.UPDATE_ATTRIBUTES)
        case None:
            yield from map(_named, properties)
            yield from _methods(types.GraphType())
        case kind:
            yield from _methods(kind)


def _is_domain(base: ast.Expression | None) -> bool:
    """Whether an expression is what a loop runs over, which takes a filter."""
    match base:
        case ast.Call(function=ast.Attribute(name=ast.Name(text=name))):
            return name in builtins.DOMAINS
    return False


def _attributes(names: Iterable[str]) -> Iterator[Candidate]:
    yield from (Candidate(name, Kind.ATTRIBUTE) for name in names)


def _methods(kind: types.Type) -> Iterator[Candidate]:
    yield from (Candidate(name, Kind.METHOD, signature(kind, name)) for name in builtins.method_names(kind))


# --- elsewhere -----------------------------------------------------------------------------------------------------


def _names(reading: Reading, offset: int) -> Iterator[Candidate]:
    """The names in sight, the functions, the words of the language."""
    yield from map(_named, reading.visible(offset))
    for function in reading.tree.functions:
        if function.name is not None and function.name.text != _STAND_IN:
            yield Candidate(function.name.text, Kind.FUNCTION, of_function(function, reading.source))
    own = prelude().keys() - builtins.PRELUDE_ATTRIBUTES.values()
    yield from (Candidate(n, Kind.FUNCTION, builtins.REMARKS.get(n, "")) for n in builtins.FUNCTION_NAMES | own)
    yield from (Candidate(word, Kind.KEYWORD) for word in parser.keywords())


def _named(symbol: typed.Symbol) -> Candidate:
    kind = Kind.PROPERTY if isinstance(symbol.type, types.PropertyType) else Kind.VARIABLE
    return Candidate(symbol.name, kind, of_symbol(symbol))
