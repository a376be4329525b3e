"""The arrays of a set of nodes where the host drives the rounds, by its packing, and the launch that adds one node."""

from dataclasses import replace
from typing import assert_never

from starplat.ir import build, fresh_names, nodes as ir, visitor
from starplat.same import Same
from starplat.schedule.queues import bit_sets, queue
from starplat.schedule.queues.queue import Queue, insertion, queue_of
from starplat.source import Span

KeptSet = Queue | bit_sets.Bitmap | bit_sets.Layers


def kept_as(flags: ir.Array, taken: fresh_names.FreshNames) -> KeptSet:
    """The replacement of a packed array of flags."""
    match flags.packed:
        case ir.Packing.BITS:
            return bit_sets.bitmap_of(flags, taken)
        case ir.Packing.LAYERS:
            return bit_sets.layers_of(flags, taken)
        case ir.Packing.LIST | ir.Packing.SWITCHED | ir.Packing.SHARED:
            return queue_of(flags, taken)
        case None:
            raise AssertionError(f"'{flags.name}' is no set")
        case _:
            assert_never(flags.packed)


def cleared(kept: KeptSet) -> tuple[ir.HostOp, ...]:
    """The operations that empty a set."""
    second = kept.layer if isinstance(kept, bit_sets.Layers) else kept.size
    return ir.Fill(kept.bits, build.ZERO), ir.Fill(second, build.ZERO)


def checked(flags: ir.Array, kept: KeptSet) -> ir.Array:
    """An array with a cell for every node, to check that a node exists."""
    return kept.nodes if isinstance(kept, Queue) else replace(flags, packed=None)


def insertion_into(kept: KeptSet, taken: fresh_names.FreshNames) -> ir.Function:
    """The function that adds a node to such a set."""
    match kept:
        case Queue():
            return insertion(taken)
        case bit_sets.Bitmap():
            return bit_sets.marking(taken)
        case bit_sets.Layers():
            return bit_sets.marking_layers(taken)
        case _:
            assert_never(kept)


class FirstMembers:
    """Makes the kernels and adds them to `kernels`; an operation that is rewritten gets the same one again."""

    def __init__(self, taken: fresh_names.FreshNames, insert: ir.Function, kernels: list[ir.Kernel]) -> None:
        self.taken, self.insert, self.kernels = taken, insert, kernels
        self._written: dict[Same, tuple[ir.HostOp, ...]] = {}

    def put_in(
        self, op: ir.WriteCell, array: ir.Array, kept: KeptSet, index: ir.Expression, span: Span
    ) -> tuple[ir.HostOp, ...]:
        """One thread adds the host's node, which must exist."""
        if Same(op) not in self._written:
            stem = (kept.nodes if isinstance(kept, queue.Queue) else kept.bits).name
            node, ahead = index, tuple[ir.HostOp, ...]()
            if not (isinstance(index, ir.Ref) and index.variable.element is ir.Element.NODE):
                variable = self.taken.variable(f"{stem}_node", ir.Element.NODE)
                node, ahead = ir.Ref(variable), (ir.DeclareVariable(variable, index),)
            name, body = self.taken.fresh(f"{stem}_first"), (queue.inserted(node, kept.told, self.insert),)
            self.kernels.append(visitor.with_signature(ir.Kernel(name, ir.Once(), None, body, span=span)))
            self._written[Same(op)] = (*ahead, ir.CheckCell(checked(array, kept), node), ir.Launch(name))
        return self._written[Same(op)]
