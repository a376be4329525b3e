"""Step `priority`: delta-stepping, for loops that lower cells along arcs until none can be lowered any more.

Such a loop comes to the same end in whatever order nodes have their turn: a cell only ever goes down, to the value of
another cell plus what the arc adds, and the loop goes on until no arc can lower any. Nodes whose values are low already
are worth having first, for what they tell will not change again.

The step that a limit rises by is 1,024 times the mean addition, divided by the square of the mean degree: the fewer
arcs a node has, the more nodes it takes to keep a device busy. Where the host drives the rounds, each of which costs it
some time, it is 96 times the mean addition, divided by the mean degree: rounds are many where nodes have few arcs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import (
    AllArcs,
    Apply,
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Combine,
    Const,
    Contribute,
    DeclareVariable,
    Element,
    Expression,
    Fill,
    HostOp,
    HostWhile,
    Kernel,
    Launch,
    Load,
    MathFunction,
    Module,
    NearestFirst,
    NumArcs,
    NumNodes,
    OnDevice,
    Origin,
    Reduction,
    Ref,
    Variable,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import used_host_arrays, walk_host, with_signature
from starplat.schedule.names import Taken
from starplat.schedule.nearest_rounds import near_rounds
from starplat.schedule.relaxing import Relaxing, relaxing
from starplat.schedule.schedule import Delta, Direction, Priority, Schedule
from starplat.schedule.step import Choice, Decided

_BUSY = 1024.0
_BUSY_BY_HOST = 96.0
_FALSE = Const(False, Element.BOOL)


def nearest_first(module: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module whose relaxations take near nodes first, where the schedule and the target let them."""
    pulls = schedule.direction is Direction.PULL and schedule.priority is Priority.AUTO
    if schedule.priority is Priority.NONE or pulls:  # near nodes tell far ones: they push
        return module
    maker = _Maker(module, schedule.priority, sets_in_one_launch=capabilities.shared_arcs)
    functions = tuple(replace(f, body=maker.host_block(f.body)) for f in module.functions)
    if not maker.choices:
        return module
    added = maker.arrays
    functions = tuple(replace(f, arrays=(*f.arrays, *added.get(f.name, ()))) for f in functions)
    kernels = tuple(maker.changed.get(kernel.name, kernel) for kernel in module.kernels)
    made = replace(module, functions=functions, kernels=(*kernels, *maker.kernels))
    return Decided(made, tuple(maker.choices))


class _Maker(Rewriter):
    """Puts near nodes first in the loops that relax."""

    def __init__(self, module: Module, priority: Priority | Delta, *, sets_in_one_launch: bool) -> None:
        self.sets_in_one_launch = sets_in_one_launch
        self.given = module
        self.priority = priority
        self.choices: list[Choice] = []
        self.kernels: list[Kernel] = []
        self.changed: dict[str, Kernel] = {}
        self.in_one_launch = False
        self.arrays: dict[str, list[Array]] = {}
        self.fresh = Taken(module).free

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        if isinstance(op, OnDevice):
            before = len(self.choices)
            self.in_one_launch = True
            inner = replace(op, body=self.host_block(op.body))
            self.in_one_launch = False
            if len(self.choices) == before:
                return (op,)
            everything = _with_kernels(self.given, self.kernels)
            return (replace(inner, arrays=used_host_arrays(tuple(walk_host(inner.body)), everything)),)
        found = relaxing(op, self.given) if isinstance(op, HostWhile) else None
        return (self.rebuild(op),) if found is None or not isinstance(op, HostWhile) else self.ordered(op, found)

    def ordered(self, loop: HostWhile, found: Relaxing) -> Iterable[HostOp]:
        later = replace(found.following, name=self.fresh(f"{found.now.name}_later"), origin=Origin.TEMPORARY)
        step = Variable(self.fresh("width"), found.values.element)
        function = next(f for f in self.given.functions if found.now in f.arrays)
        self.arrays.setdefault(function.name, []).append(later)
        choose = tuple(self.chosen(step, found))
        why = f"'{found.values.name}' only goes down, whatever the order, by what arcs add to it"
        self.choices.append(Choice(f"{found.walk.name}: near nodes first, {self.how(found)}", why))
        if self.in_one_launch and self.sets_in_one_launch:
            walk, now, following = found.walk.name, found.now, found.following
            first = NearestFirst((loop,), walk, now, following, later, found.values, step, found.done)
            return (*choose, Fill(later, _FALSE), first)
        rounds = near_rounds(loop, found, later, step, self.fresh)
        self.changed[found.walk.name] = rounds.walk
        self.kernels.append(rounds.sort)
        return (*choose, Fill(later, _FALSE), *rounds.ops)

    def how(self, found: Relaxing) -> str:
        if isinstance(self.priority, Delta):
            return f"in steps of {self.priority.width}"
        return f"in steps from the mean of '{found.additions.name}' and the mean degree"

    def chosen(self, step: Variable, found: Relaxing) -> Iterable[HostOp]:
        """What declares the step."""
        if isinstance(self.priority, Delta):
            width = self.priority.width
            value: Expression = Const(float(width) if step.element.is_real else max(int(width), 1), step.element)
            yield DeclareVariable(step, value)
            return
        total = Variable(self.fresh(f"{found.additions.name}_total"), Element.DOUBLE)
        kernel = self.summing(found.additions, total)
        self.kernels.append(kernel)
        yield DeclareVariable(total, Const(0.0, Element.DOUBLE))
        yield Launch(kernel.name)
        least = _width(total) if self.in_one_launch else _width_by_host(total)
        yield DeclareVariable(step, _as_step(least, step.element))

    def summing(self, additions: Array, total: Variable) -> Kernel:
        arc = Variable(self.fresh("arc"), Element.ARC)
        cell: Expression = Load(additions, Ref(arc))
        value = cell if additions.element is Element.DOUBLE else Cast(cell, Element.DOUBLE)
        return with_signature(
            Kernel(
                self.fresh(f"sum_{additions.name}"),
                AllArcs(),
                arc,
                None,
                (Contribute(total, value),),
                (),
                (),
                (Reduction(total, Combine.ADD),),
                comment=f"the sum of {additions.name}, which says how far apart near and far are",
            )
        )


def _with_kernels(module: Module, kernels: list[Kernel]) -> Module:
    return replace(module, kernels=(*module.kernels, *kernels))


def _width(total: Variable) -> Expression:
    """1,024 (total / m) / (m / n)^2."""
    n, m = Cast(NumNodes(), Element.DOUBLE), Cast(NumArcs(), Element.DOUBLE)
    degree = _real(BinaryOperator.DIVIDE, m, n)
    mean = _real(BinaryOperator.DIVIDE, Ref(total), m)
    share = _real(BinaryOperator.DIVIDE, mean, _real(BinaryOperator.MULTIPLY, degree, degree))
    return _real(BinaryOperator.MULTIPLY, Const(_BUSY, Element.DOUBLE), share)


def _width_by_host(total: Variable) -> Expression:
    """96 (total / m) / (m / n), which is 96 total n / m^2."""
    n, m = Cast(NumNodes(), Element.DOUBLE), Cast(NumArcs(), Element.DOUBLE)
    mean = _real(BinaryOperator.DIVIDE, Ref(total), m)
    share = _real(BinaryOperator.DIVIDE, mean, _real(BinaryOperator.DIVIDE, m, n))
    return _real(BinaryOperator.MULTIPLY, Const(_BUSY_BY_HOST, Element.DOUBLE), share)


def _real(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    return Binary(operator, left, right, Element.DOUBLE)


def _as_step(width: Expression, element: Element) -> Expression:
    """The width as a number above zero of the cells' type; without arcs any will do."""
    least = Const(1.0 if not element.is_real else 1e-30, Element.DOUBLE)
    above = Apply(MathFunction.MAX, (width, least), Element.DOUBLE)
    return above if element is Element.DOUBLE else Cast(above, element)
