"""Finds the triangles of a simple graph whose nodes have few neighbors: each at the node between the two others.

Rows stay as they are, so that the test of the graph is all there is to do before.
"""

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.passes.triangles import search, tallies


class PairSearch(search.TriangleSearch):
    """The search among the pairs of a node's neighbors."""

    def arrays(self) -> tuple[ir.Array, ...]:
        return ()

    def ready(self) -> tuple[ir.HostOp, ...]:
        return ()

    def kernels(self, tally: tallies.Tally) -> tuple[ir.Kernel, ...]:
        return self.checking(), self.intersecting(tally)

    def intersecting(self, tally: tallies.Tally) -> ir.Kernel:
        comment = "looks for arcs between neighbors before a node and behind it"
        return self.step("intersect", ir.AllNodes(), self.v, (self.pairs(tally),), tally.reductions, comment)

    def pairs(self, tally: tallies.Tally) -> ir.KernelOp:
        v, u, w = (ir.Ref(node) for node in (self.v, self.u, self.w))
        joined = build.at_least(ir.FindArc(u, w), ir.Const(0, ir.Element.ARC))
        third = ir.KernelIf(build.both(build.greater(w, v), joined), tally.found(self.w))
        inner = ir.ForNeighbors(ir.Direction.OUT, v, self.w, self.i, (third,), parallel=False)
        tried = (*tally.begin(), inner, *tally.end(self.v, self.u))
        body = (ir.KernelIf(build.less(u, v), tried),)
        return ir.ForNeighbors(ir.Direction.OUT, v, self.u, self.e, body, parallel=False)
