"""Statements with the blocks inside them changed: `continue` as the statements with which a round ends, and locals that
are never read left out. A call with side effects stays.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from operator import is_
from typing import Any

from starplat.backends import statements as st
from starplat.ir import nodes as ir, visitor


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


def without_unread(body: st.Body) -> st.Body:
    """The statements without locals that are only written."""
    while True:
        parts = list(visitor.walk(body))
        written = {part.variable for part in parts if isinstance(part, st.Declare)}
        unread = written - _read(parts) - _called_within(parts)
        if (fewer := _without(body, unread)) is body:
            return body
        body = fewer


def _read(parts: Iterable[Any]) -> set[ir.Variable]:
    found: set[ir.Variable] = set()
    for part in parts:
        if isinstance(part, ir.CallFunction):
            found.update(argument for argument in part.arguments if isinstance(argument, ir.Variable))
        elif type(part) not in _SETTING:
            found.update(value for value in visitor.record_values(part) if type(value) is ir.Variable)
    return found


def _called_within(parts: Iterable[Any]) -> set[ir.Variable]:
    """The locals whose value contains a call that cannot stand alone."""
    return {
        part.variable
        for part in parts
        if type(part) in _SETTING
        and not isinstance(part.value, ir.CallFunction)
        and any(isinstance(inner, ir.CallFunction) for inner in visitor.walk(part.value))
    }


def _without(body: st.Body, unread: set[ir.Variable]) -> st.Body:
    kept: list[st.Statement] = []
    for statement in body:
        if isinstance(statement, st.Declare | st.Assign | st.Accumulate) and statement.variable in unread:
            if isinstance(statement.value, ir.CallFunction):
                kept.append(st.Call(statement.value))
            continue
        new = with_blocks(statement, lambda block: _without(block, unread))
        if not (isinstance(new, st.Scope) and not new.body):
            kept.append(new)
    return body if len(kept) == len(body) and all(map(is_, kept, body)) else tuple(kept)


_SETTING = frozenset((st.Declare, st.Assign, st.Accumulate))
