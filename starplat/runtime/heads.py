"""The heads of a graph's rows: which arcs are copied to the device, how many they are, and the copies.

The host says where each row's copies begin. Where the device is not the host, its kernels make them: they read the
host's arcs as those of programs do.
"""

import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

import numpy as np

from starplat.backends.launch import MOST_THREADS
from starplat.graph.graph import Graph
from starplat.ir import build, nodes as ir
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device, LaunchSize
from starplat.runtime.elements import Cells, needs_wide_arcs
from starplat.runtime.own_kernels import COUNT, first_that, kernel_of, module_of

MOST_CELLS = 2**31 - 1 - MOST_THREADS
"""Places in heads are numbers of 32 bits, as are those that threads count."""

COPIED: Mapping[ir.Array, ir.Array] = {
    ir.HEAD_COLUMNS: ir.COLUMNS,
    ir.IN_HEAD_COLUMNS: ir.IN_COLUMNS,
    **{head: replace(ir.WEIGHTS, element=element) for element, head in ir.HEAD_WEIGHTS.items()},
}
"""What each array of heads has copies of."""

_PIECE = 1 << 16
"""Rows that are looked at together: what is made of them on the way stays in a core's cache."""
_MOST_WORKERS = 16

Found = TypeVar("Found")

_DEGREES: weakref.WeakKeyDictionary[Graph, dict[bool, Cells]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, order=True, slots=True)
class Cut:
    """What is copied of rows. Of FIRST arcs, `length` of every row; of SHORT rows, those of up to `length` arcs and
    `more` rows of one arc more, of the lowest nodes. The lesser of two of a kind copies less of every graph."""

    kind: ir.HeadKind
    length: int = 0
    more: int = 0

    def __str__(self) -> str:
        if self.kind is ir.HeadKind.FIRST:
            return f"up to {self.length:,} arcs of every row"
        return f"rows of up to {self.length:,} arcs"

    def lengths(self, degrees: Cells, before: int = 0) -> Cells:
        """How many arcs of every row; so many rows of `length` + 1 come `before` these."""
        if self.kind is ir.HeadKind.FIRST:
            return np.minimum(degrees, self.length)
        found: Cells = np.where(degrees <= self.length, degrees, 0)
        found[np.flatnonzero(degrees == self.length + 1)[: max(self.more - before, 0)]] = self.length + 1
        return found

    def arcs(self, nodes: Cells) -> int:
        """How many arcs of all rows, of which there are so many `nodes` by degree."""
        degrees = np.arange(len(nodes))
        if self.kind is ir.HeadKind.FIRST:
            return int((np.minimum(degrees, self.length) * nodes).sum())
        more = min(self.more, int(nodes[self.length + 1 : self.length + 2].sum()))
        return int((degrees * nodes)[: self.length + 1].sum()) + more * (self.length + 1)


def largest_cut(graph: Graph, heads: Iterable[ir.Array], kind: ir.HeadKind, most: int) -> Cut:
    """The cut by which as many arcs as fit are copied, if so many in all fit into each of some of HEAD_ARRAYS."""
    return min(_largest(kind, _nodes_of_degree(graph, one), min(most, MOST_CELLS)) for one in heads)


def _largest(kind: ir.HeadKind, nodes: Cells, most: int) -> Cut:
    if kind is ir.HeadKind.FIRST:
        nodes_of_more = nodes.sum() - np.cumsum(nodes[:-1])
        return Cut(kind, int(np.searchsorted(np.cumsum(nodes_of_more), most, side="right")))
    arcs = np.cumsum(np.arange(len(nodes)) * nodes)
    length = int(np.searchsorted(arcs, max(most, 0), side="right")) - 1
    left = max(most, 0) - int(arcs[length])
    return Cut(kind, length, 0 if length + 1 == len(nodes) else left // (length + 1))


def arcs_in_heads(graph: Graph, heads: Iterable[ir.Array], cut: Cut) -> int:
    """How many arcs a cut copies in the direction where these are more."""
    return max((cut.arcs(_nodes_of_degree(graph, one)) for one in heads), default=0)


def head_offsets(graph: Graph, array: ir.Array, cut: Cut) -> Cells:
    """Where the head of each row begins, with one number more for the end."""
    offsets, begins = _offsets(graph, array), np.zeros(graph.num_nodes + 1, np.int32)
    longer = np.zeros(-(-graph.num_nodes // _PIECE) + 1, np.int64)
    if cut.more:
        counts = _by_pieces(graph, lambda rows: np.count_nonzero(_degrees(offsets, rows) == cut.length + 1))
        longer[1:] = np.cumsum(list(counts))

    def within(rows: slice) -> int:
        lengths = cut.lengths(_degrees(offsets, rows), int(longer[rows.start // _PIECE]))
        np.cumsum(lengths, out=begins[rows.start + 1 : rows.stop + 1])
        return int(begins[rows.stop])

    ends = np.cumsum([0, *_by_pieces(graph, within)])

    def moved(rows: slice) -> None:
        begins[rows.start + 1 : rows.stop + 1] += begins.dtype.type(ends[rows.start // _PIECE])

    for _ in _by_pieces(graph, moved):
        pass
    return begins


def head_cells(graph: Graph, array: ir.Array, cut: Cut, of_arcs: Cells, count: int) -> Cells:
    """The copies of what there is for every slot of the rows: `count` cells, with zeros behind them."""
    made, begins, offsets = np.zeros(count, of_arcs.dtype), head_offsets(graph, array, cut), _offsets(graph, array)

    def copy(rows: slice) -> None:
        low, high = begins[rows.start], begins[rows.stop]
        slots = np.arange(low, high, dtype=np.int64)
        slots += np.repeat(offsets[rows] - begins[rows], _degrees(begins, rows))
        made[low:high] = of_arcs[slots]

    for _ in _by_pieces(graph, copy):
        pass
    return made


def _by_pieces(graph: Graph, find: Callable[[slice], Found]) -> Iterator[Found]:
    """What is found of some rows after others, by many threads."""
    n = graph.num_nodes
    with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_WORKERS)) as threads:
        yield from threads.map(lambda low: find(slice(low, min(low + _PIECE, n))), range(0, n, _PIECE))


def _degrees(offsets: Cells, rows: slice) -> Cells:
    return np.diff(offsets[rows.start : rows.stop + 1])


def longest_row(graph: Graph, offsets: ir.Array) -> int:
    """The most arcs that leave a node, or enter one."""
    return len(_nodes_of_degree(graph, offsets)) - 1


def _nodes_of_degree(graph: Graph, array: ir.Array) -> Cells:
    """How many nodes there are of each degree, up to the largest."""
    kept, into = _DEGREES.setdefault(graph, {}), _leads_into(array)
    if into not in kept:
        offsets, counts = _offsets(graph, array), np.zeros(1, np.int64)
        for found in _by_pieces(graph, lambda rows: np.bincount(_degrees(offsets, rows))):
            more, most = sorted((found, counts), key=len)
            most[: len(more)] += more
            counts = most
        kept[into] = counts
    return kept[into]


def _offsets(graph: Graph, array: ir.Array) -> Cells:
    return graph.reverse.row_offsets if _leads_into(array) and graph.directed else graph.row_offsets


def _leads_into(array: ir.Array) -> bool:
    return array in (ir.IN_HEAD_OFFSETS, ir.IN_HEAD_COLUMNS, ir.IN_ROW_OFFSETS)


# --- copies by the device ------------------------------------------------------------------------------------------

_OFFSETS = ir.Array("offsets", ir.Element.ARC, ir.Extent.NODES_AND_ONE, ir.Origin.PARAMETER)
_BEGINS = ir.Array("begins", ir.Element.INT, ir.Extent.NODES_AND_ONE, ir.Origin.PARAMETER)


def copy_heads(device: Device, graph: Graph, array: ir.Array, cut: Cut, buffers: tuple[Buffer, ...]) -> None:
    """Has the device make what `head_cells` makes but for cells behind the copies. The buffers are: where rows begin,
    where their heads do, what there is for every slot, and the copies."""
    module, wide = copying(array.element), needs_wide_arcs(graph.num_arcs)
    count = arcs_in_heads(graph, (array,), cut)
    arrays = dict(zip((each.name for each in _arrays(array.element)), buffers, strict=True))
    size = LaunchSize(count, graph.num_nodes, graph.num_arcs)
    device.kernels_of(module, wide).launch(module.kernels[0], arrays, {COUNT.name: count}, size)


@cache
def copying(element: ir.Element) -> ir.Module:
    """The module that copies cells of a type. By place in all heads, the row is the first whose head ends behind it."""
    *_, cells, copies = _arrays(element)
    place, (low, high, middle) = ir.Variable("place", ir.Element.INT), map(_of_node, ("row", "high", "middle"))
    end = ir.Load(_BEGINS, build.plus(ir.Ref(middle), ir.Const(1, ir.Element.NODE)))
    within = build.minus(ir.Ref(place), ir.Load(_BEGINS, ir.Ref(low)))
    slot = build.plus(ir.Load(_OFFSETS, ir.Ref(low)), ir.Cast(within, ir.Element.ARC))
    body = (
        ir.Let(low, ir.Const(0, ir.Element.NODE)),
        ir.Let(high, ir.NumNodes(ir.Element.NODE)),
        first_that(low, high, middle, build.at_most(end, ir.Ref(place))),
        ir.Store(copies, ir.Ref(place), ir.Load(cells, slot)),
    )
    return module_of(kernel_of("copy_heads", ir.Numbers(ir.Ref(COUNT)), place, body, "heads of rows"), name="heads.sp")


def _of_node(name: str) -> ir.Variable:
    return ir.Variable(name, ir.Element.NODE)


def _arrays(element: ir.Element) -> tuple[ir.Array, ...]:
    """The parameters, in the order in which `copy_heads` has their buffers."""
    cells = ir.Array("cells", element, ir.Extent.SLOTS, ir.Origin.PARAMETER)
    return (_OFFSETS, _BEGINS, cells, ir.Array("copies", element, ir.Extent.HEADS, ir.Origin.PARAMETER))
