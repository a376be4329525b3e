"""Rewrites the work of a group for one thread, for targets without thread numbers: it takes every iteration and needs
no barrier.
"""

from dataclasses import fields, replace
from typing import Any

from starplat.backends import statements as st


def by_one_thread(body: st.Body) -> st.Body:
    """The statements for the only thread of a group."""
    return tuple(done for statement in body for done in _done(statement))


def _done(statement: st.Statement) -> st.Body:
    match statement:
        case st.GridBarrier():
            return ()
        case st.OnFirst(body):
            return by_one_thread(body)
        case st.Count():
            return (replace(statement, stride=st.Stride.ONE, body=by_one_thread(statement.body)),)
        case _:
            return (_with_blocks(statement),)


def _with_blocks(statement: st.Statement) -> st.Statement:
    """The statement with its blocks rewritten."""
    blocks: dict[str, Any] = {}
    for field in fields(statement):
        part = getattr(statement, field.name)
        if type(part) is tuple and part and all(type(inner) in _STATEMENTS for inner in part):
            blocks[field.name] = by_one_thread(part)
    return replace(statement, **blocks) if blocks else statement


_STATEMENTS = frozenset(st.Statement.__args__)
