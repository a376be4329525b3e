"""Walks over the syntax tree: everything inside a node, the names assigned there, how deep a program nests."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any

from starplat.diagnostics import Reporter
from starplat.frontend import ast
from starplat.source import Span


def assigned_in(body: ast.Statement) -> frozenset[str]:
    """The names of the variables that are assigned somewhere in a body."""
    names: set[str] = set()
    for node in syntax_within(body):
        match node:
            case ast.Assignment(target=ast.Identifier(name=name)) | ast.Increment(target=ast.Identifier(name=name)):
                names.add(name)
            case ast.Incremented(target=ast.Identifier(name=name)):
                names.add(name)
            case ast.MultiAssignment():
                names.update(target.name for target in node.targets if isinstance(target, ast.Identifier))
            case ast.Call(function=ast.Identifier()):
                names.update(a.name for a in node.arguments if isinstance(a, ast.Identifier))
    return frozenset(names)


def syntax_within(root: ast.Syntax) -> Iterator[ast.Syntax]:
    """A syntax node and everything inside it, in no particular order."""
    pending: list[object] = [root]
    while pending:
        if isinstance(node := pending.pop(), tuple):
            pending.extend(node)
        elif isinstance(node, ast.Syntax):
            yield node
            pending.extend(getattr(node, name) for name in _branches(type(node)))


def with_spans(node: Any, changed: Callable[[Span], Span]) -> Any:
    """A tree whose nodes stand elsewhere."""
    if isinstance(node, tuple):
        return tuple(with_spans(part, changed) for part in node)
    if not isinstance(node, ast.Syntax):
        return node
    parts = {name: with_spans(getattr(node, name), changed) for name in _branches(type(node))}
    return replace(node, **parts, span=changed(node.span))


@cache
def _branches(kind: Any) -> tuple[str, ...]:
    """The fields that may hold nodes."""
    plain = ("str", "bool", "int", "float", "FunctionKind", "UpdateKind")
    return tuple(field.name for field in fields(kind) if field.name != "span" and str(field.type) not in plain)


LIMIT = 200
"""The deepest tree, in nodes below the function: later stages walk it by recursion."""


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
        parts = [getattr(node, name) for node in level for name in _branches(type(node))]
        inside = [inner for part in parts for inner in (part if isinstance(part, tuple) else (part,))]
        level = [inner for inner in inside if isinstance(inner, ast.Syntax) and not isinstance(inner, ast.Name)]
        if not level:
            return None
    return level[0]
