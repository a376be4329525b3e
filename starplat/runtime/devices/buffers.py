"""Buffers on a device, and arrays of a caller that lie there already."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Buffer:
    """Cells on a device; `memory` is whatever the target holds them in. There is room for one cell at least.

    `lent` memory is the caller's: it is never kept for other uses. `placement` says whether it is the host's; of
    a split one the first `near` cells are the device's.
    """

    dtype: np.dtype[Any]
    count: int
    memory: Any
    lent: bool = False
    placement: ir.Placement = ir.Placement.DEVICE
    near: int = 0

    def give_up(self) -> None:
        """Lets go of the memory, also where something still names the buffer: nothing uses its cells any more."""
        object.__setattr__(self, "memory", None)

    @property
    def size(self) -> int:
        """Bytes of the cells."""
        return self.dtype.itemsize * self.count

    @property
    def cells_on_device(self) -> int:
        """How many cells lie in the device's memory, or may as a whole: the first."""
        return {ir.Placement.MAPPED: 0, ir.Placement.SPLIT: self.near}.get(self.placement, self.count)

    @property
    def size_on_device(self) -> int:
        """Bytes of those cells that lie in the device's memory."""
        return self.dtype.itemsize * self.cells_on_device

    @property
    def size_on_host(self) -> int:
        """Bytes of the others, which kernels read in the host's memory."""
        return self.size - self.size_on_device


@dataclass(frozen=True, slots=True, eq=False)
class Adopted:
    """A caller's array that lies on the device, as the target holds memory.

    Attributes:
        memory: as in `Buffer`.
        place: what it is a part of, and from which byte to which: two arrays of one `place[0]` may overlap.
        read_only: whether it must not be written.
        loose: whether it can only be copied from and to, not given to kernels: they need whole 32-bit words, in which
            they change single bytes, and on some devices a certain beginning.
    """

    memory: Any
    place: tuple[Hashable, int, int]
    read_only: bool = False
    loose: bool = False

    def overlaps(self, other: "Adopted") -> bool:
        """Whether both hold a common byte."""
        (whole, start, stop), (others, first, last) = self.place, other.place
        return whole == others and start < last and first < stop


def whole_words(size: int) -> int:
    """Bytes up to the end of a 32-bit word: single bytes are changed in the word around them."""
    return -(-size // 4) * 4
