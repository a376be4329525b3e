"""A Pygments lexer for `.sp` programs: colours in editors, documentation, terminals and `starplat inspect --html`.

The words are those of the language's own lexer, so that a new keyword is coloured as soon as the grammar has it. Any
text has tokens, a program that is still being written too: what is no word of the language is an `Error`.

>>> from pygments import lex
>>> [text for kind, text in lex("forall (v in g.nodes()) { }", ProgramLexer()) if kind is Keyword]
['forall', 'in']
"""

from collections.abc import Iterator
from typing import Any

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from starplat.frontend.parser import words
from starplat.frontend.parsing.lexer import Token as Word

_TYPES = frozenset(
    ("Graph", "dirGraph", "node", "edge", "int", "long", "float", "double", "bool", "propNode", "propEdge")
) | {"SetN", "SetE", "updates", "list", "container", "map", "nodeMap"}
_CONSTANTS = frozenset(("INF", "True", "False"))
_PUNCTUATION = frozenset("(){}[];,.:")
_KINDS = {
    "integer": Number.Integer,
    "real": Number.Float,
    "text": String,
    "keyword": Keyword,
    "name": Name,
    "operator": Operator,
}


class ProgramLexer(Lexer):  # type: ignore[misc]
    """Lexer of `.sp` programs."""

    name = "starplat"
    aliases = ("starplat", "sp")
    filenames = ("*.sp",)
    mimetypes = ("text/x-starplat",)

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """Place, type and text of every piece; the texts together are the program."""
        position = 0
        found = words(text)
        for word, following in zip(found, [*found[1:], None], strict=False):
            start, end = word.span.start, word.span.end
            yield from _between(position, text[position:start])
            yield start, _type_of(word, following), text[start:end]
            position = end
        yield from _between(position, text[position:])


def _between(position: int, text: str) -> Iterator[tuple[int, Any, str]]:
    """What stands between words: blanks, or a comment that never ends."""
    blank = text[: len(text) - len(text.lstrip())]
    if blank:
        yield position, Whitespace, blank
    if len(blank) < len(text):
        yield position + len(blank), Comment.Multiline, text[len(blank) :]


def _type_of(word: Word, following: Word | None) -> Any:
    match word.kind:
        case "comment":
            return Comment.Single if word.text.startswith("//") else Comment.Multiline
        case _ if word.text in _TYPES:
            return Keyword.Type
        case _ if word.text in _CONSTANTS:
            return Keyword.Constant
        case "name" if following is not None and following.text == "(":
            return Name.Function
        case "operator" if word.text in _PUNCTUATION:
            return Punctuation
    return _KINDS.get(word.kind, Error)
