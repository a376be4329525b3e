"""Finds the triangles of a simple graph by tables: threads keep the nodes of one row in memory of their own, and look
up those of all rows that it leads to.

Rows need no order, so the arcs that nodes keep take their places as threads come by, in the launch that tests the
graph, and long rows are shared. Hu, Liu and Huang (SC 2021) build such tables as well.
"""

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.passes.triangles import search, tallies


class TableSearch(search.TriangleSearch):
    """The search by tables."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sizes = self.outer.array("kept_arcs", ir.Element.INT, ir.Extent.NODES)
        self.taken.add(self.sizes.name)

    def arrays(self) -> tuple[ir.Array, ...]:
        return self.kept, self.sizes

    def begin(self) -> tuple[ir.HostOp, ...]:
        return (ir.Fill(self.sizes, build.ZERO),)

    def ready(self) -> tuple[ir.HostOp, ...]:
        return ()

    def kernels(self, tally: tallies.Tally) -> tuple[ir.Kernel, ...]:
        comment = " keeps the arcs to nodes of higher degree"
        return self.checking(more=self.keeping(), comment=comment), self.intersecting(tally)

    def keeping(self) -> tuple[ir.KernelOp, ...]:
        """An arc that is kept takes the next place in its row."""
        degree, others = self.local("degree", ir.Element.ARC), self.local("neighbor_degree", ir.Element.ARC)
        place = self.local("place", ir.Element.INT)
        behind = build.plus(ir.CSR.first(ir.Ref(self.v)), ir.Cast(ir.Ref(place), ir.Element.ARC))
        keep = (
            ir.Let(place, build.ZERO),
            ir.FetchAdd(place, self.sizes, ir.Ref(self.v), build.ONE),
            ir.Store(self.kept, behind, ir.Ref(self.u)),
        )
        return (
            ir.Let(degree, ir.CSR.degree(ir.Ref(self.v))),
            ir.Let(others, ir.CSR.degree(ir.Ref(self.u))),
            ir.KernelIf(self.later(degree, others), keep),
        )

    def intersecting(self, tally: tallies.Tally) -> ir.Kernel:
        number = self.local("number", ir.Element.LONG)
        triangles = ir.Triangles(self.kept, self.sizes, number, tally.of_each)
        body = (tally.several(self.v, number),)
        comment = "looks for arcs between the ends of arcs that a node keeps"
        return self.step("intersect", triangles, self.v, body, tally.reductions, comment)
