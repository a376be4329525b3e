"""Who has which nodes and arcs in a run in parts."""

from dataclasses import dataclass

from starplat.graph.csr import bounds_of
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
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
