"""The nesting depth of a program, and the message for one that nests too deeply.

Later stages walk the tree by recursion, so the tree's depth must stay well below Python's limit. This walk does not
recurse.
"""

from dataclasses import fields, replace
from functools import cache
from typing import Any

from starplat.diagnostics import Reporter
from starplat.frontend import ast

LIMIT = 200
"""The deepest tree, in nodes below the function."""


def report_depth(program: ast.Program, reporter: Reporter) -> ast.Program:
    """The program without the functions that nest too deeply; each of them is reported."""
    shallow = []
    for function in program.functions:
        if (place := _first_too_deep(function)) is None:
            shallow.append(function)
        else:
            advice = "name a part of it: a variable for an expression, a function for statements"
            reporter.report("E0111", f"this nests deeper than {LIMIT} levels", place.span, help=advice)
    return program if len(shallow) == len(program.functions) else replace(program, functions=tuple(shallow))


def _first_too_deep(function: ast.Function) -> ast.Syntax | None:
    level: list[ast.Syntax] = [function]
    for _ in range(LIMIT):
        level = [child for node in level for child in _children(node)]
        if not level:
            return None
    return level[0]


def _children(node: ast.Syntax) -> list[ast.Syntax]:
    children: list[ast.Syntax] = []
    for name in _branches(type(node).__name__):
        value: Any = getattr(node, name)
        if isinstance(value, tuple):
            children.extend(value)
        elif isinstance(value, ast.Syntax):
            children.append(value)
    return children


@cache
def _branches(name: str) -> tuple[str, ...]:
    """The fields that may hold nodes with more below them."""
    kind: type[ast.Syntax] = getattr(ast, name)
    plain = ("span", "str", "bool", "int", "float", "Name", "Name | None", "FunctionKind", "UpdateKind")
    return tuple(field.name for field in fields(kind) if field.name != "span" and str(field.type) not in plain)
