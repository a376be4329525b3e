"""Trees and their text say the same; formatting keeps the meaning and the comments and settles at once."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, strategies as st

from starplat.frontend import ast
from starplat.frontend.parser import parse, tokens
from starplat.frontend.unparse import format_source, unparse
from starplat.source import SourceFile
from tests.strategies import programs


def source(text: str) -> SourceFile:
    return SourceFile("test.sp", text)


@given(programs())
def test_what_is_written_is_read_back(program: ast.Program) -> None:
    assert parse(source(unparse(program))) == program


@given(programs(), st.randoms(use_true_random=False), st.sampled_from(["\n", "\r\n"]))
def test_formatting_keeps_everything_and_settles(program: ast.Program, random: Random, newline: str) -> None:
    text, count = sprinkle(unparse(program), random, newline)
    formatted = format_source(source(text))
    assert parse(source(formatted)) == program
    assert sorted(re.findall(r"c\d+c", formatted)) == sorted(f"c{number}c" for number in range(count))
    assert format_source(source(formatted)) == formatted


def sprinkle(text: str, random: Random, newline: str) -> tuple[str, int]:
    """The text with comments and blank lines between its words, and the number of comments."""
    pieces: list[str] = []
    count = 0
    for token in tokens(source(text)):
        kind = random.randrange(12)
        if kind == 0:
            pieces.append(f" // c{count}c{newline}")
        elif kind == 1:
            pieces.append(f" /* c{count}c */ ")
        elif kind == 2:
            pieces.append(f"{newline}/* c{count}c{newline} * */{newline}")
        else:
            pieces.append(random.choice([" ", " ", newline, newline * 3]))
        count += kind < 3
        pieces.append(token.text)
    return "".join(pieces), count


@pytest.mark.parametrize(
    ("written", "shortest"),
    [
        ("(a + b) + c", "a + b + c"),
        ("a + (b + c)", "a + (b + c)"),
        ("(a * b) + (c)", "a * b + c"),
        ("(a + b) * c", "(a + b) * c"),
        ("a-1", "a - 1"),
        ("a -1", "a - 1"),
        ("a - -1", "a - -1"),
        ("- - a", "- -a"),
        ("-(-a)", "- -a"),
        ("!(a && b) || c", "!(a && b) || c"),
        ("(a ? b : c) ? d : e", "(a ? b : c) ? d : e"),
        ("a ? b : (c ? d : e)", "a ? b : c ? d : e"),
        ("((g).neighbors((v)))", "g.neighbors(v)"),
        ("1e-6 + 1.0f + .5 + 1.", "1e-6 + 1.0f + .5 + 1."),
        ("+INF", "+INF"),
        ("true", "True"),
    ],
)
def test_expressions_have_no_needless_brackets(written: str, shortest: str) -> None:
    formatted = format_source(source(f"function f() {{ x = {written}; }}"))
    assert formatted == f"function f() {{\n  x = {shortest};\n}}\n"


def test_comparisons_between_angle_brackets_keep_theirs() -> None:
    text = "function f() {\n  <a, b> = <Min(a, c < d), (c < d) == e ? (a > b) : c>;\n}\n"
    assert format_source(source(text)) == text


def test_an_else_stays_with_its_if() -> None:
    inner = ast.If(ast.Identifier("b"), ast.Break())
    outer = ast.If(ast.Identifier("a"), inner, ast.Continue())
    program = ast.Program((ast.Function(ast.FunctionKind.FUNCTION, ast.Name("f"), (), ast.Block((outer,))),))
    [function] = parse(source(unparse(program))).functions
    assert function.body.statements == (ast.If(ast.Identifier("a"), ast.Block((inner,)), ast.Continue()),)


def test_comments_and_blank_lines_stay_where_they_were() -> None:
    text = """// head

// about f
function f(Graph g) { // opens
  // first
  int x = 1; // beside

  // second, after a blank line
  if (x > 0) { // then
    x = 2;
  } else { // otherwise
    x = 3;
    // last
  } // closed
} // end

// tail
"""
    assert format_source(source(text)) == text
    loose = text.replace("\n\n", "\n\n\n\n").replace("  ", "\t").replace("\n", "\r\n")
    assert format_source(source(loose)) == text
