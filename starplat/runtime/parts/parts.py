"""The nodes and arcs of each part in a run in parts: all arcs, or only the rows of its own nodes."""

from dataclasses import dataclass

import numpy as np

from starplat.graph.csr import Reverse, bounds_of
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.passes.parts.rows import arrays_of_arcs
from starplat.runtime.elements import dtype_of, needs_wide_arcs
from starplat.runtime.parts.communicator import Communicator


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a graph. Rank r has the nodes from `nodes[r]` up to `nodes[r + 1]`, and the arcs that leave them,
    which are those from `arcs[r]` up to `arcs[r + 1]`."""

    communicator: Communicator
    nodes: list[int]
    arcs: list[int]

    @property
    def rank(self) -> int:
        """The number of this part."""
        return self.communicator.rank

    def bounds(self, extent: ir.Extent, cells: int) -> list[int]:
        """Which of so many cells each part has; rank 0 has those that belong to no nodes or arcs."""
        if extent is ir.Extent.NODES:
            return self.nodes
        if extent is ir.Extent.ARCS:
            return self.arcs
        return [0] + [cells] * self.communicator.size


def parts_of(graph: Graph, communicator: Communicator) -> Parts:
    """Pieces of the nodes, in order, each with about as many arcs in and out and nodes as the others."""
    nodes = bounds_of(graph.row_offsets, communicator.size)
    return Parts(communicator, nodes, [int(graph.row_offsets[node]) for node in nodes])


def with_own_rows(graph: Graph, parts: Parts, module: ir.Module) -> Graph:
    """The graph, of which this part holds the rows out of its own nodes, and those into them if the module uses them.

    Processes make the rows into nodes together: each sends its arcs to the owners of their destinations.
    """
    own = graph.with_rows_of(*parts.nodes[parts.rank : parts.rank + 2])
    used = {ir.IN_ARCS, *((ir.IN_ROW_OFFSETS, ir.IN_COLUMNS) if graph.directed else ())}
    if used.isdisjoint(module.graph_arrays):
        return own
    if not parts.communicator.ends_processes:
        own.__dict__["reverse"] = graph.reverse
    elif any(parts.communicator.gather("reverse" not in own.__dict__)):  # all make them, or none
        own.__dict__["reverse"] = reverse_within(graph, parts)
    return own


def reverse_within(graph: Graph, parts: Parts) -> Reverse:
    """The incoming arcs of the part's own nodes, at their places among all incoming arcs. Other places are zero, and
    take no memory until they are read."""
    first, end = parts.nodes[parts.rank : parts.rank + 2]
    arcs = slice(*parts.arcs[parts.rank : parts.rank + 2])
    leaving = graph.columns[arcs], graph.sources_within(first, end), np.arange(arcs.start, arcs.stop)
    whose = np.searchsorted(parts.nodes[1:], leaving[0], side="right")
    given = [tuple(array[whose == part] for array in leaving) for part in range(parts.communicator.size)]
    heads, tails, ids = map(np.concatenate, zip(*parts.communicator.deliver(given), strict=True))
    degrees = np.zeros(graph.num_nodes, np.int64)
    degrees[first:end] = np.bincount(heads - first, minlength=end - first)
    offsets = np.zeros(graph.num_nodes + 1, np.int64)
    np.cumsum(parts.communicator.share(degrees, parts.nodes), out=offsets[1:])
    columns, arc_ids = np.zeros(graph.num_arcs, np.int32), np.zeros(graph.num_arcs, np.int64)
    order = np.argsort(heads, kind="stable")  # ranks, and so tails, ascend within
    slots = slice(int(offsets[first]), int(offsets[end]))
    columns[slots], arc_ids[slots] = tails[order], ids[order]
    return Reverse(offsets, columns, arc_ids)


def bytes_of_arcs(graph: Graph, module: ir.Module) -> int:
    """The bytes that a part holds of arrays with a cell for every arc."""
    wide, found = needs_wide_arcs(graph.num_arcs), {}
    for array in arrays_of_arcs(module):
        both_ways = not graph.directed and array in (ir.COLUMNS, ir.IN_COLUMNS)
        key = ir.COLUMNS if both_ways else ir.WEIGHTS if array.origin is ir.Origin.WEIGHT else array
        own = graph.slots_of_piece(incoming=array.extent is ir.Extent.SLOTS)
        found[key, array.element] = (own.stop - own.start) * dtype_of(array.element, wide_arcs=wide).itemsize
    return sum(found.values())
