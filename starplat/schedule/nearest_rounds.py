"""Near nodes first, where the host drives the rounds: what step `priority` makes of a loop that relaxes arcs there.

A node whose cell was lowered goes into the set that the next round walks if its value is below a limit, else it waits.
When nobody near is left, the limit rises by a step and those who wait and are below it come next; the step doubles as
long as there are none, so that a gap in the values costs few rounds. Whoever is below the old limit already by then has
had his turn since he began to wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from starplat.ir.members import taking
from starplat.ir.nodes import (
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    Const,
    DeclareVariable,
    Element,
    Expression,
    ExtremeCell,
    HostOp,
    HostWhile,
    Kernel,
    KernelIf,
    KernelOp,
    Launch,
    Let,
    Load,
    ReadEmpty,
    Ref,
    SetVariable,
    Store,
    Swap,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.sums import raised
from starplat.ir.visitor import with_signature
from starplat.schedule.relaxing import Relaxing

_TRUE, _FALSE = Const(True, Element.BOOL), Const(False, Element.BOOL)


@dataclass(frozen=True, slots=True)
class NearRounds:
    """What takes the place of a loop: `ops`, with the loop's kernel as `walk` and one more, `sort`."""

    ops: tuple[HostOp, ...]
    walk: Kernel
    sort: Kernel


def near_rounds(
    loop: HostWhile, found: Relaxing, later: Array, step: Variable, fresh: Callable[[str], str]
) -> NearRounds:
    """The rounds of a loop that relaxes; `later` is a set that is empty, and `step` declared, when they begin."""
    element = found.values.element
    limit, rise = Variable(fresh("limit"), element), Variable(fresh("rise"), element)
    settled = Variable(fresh("settled"), element)
    sort = _sorting(found, later, settled, limit, fresh)
    nobody, none_waits = Variable(fresh("nobody_near"), Element.BOOL), Variable(fresh("nobody_waits"), Element.BOOL)
    goes_on = Binary(BinaryOperator.AND, Ref(nobody), Unary(UnaryOperator.NOT, Ref(none_waits)), Element.BOOL)
    rising: tuple[HostOp, ...] = (
        SetVariable(settled, Ref(limit)),
        SetVariable(limit, raised(limit, rise)),
        SetVariable(rise, raised(rise, rise)),
        Launch(sort.name),
        Swap(later, found.following),
        ReadEmpty(nobody, found.now),
        ReadEmpty(none_waits, later),
    )
    ends = found.done.variable
    over: Expression = Ref(nobody) if found.done.value == _TRUE else Unary(UnaryOperator.NOT, Ref(nobody))
    ops = (
        DeclareVariable(limit, Ref(step)),
        DeclareVariable(rise, Ref(step)),
        DeclareVariable(settled, Ref(step)),
        DeclareVariable(nobody, _TRUE),
        DeclareVariable(none_waits, _TRUE),
        HostWhile(
            (),
            loop.condition,
            (
                loop,
                SetVariable(rise, Ref(step)),
                HostWhile((), goes_on, rising, test_last=True),
                SetVariable(ends, over),
            ),
            test_last=True,
        ),
    )
    return NearRounds(ops, _sorted_out(found, later, limit, fresh), sort)


# --- kernels --------------------------------------------------------------------------------------------------------


def _sorted_out(found: Relaxing, later: Array, limit: Variable, fresh: Callable[[str], str]) -> Kernel:
    """The walk over the near ones, who put nodes of lowered cells where they belong."""
    candidate = Variable(fresh("candidate"), found.values.element)
    body = _SortedOut(found, later, limit, candidate).kernel_block(found.walk.body)
    return with_signature(replace(found.walk, body=body))


class _SortedOut(Rewriter):
    """Rewrites the insertion of a node, whose cell was lowered to a candidate, by where that lies."""

    def __init__(self, found: Relaxing, later: Array, limit: Variable, candidate: Variable) -> None:
        self.found = found
        self.later = later
        self.limit = limit
        self.candidate = candidate

    def kernel_op(self, op: KernelOp) -> Iterable[KernelOp]:
        match op:
            case ExtremeCell(array=array, index=index) if array == self.found.values:
                near = Binary(BinaryOperator.LESS, Ref(self.candidate), Ref(self.limit), Element.BOOL)
                where = KernelIf(
                    near,
                    (Store(self.found.following, index, _TRUE, shared=True),),
                    (Store(self.later, index, _TRUE, shared=True),),
                )
                given = Let(self.candidate, op.candidate)
                return given, replace(op, candidate=Ref(self.candidate), carried=(), also=(where,))
            case _:
                return (self.rebuild(op),)


def _sorting(found: Relaxing, later: Array, settled: Variable, limit: Variable, fresh: Callable[[str], str]) -> Kernel:
    """Sends those who wait and are near by now into the set that comes next."""
    node, value = Variable(fresh("node"), Element.NODE), Variable(fresh("value"), found.values.element)
    near = Binary(BinaryOperator.LESS, Ref(value), Ref(limit), Element.BOOL)
    waits = Binary(BinaryOperator.GREATER_EQUAL, Ref(value), Ref(settled), Element.BOOL)
    come = KernelIf(near, (Store(found.now, Ref(node), _TRUE),), (Store(found.following, Ref(node), _TRUE),))
    body: tuple[KernelOp, ...] = (
        taking(later, node),
        Let(value, Load(found.values, Ref(node))),
        KernelIf(waits, (come,)),
    )
    name = fresh(f"{found.walk.name}_later")
    comment = "those who wait: who is near now comes next, who has had his turn meanwhile is done"
    kernel = Kernel(name, AllNodes(), node, Load(later, Ref(node)), body, (), (), (), found.walk.span, comment)
    return with_signature(kernel)
