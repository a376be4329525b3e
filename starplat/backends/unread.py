"""Drops locals that nobody reads, and what is assigned to them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from starplat.backends.statements import Accumulate, Assign, Declare, Scope, Statement
from starplat.backends.uses import walk
from starplat.ir.nodes import CallFunction, Ref, Variable

Body = tuple[Statement, ...]


def without_unread(body: Body) -> Body:
    """The statements without locals that are only written; what they are given has no effect of its own."""
    while True:
        written = {part.variable for part in walk(body) if isinstance(part, Declare)}
        unread = written - _read(body)
        if not unread:
            return body
        body = _without(body, unread)


def _read(body: Body) -> set[Variable]:
    found = {part.variable for part in walk(body) if isinstance(part, Ref)}
    for part in walk(body):
        if isinstance(part, CallFunction):
            found.update(argument for argument in part.arguments if isinstance(argument, Variable))
        elif not isinstance(part, Declare | Assign | Accumulate | Ref) and hasattr(part, "__dataclass_fields__"):
            found.update(v for f in fields(part) if isinstance(v := getattr(part, f.name), Variable))
    return found


def _without(body: Body, unread: set[Variable]) -> Body:
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, Declare | Assign | Accumulate) and statement.variable in unread:
            continue
        inner: dict[str, Any] = {
            field.name: _without(block, unread)
            for field in fields(statement)
            if type(block := getattr(statement, field.name)) is tuple and block and _is_block(block)
        }
        new = replace(statement, **inner) if inner else statement
        if not (isinstance(new, Scope) and not new.body):
            kept.append(new)
    return tuple(kept)


def _is_block(block: tuple[Any, ...]) -> bool:
    return all(type(part) in _STATEMENTS for part in block)


_STATEMENTS = frozenset(Statement.__args__)
