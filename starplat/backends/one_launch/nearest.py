"""Makes the rounds of a `NearestFirst` operation: near nodes now, far ones later, by a limit that rises.

A node whose cell was lowered goes into the set that the next round walks if its value is below the limit, else it
waits. When nobody near is left, the limit rises by a step and those who wait and are below it come next; the step
doubles as long as there are none, so that a gap in the values costs few rounds. Whoever is below the old limit already
by then has had his turn since he began to wait.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from starplat.backends.one_launch.recording import Points
from starplat.backends.statements import (
    Advance,
    Assign,
    Body,
    Break,
    Continue,
    Count,
    Declare,
    EachMember,
    GridBarrier,
    GroupAdvance,
    If,
    IfBeyond,
    IfEmpty,
    Insert,
    Inserted,
    Leave,
    Scope,
    Statement,
    SwapPointers,
    While,
    WhileBeyondLocked,
)
from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.shapes.sums import raised


class Maker(Protocol):
    """Who writes the launch that the rounds are a part of."""

    module: ir.Module
    points: Points

    def fresh(self, name: str) -> str: ...

    def comments(self, kernel: ir.Kernel) -> tuple[str, ...]: ...

    def walk(self, kernel: ir.Kernel) -> Body: ...


def nearest_first(op: ir.NearestFirst, maker: Maker) -> Body:
    """The rounds as statements; before and after them stands a barrier, or nothing was touched."""
    element = op.values.element
    limit, step = ir.Variable(maker.fresh("limit"), element), ir.Variable(maker.fresh("rise"), element)
    rounds = (
        *maker.points.new_round(op),
        *maker.points.before(op),
        *_walk(op, maker, limit),
        GridBarrier(),
        SwapPointers(op.now, op.following),
        IfEmpty(op.now, (), (Continue(),)),
        IfEmpty(op.later, (Break(),)),
        *_next_ones(op, maker, limit, step),
    )
    return (
        Declare(limit, ir.Ref(op.step), constant=False),
        Declare(step, ir.Ref(op.step), constant=False),
        While(build.TRUE, rounds),
        *maker.points.over(op),
        Assign(op.done.variable, op.done.value),
    )


def _walk(op: ir.NearestFirst, maker: Maker, limit: ir.Variable) -> Body:
    """The walk over the near ones, who put nodes of lowered cells where they belong."""
    kernel = maker.module.kernel(op.walk)
    body = maker.walk(kernel)
    sorted_out = _SortedOut(op, limit).block(body)
    return (Scope(maker.comments(kernel), (*sorted_out, Inserted(op.following), Inserted(op.later))),)


class _SortedOut:
    """Rewrites the insertion of a node, whose cell was lowered to a candidate, by where that lies."""

    def __init__(self, op: ir.NearestFirst, limit: ir.Variable) -> None:
        self.op = op
        self.limit = limit

    def block(self, body: Body) -> Body:
        return tuple(map(self.statement, body))

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Advance() | GroupAdvance() | EachMember() | Scope() | Count():
                return replace(statement, body=self.block(statement.body))
            case IfBeyond() | WhileBeyondLocked():
                return replace(statement, body=tuple(self.insertion(s, statement.candidate) for s in statement.body))
            case If(condition, then, otherwise):
                return If(condition, self.block(then), self.block(otherwise))
            case _:
                return statement

    def insertion(self, statement: Statement, candidate: ir.Expression) -> Statement:
        match statement:
            case Insert(members, node) if members == self.op.following:
                near = build.less(candidate, ir.Ref(self.limit))
                return If(near, (statement,), (Insert(self.op.later, node),))
            case _:
                return statement


def _next_ones(op: ir.NearestFirst, maker: Maker, limit: ir.Variable, step: ir.Variable) -> Body:
    """Raises the limit until somebody who waits is below it."""
    element, node = op.values.element, ir.Variable(maker.fresh("node"), ir.Element.NODE)
    settled = ir.Variable(maker.fresh("settled"), element)
    value: ir.Expression = ir.Load(op.values, ir.Ref(node))
    sort: Body = (
        If(build.less(value, ir.Ref(settled)), (Leave(),)),
        If(
            build.less(value, ir.Ref(limit)),
            (Insert(op.now, ir.Ref(node)),),
            (Insert(op.following, ir.Ref(node)),),
        ),
    )
    rise: Body = (
        GridBarrier(),  # all have seen that nobody is near
        Declare(settled, ir.Ref(limit), constant=True),
        Assign(limit, raised(limit, step)),
        Assign(step, raised(step, step)),
        EachMember(op.later, True, node, sort),
        Inserted(op.now),
        Inserted(op.following),
        GridBarrier(),
        SwapPointers(op.later, op.following),
        IfEmpty(op.now, (), (Break(),)),
        IfEmpty(op.later, (Break(),)),
    )
    return (While(build.TRUE, rise), Assign(step, ir.Ref(op.step)), IfEmpty(op.now, (Break(),)))
