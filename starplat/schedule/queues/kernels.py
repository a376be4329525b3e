"""Kernels over sets as kernels over lists, listed words or all nodes: the device's part of step `queue`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from starplat.ir import build, fresh_names, nodes as ir, rewriter, visitor
from starplat.ir.shapes.members import Membership, membership
from starplat.schedule.queues.bit_sets import Bitmap, Layers
from starplat.schedule.queues.kept_sets import KeptSet
from starplat.schedule.queues.queue import Queue, contained, inserted, word_of


class ListKernels(rewriter.Rewriter):
    """Replaces walks over sets and insertions by those of their arrays."""

    def __init__(self, queues: Mapping[ir.Array, KeptSet], insert: ir.Function, taken: fresh_names.FreshNames) -> None:
        self.queues, self.insert, self.taken = queues, insert, taken

    def kernel(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel; the same object if it does not use the sets."""
        if not any(array in self.queues for array in kernel.arrays):
            return kernel
        if (found := membership(kernel, self.queues.__contains__)) is None or kernel.iterator is None:
            return super().kernel(kernel)
        kept = self.queues[found.members]
        match kept:
            case Queue():
                return self.over_list(kernel, kernel.iterator, found, kept)
            case Bitmap():
                return self.asking(kernel, kernel.iterator, found)
            case Layers():
                return self.asking(kernel, kernel.iterator, found, kept.walked)
            case _:
                assert_never(kept)

    def over_list(self, kernel: ir.Kernel, node: ir.Variable, found: Membership, queue: Queue) -> ir.Kernel:
        """The walk over a list, which also empties the set if it removes its members."""
        body = self.kernel_block(found.body)
        if found.takes:  # all of its members: no bit of any word is left
            body = (ir.Store(queue.bits, word_of(ir.Ref(node)), build.ZERO, shared=True), *body)
        keep = None if found.keep is None else self.expression(found.keep)
        return visitor.with_signature(replace(kernel, domain=queue.walked, filter=keep, body=body))

    def asking(
        self, kernel: ir.Kernel, node: ir.Variable, found: Membership, domain: ir.Domain | None = None
    ) -> ir.Kernel:
        """The walk over all nodes, or those of a domain, which tests each one's bit and leaves the bits alone."""
        inside = contained(ir.Ref(node), self.queues[found.members].bits)
        if found.keep is not None:
            inside = build.both(inside, self.expression(found.keep))
        over = kernel.domain if domain is None else domain
        return visitor.with_signature(replace(kernel, domain=over, filter=inside, body=self.kernel_block(found.body)))

    def over_all(self, kernel: ir.Kernel, name: str) -> ir.Kernel:
        """A kernel that walks a set, by going over all nodes and testing the bit of each."""
        found = membership(kernel, self.queues.__contains__)
        assert found is not None
        comment = "where many are active: goes over all, in their order"
        return replace(self.asking(kernel, kernel.index, found), name=name, comment=comment)

    def expression(self, expression: ir.Expression) -> ir.Expression:
        match expression:
            case ir.Load(array, index) if array in self.queues:
                return contained(self.expression(index), self.queues[array].bits)
        return self.rebuild(expression)

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        match op:
            case ir.Store(array, index) if array in self.queues:
                return (inserted(self.expression(index), self.queues[array].told, self.insert),)
            case ir.ExtremeCell(carried=carried) if any(carry.array in self.queues for carry in carried):
                return self.extreme(op)
        return (self.rebuild(op),)

    def extreme(self, op: ir.ExtremeCell) -> Iterator[ir.KernelOp]:
        """The winner adds the nodes to their sets; which nodes these are is computed before."""
        calls: list[ir.KernelOp] = []
        for carry in op.carried:
            if carry.array in self.queues:
                if not isinstance(index := self.expression(carry.index), ir.Ref | ir.Const):
                    node = self.taken.variable(f"{carry.array.name}_node", ir.Element.NODE)
                    yield ir.Let(node, index)
                    index = ir.Ref(node)
                calls.append(inserted(index, self.queues[carry.array].told, self.insert))
        rest = tuple(carry for carry in op.carried if carry.array not in self.queues)
        plain = self.rebuild(replace(op, carried=rest, lock=op.lock if rest else None))
        yield replace(plain, also=(*calls, *plain.also))
