"""How the host puts a node into a set that is on the device: one thread does it, in a launch of its own."""

from __future__ import annotations

from starplat.ir.nodes import (
    Array,
    CheckCell,
    DeclareVariable,
    Element,
    Expression,
    Function,
    HostOp,
    Kernel,
    Launch,
    Once,
    Ref,
    Variable,
    WriteCell,
)
from starplat.ir.visitor import with_signature
from starplat.schedule.kept_sets import KeptSet, checked
from starplat.schedule.names import Taken
from starplat.schedule.queue import Queue, inserted
from starplat.source import Span


class FirstMembers:
    """Writes the kernels, which it adds to `kernels`; an operation that is written anew gets the same one again."""

    def __init__(self, taken: Taken, insert: Function, kernels: list[Kernel]) -> None:
        self.taken = taken
        self.insert = insert
        self.kernels = kernels
        self._written: dict[int, tuple[HostOp, ...]] = {}

    def put_in(self, op: WriteCell, array: Array, kept: KeptSet, index: Expression, span: Span) -> tuple[HostOp, ...]:
        """One thread puts in the node that the host has in mind, which must be one."""
        if id(op) not in self._written:
            stem = (kept.nodes if isinstance(kept, Queue) else kept.bits).name
            node, ahead = index, tuple[HostOp, ...]()
            if not (isinstance(index, Ref) and index.variable.element is Element.NODE):
                variable = Variable(self.taken.free(f"{stem}_node"), Element.NODE)
                node, ahead = Ref(variable), (DeclareVariable(variable, index),)
            name, body = self.taken.free(f"{stem}_first"), (inserted(node, kept.told, self.insert),)
            self.kernels.append(with_signature(Kernel(name, Once(), None, None, body, (), (), (), span)))
            self._written[id(op)] = (*ahead, CheckCell(checked(array, kept), node), Launch(name))
        return self._written[id(op)]
