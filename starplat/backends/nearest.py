"""Makes the rounds of a `NearestFirst` operation: near nodes now, far ones later, by a limit that rises.

A node whose cell was lowered goes into the set that the next round walks if its value is below the limit, else it
waits. When nobody near is left, the limit rises by a step and those who wait and are below it come next; the step
doubles as long as there are none, so that a gap in the values costs few rounds. Whoever is below the old limit already
by then has had his turn since he began to wait.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from starplat.backends.recording import Points
from starplat.backends.statements import (
    Advance,
    Assign,
    Body,
    Break,
    Continue,
    Declare,
    EachMember,
    GridBarrier,
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
)
from starplat.ir.nodes import (
    Binary,
    BinaryOperator,
    Const,
    Element,
    Expression,
    Kernel,
    Load,
    Module,
    NearestFirst,
    Ref,
    Variable,
)
from starplat.ir.sums import raised

_TRUE = Const(True, Element.BOOL)


class Maker(Protocol):
    """Who writes the launch that the rounds are a part of."""

    module: Module
    points: Points

    def fresh(self, name: str) -> str: ...

    def comments(self, kernel: Kernel) -> tuple[str, ...]: ...

    def walk(self, kernel: Kernel) -> Body: ...


def nearest_first(op: NearestFirst, maker: Maker) -> Body:
    """The rounds as statements; before and after them stands a barrier, or nothing was touched."""
    element = op.values.element
    limit, step = Variable(maker.fresh("limit"), element), Variable(maker.fresh("rise"), element)
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
        Declare(limit, Ref(op.step), constant=False),
        Declare(step, Ref(op.step), constant=False),
        While(_TRUE, rounds),
        *maker.points.over(op),
        Assign(op.done.variable, op.done.value),
    )


def _walk(op: NearestFirst, maker: Maker, limit: Variable) -> Body:
    """The walk over the near ones, who put nodes of lowered cells where they belong."""
    kernel = maker.module.kernel(op.walk)
    body = maker.walk(kernel)
    sorted_out = _SortedOut(op, limit).block(body)
    return (Scope(maker.comments(kernel), (*sorted_out, Inserted(op.following), Inserted(op.later))),)


class _SortedOut:
    """Rewrites the insertion of a node, whose cell was lowered to a candidate, by where that lies."""

    def __init__(self, op: NearestFirst, limit: Variable) -> None:
        self.op = op
        self.limit = limit

    def block(self, body: Body) -> Body:
        return tuple(map(self.statement, body))

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Advance():
                return replace(statement, body=self.block(statement.body))
            case IfBeyond():
                return replace(statement, body=tuple(self.insertion(s, statement.candidate) for s in statement.body))
            case If(condition, then, otherwise):
                return If(condition, self.block(then), self.block(otherwise))
            case _:
                return statement

    def insertion(self, statement: Statement, candidate: Expression) -> Statement:
        match statement:
            case Insert(members, node) if members == self.op.following:
                near = Binary(BinaryOperator.LESS, candidate, Ref(self.limit), Element.BOOL)
                return If(near, (statement,), (Insert(self.op.later, node),))
            case _:
                return statement


def _next_ones(op: NearestFirst, maker: Maker, limit: Variable, step: Variable) -> Body:
    """Raises the limit until somebody who waits is below it."""
    element, node = op.values.element, Variable(maker.fresh("node"), Element.NODE)
    settled = Variable(maker.fresh("settled"), element)
    value: Expression = Load(op.values, Ref(node))
    sort: Body = (
        If(Binary(BinaryOperator.LESS, value, Ref(settled), Element.BOOL), (Leave(),)),
        If(
            Binary(BinaryOperator.LESS, value, Ref(limit), Element.BOOL),
            (Insert(op.now, Ref(node)),),
            (Insert(op.following, Ref(node)),),
        ),
    )
    rise: Body = (
        GridBarrier(),  # all have seen that nobody is near
        Declare(settled, Ref(limit), constant=True),
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
    return (While(_TRUE, rise), Assign(step, Ref(op.step)), IfEmpty(op.now, (Break(),)))
