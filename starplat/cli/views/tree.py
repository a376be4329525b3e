"""Syntax trees and typed trees as indented text: one node a line, its plain fields beside it, its children under it."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from starplat.frontend import ast, typed
from starplat.source import SourceFile, Span


def draw(node: Any) -> str:
    """The tree under `node`; spans, sources and messages are left out."""
    lines: list[str] = []
    pending: list[tuple[int, str, Any]] = [(0, "", node)]
    while pending:  # not recursive: a long chain of operators is a deep tree
        depth, label, value = pending.pop()
        lines.append("  " * depth + label + _head(value))
        pending.extend((depth + 1, *child) for child in reversed(list(_children(value))))
    return "\n".join(lines)


def _head(value: Any) -> str:
    plain = [f"{name}={_plain(item)}" for name, item in _fields(value) if _is_plain(item)]
    return " ".join([type(value).__name__, *plain])


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    for name, item in _fields(value):
        if _is_plain(item):
            continue
        if isinstance(item, tuple):
            yield from ((f"{name}: ", part) for part in item)
        else:
            yield f"{name}: ", item


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple):
        yield from ((str(number), part) for number, part in enumerate(value))
    elif is_dataclass(value):
        for field in fields(value):
            item = getattr(value, field.name)
            if not isinstance(item, Span | SourceFile) and field.name != "warnings":
                yield field.name, item


def _is_plain(item: Any) -> bool:
    if isinstance(item, tuple):
        return all(_is_plain(part) for part in item)
    return isinstance(item, typed.Symbol | ast.Name) or not list(_fields(item))


def _plain(item: Any) -> str:
    match item:
        case typed.Symbol():
            return f"{item.name}:{item.type}"
        case ast.Name():
            return item.text
        case Enum():
            return str(item.value)
        case str():
            return item
        case () | None:
            return "-"
        case tuple():
            return f"({', '.join(map(_plain, item))})"
        case _ if is_dataclass(item):
            return type(item).__name__
    return repr(item)
