"""Reads rows ahead in a cluster's rounds: those of the nodes that a group has found, while it waits for other groups.

A round of few nodes waits for its list, then for rows, then for neighbors. None of these change in the launch, and a
group knows the nodes that it has put into a set before it knows what others have. While no group has many, each walks
its own nodes, so what it has read by then is what it needs.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace

from starplat.backends import statements as st
from starplat.backends.one_launch.loads_at_once import kept_of_rows, neighbor_first
from starplat.ir import build, nodes as ir, visitor
from starplat.ir.fresh_names import FreshNames
from starplat.ir.rewriter import Replacer


def looking_ahead(body: st.Body, changed: Container[ir.Array], names: FreshNames, *, wide: bool) -> st.Body:
    """The statements of a cluster, whose loops read ahead where a round begins with a walk over a set, or in a `wide`
    one with sums beside it, and ends with its only barrier, and where nearest nodes come next; rows and columns that
    the launch has `changed` are not read early."""
    made: list[st.Statement] = []
    for statement in body:
        made += _loop(statement, changed, names, wide) if isinstance(statement, st.While) else (statement,)
    return tuple(made)


def _loop(loop: st.While, changed: Container[ir.Array], names: FreshNames, wide: bool) -> st.Body:
    if (nearest := _of_nearest(loop, changed, names, wide)) is not None:
        return nearest
    barriers = [place for place, inner in enumerate(loop.body) if inner == st.GridBarrier(together=True)]
    walks = [place for place, inner in enumerate(loop.body) if not _stands_between(inner)]
    parts = tuple(visitor.walk(loop.body))
    waits = sum(isinstance(part, st.GridBarrier) for part in parts)
    if len(barriers) != 1 or waits != 1 or any(isinstance(part, st.Continue) for part in parts):
        return (loop,)
    (last,), first = barriers, walks[0]
    walking = loop.body[first]
    if walks[-1] != last or not isinstance(walking, st.Scope):
        return (loop,)
    found: tuple[st.LookAhead, st.Advance | st.AdvanceAndGather] | None
    match walking.body:
        case (st.Advance(takes=True) as walk, *_):
            found = _walk(walk, changed, names)
        case (st.AdvanceAndGather() as both, *_) if wide:
            found = _both(both, changed, names)
        case _:
            return (loop,)
    if found is None:
        return (loop,)
    looks, known = found
    walking = replace(walking, body=(known, *walking.body[1:]))
    rounds = (*loop.body[:first], walking, *loop.body[first + 1 : last], looks, *loop.body[last + 1 :])
    return (replace(looks, declares=True), replace(loop, body=rounds))


def _of_nearest(loop: st.While, changed: Container[ir.Array], names: FreshNames, wide: bool) -> st.Body | None:
    """A loop over the nearest nodes, which reads ahead wherever these are known to come next. A value may be read while
    other groups still lower it: these put its node in as well, and read it anew."""
    found = [part.next for part in visitor.walk(loop.body) if isinstance(part, st.GridBarrier) and part.next]
    match loop.body:
        case (st.Scope(_, (st.Advance(takes=True) as walk, *ends)) as walking, *rest) if found:
            if (both := _walk(walk, changed, names)) is None:
                return None
            looks, known = _offering(*both, found[0].values, changed, names)
            looks = replace(looks, many=wide)
            rounds = (replace(walking, body=(known, *ends)), *_looking(rest, looks))
            return replace(looks, declares=True), replace(loop, body=rounds)
    return None


def _looking(body: Iterable[st.Statement], looks: st.LookAhead) -> Iterator[st.Statement]:
    for statement in body:
        match statement:
            case st.GridBarrier(next=st.NearNodes(members)):
                yield replace(looks, members=members)
            case st.While():
                yield replace(statement, body=tuple(_looking(statement.body, looks)))
            case _:
                yield statement


def _offering(
    looks: st.LookAhead, walk: st.Advance, values: ir.Array, changed: Container[ir.Array], names: FreshNames
) -> tuple[st.LookAhead, st.Advance]:
    """Both, with what an arc offers the cell of its neighbor, if that is made of the value of its node and of what the
    launch does not change."""
    ahead, cell = walk.ahead, build.cell(values, ir.Ref(walk.node))
    if ahead is None or not isinstance(cell, ir.Load):
        return looks, walk
    match walk.body:
        case (*asked, st.Declare(candidate, sum), st.IfBeyond(_, lowered, at_once=True) as lowers) if (
            lowered == values
            and lowers.candidate == ir.Ref(candidate)
            and all(isinstance(one, st.AskBeside) for one in asked)
        ):
            now = names.variable(f"{values.name}_now", values.element)
            sum = Replacer({cell: ir.Ref(now)}).expression(sum)
            if not any(_is_late(part, ahead, changed) for part in visitor.walk(sum)):
                function, offered = (names.variable(name, candidate.element) for name in ("offer", "offered"))
                offer = st.Offer(function, offered, walk.node, walk.position, now, cell, sum)
                body = (*asked, st.Declare(candidate, ir.Ref(offered), constant=True), lowers)
                return replace(looks, offer=offer), replace(walk, body=body, ahead=replace(ahead, offer=offer))
    return looks, walk


def _is_late(part: object, ahead: st.Ahead, changed: Container[ir.Array]) -> bool:
    """Whether what an expression is made of is not known at the barrier before."""
    match part:
        case ir.Array():
            return part in changed
        case ir.Variable():
            return part == ahead.neighbor
    return isinstance(part, ir.CallFunction)


def _stands_between(statement: st.Statement) -> bool:
    """Whether a statement may stand between the barrier and the walk: branches have no barriers, and leave the loop at
    most; what is stored is not read ahead."""
    match statement:
        case st.OnFirst(body):
            return all(isinstance(inner, st.StoreCell) for inner in body)
    return isinstance(statement, _SCALAR)


_SCALAR = st.Declare | st.Assign | st.AskSize | st.AskEmpty | st.If | st.NoteMembers


def _walk(walk: st.Advance, changed: Container[ir.Array], names: FreshNames) -> tuple[st.LookAhead, st.Advance] | None:
    ahead = _ahead(walk, changed, names)
    if ahead is None or walk.members is None:
        return None
    left = tuple(part for part in walk.body if not _reads(part, ahead))
    return st.LookAhead(walk.members, walk.rows, ahead.columns, ahead.found), replace(walk, body=left, ahead=ahead)


def _both(
    both: st.AdvanceAndGather, changed: Container[ir.Array], names: FreshNames
) -> tuple[st.LookAhead, st.AdvanceAndGather] | None:
    found, first = _walk(both.advance, changed, names), neighbor_first(both.gather, changed)
    if found is None or first is None:
        return None
    (looks, walk), (neighbor, columns) = found, first
    gather = kept_of_rows(both.gather, neighbor, columns, names)
    return replace(looks, sums=(gather.rows, columns)), st.AdvanceAndGather(walk, gather)


def _ahead(walk: st.Advance, changed: Container[ir.Array], names: FreshNames) -> st.Ahead | None:
    plain = replace(walk, members=None, takes=False, keep=None, body=()) == st.Advance(
        None, False, walk.node, None, walk.rows, walk.position, ()
    )
    if not plain or walk.rows in changed:
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
