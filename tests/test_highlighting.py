"""Every text has tokens that make it up again; programs have no errors; Pygments finds the lexer by itself."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation

from starplat.highlighting import ProgramLexer
from starplat.resources import shipped_programs

ROOT = Path(__file__).resolve().parent.parent


def pieces(text: str) -> list[tuple[object, str]]:
    return [(kind, piece) for _, kind, piece in ProgramLexer().get_tokens_unprocessed(text)]


@given(st.text() | st.text("ab1.+<>/*\"' \n\u201c\ufeff#", max_size=30))
def test_the_tokens_of_any_text_are_the_text(text: str) -> None:
    position = 0
    for start, _, piece in ProgramLexer().get_tokens_unprocessed(text):
        assert start == position
        assert piece
        position += len(piece)
    assert "".join(piece for _, piece in pieces(text)) == text


@pytest.mark.parametrize("name", shipped_programs())
def test_a_right_program_has_no_errors(name: str) -> None:
    assert [
        piece for kind, piece in pieces(shipped_programs()[name].read_text(encoding="utf-8")) if kind is Error
    ] == []


def test_words_are_what_they_are() -> None:
    found = dict(map(reversed, pieces("forall (v in g.nodes()) { int x = INF + 1.5; } // end")))  # type: ignore[arg-type]
    expected = {
        "forall": Keyword,
        "v": Name,
        "nodes": Name.Function,
        "int": Keyword.Type,
        "INF": Keyword.Constant,
        "1.5": Number.Float,
        "+": Operator,
        "{": Punctuation,
        "// end": Comment.Single,
    }
    assert {word: found[word] for word in expected} == expected


def test_what_is_no_word_is_an_error_and_the_rest_keeps_its_colours() -> None:
    assert [kind for kind, piece in pieces("int x = @; /* open") if piece.strip()] == [
        *(Keyword.Type, Name, Operator, Error, Punctuation),
        Comment.Multiline,
    ]


def test_pygments_is_told_of_the_lexer() -> None:
    """A test of the wheel asks Pygments itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pygments.lexers"] == {"starplat": "starplat.highlighting:ProgramLexer"}
