"""The lexer: tokens of a program, its comments, and lexical errors.

The words are those of the grammar. A lexical mistake is reported here; what it spoils stands as a word of type
`UNKNOWN`, so that the parser can go on. Operators of other languages are words of type `FOREIGN`: the parser knows more
about them.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from lark import Token as LarkToken
from lark.lexer import TerminalDef

from starplat.diagnostics import Reporter, Rewrite
from starplat.frontend.parsing import foreign
from starplat.source import Span

END = "$END"
UNKNOWN = "$UNKNOWN"
FOREIGN = "$FOREIGN"

_NUMBER = r"\.?[0-9](?:[eE][+-](?=[0-9])|[A-Za-z0-9_.])*"
_MANY_DIGITS = 1000
_OPEN_TEXT = r"\"[^\n\r]*?(?=\)?[ \t]*;?[ \t]*(?:[\n\r]|\Z))"
_FOREIGN_TEXT = r"'[^'\n]*'|“[^”\n]*”?|‘[^’\n]*’?|«[^»\n]*»?|„[^“”\n]*[“”]?"
_TEXT = rf"\"(?:[^\"\\\n\r]|\\[^\n\r])*\"|{_OPEN_TEXT}|{_FOREIGN_TEXT}"
_WORD = r"[^\W\d][\w\u0300-\u036f]*"
_QUOTES = "\"'“‘«„”’»"
_COMMENT = r"//[^\n\r]*|/\*(?s:.*?)\*/"


class Token(NamedTuple):
    """A word of a program: `kind` is keyword, name, integer, real, text or operator."""

    kind: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Words:
    """The tokens of a program; `tokens` ends with one of type `END`."""

    tokens: list[LarkToken]
    comments: list[Span]


def span_of(token: LarkToken) -> Span:
    return Span(token.start_pos or 0, token.end_pos or 0)


class Lexer:
    """Knows the words of a grammar."""

    def __init__(self, terminals: Iterable[TerminalDef]) -> None:
        literals = {t.pattern.value: t.name for t in terminals if t.pattern.type == "str"}
        self.keywords = {text: name for text, name in literals.items() if text[0].isalpha()}
        self.operators = {text: name for text, name in literals.items() if text not in self.keywords}
        self.spellings = {name: text for text, name in literals.items()}
        patterns = {t.name: t.pattern.value for t in terminals if t.pattern.type == "re"}
        self._integer = re.compile(patterns["INTEGER"])
        self._real = re.compile(patterns["REAL"])
        self._text = re.compile(patterns["TEXT"])
        foreign_operators = "|".join(re.escape(text) for text in sorted(foreign.OPERATORS, key=len, reverse=True))
        operators = "|".join(re.escape(text) for text in sorted(self.operators, key=len, reverse=True))
        self._words = re.compile(
            rf"(?P<space>[ \t\r\n\f\v]+)|(?P<word>{_WORD})|(?P<comment>{_COMMENT})|(?P<open>/\*)"
            rf"|(?P<number>{_NUMBER})|(?P<foreign>{foreign_operators})|(?P<operator>{operators})|(?P<text>{_TEXT})"
            r"|(?P<unknown>#[^\r\n]*|.)"
        )

    def cut(self, text: str, reporter: Reporter) -> Words:
        """All words of `text`, a leading byte order mark aside."""
        tokens: list[LarkToken] = []
        comments: list[Span] = []
        told: set[str] = set()
        position = 1 if text.startswith("\ufeff") else 0
        for match in self._words.finditer(text, position):
            start, end = match.span()
            value = match.group()
            match match.lastgroup:
                case "space":
                    continue
                case "word":
                    kind = self.keywords.get(value, "NAME")
                    if not value.isascii() and value not in told:
                        told.add(value)
                        _report_letter(value, start, reporter)
                case "operator":
                    kind = self.operators[value]
                case "foreign":
                    kind = FOREIGN
                case "number":
                    kind = self._number(value, Span(start, end), reporter)
                case "comment":
                    comments.append(Span(start, end))
                    continue
                case "open":
                    reporter.report("E0104", "this comment never ends", Span(start, end), help="close it with '*/'")
                    end = len(text)
                    break
                case "text":
                    kind = "TEXT"
                    if not self._text.fullmatch(value):
                        _report_text(value, Span(start, end), reporter)
                case _ if value in foreign.LOOKALIKES:
                    plain = foreign.LOOKALIKES[value]
                    message, help = f"'{value}' is a typographic sign", Rewrite(f"write '{plain}'", plain)
                    reporter.report("E0103", message, Span(start, end), help=help)
                    kind = self.operators.get(plain) or self.keywords[plain]
                case _:
                    _report_unknown(value, Span(start, end), reporter)
                    kind = UNKNOWN
            tokens.append(LarkToken(kind, value, start_pos=start, end_pos=end))
        last = tokens[-1].end_pos if tokens else position
        tokens.append(LarkToken(END, "", start_pos=last, end_pos=last))
        return Words(tokens, comments)

    def kind(self, token: LarkToken) -> str:
        """The sort of word, for people."""
        if token.type in ("NAME", "INTEGER", "REAL", "TEXT"):
            return token.type.lower()
        if token.type in (UNKNOWN, FOREIGN):
            return "unknown"
        return "operator" if token.value in self.operators else "keyword"

    def _number(self, text: str, span: Span, reporter: Reporter) -> str:
        if self._integer.fullmatch(text):
            if len(text) > _MANY_DIGITS:
                reporter.report("E0105", "this number is too large", span, help="write INF for no bound")
            return "INTEGER"
        if self._real.fullmatch(text):
            if float(text.rstrip("f")) == float("inf"):
                reporter.report("E0105", f"'{text}' is too large for a number", span, help="write INF for no bound")
            return "REAL"
        reporter.report("E0105", f"'{text}' is no number", span, help=_number_advice(text))
        return UNKNOWN


def _number_advice(text: str) -> str:
    if re.fullmatch(r"[0-9]+[fF]", text):
        return Rewrite(f"a float has a point: {text[:-1]}.0f", f"{text[:-1]}.0f")
    if re.fullmatch(r"0[xX][0-9a-fA-F]+|0[bB][01]+", text):
        return Rewrite(f"numbers are written in tens: {int(text, 0)}", str(int(text, 0)))
    if re.fullmatch(r"[0-9]+[uUlL]+|[0-9.]+[lLdD]", text):
        return Rewrite(f"a number has no ending: {text.rstrip('uUlLdD')}", text.rstrip("uUlLdD"))
    if re.fullmatch(r"[0-9]+(_[0-9]+)+", text):
        return Rewrite(f"digits are not grouped: {text.replace('_', '')}", text.replace("_", ""))
    if re.match(r"[0-9]+[A-Za-z_]", text):
        return "a name starts with a letter; a number is written 42, 0.85, 1e-6 or 1.0f"
    return "a number is written 42, 0.85, 1e-6 or 1.0f"


def _report_letter(name: str, start: int, reporter: Reporter) -> None:
    """Points at the first letter of a name that no name has."""
    place = next(index for index, letter in enumerate(name) if not letter.isascii())
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    help = "names are made of the letters A to Z and a to z, digits and '_'"
    if plain.isidentifier() and len(plain) >= len(name):
        help += f": call it '{plain}'"
    span = Span(start + place, start + place + 1)
    reporter.report("E0103", f"'{name[place]}' cannot stand in a name", span, help=help)


def _report_text(text: str, span: Span, reporter: Reporter) -> None:
    """Says what is wrong with a text in quotes: its quotes, its end, or what a backslash stands before in it."""
    escape = re.search(r'\\[^"\\nt]', text)
    if text[0] != '"':
        plain = quoted(text[1:].rstrip(_QUOTES))
        reporter.report("E0103", "a text stands in double quotes", span, help=Rewrite(f"write {plain}", plain))
    elif escape is None:
        reporter.report("E0130", "this text never ends", span, help="close it with '\"' in the same line")
    else:
        place = Span(span.start + escape.start(), span.start + escape.end())
        help = 'a backslash stands before n (a new line), t, " or another backslash'
        reporter.report("E0130", f"'{escape[0]}' stands for nothing", place, help=help)


def _report_unknown(text: str, span: Span, reporter: Reporter) -> None:
    printable = text[0] if text[0].isprintable() else f"U+{ord(text[0]):04X}"
    advice = "a comment starts with '//'" if text[0] == "#" else None
    reporter.report("E0103", f"unknown character '{printable}'", Span(span.start, span.start + 1), help=advice)


_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}
_SPELLED = {meant: escape for escape, meant in _ESCAPES.items()}


def unquoted(text: str) -> str:
    """What a text of a program stands for.

    >>> unquoted('"a\\\\tb"') == "a" + chr(9) + "b"
    True
    """
    return re.sub(r"\\.", lambda found: _ESCAPES.get(found[0], found[0]), text[1:-1])


def quoted(value: str) -> str:
    """The text of a program that stands for `value`, which `unquoted` gives back.

    >>> print(quoted('say "hi"'))
    "say \\"hi\\""
    """
    return '"' + "".join(_SPELLED.get(letter, letter) for letter in value) + '"'
