"""The arrays of a set of nodes where the host drives the rounds, by its packing."""

from dataclasses import replace
from typing import assert_never

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.schedule.queues.bit_sets import Bitmap, Layers, bitmap_of, layers_of, marking, marking_layers
from starplat.schedule.queues.queue import Queue, insertion, queue_of

KeptSet = Queue | Bitmap | Layers


def kept_as(flags: ir.Array, taken: FreshNames) -> KeptSet:
    """The replacement of a packed array of flags."""
    match flags.packed:
        case ir.Packing.BITS:
            return bitmap_of(flags, taken)
        case ir.Packing.LAYERS:
            return layers_of(flags, taken)
        case ir.Packing.LIST | ir.Packing.SWITCHED | ir.Packing.SHARED:
            return queue_of(flags, taken)
        case None:
            raise AssertionError(f"'{flags.name}' is no set")
        case _:
            assert_never(flags.packed)


def cleared(kept: KeptSet) -> tuple[ir.HostOp, ...]:
    """The operations that empty a set."""
    second = kept.layer if isinstance(kept, Layers) else kept.size
    return ir.Fill(kept.bits, build.ZERO), ir.Fill(second, build.ZERO)


def checked(flags: ir.Array, kept: KeptSet) -> ir.Array:
    """An array with a cell for every node, to check that a node exists."""
    return kept.nodes if isinstance(kept, Queue) else replace(flags, packed=None)


def insertion_into(kept: KeptSet, taken: FreshNames) -> ir.Function:
    """The function that adds a node to such a set."""
    match kept:
        case Queue():
            return insertion(taken)
        case Bitmap():
            return marking(taken)
        case Layers():
            return marking_layers(taken)
        case _:
            assert_never(kept)
