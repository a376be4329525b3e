"""Step `priority`: delta-stepping, for loops that lower cells along arcs until none can be lowered any more.

Such a loop comes to the same end in whatever order nodes have their turn: a cell only ever goes down, to the value of
another cell plus what the arc adds, and the loop goes on until no arc can lower any. Nodes whose values are low already
are worth having first, for what they tell will not change again.

The step that a limit rises by is 1,024 times the mean addition, divided by the square of the mean degree: the fewer
arcs a node has, the more nodes it takes to keep a device busy. Where all nodes have about as many arcs, near nodes are
found again and again; there it is divided by the root of the mean degree as well. Where the host drives the rounds,
each of which costs it some time, it is 96 times the mean addition, divided by the mean degree: rounds are many where
nodes have few arcs. One pass over the nodes finds the longest row, and the mean of one arc's addition for each node.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import (
    AllNodes,
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
    KernelIf,
    KernelOp,
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
    Select,
    Variable,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.rows import row_length
from starplat.ir.visitor import used_host_arrays, walk_host, with_signature
from starplat.schedule.facts import EVEN
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
        return f"in steps from the mean of '{found.additions.name}' and from degrees"

    def chosen(self, step: Variable, found: Relaxing) -> Iterable[HostOp]:
        """What declares the step."""
        if isinstance(self.priority, Delta):
            width = self.priority.width
            value: Expression = Const(float(width) if step.element.is_real else max(int(width), 1), step.element)
            yield DeclareVariable(step, value)
            return
        name = found.additions.name
        total = Variable(self.fresh(f"{name}_total"), Element.DOUBLE)
        longest = Variable(self.fresh("longest_row"), Element.ARC) if self.in_one_launch else None
        kernel = self.looking(found.additions, total, longest)
        self.kernels.append(kernel)
        yield DeclareVariable(total, Const(0.0, Element.DOUBLE))
        if longest is not None:
            yield DeclareVariable(longest, Const(0, Element.ARC))
        yield Launch(kernel.name)
        mean = Variable(self.fresh(f"mean_{name}"), Element.DOUBLE)
        degree = Variable(self.fresh("mean_degree"), Element.DOUBLE)
        yield DeclareVariable(mean, _mean(total))
        yield DeclareVariable(degree, _real(BinaryOperator.DIVIDE, _number_of(NumArcs()), _number_of(NumNodes())))
        known = Ref(mean), Ref(degree)
        rise = _width_by_host(*known) if longest is None else _width(*known, Ref(longest))
        yield DeclareVariable(step, _as_step(rise, step.element))

    def looking(self, additions: Array, total: Variable, longest: Variable | None) -> Kernel:
        """Sums up one arc's addition for every node, evenly spaced, and finds the longest row."""
        v = Variable(self.fresh("node"), Element.NODE)
        arcs, number = NumArcs(Element.ARC), Cast(Ref(v), Element.ARC)
        degree = Binary(BinaryOperator.DIVIDE, arcs, Cast(NumNodes(), Element.ARC), Element.ARC)
        apart = Apply(MathFunction.MAX, (degree, Const(1, Element.ARC)), Element.ARC)
        cell: Expression = Load(additions, Binary(BinaryOperator.MULTIPLY, number, apart, Element.ARC))
        value = cell if additions.element is Element.DOUBLE else Cast(cell, Element.DOUBLE)
        there = Binary(BinaryOperator.LESS, number, arcs, Element.BOOL)
        summed, reductions = KernelIf(there, (Contribute(total, value),)), [Reduction(total, Combine.ADD)]
        body: tuple[KernelOp, ...] = (summed,)
        if longest is not None:
            body = (summed, Contribute(longest, row_length(v)))
            reductions.append(Reduction(longest, Combine.MAX))
        comment = f"one {additions.name} for each node, whose mean says how far apart near and far are"
        name = self.fresh(f"sample_{additions.name}")
        return with_signature(Kernel(name, AllNodes(), v, None, body, (), (), tuple(reductions), comment=comment))


def _with_kernels(module: Module, kernels: list[Kernel]) -> Module:
    return replace(module, kernels=(*module.kernels, *kernels))


def _width(mean: Expression, degree: Expression, longest: Expression) -> Expression:
    """1,024 mean / degree^2, and over the root of the degree if no row is much longer than that."""
    square = _real(BinaryOperator.MULTIPLY, degree, degree)
    busy = _real(BinaryOperator.DIVIDE, _real(BinaryOperator.MULTIPLY, Const(_BUSY, Element.DOUBLE), mean), square)
    most = _real(BinaryOperator.MULTIPLY, Const(float(EVEN), Element.DOUBLE), degree)
    is_even = Binary(BinaryOperator.LESS_EQUAL, _number_of(longest), most, Element.BOOL)
    root = Apply(MathFunction.SQRT, (degree,), Element.DOUBLE)
    return _real(BinaryOperator.DIVIDE, busy, Select(is_even, root, Const(1.0, Element.DOUBLE)))


def _width_by_host(mean: Expression, degree: Expression) -> Expression:
    """96 mean / degree."""
    busy = _real(BinaryOperator.MULTIPLY, Const(_BUSY_BY_HOST, Element.DOUBLE), mean)
    return _real(BinaryOperator.DIVIDE, busy, degree)


def _mean(total: Variable) -> Expression:
    """Of so many additions as there are nodes, or arcs where these are fewer."""
    looked_at = Apply(MathFunction.MIN, (_number_of(NumNodes()), _number_of(NumArcs())), Element.DOUBLE)
    return _real(BinaryOperator.DIVIDE, Ref(total), looked_at)


def _number_of(count: Expression) -> Expression:
    return Cast(count, Element.DOUBLE)


def _real(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    return Binary(operator, left, right, Element.DOUBLE)


def _as_step(width: Expression, element: Element) -> Expression:
    """The width as a number above zero of the cells' type; without arcs any will do."""
    least = Const(1.0 if not element.is_real else 1e-30, Element.DOUBLE)
    above = Apply(MathFunction.MAX, (width, least), Element.DOUBLE)
    return above if element is Element.DOUBLE else Cast(above, element)
