"""The parser: from text to the syntax tree.

The grammar's LALR tables are driven token by token here, so that after a mistake the parser can be put back on its
feet and find the next one. What is said about a mistake, and how the parser goes on after it, is in `mistakes` and
`recovery`.
"""

from functools import cache

from starplat.diagnostics import Reporter
from starplat.frontend import ast
from starplat.frontend.mistakes import recovery, report
from starplat.frontend.parsing import builder, syntax
from starplat.frontend.parsing.lexer import END, Lexer, Token, Words, span_of
from starplat.frontend.parsing.tables import tables
from starplat.source import SourceFile, Span


def parse(source: SourceFile, reporter: Reporter | None = None) -> ast.Program:
    """The program that `source` holds.

    With a `reporter`, mistakes are left there and what could be understood is returned, holes filled with nodes that
    stand for nothing: check such a program no further. Raises DiagnosticError: all syntax errors, if there is no
    `reporter`.
    """
    collected = Reporter(source) if reporter is None else reporter
    machinery = _machinery()
    words = machinery.lexer.cut(source.text, collected)
    program = syntax.report_depth(machinery.drive(words, collected), collected)
    if reporter is None:
        collected.raise_errors()
    return program


def tokens(source: SourceFile) -> list[Token]:
    """The words of `source` in their order, without comments. Raises DiagnosticError: all that is no word."""
    reporter = Reporter(source)
    lexer = _machinery().lexer
    words = lexer.cut(source.text, reporter)
    reporter.raise_errors()
    return [Token(lexer.kind(t), t.value, span_of(t)) for t in words.tokens[:-1]]


def comments(source: SourceFile) -> list[Span]:
    """Where the comments of `source` stand."""
    return _machinery().lexer.cut(source.text, Reporter(source)).comments


def words(text: str) -> list[Token]:
    """The words and comments of a text in their order, whatever is wrong with it; a comment is of kind `comment`, and
    what is no word of the language of kind `unknown`."""
    lexer = _machinery().lexer
    cut = lexer.cut(text, Reporter(SourceFile("", text)))
    found = [Token(lexer.kind(t), t.value, span_of(t)) for t in cut.tokens[:-1]]
    found += [Token("comment", text[span.start : span.end], span) for span in cut.comments]
    return sorted(found, key=lambda token: token.span.start)


def keywords() -> tuple[str, ...]:
    """The reserved words of the language."""
    return tuple(_machinery().lexer.keywords)


class _Machinery:
    """The tables, made or read once in a process."""

    def __init__(self) -> None:
        self.builder = builder.Builder()
        self.lark = tables(self.builder)
        self.lexer = Lexer(self.lark.terminals)

    def drive(self, words: Words, reporter: Reporter) -> ast.Program:
        self.builder.reporter = reporter
        state = self.lark.parse_interactive("").parser_state
        situation = recovery.Situation(state, words.tokens, self.lexer, reporter)
        result: ast.Program | None = None
        while result is None:
            if situation.fits() or situation.closes_two_types():
                token = situation.found
                situation.position += 1
                result = state.feed_token(token, is_end=token.type == END)
            else:
                report.explain(situation)
        return result


@cache
def _machinery() -> _Machinery:
    return _Machinery()
