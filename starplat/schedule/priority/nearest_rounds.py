"""Delta-stepping in host-driven rounds.

A node whose cell was lowered joins the next frontier if its value is below a limit, else the far pile. When the near
frontier is empty, the limit rises by a step and far nodes below it come next; the step doubles as long as there are
none, so that a gap in the values costs few rounds. An entry below the old limit is stale: the node is settled already.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from starplat.ir import build, nodes as ir, rewriter, visitor
from starplat.ir.shapes import gathering, members
from starplat.schedule.priority.relaxing import Relaxing


@dataclass(frozen=True, slots=True)
class NearRounds:
    """The replacement of a loop: `ops`, with the loop's kernel as `walk` and one more, `sort`."""

    ops: tuple[ir.HostOp, ...]
    walk: ir.Kernel
    sort: ir.Kernel


def near_rounds(
    loop: ir.Loop, found: Relaxing, later: ir.Array, step: ir.Variable, fresh: Callable[[str], str]
) -> NearRounds:
    """The rounds of a loop that relaxes; `later` is a set that is empty, and `step` declared, when they begin."""
    element = found.values.element
    limit, rise = ir.Variable(fresh("limit"), element), ir.Variable(fresh("rise"), element)
    settled = ir.Variable(fresh("settled"), element)
    sort = _sorting(found, later, settled, limit, fresh)
    none_near, none_waits = (
        ir.Variable(fresh("nobody_near"), ir.Element.BOOL),
        ir.Variable(fresh("nobody_waits"), ir.Element.BOOL),
    )
    goes_on = build.both(ir.Ref(none_near), build.denied(ir.Ref(none_waits)))
    rising: tuple[ir.HostOp, ...] = (
        ir.SetVariable(settled, ir.Ref(limit)),
        ir.SetVariable(limit, gathering.raised(limit, rise)),
        ir.SetVariable(rise, gathering.raised(rise, rise)),
        ir.Launch(sort.name),
        ir.Swap(later, found.following),
        ir.ReadEmpty(none_near, found.now),
        ir.ReadEmpty(none_waits, later),
    )
    ends = found.done.variable
    over: ir.Expression = ir.Ref(none_near) if found.done.value == build.TRUE else build.denied(ir.Ref(none_near))
    ops = (
        ir.DeclareVariable(limit, ir.Ref(step)),
        ir.DeclareVariable(rise, ir.Ref(step)),
        ir.DeclareVariable(settled, ir.Ref(step)),
        ir.DeclareVariable(none_near, build.TRUE),
        ir.DeclareVariable(none_waits, build.TRUE),
        ir.Loop(
            (),
            loop.condition,
            (
                loop,
                ir.SetVariable(rise, ir.Ref(step)),
                ir.Loop((), goes_on, rising, test_last=True),
                ir.SetVariable(ends, over),
            ),
            test_last=True,
        ),
    )
    return NearRounds(ops, _sorted_out(found, later, limit, fresh), sort)


# --- kernels --------------------------------------------------------------------------------------------------------


def _sorted_out(found: Relaxing, later: ir.Array, limit: ir.Variable, fresh: Callable[[str], str]) -> ir.Kernel:
    """The walk over near nodes, which puts nodes of lowered cells into the near or the far set."""
    candidate = ir.Variable(fresh("candidate"), found.values.element)
    body = _SortedOut(found, later, limit, candidate).kernel_block(found.walk.body)
    return visitor.with_signature(replace(found.walk, body=body))


class _SortedOut(rewriter.Rewriter):
    """Rewrites the insertion of a node, whose cell was lowered to a candidate, by the candidate's place."""

    def __init__(self, found: Relaxing, later: ir.Array, limit: ir.Variable, candidate: ir.Variable) -> None:
        self.found, self.later, self.limit, self.candidate = found, later, limit, candidate

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        match op:
            case ir.ExtremeCell(array=array, index=index) if array == self.found.values:
                near = build.less(ir.Ref(self.candidate), ir.Ref(self.limit))
                where = ir.KernelIf(
                    near,
                    (ir.Store(self.found.following, index, build.TRUE, shared=True),),
                    (ir.Store(self.later, index, build.TRUE, shared=True),),
                )
                given = ir.Let(self.candidate, op.candidate)
                data = tuple(carry for carry in op.carried if carry.array != self.found.following)
                return given, replace(op, candidate=ir.Ref(self.candidate), carried=data, also=(where,))
        return (self.rebuild(op),)


def _sorting(
    found: Relaxing, later: ir.Array, settled: ir.Variable, limit: ir.Variable, fresh: Callable[[str], str]
) -> ir.Kernel:
    """Moves far nodes that are near by now into the next frontier."""
    node, value = ir.Variable(fresh("node"), ir.Element.NODE), ir.Variable(fresh("value"), found.values.element)
    near = build.less(ir.Ref(value), ir.Ref(limit))
    waits = build.at_least(ir.Ref(value), ir.Ref(settled))
    come = ir.KernelIf(
        near, (ir.Store(found.now, ir.Ref(node), build.TRUE),), (ir.Store(found.following, ir.Ref(node), build.TRUE),)
    )
    body: tuple[ir.KernelOp, ...] = (
        members.taking(later, node),
        ir.Let(value, ir.Load(found.values, ir.Ref(node))),
        ir.KernelIf(waits, (come,)),
    )
    name = fresh(f"{found.walk.name}_later")
    comment = "the far pile: near nodes join the next frontier, settled nodes are dropped"
    kernel = ir.Kernel(
        name, ir.AllNodes(), node, body, filter=ir.Load(later, ir.Ref(node)), span=found.walk.span, comment=comment
    )
    return visitor.with_signature(kernel)
