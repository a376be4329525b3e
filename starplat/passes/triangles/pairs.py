"""Finds the triangles of a simple graph whose nodes have few neighbors: each at the node between the two others.

Rows stay as they are, so that the test of the graph is all there is to do before. Each pair is looked up (PAIRS), or
the ends of two rows are gone through side by side (ENDS), which takes fewer steps and suits threads that are cores.
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
        body = ir.KernelIf(build.less(ir.Ref(self.u), ir.Ref(self.v)), self.of_neighbor(tally))
        rows = ir.ForNeighbors(ir.Direction.OUT, ir.Ref(self.v), self.u, self.e, (body,), parallel=False)
        return self.step("intersect", ir.AllNodes(), self.v, (rows,), tally.reductions, comment)

    def of_neighbor(self, tally: tallies.Tally) -> tuple[ir.KernelOp, ...]:
        """The triangles of `v` and of a neighbor `u` before it whose third node stands behind it."""
        found = self.ends_met(tally) if self.meeting is search.Meeting.ENDS else (self.pairs(tally),)
        return (*tally.begin(), *found, *tally.end(self.v, self.u))

    def ends_met(self, tally: tallies.Tally) -> tuple[ir.KernelOp, ...]:
        """Rows need no bounds: in that of `u` stands `v`, in that of `v` stands `u`, which is less."""
        v, j = ir.Ref(self.v), self.local("j", ir.Element.ARC)
        one, other = self.local("one", ir.Element.NODE), self.local("other", ir.Element.NODE)
        there, here = ir.CSR.neighbor(ir.Ref(self.i)), ir.CSR.neighbor(ir.Ref(j))
        step = (
            ir.Let(one, there),
            ir.Let(other, here),
            ir.KernelIf(build.equal(ir.Ref(one), ir.Ref(other)), tally.found(one)),
            ir.KernelIf(build.at_least(ir.Ref(one), ir.Ref(other)), (_back(self.i),)),
            ir.KernelIf(build.at_most(ir.Ref(one), ir.Ref(other)), (_back(j),)),
        )
        return (
            ir.Let(self.i, build.minus(ir.CSR.end(ir.Ref(self.u)), build.ONE)),
            ir.Let(j, build.minus(ir.CSR.end(v), build.ONE)),
            ir.KernelWhile(build.both(build.greater(there, v), build.greater(here, v)), step),
        )

    def pairs(self, tally: tallies.Tally) -> ir.KernelOp:
        v, u, w = (ir.Ref(node) for node in (self.v, self.u, self.w))
        joined = build.at_least(ir.FindArc(u, w), ir.Const(0, ir.Element.ARC))
        third = ir.KernelIf(build.both(build.greater(w, v), joined), tally.found(self.w))
        return ir.ForNeighbors(ir.Direction.OUT, v, self.w, self.i, (third,), parallel=False)


def _back(place: ir.Variable) -> ir.SetLocal:
    return ir.SetLocal(place, build.minus(ir.Ref(place), build.ONE))
