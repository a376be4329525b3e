"""Finds every triangle of a simple graph once, by intersecting rows: the kernels, and the host operations around them.

For graphs in which every arc has its reverse and no other beside it, after Chiba and Nishizeki (SIAM J. Comput. 1985)
and Schank and Wagner (WEA 2005): one kernel tests that the graph is such; one keeps of every edge the arc to the end
with more neighbors, so that no node keeps many; one looks, for every two arcs that a node keeps, whether an arc joins
their ends. That finds each triangle once, from its least node. What is done with it is a `Tally`.

Rows keep their places and their order, so that no sums over all nodes are needed. Where threads run in lockstep, those
next to each other take the arcs of one node, and search the same row at the same time. Where a thread is a core, it
marks the nodes of one row, a bit for each in memory of its own, and looks for marks in the rows of all these; the
branches of merging two rows cost more than either. Where it is not known, each thread merges two rows.
"""

from dataclasses import dataclass, replace
from enum import Enum

from starplat.ir import build, fresh_names, nodes as ir, visitor
from starplat.passes.rewritten import replaced
from starplat.passes.triangles import marked_rows, tallies


class Meeting(Enum):
    """The ways to intersect two rows."""

    SEARCH = "numbers of one are searched in the other"
    MERGE = "both are gone through side by side"
    MARKS = "those of one have marks, which are looked for at the numbers of the other"
    CELLS = "as MARKS, and what is found for nodes is counted in cells of each thread"
    TABLES = "those of one are in a table of a group of threads, which looks up those of the others"
    ENDS = "rows stay as they are, and the ends of two are gone through side by side, from the last numbers down"
    TESTED_ENDS = "as ENDS, and the graph is tested on the way where nodes are counted for"


_STEPS = ("check", "orient", "intersect")


@dataclass
class TriangleSearch:
    """Writes what goes in the place of one launch; `loops_matter` if a loop is enough to make a graph another one, and
    `symmetric` tells that every arc is known to have its reverse."""

    module: ir.Module
    host_function: ir.HostFunction
    kernel: ir.Kernel
    launch: ir.Launch
    meeting: Meeting
    loops_matter: bool
    symmetric: bool = False

    def __post_init__(self) -> None:
        kernels = {kernel.name for kernel in self.module.kernels}
        self.names = {step: fresh_names.FreshNames(kernels).free(f"{self.kernel.name}_{step}") for step in _STEPS}
        self.outer = fresh_names.FreshNames(fresh_names.names_throughout(self.host_function, self.module))
        self.other = self.outer.variable("other_graph", ir.Element.BOOL)
        self.excess = self.outer.variable("downward_excess", ir.Element.LONG)
        self.kept = self.outer.array("kept_columns", ir.Element.NODE, ir.Extent.ARCS)
        self.ends = self.outer.array("kept_ends", ir.Element.ARC, ir.Extent.NODES)
        self.marks = self.outer.array("marked", ir.Element.INT, ir.Extent.WORKERS_BITS)
        self.sums = ir.Array(self.outer.fresh("sum_of"), ir.Element.INT, ir.Extent.NODES, ir.Origin.THREAD)
        made = (self.other, self.excess, self.kept, self.ends, self.marks, self.sums)
        self.taken = {one.name for one in made}
        self.v, self.u, self.w = (self.local(name, ir.Element.NODE) for name in "vuw")
        self.e, self.i = self.local("e", ir.Element.ARC), self.local("i", ir.Element.ARC)

    def local(self, name: str, element: ir.Element) -> ir.Variable:
        """A local of the kernels written here."""
        return ir.Variable(fresh_names.FreshNames(self.taken).free(name), element)

    def module_with(
        self,
        tally: tallies.Tally,
        *,
        before: tuple[ir.HostOp, ...] = (),
        after: tuple[ir.HostOp, ...] = (),
        arrays: tuple[ir.Array, ...] = (),
        kernels: tuple[ir.Kernel, ...] = (),
    ) -> ir.Module:
        """The module that searches in place of the launch, with what the search needs before and after it; on graphs
        of another kind the launch stays."""
        body = replaced(self.host_function.body, (self.launch, self.host(before, after)))
        everywhere = (*self.host_function.arrays, *self.arrays(), *arrays)
        function = replace(self.host_function, body=body, arrays=everywhere)
        everything = (*self.module.kernels, *self.kernels(tally), *kernels)
        return replace(self.module.with_function(function), kernels=everything)

    def arrays(self) -> tuple[ir.Array, ...]:
        return (self.kept, self.ends, *((self.marks,) if self.has_marks else ()))

    @property
    def has_marks(self) -> bool:
        """Whether nodes of a row are marked."""
        return self.meeting in (Meeting.MARKS, Meeting.CELLS)

    def test_on_the_way(self) -> ir.Expression:
        """Has the search test the graph, if it can; what then tells whether an arc leads from a node to itself. What it
        finds on another graph must be of no use to anyone."""
        return build.TRUE

    def begin(self) -> tuple[ir.HostOp, ...]:
        """What stands before the test of the graph."""
        return ()

    def ready(self) -> tuple[ir.HostOp, ...]:
        """What stands behind it, on graphs that pass."""
        marks = (ir.Fill(self.marks, build.ZERO),) if self.has_marks else ()
        return (ir.Launch(self.names["orient"]), *marks)

    def host(self, before: tuple[ir.HostOp, ...], after: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
        found = (*self.ready(), *before, ir.Launch(self.names["intersect"]), *after)
        return self.tested((*self.begin(), ir.Launch(self.names["check"])), found)

    def tested(self, test: tuple[ir.HostOp, ...], found: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
        """A test of the graph, and what follows if it passes."""
        zero = ir.Const(0, ir.Element.LONG)
        declared = (ir.DeclareVariable(self.other, build.FALSE), ir.DeclareVariable(self.excess, zero))
        asked = (build.denied(ir.Ref(self.other)), build.equal(ir.Ref(self.excess), zero))
        right = build.both(*asked[: 2 - self.symmetric])
        return (ir.HostBlock((*declared[: 2 - self.symmetric], *test, ir.HostIf(right, found, (self.launch,)))),)

    # --- kernels ---

    def kernels(self, tally: tallies.Tally) -> tuple[ir.Kernel, ...]:
        orient = self.step(
            "orient", ir.AllNodes(), self.v, self.orient(), (), "keeps the arcs to nodes of higher degree"
        )
        return self.checking(), orient, self.intersecting(tally)

    def checking(self, *, more: tuple[ir.KernelOp, ...] = (), comment: str = "") -> ir.Kernel:
        """The test of the graph, with what else is done for every arc of `v` to `u`."""
        asked = "is no arc twice?" if self.symmetric else "does every arc have its reverse, and none beside it?"
        return self.step("check", ir.AllArcs(), self.e, (*self.check(), *more), self.told(), f"{asked}{comment}")

    def told(self) -> tuple[ir.Reduction, ...]:
        """What the test brings back."""
        told = (ir.Reduction(self.other, ir.Combine.OR), ir.Reduction(self.excess, ir.Combine.ADD))
        return told[: 2 - self.symmetric]

    def intersecting(self, tally: tallies.Tally) -> ir.Kernel:
        comment = "looks for arcs between the ends of arcs that a node keeps"
        if self.has_marks:
            sums = self.sums if self.meeting is Meeting.CELLS and tally.of_each else None
            worker, body = marked_rows.MarkedRows(self.kept, self.ends, self.marks, self.local, sums).share(tally)
            return self.step("intersect", ir.Workers(), worker, body, tally.reductions, comment)
        return self.step("intersect", ir.AllArcs(), self.e, self.intersect(tally), tally.reductions, comment)

    def step(
        self,
        step: str,
        domain: ir.Domain,
        iterator: ir.Variable,
        body: tuple[ir.KernelOp, ...],
        reductions: tuple[ir.Reduction, ...],
        comment: str,
    ) -> ir.Kernel:
        name, span, shared = self.names[step], self.kernel.span, isinstance(domain, ir.Triangles)
        comment = f"triangles: {comment}"
        kernel = ir.Kernel(name, domain, iterator, body, reductions=reductions, span=span, comment=comment)
        return visitor.with_signature(replace(kernel, shares_arcs=shared))

    def check(self) -> tuple[ir.KernelOp, ...]:
        """Where no arc is twice, arcs have their reverse if those down have, and there are as many up."""
        arc = ir.Ref(self.e)
        before = ir.Load(ir.SOURCES, build.minus(arc, build.ONE))
        follows = build.both(build.greater(arc, build.ZERO), build.equal(before, ir.Ref(self.v)))
        source, end = ir.Ref(self.v), ir.Ref(self.u)
        lacking = build.less(ir.FindArc(end, source), ir.Const(0, ir.Element.ARC))
        other = (ir.Contribute(self.other, build.TRUE),)
        down = (ir.Contribute(self.excess, ir.Const(1, ir.Element.LONG)), ir.KernelIf(lacking, other))
        up = (ir.Contribute(self.excess, ir.Const(-1, ir.Element.LONG)),)
        ways = (ir.KernelIf(build.less(end, source), down), ir.KernelIf(build.greater(end, source), up))
        named = ir.Let(self.v, ir.Load(ir.SOURCES, arc)), ir.Let(self.u, ir.CSR.neighbor(arc))
        return (*named, *self.tests(follows), *(() if self.symmetric else ways))

    def tests(self, follows: ir.Expression) -> tuple[ir.KernelOp, ...]:
        """Whether an arc is there twice, or a loop where that matters. One that `follows` has another one of its node
        before it."""
        source, end = ir.Ref(self.v), ir.Ref(self.u)
        tell = (ir.Contribute(self.other, build.TRUE),)
        twice = build.both(follows, build.equal(ir.CSR.neighbor(build.minus(ir.Ref(self.e), build.ONE)), end))
        same = (ir.KernelIf(build.equal(source, end), tell),) if self.loops_matter else ()
        return (ir.KernelIf(twice, tell), *same)

    def orient(self) -> tuple[ir.KernelOp, ...]:
        """The arcs that a node keeps stand at the beginning of its row, in order."""
        following = self.local("next", ir.Element.ARC)
        degree, others = self.local("degree", ir.Element.ARC), self.local("neighbor_degree", ir.Element.ARC)
        later = self.later(degree, others)
        keep = (
            ir.Store(self.kept, ir.Ref(following), ir.Ref(self.u)),
            ir.SetLocal(following, build.plus(ir.Ref(following), build.ONE)),
        )
        body = (ir.Let(others, ir.CSR.degree(ir.Ref(self.u))), ir.KernelIf(later, keep))
        return (
            ir.Let(degree, ir.CSR.degree(ir.Ref(self.v))),
            ir.Let(following, ir.CSR.first(ir.Ref(self.v))),
            ir.ForNeighbors(ir.Direction.OUT, ir.Ref(self.v), self.u, self.e, body, parallel=False),
            ir.Store(self.ends, ir.Ref(self.v), ir.Ref(following)),
        )

    def later(self, degree: ir.Variable, others: ir.Variable) -> ir.Expression:
        """Whether `v` keeps its arc to `u`, whose degree is that of `others`."""
        equal = build.both(build.equal(ir.Ref(others), ir.Ref(degree)), build.greater(ir.Ref(self.u), ir.Ref(self.v)))
        return build.either(build.greater(ir.Ref(others), ir.Ref(degree)), equal)

    def intersect(self, tally: tallies.Tally) -> tuple[ir.KernelOp, ...]:
        """What one arc finds, if its node keeps it."""
        end = self.local("end", ir.Element.ARC)
        found = self.searched(end, tally) if self.meeting is Meeting.SEARCH else self.merged(end, tally)
        return (
            ir.Let(self.v, ir.Load(ir.SOURCES, ir.Ref(self.e))),
            ir.Let(end, ir.Load(self.ends, ir.Ref(self.v))),
            ir.KernelIf(build.less(ir.Ref(self.e), ir.Ref(end)), found),
        )

    def merged(self, end: ir.Variable, tally: tallies.Tally) -> tuple[ir.KernelOp, ...]:
        """For an arc v -> u: the nodes that both have an arc to."""
        j, last = self.local("j", ir.Element.ARC), self.local("last", ir.Element.ARC)
        one, other = self.local("one", ir.Element.NODE), self.local("other", ir.Element.NODE)
        step = (
            ir.Let(one, ir.Load(self.kept, ir.Ref(self.i))),
            ir.Let(other, ir.Load(self.kept, ir.Ref(j))),
            ir.KernelIf(build.equal(ir.Ref(one), ir.Ref(other)), tally.found(one)),
            ir.KernelIf(
                build.at_most(ir.Ref(one), ir.Ref(other)), (ir.SetLocal(self.i, build.plus(ir.Ref(self.i), build.ONE)),)
            ),
            ir.KernelIf(
                build.at_least(ir.Ref(one), ir.Ref(other)), (ir.SetLocal(j, build.plus(ir.Ref(j), build.ONE)),)
            ),
        )
        both = build.both(build.less(ir.Ref(self.i), ir.Ref(end)), build.less(ir.Ref(j), ir.Ref(last)))
        return (
            ir.Let(self.u, ir.Load(self.kept, ir.Ref(self.e))),
            ir.Let(self.i, ir.CSR.first(ir.Ref(self.v))),
            ir.Let(j, ir.CSR.first(ir.Ref(self.u))),
            ir.Let(last, ir.Load(self.ends, ir.Ref(self.u))),
            *tally.begin(),
            ir.KernelWhile(both, step),
            *tally.end(self.v, self.u),
        )

    def searched(self, end: ir.Variable, tally: tallies.Tally) -> tuple[ir.KernelOp, ...]:
        """For an arc v -> w: whichever other node u v has an arc to, does u have one to w?"""
        each = (
            ir.Let(self.u, ir.Load(self.kept, ir.Ref(self.i))),
            ir.KernelIf(build.differs(ir.Ref(self.u), ir.Ref(self.w)), self.search(tally)),
        )
        loop = ir.ForRange(self.i, ir.CSR.first(ir.Ref(self.v)), ir.Ref(end), each)
        return (ir.Let(self.w, ir.Load(self.kept, ir.Ref(self.e))), *tally.begin(), loop, *tally.end(self.v, self.w))

    def search(self, tally: tallies.Tally) -> tuple[ir.KernelOp, ...]:
        """Whether w stands in the row of u: a binary search."""
        low, high, last = (self.local(name, ir.Element.ARC) for name in ("low", "high", "last"))
        middle = self.local("middle", ir.Element.ARC)
        half = build.divided(build.minus(ir.Ref(high), ir.Ref(low)), build.number(2), ir.Element.ARC)
        smaller = build.less(ir.Load(self.kept, ir.Ref(middle)), ir.Ref(self.w))
        is_there = build.both(
            build.less(ir.Ref(low), ir.Ref(last)), build.equal(ir.Load(self.kept, ir.Ref(low)), ir.Ref(self.w))
        )
        narrowed = ir.KernelIf(
            smaller, (ir.SetLocal(low, build.plus(ir.Ref(middle), build.ONE)),), (ir.SetLocal(high, ir.Ref(middle)),)
        )
        return (
            ir.Let(low, ir.CSR.first(ir.Ref(self.u))),
            ir.Let(last, ir.Load(self.ends, ir.Ref(self.u))),
            ir.Let(high, ir.Ref(last)),
            ir.KernelWhile(
                build.less(ir.Ref(low), ir.Ref(high)),
                (ir.Let(middle, build.plus(ir.Ref(low), half, ir.Element.ARC)), narrowed),
            ),
            ir.KernelIf(is_there, tally.found(self.u)),
        )
