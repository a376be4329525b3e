"""Statements with the blocks inside them changed, and `continue` as the statements with which a round ends."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from starplat.backends import statements as st


def replace_continue(body: st.Body, by: st.Body) -> st.Body:
    """`body` with each `continue` of the loop around it replaced."""
    replaced: list[st.Statement] = []
    for statement in body:
        match statement:
            case st.Continue():
                replaced += by
            case st.If(_, then, otherwise):
                inside = replace(statement, then=replace_continue(then, by), otherwise=replace_continue(otherwise, by))
                replaced.append(inside)
            case _:
                replaced.append(statement)
    return tuple(replaced)


def has_continue(body: st.Body) -> bool:
    """Whether it continues the loop around it."""
    return replace_continue(body, ()) != body


_STATEMENTS = frozenset(st.Statement.__args__)


def with_blocks(statement: st.Statement, change: Callable[[st.Body], st.Body]) -> st.Statement:
    """The statement with its blocks changed, itself where they stay; a shared loop is a statement inside another."""
    inner: dict[str, Any] = {}
    for field in fields(statement):
        part = getattr(statement, field.name)
        if type(part) is tuple and part and all(type(one) in _STATEMENTS for one in part):
            new: Any = change(part)
        elif type(part) in _STATEMENTS:
            new = with_blocks(part, change)
        else:
            continue
        if new is not part:
            inner[field.name] = new
    return replace(statement, **inner) if inner else statement
