"""Finds triangles by intersecting rows, where a program tries every pair of a node's neighbors.

A kernel that counts the graph's triangles, or of which loops count those of their node, as for clustering coefficients,
gives way to a search that finds each once, on simple graphs whose arcs lead both ways. Behind a search that counts them
for each node stands the kernel without the counting. On other graphs the program's own kernel runs.

By tables, threads keep the nodes of one row in memory of their own, and look up those of all rows that it leads to.
Rows need no order, so the arcs that nodes keep take their places as threads come by, in the launch that tests the
graph, and long rows are shared. Hu, Liu and Huang (SC 2021) build such tables as well. Where nodes have few neighbors,
each triangle is found at the node between the two others: rows stay as they are, and the ends of two are gone through
side by side (ENDS), which relies on arcs that lead both ways. What is counted in cells of its own need not wait for the
test whether an arc is twice.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from starplat.ir import build, nodes as ir, rewriter
from starplat.ir.fresh_names import FreshNames
from starplat.ir.visitor import (
    blocks_of,
    declared_by,
    expressions_of,
    variables_read,
    walk_host,
    walk_kernel,
    with_signature,
)
from starplat.passes.rewritten import Found, Rewritten, tidied
from starplat.passes.triangles.search import Meeting, TriangleSearch
from starplat.passes.triangles.tallies import OfNodes, Sum, Tally

Counts = dict[ir.Variable | ir.Array, ir.PerTriangle]
"""What grows, and by how much."""


def triangles(
    module: ir.Module,
    *,
    meeting: Meeting = Meeting.SEARCH,
    symmetric: bool = False,
    adds: Callable[[ir.Element], bool] = lambda element: True,
) -> Rewritten:
    """The same program with intersections in place of tests of pairs, and the replacements.

    Args:
        meeting: how rows are compared; TESTED_ENDS only where nodes are counted for.
        symmetric: whether every graph that the program will see has the reverse of each of its arcs.
        adds: whether threads can add to one cell of this kind at the same time.
    """
    found, rewritten = [], module
    for function in module.functions:
        for launch in walk_host(function.body):
            if isinstance(launch, ir.Launch) and (counts := _counts(kernel := module.kernel(launch.kernel), adds)):
                if meeting is Meeting.TESTED_ENDS and kernel.reductions:
                    continue
                host = rewritten.function(function.name)
                loops_matter = any(count.loops_count for count in counts.values())
                kind = _KINDS.get(meeting, TriangleSearch)
                search = kind(rewritten, host, kernel, launch, meeting, loops_matter, symmetric)
                rewritten = _with_counts(search, counts) if kernel.counts is None else _with_sum(search, kernel.counts)
                found.append(_note(kernel, counts))
    return Rewritten(tidied(rewritten), tuple(found)) if found else Rewritten(module)


def _counts(kernel: ir.Kernel, adds: Callable[[ir.Element], bool]) -> Counts:
    """What grows for triangles, if threads can make it: the kernel's one sum, the cells of all nodes, or locals of one
    type for those of its node."""
    counts: Counts = {}
    match kernel.counts:
        case ir.PerTriangle(ir.Array() as cells) as count:
            counts = {cells: count} if adds(cells.element) else {}
        case ir.PerTriangle() as count:
            counts = {kernel.reductions[0].variable: count}
        case None if isinstance(kernel.domain, ir.AllNodes):
            found = counts_of(*walk_kernel(kernel.body))
            elements = {local.element for local in found}
            if len(elements) == 1 and all(map(adds, elements)):
                for local, count in found.items():
                    counts[local] = count
    return counts if all(map(_fits, counts, counts.values())) else {}


def _fits(variable: ir.Variable | ir.Array, count: ir.PerTriangle) -> bool:
    """Whether a triangle's addition is a number of the variable's type."""
    least, most = ir.limits(variable.element)
    return least <= count.value <= most


def _note(kernel: ir.Kernel, counts: Iterable[ir.Variable | ir.Array]) -> Found:
    """What was done, for people."""
    names = " and ".join(f"'{name}'" for name in dict.fromkeys(local.name for local in counts))
    why = "every triangle adds the same for each of its nodes"
    if kernel.counts is not None and kernel.reductions:
        why = f"every triangle adds {kernel.counts.value} to it, whichever of its nodes comes first"
    return Found(f"intersections of neighbors for {names}, on simple graphs whose arcs lead both ways", why)


def _with_sum(search: TriangleSearch, count: ir.PerTriangle) -> ir.Module:
    """The module with the search for what is all that a kernel does."""
    if isinstance(count.target, ir.Array):
        search.taken.add(count.target.name)
        return search.module_with(OfNodes(count.target, search.local("here", count.target.element), count.value))
    total = Sum(search.kernel.reductions[0], count.value)
    search.taken.add(total.reduction.variable.name)
    return search.module_with(total)


def _with_counts(search: TriangleSearch, locals_: Iterable[ir.Variable | ir.Array]) -> ir.Module:
    """The module with the search, and the kernel without its counting after it."""
    kernel, node = search.kernel, search.kernel.iterator
    element = next(iter(locals_)).element
    assert node is not None
    counts = ir.Array(search.outer.free("triangles_of"), element, ir.Extent.NODES, ir.Origin.TEMPORARY)
    search.taken.add(counts.name)

    def added(local: ir.Variable, times: int) -> ir.KernelOp:
        counted: ir.Expression = ir.Load(counts, ir.Ref(node))
        if times != 1:
            counted = build.times(ir.Const(times, element), counted, element)
        return ir.SetLocal(local, build.plus(ir.Ref(local), counted))

    name = FreshNames({kernel.name for kernel in search.module.kernels}).free(f"{kernel.name}_from_triangles")
    comment = f"{kernel.comment}: from the triangles of nodes".removeprefix(": ")
    body = Uncounted(added, search.test_on_the_way()).kernel_block(kernel.body)
    return search.module_with(
        OfNodes(counts, search.local("here", element)),
        before=(ir.Fill(counts, ir.Const(0, element)),),
        after=(ir.Launch(name),),
        arrays=(counts,),
        kernels=(with_signature(replace(kernel, name=name, body=body, comment=comment)),),
    )


class TableSearch(TriangleSearch):
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

    def kernels(self, tally: Tally) -> tuple[ir.Kernel, ...]:
        comment = " keeps the arcs to nodes of higher degree"
        return self.checking(more=self.keeping(), comment=comment), self.intersecting(tally)

    def keeping(self) -> tuple[ir.KernelOp, ...]:
        """An arc that is kept takes the next place in its row."""
        degree, others = self.local("degree", ir.Element.ARC), self.local("neighbor_degree", ir.Element.ARC)
        place = self.local("place", ir.Element.INT)
        behind = build.plus(ir.CSR.first(ir.Ref(self.v)), ir.Cast(ir.Ref(place), ir.Element.ARC))
        keep = (
            ir.Let(place, build.ZERO),
            ir.FetchAdd(place, self.sizes, ir.Ref(self.v), build.ONE, in_runs=True),
            ir.Store(self.kept, behind, ir.Ref(self.u)),
        )
        return (
            ir.Let(degree, ir.CSR.degree(ir.Ref(self.v))),
            ir.Let(others, ir.CSR.degree(ir.Ref(self.u))),
            ir.KernelIf(self.later(degree, others), keep),
        )

    def intersecting(self, tally: Tally) -> ir.Kernel:
        number = self.local("number", ir.Element.LONG)
        triangles = ir.Triangles(self.kept, self.sizes, number, tally.of_each)
        body = (tally.several(self.v, number),)
        comment = "looks for arcs between the ends of arcs that a node keeps"
        return self.step("intersect", triangles, self.v, body, tally.reductions, comment)


class EndSearch(TriangleSearch):
    """The search by the ends of rows."""

    loops: ir.Variable | None = None

    def test_on_the_way(self) -> ir.Expression:
        if self.meeting is not Meeting.TESTED_ENDS:
            return build.TRUE
        self.loops = self.outer.variable("has_loops", ir.Element.BOOL)
        self.taken.add(self.loops.name)
        return ir.Ref(self.loops)

    def host(self, before: tuple[ir.HostOp, ...], after: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
        """Ends may be gone through before the test where every arc is known to have its reverse."""
        if self.loops is not None:
            before = (ir.DeclareVariable(self.loops, build.FALSE), *before)
        if self.loops is None or not self.symmetric:
            return super().host(before, after)
        return self.tested((*before, ir.Launch(self.names["intersect"])), after)

    def arrays(self) -> tuple[ir.Array, ...]:
        return ()

    def ready(self) -> tuple[ir.HostOp, ...]:
        return ()

    def kernels(self, tally: Tally) -> tuple[ir.Kernel, ...]:
        checking = () if self.loops is not None and self.symmetric else (self.checking(),)
        return (*checking, self.intersecting(tally))

    def intersecting(self, tally: Tally) -> ir.Kernel:
        comment = "looks for arcs between neighbors before a node and behind it"
        v, u = ir.Ref(self.v), ir.Ref(self.u)
        body: tuple[ir.KernelOp, ...] = (ir.KernelIf(build.less(u, v), self.of_neighbor(tally)),)
        reductions = tally.reductions
        if self.loops is not None:
            loop = (ir.Contribute(self.loops, build.TRUE),)
            tests = self.tests(build.greater(ir.Ref(self.e), ir.CSR.first(v)))
            body = (*tests, ir.KernelIf(build.equal(u, v), loop), *body)
            reductions = tuple(ir.Reduction(told, ir.Combine.OR) for told in (self.other, self.loops))
        rows = ir.ForNeighbors(ir.Direction.OUT, v, self.u, self.e, body, parallel=False)
        return self.step("intersect", ir.AllNodes(), self.v, (rows,), reductions, comment)

    def of_neighbor(self, tally: Tally) -> tuple[ir.KernelOp, ...]:
        """The triangles of `v` and of a neighbor `u` before it whose third node stands behind it."""
        return (*tally.begin(), *self.ends_met(tally), *tally.end(self.v, self.u))

    def ends_met(self, tally: Tally) -> tuple[ir.KernelOp, ...]:
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


def _back(place: ir.Variable) -> ir.SetLocal:
    return ir.SetLocal(place, build.minus(ir.Ref(place), build.ONE))


_KINDS = {Meeting.TABLES: TableSearch, Meeting.ENDS: EndSearch, Meeting.TESTED_ENDS: EndSearch}


Added = Callable[[ir.Variable, int], ir.KernelOp]
"""Writes what makes a local grow by a number of times the triangles of the node in hand."""


def counts_of(*loops: ir.KernelOp) -> dict[ir.Variable, ir.PerTriangle]:
    """The locals that loops count triangles of their node in, and what each triangle adds."""
    counts = (c for op in loops if isinstance(op, ir.ForNeighbors) for c in op.counts)
    return {c.target: c for c in counts if isinstance(c.target, ir.Variable)}


class Uncounted(rewriter.Rewriter):
    """Puts what is `added` in the place of loops that count, and leaves out those that do nothing. `has_loops` tells
    whether an arc may lead from a node to itself."""

    def __init__(self, added: Added, has_loops: ir.Expression) -> None:
        self.added = added
        self.has_loops = has_loops

    def kernel_op(self, op: ir.KernelOp) -> Iterator[ir.KernelOp]:
        if not isinstance(op, ir.ForNeighbors):
            yield self.rebuild(op)
        elif not op.one_way:
            counts = counts_of(op)
            for left in _Without(op, set(counts)).kernel_op(replace(op, counts=())):
                yield from _by_degree(left, self.has_loops) or (left,)
            yield from (self.added(local, count.value) for local, count in counts.items())


def _by_degree(loop: ir.KernelOp, has_loops: ir.Expression) -> tuple[ir.KernelOp, ...]:
    """What a loop does that only counts neighbors, all or all but the node itself; nothing for another loop. No
    neighbor comes twice, and as many arcs lead to a node as from it."""
    match loop:
        case ir.ForNeighbors(node=node, neighbor=neighbor, body=(ir.SetLocal() as step,)):
            itself = False
        case ir.ForNeighbors(node=node, neighbor=neighbor, body=(ir.KernelIf(test, (ir.SetLocal() as step,), ()),)):
            itself = test in (build.differs(ir.Ref(neighbor), node), build.differs(node, ir.Ref(neighbor)))
            if not itself:
                return ()
        case _:
            return ()
    match step:
        case ir.SetLocal(sum_, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(left), ir.Const(int() as one), element)) if (
            left == sum_ and element is sum_.element and element.is_integer and ir.Ref(sum_) != node
        ):
            degree: ir.Expression = ir.CSR.degree(node)
            if itself:
                is_there = build.at_least(ir.FindArc(node, node), ir.Const(0, ir.Element.ARC))
                arc, always = ir.Element.ARC, has_loops == build.TRUE
                is_loop = is_there if always else build.both(has_loops, is_there)
                degree = build.minus(degree, ir.Select(is_loop, ir.Const(1, arc), ir.Const(0, arc)))
            many: ir.Expression = ir.Cast(degree, element)
            many = many if one == 1 else build.times(ir.Const(one, element), many)
            return (ir.SetLocal(sum_, build.plus(ir.Ref(sum_), many)),)
    return ()


class _Without(rewriter.Rewriter):
    """Drops what makes some locals grow, the locals inside that are added to them, and what is left with nothing in
    it."""

    def __init__(self, loop: ir.ForNeighbors, grown: set[ir.Variable]) -> None:
        ops = list(walk_kernel(loop.body))
        inside = {variable for op in ops for variable in declared_by(op)}
        added = (e for op in ops if isinstance(op, ir.SetLocal) and op.variable in grown for e in expressions_of(op))
        self.dropped = grown | {local for e in added for local in variables_read(e) & inside}

    def kernel_op(self, op: ir.KernelOp) -> Iterator[ir.KernelOp]:
        if not isinstance(op, ir.Let | ir.SetLocal) or op.variable not in self.dropped:
            left = self.rebuild(op)
            if blocks_of(left) or not blocks_of(op):
                yield left
