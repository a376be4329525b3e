"""Drops locals that are never read, and their assignments; a call with side effects stays."""

from collections.abc import Iterable
from operator import is_
from typing import Any

from starplat.backends import statements as st
from starplat.backends.legal.inside import with_blocks
from starplat.ir import nodes as ir
from starplat.ir.visitor import record_values, walk


def without_unread(body: st.Body) -> st.Body:
    """The statements without locals that are only written."""
    while True:
        parts = list(walk(body))
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
            found.update(value for value in record_values(part) if type(value) is ir.Variable)
    return found


def _called_within(parts: Iterable[Any]) -> set[ir.Variable]:
    """The locals whose value contains a call that cannot stand alone."""
    return {
        part.variable
        for part in parts
        if type(part) in _SETTING
        and not isinstance(part.value, ir.CallFunction)
        and any(isinstance(inner, ir.CallFunction) for inner in walk(part.value))
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
