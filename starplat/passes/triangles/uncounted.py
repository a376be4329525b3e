"""A kernel over nodes without the loops that count the triangles of its node, as their `counts` tell.

All of it holds for graphs in which every arc has its reverse and no other beside it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import blocks_of, declared_by, expressions_of, variables_read, walk_kernel

Added = Callable[[ir.Variable, int], ir.KernelOp]
"""Writes what makes a local grow by a number of times the triangles of the node in hand."""


def counts_of(*loops: ir.KernelOp) -> dict[ir.Variable, ir.PerTriangle]:
    """The locals that loops count triangles of their node in, and what each triangle adds."""
    counts = (c for op in loops if isinstance(op, ir.ForNeighbors) for c in op.counts)
    return {c.target: c for c in counts if isinstance(c.target, ir.Variable)}


class Uncounted(Rewriter):
    """Puts what is `added` in the place of loops that count, and leaves out those that do nothing."""

    def __init__(self, added: Added) -> None:
        self.added = added

    def kernel_op(self, op: ir.KernelOp) -> Iterator[ir.KernelOp]:
        if not isinstance(op, ir.ForNeighbors):
            yield self.rebuild(op)
        elif not op.one_way:
            counts = counts_of(op)
            yield from _Without(op, set(counts)).kernel_op(replace(op, counts=()))
            yield from (self.added(local, count.value) for local, count in counts.items())


class _Without(Rewriter):
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
