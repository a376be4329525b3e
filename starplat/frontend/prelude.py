"""Functions of the language that are written in it (`prelude.sp`).

Their nodes stand nowhere in the program's text. A program gets those that it may call, and keeps those that it does.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from starplat.frontend import ast, builtins, parser, typed, walk
from starplat.frontend.parsing.syntax import syntax_within, with_spans
from starplat.source import NOWHERE, SourceFile


@cache
def prelude() -> dict[str, ast.Function]:
    """All functions of the prelude, by name."""
    program = parser.parse(SourceFile.read(Path(__file__).with_name("prelude.sp")))
    unplaced = with_spans(program, lambda span: NOWHERE)
    return {function.name.text: function for function in unplaced.functions}


def asked_for(functions: Iterable[ast.Function]) -> dict[str, ast.Function]:
    """The functions of the prelude that these may call, and those that they call in turn."""
    found: dict[str, ast.Function] = {}
    pending = list(functions)
    while pending:
        for name in _names(pending.pop()):
            if name not in found and name in prelude():
                found[name] = prelude()[name]
                pending.append(found[name])
    return found


def _names(function: ast.Function) -> Iterable[str]:
    for node in syntax_within(function):
        match node:
            case ast.Identifier(name=name):
                yield name
            case ast.Attribute(name=ast.Name(text=text)) if text in builtins.PRELUDE_ATTRIBUTES:
                yield builtins.PRELUDE_ATTRIBUTES[text]


def called(functions: Iterable[typed.FunctionDefinition]) -> frozenset[str]:
    return frozenset(
        call.function
        for function in functions
        for statement in walk.statements(function.body)
        for call in walk.own_calls(statement)
    )
