"""A kernel over nodes without the loops that count the triangles of its node, as their `counts` tell.

All of it holds for graphs in which every arc has its reverse and no other beside it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from starplat.ir import build, rewriter
from starplat.ir import nodes as ir
from starplat.ir.visitor import blocks_of, declared_by, expressions_of, variables_read, walk_kernel

Added = Callable[[ir.Variable, int], ir.KernelOp]
"""Writes what makes a local grow by a number of times the triangles of the node in hand."""


def counts_of(*loops: ir.KernelOp) -> dict[ir.Variable, ir.PerTriangle]:
    """The locals that loops count triangles of their node in, and what each triangle adds."""
    counts = (c for op in loops if isinstance(op, ir.ForNeighbors) for c in op.counts)
    return {c.target: c for c in counts if isinstance(c.target, ir.Variable)}


class Uncounted(rewriter.Rewriter):
    """Puts what is `added` in the place of loops that count, and leaves out those that do nothing."""

    def __init__(self, added: Added) -> None:
        self.added = added

    def kernel_op(self, op: ir.KernelOp) -> Iterator[ir.KernelOp]:
        if not isinstance(op, ir.ForNeighbors):
            yield self.rebuild(op)
        elif not op.one_way:
            counts = counts_of(op)
            for left in _Without(op, set(counts)).kernel_op(replace(op, counts=())):
                yield from _by_degree(left) or (left,)
            yield from (self.added(local, count.value) for local, count in counts.items())


def _by_degree(loop: ir.KernelOp) -> tuple[ir.KernelOp, ...]:
    """What a loop does that only counts neighbors, all or all but the node itself; nothing for another loop. No
    neighbor comes twice, and as many arcs lead to a node as from it."""
    match loop:
        case ir.ForNeighbors(node=node, neighbor=neighbor, body=(ir.SetLocal() as step,)):
            itself = False
        case ir.ForNeighbors(node=node, neighbor=neighbor, body=(ir.KernelIf(test, (ir.SetLocal() as step,), ()),)):
            itself = test in (build.differs(ir.Ref(neighbor), node), build.differs(node, ir.Ref(neighbor)))
            if not itself:
                return ()
        case _:
            return ()
    match step:
        case ir.SetLocal(sum_, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(left), ir.Const(int() as one), element)) if (
            left == sum_ and element is sum_.element and element.is_integer and ir.Ref(sum_) != node
        ):
            degree: ir.Expression = ir.CSR.degree(node)
            if itself:
                is_there = build.at_least(ir.FindArc(node, node), ir.Const(0, ir.Element.ARC))
                arc = ir.Element.ARC
                degree = build.minus(degree, ir.Select(is_there, ir.Const(1, arc), ir.Const(0, arc)))
            many: ir.Expression = ir.Cast(degree, element)
            many = many if one == 1 else build.times(ir.Const(one, element), many)
            return (ir.SetLocal(sum_, build.plus(ir.Ref(sum_), many)),)
    return ()


class _Without(rewriter.Rewriter):
    """Drops what makes some locals grow, the locals inside that are added to them, and what is left with nothing in
    it."""

    def __init__(self, loop: ir.ForNeighbors, grown: set[ir.Variable]) -> None:
        ops = list(walk_kernel(loop.body))
        inside = {variable for op in ops for variable in declared_by(op)}
        added = (e for op in ops if isinstance(op, ir.SetLocal) and op.variable in grown for e in expressions_of(op))
        self.dropped = grown | {local for e in added for local in variables_read(e) & inside}

    def kernel_op(self, op: ir.KernelOp) -> Iterator[ir.KernelOp]:
        if not isinstance(op, ir.Let | ir.SetLocal) or op.variable not in self.dropped:
            left = self.rebuild(op)
            if blocks_of(left) or not blocks_of(op):
                yield left
