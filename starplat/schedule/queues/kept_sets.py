"""The ways in which a set of nodes is kept where the host drives the rounds, by how it is packed."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from starplat.ir import nodes as ir
from starplat.schedule.names import Taken
from starplat.schedule.queues.bit_sets import Bitmap, Layers, bitmap_of, layers_of, marking, marking_layers
from starplat.schedule.queues.queue import ZERO, Queue, insertion, queue_of

KeptSet = Queue | Bitmap | Layers


def kept_as(flags: ir.Array, taken: Taken) -> KeptSet:
    """What a packed array of flags comes to."""
    match flags.packed:
        case ir.Packing.BITS:
            return bitmap_of(flags, taken)
        case ir.Packing.LAYERS:
            return layers_of(flags, taken)
        case ir.Packing.LIST | ir.Packing.SWITCHED:
            return queue_of(flags, taken)
        case None:
            raise AssertionError(f"'{flags.name}' is no set")
        case _:
            assert_never(flags.packed)


def cleared(kept: KeptSet) -> tuple[ir.HostOp, ...]:
    """What empties a set, whatever is in it."""
    second = kept.layer if isinstance(kept, Layers) else kept.size
    return ir.Fill(kept.bits, ZERO), ir.Fill(second, ZERO)


def checked(flags: ir.Array, kept: KeptSet) -> ir.Array:
    """An array with a cell for every node, to ask whether there is such a node."""
    return kept.nodes if isinstance(kept, Queue) else replace(flags, packed=None)


def insertion_into(kept: KeptSet, taken: Taken) -> ir.Function:
    """The function that puts a node into a set that is kept so."""
    match kept:
        case Queue():
            return insertion(taken)
        case Bitmap():
            return marking(taken)
        case Layers():
            return marking_layers(taken)
        case _:
            assert_never(kept)
