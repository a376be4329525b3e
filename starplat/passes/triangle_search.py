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

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from starplat.ir.nodes import (
    COLUMNS,
    ROW_OFFSETS,
    SOURCES,
    AllArcs,
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Contribute,
    DeclareVariable,
    Direction,
    Domain,
    Element,
    Expression,
    Extent,
    Fill,
    FindArc,
    ForNeighbors,
    ForRange,
    HostBlock,
    HostFunction,
    HostIf,
    HostOp,
    Kernel,
    KernelIf,
    KernelOp,
    KernelWhile,
    Launch,
    Let,
    Load,
    Module,
    Origin,
    Reduction,
    Ref,
    SetLocal,
    Store,
    Unary,
    UnaryOperator,
    Variable,
    Workers,
)
from starplat.ir.rows import row_length
from starplat.ir.visitor import with_signature
from starplat.passes.marked_rows import MarkedRows
from starplat.passes.meetings import Meeting, Tally
from starplat.passes.names import names_throughout
from starplat.passes.rewritten import free_name, replaced

_STEPS = ("check", "orient", "intersect")
FALSE, TRUE = Const(False, Element.BOOL), Const(True, Element.BOOL)


@dataclass
class TriangleSearch:
    """Writes what goes in the place of one launch; `loops_matter` if a loop is enough to make a graph another one."""

    module: Module
    host_function: HostFunction
    kernel: Kernel
    launch: Launch
    meeting: Meeting
    loops_matter: bool

    def __post_init__(self) -> None:
        kernels = {kernel.name for kernel in self.module.kernels}
        self.names = {step: free_name(f"{self.kernel.name}_{step}", kernels) for step in _STEPS}
        self.outer = names_throughout(self.host_function, self.module)
        self.other = Variable(self.own("other_graph"), Element.BOOL)
        self.excess = Variable(self.own("downward_excess"), Element.LONG)
        self.kept = Array(self.own("kept_columns"), Element.NODE, Extent.ARCS, Origin.TEMPORARY)
        self.ends = Array(self.own("kept_ends"), Element.ARC, Extent.NODES, Origin.TEMPORARY)
        self.marks = Array(self.own("marked"), Element.INT, Extent.WORKERS_BITS, Origin.TEMPORARY)
        self.taken = {self.other.name, self.excess.name, self.kept.name, self.ends.name, self.marks.name}
        self.v, self.u, self.w = (self.local(name, Element.NODE) for name in "vuw")
        self.e, self.i = self.local("e", Element.ARC), self.local("i", Element.ARC)

    def own(self, name: str) -> str:
        """A free name in the host function and its kernels, taken from now on."""
        chosen = free_name(name, self.outer)
        self.outer.add(chosen)
        return chosen

    def local(self, name: str, element: Element) -> Variable:
        """A local of the kernels written here."""
        return Variable(free_name(name, self.taken), element)

    def module_with(
        self,
        tally: Tally,
        *,
        before: tuple[HostOp, ...] = (),
        after: tuple[HostOp, ...] = (),
        arrays: tuple[Array, ...] = (),
        kernels: tuple[Kernel, ...] = (),
    ) -> Module:
        """The module that searches in place of the launch, with what the search needs before and after it; on graphs
        of another kind the launch stays."""
        marks = (self.marks,) if self.meeting is Meeting.MARKS else ()
        ready = tuple(Fill(array, Const(0, array.element)) for array in marks)
        found = (Launch(self.names["orient"]), *ready, *before, Launch(self.names["intersect"]), *after)
        body = replaced(self.host_function.body, (self.launch, self.host(found)))
        function = replace(
            self.host_function, body=body, arrays=(*self.host_function.arrays, self.kept, self.ends, *marks, *arrays)
        )
        functions = tuple(function if f.name == function.name else f for f in self.module.functions)
        everything = (*self.module.kernels, *self.kernels(tally), *kernels)
        return replace(self.module, functions=functions, kernels=everything)

    def host(self, found: tuple[HostOp, ...]) -> tuple[HostOp, ...]:
        zero = Const(0, Element.LONG)
        even = _compare("==", Ref(self.excess), zero)
        right = Binary(BinaryOperator.AND, Unary(UnaryOperator.NOT, Ref(self.other)), even, Element.BOOL)
        declared = (DeclareVariable(self.other, FALSE), DeclareVariable(self.excess, zero))
        return (HostBlock((*declared, Launch(self.names["check"]), HostIf(right, found, (self.launch,)))),)

    # --- kernels ---

    def kernels(self, tally: Tally) -> tuple[Kernel, ...]:
        told = (Reduction(self.other, Combine.OR), Reduction(self.excess, Combine.ADD))
        comment = "does every arc have its reverse, and none beside it?"
        check = self.step("check", AllArcs(), self.e, self.check(), told, comment)
        orient = self.step("orient", AllNodes(), self.v, self.orient(), (), "keeps the arcs to nodes of higher degree")
        return check, orient, self.intersecting(tally)

    def intersecting(self, tally: Tally) -> Kernel:
        comment = "looks for arcs between the ends of arcs that a node keeps"
        match self.meeting:
            case Meeting.SEARCH | Meeting.MERGE:
                return self.step("intersect", AllArcs(), self.e, self.intersect(tally), tally.reductions, comment)
            case Meeting.MARKS:
                marked = MarkedRows(self.kept, self.ends, self.marks, self.local)
                worker, body = marked.share(tally)
                return self.step("intersect", Workers(), worker, body, tally.reductions, comment)
        assert_never(self.meeting)

    def step(
        self,
        step: str,
        domain: Domain,
        iterator: Variable,
        body: tuple[KernelOp, ...],
        reductions: tuple[Reduction, ...],
        comment: str,
    ) -> Kernel:
        name, span = self.names[step], self.kernel.span
        return with_signature(
            Kernel(name, domain, iterator, None, body, (), (), reductions, span, f"triangles: {comment}")
        )

    def check(self) -> tuple[KernelOp, ...]:
        """Where no arc is twice, arcs have their reverse if those down have, and there are as many up."""
        arc, before = Ref(self.e), _minus(Ref(self.e), 1)
        source, end = Ref(self.v), Ref(self.u)
        tell = (Contribute(self.other, TRUE),)
        twice = _all(
            _compare(">", arc, Const(0, Element.INT)),
            _compare("==", Load(SOURCES, before), source),
            _compare("==", Load(COLUMNS, before), end),
        )
        lacking = _compare("<", FindArc(end, source), Const(0, Element.ARC))
        down = (Contribute(self.excess, Const(1, Element.LONG)), KernelIf(lacking, tell))
        up = (Contribute(self.excess, Const(-1, Element.LONG)),)
        loop = tell if self.loops_matter else ()
        same = (KernelIf(_compare("==", source, end), loop),) if loop else ()
        return (
            Let(self.v, Load(SOURCES, arc)),
            Let(self.u, Load(COLUMNS, arc)),
            KernelIf(twice, tell),
            *same,
            KernelIf(_compare("<", end, source), down),
            KernelIf(_compare(">", end, source), up),
        )

    def orient(self) -> tuple[KernelOp, ...]:
        """The arcs that a node keeps stand at the beginning of its row, in order."""
        following = self.local("next", Element.ARC)
        degree, others = self.local("degree", Element.ARC), self.local("neighbor_degree", Element.ARC)
        equal = _all(_compare("==", Ref(others), Ref(degree)), _compare(">", Ref(self.u), Ref(self.v)))
        later = Binary(BinaryOperator.OR, _compare(">", Ref(others), Ref(degree)), equal, Element.BOOL)
        keep = (Store(self.kept, Ref(following), Ref(self.u)), SetLocal(following, _plus(Ref(following), 1)))
        body = (Let(others, row_length(self.u)), KernelIf(later, keep))
        return (
            Let(degree, row_length(self.v)),
            Let(following, Load(ROW_OFFSETS, Ref(self.v))),
            ForNeighbors(Direction.OUT, Ref(self.v), self.u, self.e, body, parallel=False),
            Store(self.ends, Ref(self.v), Ref(following)),
        )

    def intersect(self, tally: Tally) -> tuple[KernelOp, ...]:
        """What one arc finds, if its node keeps it."""
        end = self.local("end", Element.ARC)
        found = self.searched(end, tally) if self.meeting is Meeting.SEARCH else self.merged(end, tally)
        return (
            Let(self.v, Load(SOURCES, Ref(self.e))),
            Let(end, Load(self.ends, Ref(self.v))),
            KernelIf(_compare("<", Ref(self.e), Ref(end)), found),
        )

    def merged(self, end: Variable, tally: Tally) -> tuple[KernelOp, ...]:
        """For an arc v -> u: the nodes that both have an arc to."""
        j, last = self.local("j", Element.ARC), self.local("last", Element.ARC)
        one, other = self.local("one", Element.NODE), self.local("other", Element.NODE)
        step = (
            Let(one, Load(self.kept, Ref(self.i))),
            Let(other, Load(self.kept, Ref(j))),
            KernelIf(_compare("==", Ref(one), Ref(other)), tally.found(one)),
            KernelIf(_compare("<=", Ref(one), Ref(other)), (SetLocal(self.i, _plus(Ref(self.i), 1)),)),
            KernelIf(_compare(">=", Ref(one), Ref(other)), (SetLocal(j, _plus(Ref(j), 1)),)),
        )
        both = _all(_compare("<", Ref(self.i), Ref(end)), _compare("<", Ref(j), Ref(last)))
        return (
            Let(self.u, Load(self.kept, Ref(self.e))),
            Let(self.i, Load(ROW_OFFSETS, Ref(self.v))),
            Let(j, Load(ROW_OFFSETS, Ref(self.u))),
            Let(last, Load(self.ends, Ref(self.u))),
            *tally.begin(),
            KernelWhile(both, step),
            *tally.end(self.v, self.u),
        )

    def searched(self, end: Variable, tally: Tally) -> tuple[KernelOp, ...]:
        """For an arc v -> w: whichever other node u v has an arc to, does u have one to w?"""
        each = (
            Let(self.u, Load(self.kept, Ref(self.i))),
            KernelIf(_compare("!=", Ref(self.u), Ref(self.w)), self.search(tally)),
        )
        loop = ForRange(self.i, Load(ROW_OFFSETS, Ref(self.v)), Ref(end), each)
        return (Let(self.w, Load(self.kept, Ref(self.e))), *tally.begin(), loop, *tally.end(self.v, self.w))

    def search(self, tally: Tally) -> tuple[KernelOp, ...]:
        """Whether w stands in the row of u: a binary search."""
        low, high, last = (self.local(name, Element.ARC) for name in ("low", "high", "last"))
        middle = self.local("middle", Element.ARC)
        half = Binary(BinaryOperator.DIVIDE, _minus(Ref(high), Ref(low)), Const(2, Element.INT), Element.ARC)
        smaller = _compare("<", Load(self.kept, Ref(middle)), Ref(self.w))
        is_there = _all(_compare("<", Ref(low), Ref(last)), _compare("==", Load(self.kept, Ref(low)), Ref(self.w)))
        narrowed = KernelIf(smaller, (SetLocal(low, _plus(Ref(middle), 1)),), (SetLocal(high, Ref(middle)),))
        return (
            Let(low, Load(ROW_OFFSETS, Ref(self.u))),
            Let(last, Load(self.ends, Ref(self.u))),
            Let(high, Ref(last)),
            KernelWhile(
                _compare("<", Ref(low), Ref(high)),
                (Let(middle, Binary(BinaryOperator.ADD, Ref(low), half, Element.ARC)), narrowed),
            ),
            KernelIf(is_there, tally.found(self.u)),
        )


def _compare(operator: str, left: Expression, right: Expression) -> Binary:
    return Binary(BinaryOperator(operator), left, right, Element.BOOL)


def _all(first: Expression, *others: Expression) -> Expression:
    for other in others:
        first = Binary(BinaryOperator.AND, first, other, Element.BOOL)
    return first


def _plus(value: Expression, number: int) -> Binary:
    return Binary(BinaryOperator.ADD, value, Const(number, Element.INT), value.element)


def _minus(value: Expression, other: Expression | int) -> Binary:
    taken = Const(other, Element.INT) if isinstance(other, int) else other
    return Binary(BinaryOperator.SUBTRACT, value, taken, value.element)
