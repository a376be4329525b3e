"""Counts the bytes of arrays of arcs that a launch reads, by the memory in which they lie.

The rows that a kernel walks are counted in full: a walk that ends early, or reads under a condition, reads less.
Kernels that reach arcs in another way than along their own rows are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from starplat.ir import nodes as ir
from starplat.ir.points import arcs_walked
from starplat.ir.visitor import (
    all_expressions,
    arrays_in,
    assigned_variables,
    walk_expression,
    walk_kernel,
    written_arrays,
)
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

    def __add__(self, other: Reads) -> Reads:
        lines = None if self.lines is None or other.lines is None else self.lines + other.lines
        return Reads(self.device + other.device, self.host + other.host, lines)

    def to_json(self) -> dict[str, Any]:
        """As the schema has it."""
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
        """All of them."""
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
    walked = arcs_walked(kernel)
    apart: Mapping[ir.Array, Rows] = {}
    if isinstance(kernel.domain, ir.AllArcs):
        rows = Rows(*np.array(bounds, np.int64)[:, np.newaxis])
    elif nodes is None or walked is None:
        return None
    else:
        offsets = lying.cells(walked.direction.layout.offsets)
        rows = rows_at(offsets, nodes)
        if (heads := _heads_of(walked)) is not None:
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
    if arcs is None or ways is None or ways.keys() != arrays or (arcs and _heads_of(arcs_walked(kernel))):
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


def arrays_of_arcs(kernel: ir.Kernel) -> Iterator[ir.Array]:
    """The arrays with a cell for each arc that the kernel reads and does not write."""
    written = written_arrays(kernel.body)
    for array in kernel.arrays:
        of_arcs = array.extent in (ir.Extent.ARCS, ir.Extent.SLOTS, ir.Extent.HEADS)
        if of_arcs and not array.is_set and array not in written:
            yield array


def _heads_of(walked: ir.ForNeighbors | ir.NodeNeighbors | None) -> ir.Heads | None:
    """Where a walk reads the heads of its rows, if they lie apart."""
    return walked.layout.heads if isinstance(walked, ir.ForNeighbors) else None


def accesses(kernel: ir.Kernel) -> Mapping[ir.Array, ir.Array | None] | None:
    """The arrays of arcs that a kernel reads, each with the one that holds the index by slot, None where the slot is
    the index; None in all where it reads some at other places than the arcs of its own nodes."""
    walked = arcs_walked(kernel)
    slot: ir.Variable | None
    found: dict[ir.Array, ir.Array | None] = {}
    match walked:
        case ir.ForNeighbors(parts=1) | ir.NodeNeighbors():
            slot = walked.position
            layout = walked.direction.layout
            if isinstance(walked, ir.ForNeighbors) and walked.by_degree:
                return None
            found[layout.neighbors] = None
            if _heads_of(walked) is not None:
                found |= dict.fromkeys(array for array in kernel.arrays if array.extent is ir.Extent.HEADS)
        case None if isinstance(kernel.domain, ir.AllArcs):
            slot, layout = kernel.iterator, ir.CSR
        case _:
            return None
    if any(isinstance(op, ir.ForNeighbors) and op is not walked for op in walk_kernel(kernel.body)):
        return None
    assigned = assigned_variables(kernel.body)
    declared = (op for op in walk_kernel(kernel.body) if isinstance(op, ir.Let))
    lets = {op.variable: op.value for op in declared if op.variable not in assigned}
    for part in (*all_expressions(kernel.body), *(() if kernel.filter is None else walk_expression(kernel.filter))):
        if isinstance(part, ir.Load) and part.array.extent in _OF_ARCS:
            match _resolved(part.index, lets):
                case ir.Ref(variable) if variable == slot:
                    found.setdefault(part.array, None)
                case ir.Load(ids, ir.Ref(variable)) if variable == slot and ids == layout.arcs:
                    found[part.array] = ids
                case _:
                    return None
        elif isinstance(part, ir.FindArc | ir.CallFunction) and any(a.extent in _OF_ARCS for a in arrays_in(part)):
            return None  # a search in a row, or a function that may read any arc
    return found


_OF_ARCS = (ir.Extent.ARCS, ir.Extent.SLOTS)


def _at_heads(arrays: Iterable[ir.Array], heads: ir.Heads) -> Iterator[ir.Array]:
    """The arrays that hold copies of the heads of rows, and those that are read where these end."""
    layout = next(layout for layout in ir.LAYOUTS.values() if ir.with_heads(layout).heads == heads)
    every = tuple(arrays)
    for array in every:
        is_copied = array == layout.neighbors or ir.HEAD_WEIGHTS.get(array.element) in every
        if array.extent is ir.Extent.HEADS or (is_copied and array.extent is layout.slots):
            yield array


def _resolved(place: ir.Expression, lets: Mapping[ir.Variable, ir.Expression]) -> ir.Expression:
    """What a local stands for."""
    while isinstance(place, ir.Ref) and place.variable in lets:
        place = lets[place.variable]
    return place


def _reads(array: ir.Array, rows: Rows, ids: ir.Array | None, lying: Lying) -> Reads:
    """Of one array."""
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
