"""Decides where arrays of arcs lie that may be in the host's memory: on the device as far as there is room.

One after another gets the room that is left, in the order in which the module names them. The last may be split: its
first cells are on the device, the rest in mapped memory of the host, at consecutive addresses, so that kernels are the
same in every case.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from starplat.ir import nodes as ir

KEPT_FROM = 0.9
"""Of the cells that could be on the device so many there are left as they are."""

_SPARE = 32
"""One part in so many of what the system says is free stays free: pages, fragments, other programs."""


class Whereabouts(NamedTuple):
    """The placement of an array, and of a split one how many cells are on the device."""

    placement: ir.Placement = ir.Placement.DEVICE
    near: int = 0

    def size_on_device(self, size: int, cell: int) -> int:
        """Bytes there of an array of `size` bytes, `cell` each."""
        return {ir.Placement.MAPPED: 0, ir.Placement.SPLIT: self.near * cell}.get(self.placement, size)


ON_DEVICE = Whereabouts()
MAPPED = Whereabouts(ir.Placement.MAPPED)
MANAGED = Whereabouts(ir.Placement.MANAGED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An array of arcs: the memory that it stands for, its cells, the bytes of one, and how many are there already."""

    memory: Hashable
    count: int
    cell: int
    there: int


def divided(arrays: Iterable[Candidate], room: int | None, unit: int | None) -> dict[Hashable, Whereabouts]:
    """Where each lies, if all of them have so many bytes of the device, None for any number, and the device splits
    arrays at multiples of `unit` bytes, if at all."""
    found: dict[Hashable, Whereabouts] = {}
    for one in arrays:
        size = one.count * one.cell
        if room is None or size <= room:
            near = one.count
        else:
            near = 0 if unit is None or room <= 0 else room // unit * unit // one.cell
        if near * KEPT_FROM <= one.there <= near:
            near = one.there
        room = None if room is None else room - near * one.cell
        split = Whereabouts(ir.Placement.SPLIT, near)
        found[one.memory] = ON_DEVICE if near == one.count else split if near else MAPPED
    return found


def spare(free: int) -> int:
    """Bytes that are left alone of those that the system says are free."""
    return free // _SPARE
