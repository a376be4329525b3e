"""Counts the bytes of arrays of arcs that a launch reads, by the memory in which they lie.

The rows that a kernel walks are counted in full: a walk that ends early, or reads under a condition, reads less.
Kernels that reach arcs in another way than along their own rows are not counted.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from starplat.ir import nodes as ir, points
from starplat.ir.own_arcs import accesses, arrays_of_arcs, heads_of
from starplat.runtime.elements import Cells

LINE = 128
"""Bytes that cross the link to the host at once."""


@dataclass(frozen=True, slots=True)
class Reads:
    """Bytes at most.

    Attributes:
        device: in the device's memory.
        host: in the host's memory.
        lines: the different lines of 128 bytes of the host's memory, each counted once for a launch and an array; None
            where a launch that runs rounds by itself does not tell which rows it walks.
    """

    device: int = 0
    host: int = 0
    lines: int | None = 0

    def __add__(self, other: "Reads") -> "Reads":
        lines = None if self.lines is None or other.lines is None else self.lines + other.lines
        return Reads(self.device + other.device, self.host + other.host, lines)

    def to_json(self) -> dict[str, Any]:
        return {"device": self.device, "host": self.host, "host_lines": self.lines}


def total(reads: Iterable[Reads | None]) -> Reads:
    """Of several launches, as far as it is known."""
    return sum((one for one in reads if one is not None), Reads())


class Lying(Protocol):
    """Where arrays lie."""

    def cells(self, array: ir.Array) -> Cells:
        """Of an array of the graph, as they are."""

    def near(self, array: ir.Array) -> int:
        """How many cells of it are on the device: the first."""

    def cell_size(self, array: ir.Array) -> int:
        """Bytes of a cell."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The slots that a launch walks: from every `first` up to its `end`, apart from each other, ascending."""

    first: Cells
    end: Cells

    @property
    def count(self) -> int:
        """How many slots there are."""
        return int((self.end - self.first).sum())

    @property
    def slots(self) -> Cells:
        sizes = self.end - self.first
        before = np.cumsum(sizes) - sizes
        found: Cells = np.arange(int(sizes.sum())) + np.repeat(self.first - before, sizes)
        return found


def rows_at(offsets: Cells, nodes: Cells) -> Rows:
    """The rows of some nodes, each once, as far as they have arcs."""
    whose = np.unique(nodes)
    first, end = offsets[whose].astype(np.int64), offsets[whose + 1].astype(np.int64)
    return Rows(first[first < end], end[first < end])


def rows_beyond(offsets: Cells, heads: Cells, nodes: Cells) -> Rows:
    """What is left of these rows beyond their heads."""
    whose = np.unique(nodes)
    first = offsets[whose].astype(np.int64) + (heads[whose + 1] - heads[whose])
    end = offsets[whose + 1].astype(np.int64)
    return Rows(first[first < end], end[first < end])


def reads_of(kernel: ir.Kernel, nodes: Cells | None, lying: Lying, bounds: tuple[int, int]) -> Reads | None:
    """What a launch reads whose iterations are for `nodes` (None if unknown or none), or, in a kernel over arcs, for
    those within `bounds`. None where it is unknown."""
    arrays = set(arrays_of_arcs(kernel))
    if not arrays:
        return Reads()
    ways = accesses(kernel)
    if ways is None or ways.keys() != arrays:
        return None
    walked = points.arcs_walked(kernel)
    apart: Mapping[ir.Array, Rows] = {}
    if isinstance(kernel.domain, ir.AllArcs):
        rows = Rows(*np.array(bounds, np.int64)[:, np.newaxis])
    elif nodes is None or walked is None:
        return None
    else:
        offsets = lying.cells(walked.direction.layout.offsets)
        rows = rows_at(offsets, nodes)
        if (heads := heads_of(walked)) is not None:
            begins = lying.cells(heads.offsets)
            copied, beyond = rows_at(begins, nodes), rows_beyond(offsets, begins, nodes)
            apart = {array: copied if array.extent is ir.Extent.HEADS else beyond for array in _at_heads(ways, heads)}
    return total(_reads(array, apart.get(array, rows), ids, lying) for array, ids in ways.items())


def reads_of_many(kernel: ir.Kernel, arcs: int | None, lying: Lying, num_arcs: int) -> Reads | None:
    """What a launch reads that walks so many arcs, if it is not known which arcs; None where it is unknown."""
    arrays = set(arrays_of_arcs(kernel))
    ways = accesses(kernel)
    if not arrays:
        return Reads()
    if arcs is None or ways is None or ways.keys() != arrays or (arcs and heads_of(points.arcs_walked(kernel))):
        return None
    found = Reads()
    for array in arrays:
        size, near = arcs * lying.cell_size(array), lying.near(array)
        if near >= num_arcs or not arcs:
            found += Reads(size)
        elif near:
            return None
        else:
            found += Reads(0, size, None)
    return found


def _at_heads(arrays: Iterable[ir.Array], heads: ir.Heads) -> Iterator[ir.Array]:
    """The arrays that hold copies of the heads of rows, and those that are read where these end."""
    layout = next(layout for layout in ir.LAYOUTS.values() if ir.with_heads(layout).heads == heads)
    every = tuple(arrays)
    for array in every:
        is_copied = array == layout.neighbors or ir.HEAD_WEIGHTS.get(array.element) in every
        if array.extent is ir.Extent.HEADS or (is_copied and array.extent is layout.slots):
            yield array


def _reads(array: ir.Array, rows: Rows, ids: ir.Array | None, lying: Lying) -> Reads:
    near, cell = lying.near(array), lying.cell_size(array)
    if ids is not None:
        places = lying.cells(ids)[rows.slots]
        far = places[places >= near]
        lines = len(np.unique(far.astype(np.int64) * cell // LINE))
        return Reads((len(places) - len(far)) * cell, len(far) * cell, lines)
    first, end = np.maximum(rows.first, near), rows.end
    first, end = first[first < end], end[first < end]
    far_cells = int((end - first).sum())
    opening, closing = first * cell // LINE, (end * cell - 1) // LINE
    lines = int((closing - opening + 1).sum()) - int((opening[1:] == closing[:-1]).sum())
    return Reads((rows.count - far_cells) * cell, far_cells * cell, lines)
