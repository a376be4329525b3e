"""Forwards a value that an iteration has stored to its own cell to later loads, and drops dead stores.

A fill that became part of a kernel leaves such stores: `degree[v] = 0` before `int degree_of_v = degree[v]`.
"""

from dataclasses import replace

from starplat.ir import nodes as ir, rewriter, visitor
from starplat.passes.cells import OwnCells, accesses, own_cells
from starplat.passes.memory import Memory


def forwarded(kernel: ir.Kernel, memory: Memory) -> ir.Kernel:
    """The kernel with fewer reads and writes of its own cells; looks at the operations that every iteration runs."""
    forwarder = _Forwarder(own_cells(kernel), memory)
    return visitor.with_signature(replace(kernel, body=forwarder.without_dead(forwarder.handed_on(kernel.body))))


class _Forwarder:
    def __init__(self, own: OwnCells, memory: Memory) -> None:
        self.own, self.memory = own, memory

    def handed_on(self, body: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
        ops = list(body)
        for place, op in enumerate(ops):
            if isinstance(op, ir.Store) and self.is_own_store(op) and isinstance(op.value, ir.Const | ir.Ref):
                reader = rewriter.Replacer({ir.Load(op.array, op.index): op.value})
                for later in range(place + 1, len(ops)):
                    if self.touches(ops[later], op.array, writing=True) or _changes(op.value, ops[later]):
                        break
                    (ops[later],) = reader.kernel_op(ops[later])
        return tuple(ops)

    def without_dead(self, body: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
        return tuple(op for place, op in enumerate(body) if not self.is_dead(op, body[place + 1 :]))

    def is_dead(self, op: ir.KernelOp, following: tuple[ir.KernelOp, ...]) -> bool:
        """Whether the cell is stored again before anything touches it."""
        if not isinstance(op, ir.Store) or not self.is_own_store(op):
            return False
        for later in following:
            if isinstance(later, ir.Store) and later.array == op.array and self.is_own_store(later):
                return not any(self.memory.may_be_one(op.array, a.array) for a in accesses((later,)) if not a.writes)
            if self.touches(later, op.array, writing=False) or visitor.continues((later,)):
                return False
        return False

    def is_own_store(self, op: ir.Store) -> bool:
        return not op.shared and self.own.has(op.array, op.index)

    def touches(self, op: ir.KernelOp, array: ir.Array, *, writing: bool) -> bool:
        """Whether the operation writes (or, unless only `writing` counts, reads) a cell of the array."""
        return any(self.memory.may_be_one(array, a.array) and (a.writes or not writing) for a in accesses((op,)))


def _changes(value: ir.Const | ir.Ref, op: ir.KernelOp) -> bool:
    """Whether the operation gives the variable another value."""
    return isinstance(value, ir.Ref) and value.variable in visitor.assigned_variables((op,))
