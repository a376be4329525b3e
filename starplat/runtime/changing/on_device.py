"""A graph on a device after a change: new arrays of its own, by those of the graph before.

No arc crosses to the host or back. Arrays of the graph before stay as they are.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.runtime.changing import kernels as names
from starplat.runtime.changing.merge import Marked, Merge, Moving, Rows
from starplat.runtime.changing.slices import Slice
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device
from starplat.runtime.resident import ResidentGraph

_REVERSED = (ir.IN_ROW_OFFSETS, ir.IN_ROW_ENDS, ir.IN_COLUMNS)


@dataclass(frozen=True, slots=True)
class Merged:
    """The new graph, and the cells that moved with its arcs, in the order of what was to move."""

    resident: ResidentGraph
    cells: list[Buffer]


def merged(
    device: Device,
    before: ResidentGraph,
    slice: Slice,
    lying: Callable[[ir.Array], Buffer],
    used: Collection[ir.Array],
    properties: Sequence[Moving],
    *,
    directed: bool,
) -> Merged:
    """The graph after the additions or deletions of a slice.

    Args:
        lying: gives the buffer of an array of the graph before.
        used: the arrays of the graph that the run needs.
        properties: cells of arcs that are to move with them.
    """
    merge = Merge(device, slice, before.num_nodes, before.num_arcs, before.wide_arcs)
    try:
        rows = Rows(lying(ir.ROW_OFFSETS), lying(ir.COLUMNS))
        at = merge.marked(rows, slice.sources, slice.destinations)
        offsets, own = merge.offsets(at), cells_of_arcs(slice, lying, used)
        cells = merge.moved(at, (*own.values(), *properties))
        buffers = {ir.ROW_OFFSETS: offsets, **dict(zip(own, cells, strict=False))}
        if ir.IN_ARCS in used or (directed and has_reversed_rows(used)):
            buffers |= _against(merge, slice, lying, at, rows=directed, numbers=ir.IN_ARCS in used)
        return Merged(before.changed(at.num_arcs, buffers), cells[len(own) :])
    finally:
        merge.done()


def has_reversed_rows(used: Collection[ir.Array]) -> bool:
    """Whether the rows of arcs against their direction are among a graph's arrays."""
    return any(array in used for array in _REVERSED)


def moving_cells(
    function: ir.HostFunction, used: Collection[ir.Array], *, directed: bool
) -> Iterator[tuple[ir.Element, ...]]:
    """The types of cells that move with arcs where a function changes its graph, neighbors first: those of the graph's
    arrays that are used, and of others; then those of reversed rows, where they are rows of their own."""
    own = (ir.COLUMNS, *(array for array in (ir.SOURCES, ir.WEIGHTS) if array in used))
    others = (array for array in function.arrays_of_arcs if array.extent is ir.Extent.ARCS)
    yield tuple(array.element for array in (*own, *others))
    if directed and has_reversed_rows(used):
        yield (ir.Element.NODE,)


def cells_of_arcs(
    slice: Slice, lying: Callable[[ir.Array], Buffer], used: Collection[ir.Array]
) -> dict[ir.Array, Moving]:
    """The graph's own cells of arcs."""
    own = {ir.COLUMNS: Moving(ir.Element.NODE, lying(ir.COLUMNS), slice.destinations)}
    if ir.SOURCES in used:
        own[ir.SOURCES] = Moving(ir.Element.NODE, lying(ir.SOURCES), slice.sources)
    if ir.WEIGHTS in used:
        added = slice.weights(ir.Element.INT) if slice.added else None
        own[ir.WEIGHTS] = Moving(ir.Element.INT, lying(ir.WEIGHTS), added)
    return own


def _against(
    merge: Merge, slice: Slice, lying: Callable[[ir.Array], Buffer], along: Marked, *, rows: bool, numbers: bool
) -> dict[ir.Array, Buffer]:
    """The arcs as they are read against their direction; their `rows` are those of an undirected graph already."""
    back = Rows(lying(ir.IN_ROW_OFFSETS), lying(ir.IN_COLUMNS))
    at, buffers = merge.marked(back, slice.destinations, slice.sources), dict[ir.Array, Buffer]()
    if rows:
        offsets = merge.offsets(at)
        (columns,) = merge.moved(at, [Moving(ir.Element.NODE, back.neighbors, slice.sources)])
        buffers = {ir.IN_ROW_OFFSETS: offsets, ir.IN_COLUMNS: columns}
    if numbers:
        buffers[ir.IN_ARCS] = merge.numbers(at, lying(ir.IN_ARCS), along)
    return buffers


def build_merging(device: Device, cells: Iterable[tuple[ir.Element, ...]], wide_arcs: bool) -> None:
    """Builds what merges updates with rows that have cells of these types, so that no batch waits for it."""
    for module in (names.finding(), *map(names.moving, cells)):
        device.kernels_of(module, wide_arcs)
