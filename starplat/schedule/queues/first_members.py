"""How the host puts a node into a set that is on the device: one thread does it, in a launch of its own."""

from __future__ import annotations

from starplat.ir import nodes as ir
from starplat.ir.visitor import with_signature
from starplat.schedule.names import Taken
from starplat.schedule.queues.kept_sets import KeptSet, checked
from starplat.schedule.queues.queue import Queue, inserted
from starplat.source import Span


class FirstMembers:
    """Writes the kernels, which it adds to `kernels`; an operation that is written anew gets the same one again."""

    def __init__(self, taken: Taken, insert: ir.Function, kernels: list[ir.Kernel]) -> None:
        self.taken = taken
        self.insert = insert
        self.kernels = kernels
        self._written: dict[int, tuple[ir.HostOp, ...]] = {}

    def put_in(
        self, op: ir.WriteCell, array: ir.Array, kept: KeptSet, index: ir.Expression, span: Span
    ) -> tuple[ir.HostOp, ...]:
        """One thread puts in the node that the host has in mind, which must be one."""
        if id(op) not in self._written:
            stem = (kept.nodes if isinstance(kept, Queue) else kept.bits).name
            node, ahead = index, tuple[ir.HostOp, ...]()
            if not (isinstance(index, ir.Ref) and index.variable.element is ir.Element.NODE):
                variable = ir.Variable(self.taken.free(f"{stem}_node"), ir.Element.NODE)
                node, ahead = ir.Ref(variable), (ir.DeclareVariable(variable, index),)
            name, body = self.taken.free(f"{stem}_first"), (inserted(node, kept.told, self.insert),)
            self.kernels.append(with_signature(ir.Kernel(name, ir.Once(), None, None, body, (), (), (), span)))
            self._written[id(op)] = (*ahead, ir.CheckCell(checked(array, kept), node), ir.Launch(name))
        return self._written[id(op)]
