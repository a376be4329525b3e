"""Walks over the syntax tree: everything inside a node, the names assigned there."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any

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
            kind: Any = type(node)
            pending.extend(getattr(node, name) for name in _field_names(kind))


def with_spans(node: Any, changed: Callable[[Span], Span]) -> Any:
    """A tree whose nodes stand elsewhere."""
    if isinstance(node, tuple):
        return tuple(with_spans(part, changed) for part in node)
    if not isinstance(node, ast.Syntax):
        return node
    kind: Any = type(node)
    parts = {name: with_spans(getattr(node, name), changed) for name in _field_names(kind)}
    return replace(node, **parts, span=changed(node.span))


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.name != "span")
