"""Rewrites `continue`: the statements wherever a loop goes on with its next round."""

from dataclasses import replace

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
