"""A kernel over nodes without the loops that count the triangles of its node, as their `counts` tell.

All of it holds for graphs in which every arc has its reverse and no other beside it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from starplat.ir import nodes as ir
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import blocks_of, declared_by, expressions_of, variables_read, walk_kernel


@dataclass(frozen=True, slots=True)
class NodeCounts:
    """The kernel's `body` without its counting; where a local grew, it now grows by what `added` gives for a number of
    times the triangles of the node. `locals` are those; `loops_count` if loops may make triangles of fewer nodes."""

    body: tuple[ir.KernelOp, ...]
    locals: tuple[ir.Variable, ...]
    loops_count: bool


Added = Callable[[ir.Variable, int], ir.KernelOp]


def node_counts(kernel: ir.Kernel, added: Added) -> NodeCounts | None:
    """What the kernel counts, if it counts triangles of its nodes. `added` writes what makes a local grow by a number
    of times the triangles of the node in hand."""
    loops = (op for op in walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors))
    counts = [count for loop in loops for count in loop.counts]
    locals_ = tuple(count.target for count in counts if isinstance(count.target, ir.Variable))
    if not locals_ or not isinstance(kernel.domain, ir.AllNodes):
        return None
    return NodeCounts(_Rest(added).kernel_block(kernel.body), locals_, any(count.loops_count for count in counts))


class _Rest(Rewriter):
    def __init__(self, added: Added) -> None:
        self.added = added

    def kernel_op(self, op: ir.KernelOp) -> Iterator[ir.KernelOp]:
        if not isinstance(op, ir.ForNeighbors):
            yield self.rebuild(op)
        elif not op.one_way:
            counts = [(c.target, c.value) for c in op.counts if isinstance(c.target, ir.Variable)]
            yield from _Without(op, {local for local, _ in counts}).kernel_op(replace(op, counts=()))
            yield from (self.added(local, value) for local, value in counts)


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
