"""Delta-stepping in a persistent kernel: the rounds of a `NearestFirst` operation.

A node whose cell was lowered joins the next frontier if its value is below a limit, else the far pile. When the near
frontier is empty, the limit rises by a step and far nodes below it come next; the step doubles as long as there are
none, so that a gap in the values costs few rounds. An entry below the old limit is stale: the node is settled already.
"""

from dataclasses import replace
from typing import Protocol

from starplat.backends import statements as st
from starplat.backends.one_launch.recording import Points
from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.shapes.sums import raised


class Maker(Protocol):
    """The maker of the persistent kernel around the rounds."""

    module: ir.Module
    points: Points

    def fresh(self, name: str) -> str: ...

    def comments(self, kernel: ir.Kernel) -> tuple[str, ...]: ...

    def walk(self, kernel: ir.Kernel) -> st.Body: ...


def nearest_first(op: ir.NearestFirst, maker: Maker) -> st.Body:
    """The rounds as statements; before and after them stands a barrier, or nothing was touched."""
    element = op.values.element
    limit, step = ir.Variable(maker.fresh("limit"), element), ir.Variable(maker.fresh("rise"), element)
    rounds = (
        *maker.points.new_round(op),
        *maker.points.before(op),
        *_walk(op, maker, limit),
        st.GridBarrier(),
        st.SwapPointers(op.now, op.following),
        st.IfEmpty(op.now, (), (st.Continue(),)),
        st.IfEmpty(op.later, (st.Break(),)),
        *_next_ones(op, maker, limit, step),
    )
    return (
        st.Declare(limit, ir.Ref(op.step), constant=False),
        st.Declare(step, ir.Ref(op.step), constant=False),
        st.While(build.TRUE, rounds),
        *maker.points.over(op),
        st.Assign(op.done.variable, op.done.value),
    )


def _walk(op: ir.NearestFirst, maker: Maker, limit: ir.Variable) -> st.Body:
    """The walk over near nodes, which puts nodes of lowered cells into the near or the far set."""
    kernel = maker.module.kernel(op.walk)
    body = maker.walk(kernel)
    sorted_out = _SortedOut(op, limit).block(body)
    return (st.Scope(maker.comments(kernel), (*sorted_out, st.Inserted(op.following), st.Inserted(op.later))),)


class _SortedOut:
    """Rewrites the insertion of a node, whose cell was lowered to a candidate, by the candidate's place."""

    def __init__(self, op: ir.NearestFirst, limit: ir.Variable) -> None:
        self.op = op
        self.limit = limit

    def block(self, body: st.Body) -> st.Body:
        return tuple(map(self.statement, body))

    def statement(self, statement: st.Statement) -> st.Statement:
        match statement:
            case st.Advance() | st.GroupAdvance() | st.EachMember() | st.Scope() | st.Count():
                return replace(statement, body=self.block(statement.body))
            case st.IfBeyond() | st.WhileBeyondLocked():
                return replace(statement, body=tuple(self.insertion(s, statement.candidate) for s in statement.body))
            case st.If(condition, then, otherwise):
                return st.If(condition, self.block(then), self.block(otherwise))
            case _:
                return statement

    def insertion(self, statement: st.Statement, candidate: ir.Expression) -> st.Statement:
        match statement:
            case st.Insert(members, node) if members == self.op.following:
                near = build.less(candidate, ir.Ref(self.limit))
                return st.If(near, (statement,), (st.Insert(self.op.later, node),))
            case _:
                return statement


def _next_ones(op: ir.NearestFirst, maker: Maker, limit: ir.Variable, step: ir.Variable) -> st.Body:
    """Raises the limit until a far node is below it."""
    element, node = op.values.element, ir.Variable(maker.fresh("node"), ir.Element.NODE)
    settled = ir.Variable(maker.fresh("settled"), element)
    value: ir.Expression = ir.Load(op.values, ir.Ref(node))
    sort: st.Body = (
        st.If(build.less(value, ir.Ref(settled)), (st.Leave(),)),
        st.If(
            build.less(value, ir.Ref(limit)),
            (st.Insert(op.now, ir.Ref(node)),),
            (st.Insert(op.following, ir.Ref(node)),),
        ),
    )
    rise: st.Body = (
        st.GridBarrier(),  # all threads have seen that the near frontier is empty
        st.Declare(settled, ir.Ref(limit), constant=True),
        st.Assign(limit, raised(limit, step)),
        st.Assign(step, raised(step, step)),
        st.EachMember(op.later, True, node, sort),
        st.Inserted(op.now),
        st.Inserted(op.following),
        st.GridBarrier(),
        st.SwapPointers(op.later, op.following),
        st.IfEmpty(op.now, (), (st.Break(),)),
        st.IfEmpty(op.later, (st.Break(),)),
    )
    return (st.While(build.TRUE, rise), st.Assign(step, ir.Ref(op.step)), st.IfEmpty(op.now, (st.Break(),)))
