"""Syntax colouring of programs and of emitted code: pieces of lines with the kind of each word.

The language's own words come from its lexer, those of the emitted code from pygments. The views choose the
colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from starplat.source import SourceFile


class Ink(Enum):
    """Kinds of words, as many as a reader tells apart."""

    PLAIN = "plain"
    COMMENT = "comment"
    KEYWORD = "keyword"
    TYPE = "type"
    NUMBER = "number"
    DIRECTIVE = "directive"


Piece = tuple[Ink, str]

_TYPES = frozenset(
    ("Graph", "node", "edge", "int", "long", "float", "double", "bool", "propNode", "propEdge", "SetN", "SetE")
)
_CONSTANTS = frozenset(("INF", "True", "False"))


def program_lines(source: SourceFile) -> list[list[Piece]]:
    """The lines of a program that is free of syntax errors."""
    return _cut(_program_pieces(source))


def emitted_lines(text: str) -> list[list[Piece]]:
    """The lines of C++ or what is near to it."""
    return _cut(_emitted_pieces(text))


def _program_pieces(source: SourceFile) -> Iterator[Piece]:
    from starplat.frontend.parser import comments, tokens

    words = [(token.span, _ink_of(token.kind, token.text)) for token in tokens(source)]
    marked = sorted([*words, *((span, Ink.COMMENT) for span in comments(source))], key=lambda pair: pair[0].start)
    position = 0
    for span, ink in marked:
        yield Ink.PLAIN, source.text[position : span.start]
        yield ink, source.text[span.start : span.end]
        position = span.end
    yield Ink.PLAIN, source.text[position:]


def _ink_of(kind: str, text: str) -> Ink:
    if text in _TYPES:
        return Ink.TYPE
    if text in _CONSTANTS or kind in ("integer", "real"):
        return Ink.NUMBER
    return Ink.KEYWORD if kind == "keyword" else Ink.PLAIN


def _emitted_pieces(text: str) -> Iterator[Piece]:
    from pygments.lexers import CppLexer
    from pygments.token import Comment, Keyword, Name, Number

    inks = (
        (Comment.Preproc, Ink.DIRECTIVE),
        (Comment.PreprocFile, Ink.DIRECTIVE),
        (Comment, Ink.COMMENT),
        (Keyword.Type, Ink.TYPE),
        (Keyword, Ink.KEYWORD),
        (Number, Ink.NUMBER),
        (Name.Builtin, Ink.NUMBER),
    )
    for kind, piece in CppLexer(stripnl=False, ensurenl=False).get_tokens(text):
        yield next((ink for known, ink in inks if kind in known), Ink.PLAIN), piece


def _cut(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The pieces line by line, without the ends of lines, as `str.splitlines` knows them."""
    lines: list[list[Piece]] = [[]]
    for ink, text in pieces:
        for part in text.splitlines(keepends=True):
            (bare,) = part.splitlines()
            if bare:
                lines[-1].append((ink, bare))
            if bare != part:
                lines.append([])
    return lines
