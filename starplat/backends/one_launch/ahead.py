"""Reads rows ahead in a cluster's rounds: those of the nodes that a group has found, while it waits for other groups.

A round of few nodes waits for its list, then for rows, then for neighbors. None of these change in the launch, and a
group knows the nodes that it has put into a set before it knows what others have. While no group has many, each walks
its own nodes, so what it has read by then is what it needs.
"""

from collections.abc import Container, Sequence
from dataclasses import replace

from starplat.backends import statements as st
from starplat.ir import nodes as ir, visitor
from starplat.ir.fresh_names import FreshNames


def looking_ahead(body: st.Body, changed: Container[ir.Array], names: FreshNames) -> st.Body:
    """The statements of a cluster, whose loops read ahead where a round begins with a walk over a set and ends with its
    only barrier; rows and columns that the launch has `changed` are not read early."""
    made: list[st.Statement] = []
    for statement in body:
        made += _loop(statement, changed, names) if isinstance(statement, st.While) else (statement,)
    return tuple(made)


def _loop(loop: st.While, changed: Container[ir.Array], names: FreshNames) -> st.Body:
    barriers = [place for place, inner in enumerate(loop.body) if inner == st.GridBarrier(together=True)]
    walks = [place for place, inner in enumerate(loop.body) if not isinstance(inner, _SCALAR)]
    parts = tuple(visitor.walk(loop.body))
    waits = sum(isinstance(part, st.GridBarrier) for part in parts)
    if len(barriers) != 1 or waits != 1 or any(isinstance(part, st.Continue) for part in parts):
        return (loop,)
    (last,), first = barriers, walks[0]
    match loop.body[first]:
        case st.Scope(_, (st.Advance() as walk, *_)) as scope if walks[-1] == last:
            ahead = _ahead(walk, changed, names)
        case _:
            return (loop,)
    if ahead is None or walk.members is None:
        return (loop,)
    looks = st.LookAhead(walk.members, walk.rows, ahead.columns, ahead.found)
    left = tuple(part for part in walk.body if not _reads(part, ahead))
    walking = replace(scope, body=(replace(walk, body=left, ahead=ahead), *scope.body[1:]))
    rounds = (*loop.body[:first], walking, *loop.body[first + 1 : last], looks, *loop.body[last + 1 :])
    return (replace(looks, declares=True), replace(loop, body=rounds))


_SCALAR = st.Declare | st.Assign | st.AskSize | st.AskEmpty | st.If
"""What may stand between the barrier and the walk: branches have no barriers, and leave the loop at most."""


def _ahead(walk: st.Advance, changed: Container[ir.Array], names: FreshNames) -> st.Ahead | None:
    plain = replace(walk, members=None, takes=False, keep=None, body=()) == st.Advance(
        None, False, walk.node, None, walk.rows, walk.position, ()
    )
    if not plain or not walk.takes or walk.members is None or walk.rows in changed:
        return None
    for part in walk.body:
        match part:
            case st.Declare(neighbor, ir.Load(columns, ir.Ref(walk.position))):
                if columns.element is not ir.Element.NODE or columns in changed:
                    return None
                return st.Ahead(names.variable("ahead", ir.Element.INT), neighbor, columns)
            case st.AskBeside():
                continue
        return None
    return None


def needs_no_bits(body: st.Body) -> bool:
    """Whether a cluster finds all members of its sets by its lists, unless these have no room: every walk over a set
    reads ahead, and what a walk puts in is in no set yet."""
    parts = tuple(visitor.walk(body))
    reached = [inner for part in parts if isinstance(part, st.IfReaches) for inner in part.body]
    return bool(reached) and all(_asks_no_bits(part, reached) for part in parts)


def _asks_no_bits(part: object, reached: Sequence[st.Statement]) -> bool:
    match part:
        case st.Advance(members=ir.Array()):
            return part.ahead is not None
        case st.Insert():
            return part.alone or any(part is inner for inner in reached)
        case st.LookAhead() | st.AskSize() | st.AskEmpty() | st.Clear() | st.Inserted() | st.SwapPointers():
            return True
    return not any(isinstance(value, ir.Array) and value.packed for value in visitor.record_values(part))


def _reads(part: st.Statement, ahead: st.Ahead) -> bool:
    return isinstance(part, st.Declare) and part.variable == ahead.neighbor
