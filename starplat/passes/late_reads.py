"""Reads a cell that neighbors lower at each use instead of once before, so that threads can share the node's arcs.

`int own = v.dist; forall (w in g.neighbors(v)) … Min(w.dist, own + e.weight)` then is what `v.dist + e.weight` is, and
threads can share the arcs of a node. A loop that goes on until no cell can be lowered does not mind that what is told
may be lower than it was: its cells come to the same end in any order (`ExtremeCell.settles`).
"""

from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import (
    all_expressions,
    assigned_variables,
    blocks_of,
    walk_expression,
    walk_kernel,
    written_arrays,
)


def late_reads(module: ir.Module) -> ir.Module:
    """The same program with fewer locals of nodes."""
    return replace(module, kernels=tuple(_read_late(kernel) for kernel in module.kernels))


def _read_late(kernel: ir.Kernel) -> ir.Kernel:
    if kernel.iterator is None:
        return kernel
    settling = _settling(kernel)
    body = kernel.body
    for op in kernel.body:
        if isinstance(op, ir.Let) and _is_of_cells(op.value, settling, kernel.iterator, kernel.scalars):
            body = _without(op.variable, op.value, body)
    return replace(kernel, body=body)


def _is_of_cells(
    value: ir.Expression, settling: frozenset[ir.Array], node: ir.Variable, scalars: tuple[ir.Variable, ...]
) -> bool:
    """Whether a value is worked out of cells of `node` that settle, and of what is the same for all nodes."""
    parts = list(walk_expression(value))
    loads = [part for part in parts if isinstance(part, ir.Load)]
    own = all(load.array in settling and load.index == ir.Ref(node) for load in loads)
    known = all(part.variable in (node, *scalars) for part in parts if isinstance(part, ir.Ref))
    return bool(loads) and own and known and not any(isinstance(part, ir.FindArc) for part in parts)


def _settling(kernel: ir.Kernel) -> frozenset[ir.Array]:
    """The arrays that the kernel changes only by monotone updates, whose end does not depend on their order."""
    settling, others = set[ir.Array](), set[ir.Array]()
    for op in walk_kernel(kernel.body):
        match op:
            case ir.ExtremeCell(array=array, lock=None, settles=True, carried=carried):
                settling.add(array)
                others.update(carry.array for carry in carried)
            case _ if not blocks_of(op):
                others |= written_arrays((op,))
            case _:
                pass
    calls = any(isinstance(part, ir.CallFunction) for part in all_expressions(kernel.body))
    return frozenset() if calls else frozenset(settling - others)


def _without(local: ir.Variable, value: ir.Expression, body: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
    """The body without the local, if only shared loops over arcs read it."""
    loops = [op for op in body if isinstance(op, ir.ForNeighbors) and op.parallel]
    others = [op for op in body if op not in loops]
    read = any(part == ir.Ref(local) for part in all_expressions(others))
    if not loops or read or local in assigned_variables(body):
        return body
    reader = _Reader(local, value)
    kept = (op for op in body if not isinstance(op, ir.Let) or op.variable != local)
    return tuple(reader.rebuild(op) if op in loops else op for op in kept)


class _Reader(Rewriter):
    """Replaces the local by the expression over cells."""

    def __init__(self, local: ir.Variable, value: ir.Expression) -> None:
        self.local = local
        self.value = value

    def expression(self, expression: ir.Expression) -> ir.Expression:
        return self.value if expression == ir.Ref(self.local) else self.rebuild(expression)
