"""Insertion by the host: one thread adds a node to a set on the device, in a launch of its own."""

from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.ir.visitor import with_signature
from starplat.same import Same
from starplat.schedule.queues.kept_sets import KeptSet, checked
from starplat.schedule.queues.queue import Queue, inserted
from starplat.source import Span


class FirstMembers:
    """Makes the kernels and adds them to `kernels`; an operation that is rewritten gets the same one again."""

    def __init__(self, taken: FreshNames, insert: ir.Function, kernels: list[ir.Kernel]) -> None:
        self.taken = taken
        self.insert = insert
        self.kernels = kernels
        self._written: dict[Same, tuple[ir.HostOp, ...]] = {}

    def put_in(
        self, op: ir.WriteCell, array: ir.Array, kept: KeptSet, index: ir.Expression, span: Span
    ) -> tuple[ir.HostOp, ...]:
        """One thread adds the host's node, which must exist."""
        if Same(op) not in self._written:
            stem = (kept.nodes if isinstance(kept, Queue) else kept.bits).name
            node, ahead = index, tuple[ir.HostOp, ...]()
            if not (isinstance(index, ir.Ref) and index.variable.element is ir.Element.NODE):
                variable = ir.Variable(self.taken.fresh(f"{stem}_node"), ir.Element.NODE)
                node, ahead = ir.Ref(variable), (ir.DeclareVariable(variable, index),)
            name, body = self.taken.fresh(f"{stem}_first"), (inserted(node, kept.told, self.insert),)
            self.kernels.append(with_signature(ir.Kernel(name, ir.Once(), None, body, span=span)))
            self._written[Same(op)] = (*ahead, ir.CheckCell(checked(array, kept), node), ir.Launch(name))
        return self._written[Same(op)]
