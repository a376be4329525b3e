"""Cells of parts on hosts as they cross: sets as bits or as lists of nodes, and values of their members alone.

Every message begins with a head of fixed size, by which all parts know how the rest is written: that is chosen by
counted size. Takes cells of the host, changes them in place to what all parts have afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from starplat.ir import nodes as ir
from starplat.runtime.elements import Cells

if TYPE_CHECKING:
    from starplat.runtime.parts.communicator import Communicator

_MANY = 32
"""NumPy calculates with all cells faster than it finds members, if these are more than one node in so many."""

_PLACE = np.dtype(np.uint32)
"""A node of a list, counted from the first one of the range that the message is about."""


@dataclass(frozen=True, slots=True)
class Head:
    """How many members a message has, and the value of all of them, if it is the same: as the bits of a number."""

    members: int
    are_equal: bool = False
    value: int = 0

    def size_of_set(self, nodes: int) -> int:
        """Bytes of the set, as bits or as a list, whichever is less."""
        return min(-(-nodes // 8), self.members * _PLACE.itemsize)

    def is_list(self, nodes: int) -> bool:
        """Whether it crosses as a list."""
        return self.members * _PLACE.itemsize < -(-nodes // 8)

    def size_of_values(self, width: int) -> int:
        """Bytes of the values, of which one that all members have stands in the head."""
        return 0 if self.are_equal else self.members * width


def share_set(communicator: Communicator, flags: Cells, bounds: list[int]) -> None:
    """Every flag becomes that of the part that has its node."""
    first, end = bounds[communicator.rank], bounds[communicator.rank + 1]
    own = flags[first:end]
    head = Head(int(np.count_nonzero(own)))
    heads = _heads(communicator, head)
    sizes = [head.size_of_set(end - first) for head, (first, end) in zip(heads, pairwise(bounds), strict=True)]
    messages = communicator.messages(_packed(own, head), sizes)
    for rank, (first, end) in enumerate(pairwise(bounds)):
        if rank != communicator.rank:
            flags[first:end] = False
            _join(flags[first:end], messages[rank], heads[rank])


def join_sets(communicator: Communicator, flags: Cells) -> None:
    """Every flag becomes true that is true on any part."""
    head = Head(int(np.count_nonzero(flags)))
    heads = _heads(communicator, head)
    messages = communicator.messages(_packed(flags, head), [head.size_of_set(len(flags)) for head in heads])
    for rank, head in enumerate(heads):
        if rank != communicator.rank:
            _join(flags, messages[rank], head)


def share_among(communicator: Communicator, cells: Cells, flags: Cells, bounds: list[int]) -> None:
    """Cells of the nodes in a set that all parts know become those of the part that has their node."""
    pieces = [slice(first, end) for first, end in pairwise(bounds)]
    own = pieces[communicator.rank]
    head, values = _values(cells[own], flags[own])
    heads = _heads(communicator, head)
    messages = communicator.messages(values, [head.size_of_values(cells.itemsize) for head in heads])
    for rank, piece in enumerate(pieces):
        if rank != communicator.rank and heads[rank].members:
            _put(cells[piece], flags[piece], heads[rank], messages[rank])


def combine_among(communicator: Communicator, cells: Cells, flags: Cells, combine: ir.Combine) -> bool:
    """Cells become what `combine` makes of those of all parts, of which each has changed those of the nodes in its set;
    the set becomes that of all. False, with nothing done, where it takes fewer bytes to combine all cells."""
    from starplat.runtime.parts.communicator import OPERATIONS

    nodes, width = len(cells), cells.itemsize
    head, values = _values(cells, flags)
    heads = _heads(communicator, head)
    sizes = [head.size_of_set(nodes) + head.size_of_values(width) for head in heads]
    if sum(sizes) >= len(heads) * nodes * width:
        return False
    messages = communicator.messages(np.concatenate((_packed(flags, head), values)), sizes)
    for rank, (message, head) in enumerate(zip(messages, heads, strict=True)):
        if rank == communicator.rank or not head.members:
            continue
        there = _members(message[: head.size_of_set(nodes)], head, nodes)
        given = _received(message[head.size_of_set(nodes) :], head, cells)
        cells[there] = OPERATIONS[combine](cells[there], given)
        flags[there] = True
    return True


def _heads(communicator: Communicator, own: Head) -> list[Head]:
    found = communicator.numbers((own.members, int(own.are_equal), own.value))
    return [Head(members, bool(are_equal), value) for members, are_equal, value in found]


# --- sets ------------------------------------------------------------------------------------------------------------


def _packed(flags: Cells, head: Head) -> NDArray[np.uint8]:
    if head.is_list(len(flags)):
        return np.flatnonzero(flags).astype(_PLACE).view(np.uint8)
    return np.packbits(flags)


def _unpacked(message: NDArray[np.uint8], nodes: int) -> Cells:
    return np.unpackbits(message, count=nodes).view(np.bool_)


def _members(message: NDArray[np.uint8], head: Head, nodes: int) -> Cells:
    """The numbers of the members: NumPy goes through these faster than through flags."""
    return message.view(_PLACE) if head.is_list(nodes) else np.flatnonzero(_unpacked(message, nodes))


def _join(flags: Cells, message: NDArray[np.uint8], head: Head) -> None:
    """The members of a message join the set."""
    if head.is_list(len(flags)):
        flags[message.view(_PLACE)] = True
    else:
        flags |= _unpacked(message, len(flags))


# --- values ----------------------------------------------------------------------------------------------------------


def _values(cells: Cells, flags: Cells) -> tuple[Head, NDArray[np.uint8]]:
    """The values of the members in ascending order; none if one stands in the head for all."""
    count = int(np.count_nonzero(flags))
    if not count:
        return Head(0), np.empty(0, np.uint8)
    bits = cells.view(f"u{cells.itemsize}")
    value = bits[int(np.argmax(flags))]
    differs = bits != value
    differs &= flags
    if differs.any():
        return Head(count), bits[np.flatnonzero(flags)].view(np.uint8)
    return Head(count, True, int(value.astype(np.uint64).view(np.int64))), np.empty(0, np.uint8)


def _put(cells: Cells, flags: Cells, head: Head, message: NDArray[np.uint8]) -> None:
    """The cells of the members become their values."""
    values = _received(message, head, cells)
    if not head.are_equal or head.members * _MANY < len(flags):
        cells[np.flatnonzero(flags)] = values
        return
    bits = cells.view(f"u{cells.itemsize}")
    value = values.view(bits.dtype)
    bits ^= value
    bits *= ~flags
    bits ^= value


def _received(message: NDArray[np.uint8], head: Head, like: Cells) -> Cells:
    """The values of the members, or the one of all, as cells."""
    if not head.are_equal:
        return message.view(like.dtype)
    return np.array([head.value], np.int64).view(np.uint64).astype(f"u{like.itemsize}").view(like.dtype)
