"""Step `priority`: delta-stepping, for loops that lower cells along arcs until none can be lowered any more.

Such a loop comes to the same end in whatever order nodes have their turn: a cell only ever goes down, to the value of
another cell plus what the arc adds, and the loop goes on until no arc can lower any. Nodes whose values are low already
are worth having first, for what they tell will not change again.

The step that a limit rises by is 1,024 times the mean addition, divided by the square of the mean degree: the fewer
arcs a node has, the more nodes it takes to keep a device busy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir.capabilities import Capabilities
from starplat.ir.members import membership
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
    Extent,
    ExtremeCell,
    Fill,
    ForNeighbors,
    HostOp,
    HostWhile,
    Kernel,
    Launch,
    Let,
    Load,
    MathFunction,
    Module,
    NearestFirst,
    NumArcs,
    NumNodes,
    OnDevice,
    Origin,
    ReadEmpty,
    Reduction,
    Ref,
    SetVariable,
    Swap,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.uses import stream
from starplat.ir.visitor import Rewriter, arrays_in, used_host_arrays, walk_host, with_signature
from starplat.schedule.schedule import Delta, Priority, Schedule
from starplat.schedule.step import Choice, Decided

_BUSY = 1024.0
_FALSE = Const(False, Element.BOOL)


def nearest_first(module: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module whose relaxations take near nodes first, where the schedule and the target let them."""
    if schedule.priority is Priority.NONE or not capabilities.shared_arcs:
        return module
    maker = _Maker(module, schedule.priority)
    functions = tuple(replace(f, body=maker.host_block(f.body)) for f in module.functions)
    if not maker.choices:
        return module
    added = maker.arrays
    functions = tuple(replace(f, arrays=(*f.arrays, *added.get(f.name, ()))) for f in functions)
    return Decided(
        replace(module, functions=functions, kernels=(*module.kernels, *maker.kernels)), tuple(maker.choices)
    )


@dataclass(frozen=True, slots=True)
class Relaxing:
    """A loop that relaxes arcs: the kernel that walks the set `now`, lowers `values` and adds to `following`; what the
    arc adds is a cell of `additions`, and `done` is what ends the loop."""

    walk: Kernel
    now: Array
    following: Array
    values: Array
    additions: Array
    done: SetVariable


# --- finding --------------------------------------------------------------------------------------------------------


def _relaxing(loop: HostWhile, module: Module) -> Relaxing | None:
    if loop.before or not loop.test_last:
        return None
    match list(stream(loop.body)):
        case [Launch(name), Swap(first, second), ReadEmpty(variable, members, when_empty)]:
            lowered = _lowers(module.kernel(name), {first, second})
        case _:
            return None
    if lowered is None:
        return None
    values, additions, now, following = lowered
    ends = Unary(UnaryOperator.NOT, Ref(variable)) if when_empty else Ref(variable)
    if members != now or loop.condition != ends or module.kernel(name).reductions:
        return None
    done = SetVariable(variable, Const(when_empty, Element.BOOL))
    return Relaxing(module.kernel(name), now, following, values, additions, done)


def _lowers(walk: Kernel, sets: set[Array]) -> tuple[Array, Array, Array, Array] | None:
    """The cells that are lowered, the cells of arcs that are added, the set that is emptied, the set that is added to,
    if that is all that the kernel does."""
    found = membership(walk)
    if found is None or not found.takes or found.keep is not None or found.members not in sets:
        return None
    match found.body:
        case (ForNeighbors(node=Ref(node), neighbor=neighbor, position=position, body=body, parallel=True),):
            last = body[-1] if body else None
        case _:
            return None
    if node != walk.iterator or not all(isinstance(op, Let) for op in body[:-1]) or not isinstance(last, ExtremeCell):
        return None
    (following,) = sets - {found.members}
    told = tuple(carry.array for carry in last.carried)
    if last.extreme is not Combine.MIN or last.lock is not None or told != (following,):
        return None
    if last.index != Ref(neighbor) or last.carried[0].index != last.index or last.also:
        return None
    lets = {op.variable: op.value for op in body[:-1] if isinstance(op, Let)}
    additions = _addition(_unfolded(last.candidate, lets), Load(last.array, Ref(node)), position)
    if additions is None or additions == last.array or found.members == following:
        return None
    return last.array, additions, found.members, following


def _unfolded(expression: Expression, lets: dict[Variable, Expression]) -> Expression:
    """The expression with the values of locals in their places."""

    class Unfolder(Rewriter):
        def expression(self, inner: Expression) -> Expression:
            if isinstance(inner, Ref) and inner.variable in lets:
                return self.expression(lets[inner.variable])
            return self.rebuild(inner)

    return Unfolder().expression(expression)


def _addition(candidate: Expression, own: Expression, position: Variable) -> Array | None:
    """The array whose cell for the arc is added to the node's own cell."""
    match candidate:
        case Binary(BinaryOperator.ADD | BinaryOperator.ADD_INF, left, right):
            pairs = ((left, right), (right, left))
            found = [_cell_of_arc(other, position) for one, other in pairs if one == own]
            return found[0] if found else None
        case _:
            return None


def _cell_of_arc(expression: Expression, position: Variable) -> Array | None:
    match expression:
        case Cast(operand):
            return _cell_of_arc(operand, position)
        case Load(array, index) if array.extent is Extent.ARCS and index == Ref(position):
            return array if array.origin is not Origin.GRAPH or array.element is Element.INT else None
        case _:
            return None


# --- rewriting ------------------------------------------------------------------------------------------------------


class _Maker(Rewriter):
    """Puts near nodes first in the loops that relax."""

    def __init__(self, module: Module, priority: Priority | Delta) -> None:
        self.given = module
        self.priority = priority
        self.choices: list[Choice] = []
        self.kernels: list[Kernel] = []
        self.arrays: dict[str, list[Array]] = {}
        self.taken = {array.name for f in module.functions for op in walk_host(f.body) for array in arrays_in(op)}
        self.taken |= {v.name for kernel in module.kernels for v in (*kernel.scalars, kernel.iterator) if v is not None}
        self.taken |= {kernel.name for kernel in module.kernels} | {f.name for f in module.functions}

    def fresh(self, name: str) -> str:
        number, free = 2, name
        while free in self.taken:
            free, number = f"{name}_{number}", number + 1
        self.taken.add(free)
        return free

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        if isinstance(op, OnDevice):
            before = len(self.choices)
            inner = replace(op, body=self.host_block(op.body))
            if len(self.choices) == before:
                return (op,)
            everything = _with_kernels(self.given, self.kernels)
            return (replace(inner, arrays=used_host_arrays(tuple(walk_host(inner.body)), everything)),)
        found = _relaxing(op, self.given) if isinstance(op, HostWhile) else None
        return (self.rebuild(op),) if found is None or not isinstance(op, HostWhile) else self.ordered(op, found)

    def ordered(self, loop: HostWhile, found: Relaxing) -> Iterable[HostOp]:
        later = replace(found.following, name=self.fresh(f"{found.now.name}_later"), origin=Origin.TEMPORARY)
        step = Variable(self.fresh("width"), found.values.element)
        function = next(f for f in self.given.functions if found.now in f.arrays)
        self.arrays.setdefault(function.name, []).append(later)
        choose = tuple(self.chosen(step, found))
        why = f"'{found.values.name}' only goes down, whatever the order, by what arcs add to it"
        self.choices.append(Choice(f"{found.walk.name}: near nodes first, {self.how(found)}", why))
        first = NearestFirst(
            (loop,), found.walk.name, found.now, found.following, later, found.values, step, found.done
        )
        return (*choose, Fill(later, _FALSE), first)

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
        yield DeclareVariable(step, _as_step(_width(total), step.element))

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


def _real(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    return Binary(operator, left, right, Element.DOUBLE)


def _as_step(width: Expression, element: Element) -> Expression:
    """The width as a number above zero of the cells' type; without arcs any will do."""
    least = Const(1.0 if not element.is_real else 1e-30, Element.DOUBLE)
    above = Apply(MathFunction.MAX, (width, least), Element.DOUBLE)
    return above if element is Element.DOUBLE else Cast(above, element)
