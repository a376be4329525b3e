"""Syntax colouring of programs and of emitted code: pieces of lines with the kind of each word.

Both are cut up by lexers of Pygments. The views choose the colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING

from starplat.source import SourceFile

if TYPE_CHECKING:
    from pygments.lexer import Lexer


class Ink(Enum):
    """Kinds of words, as many as a reader tells apart."""

    PLAIN = "plain"
    COMMENT = "comment"
    KEYWORD = "keyword"
    TYPE = "type"
    NUMBER = "number"
    DIRECTIVE = "directive"


Piece = tuple[Ink, str]


def program_lines(source: SourceFile) -> list[list[Piece]]:
    """The lines of a program."""
    from starplat.highlighting import ProgramLexer

    return _cut(_pieces(ProgramLexer(stripnl=False, ensurenl=False), source.text))


def emitted_lines(text: str) -> list[list[Piece]]:
    """The lines of C++ or what is near to it."""
    from pygments.lexers import CppLexer

    return _cut(_pieces(CppLexer(stripnl=False, ensurenl=False), text))


def _pieces(lexer: Lexer, text: str) -> Iterator[Piece]:
    from pygments.token import Comment, Keyword, Name, Number

    inks = (
        (Comment.Preproc, Ink.DIRECTIVE),
        (Comment.PreprocFile, Ink.DIRECTIVE),
        (Comment, Ink.COMMENT),
        (Keyword.Type, Ink.TYPE),
        (Keyword.Constant, Ink.NUMBER),
        (Keyword, Ink.KEYWORD),
        (Number, Ink.NUMBER),
        (Name.Builtin, Ink.NUMBER),
    )
    for kind, piece in lexer.get_tokens(text):
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
