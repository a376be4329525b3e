"""Counts the triangles of every node by intersecting rows, where a program tries the pairs of its neighbors.

A kernel whose loops tell that they count triangles, as for clustering coefficients, is replaced by a search that finds
each triangle once and adds one to all of its nodes, and by the same kernel without the counting, on simple graphs whose
arcs lead both ways. On other graphs the program's own kernel runs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames, names_throughout
from starplat.ir.visitor import walk_host, with_signature
from starplat.passes.rewritten import Found, Rewritten, tidied
from starplat.passes.triangles.meetings import Meeting
from starplat.passes.triangles.node_counts import NodeCounts, node_counts
from starplat.passes.triangles.search import TriangleSearch


def node_triangles(
    module: ir.Module, *, meeting: Meeting = Meeting.SEARCH, adds: Callable[[ir.Element], bool] = lambda element: True
) -> Rewritten:
    """The same program with intersections in place of tests of pairs, and the replacements.

    Args:
        meeting: how rows are compared.
        adds: whether threads can add to one cell of this kind at the same time.
    """
    replaced = []
    rewritten = module
    for function in module.functions:
        for op in walk_host(function.body):
            if isinstance(op, ir.Launch):
                kernel = module.kernel(op.kernel)
                maker = _Maker(rewritten, function.name, kernel, op, meeting)
                found = node_counts(kernel, maker.added)
                if found is not None and maker.fits and len(kinds := _elements(found)) == 1 and all(map(adds, kinds)):
                    rewritten = maker.module_with(found, *kinds)
                    replaced.append(_note(found))
    return Rewritten(tidied(rewritten), tuple(replaced)) if replaced else Rewritten(module)


def _elements(found: NodeCounts) -> set[ir.Element]:
    return {local.element for local in found.locals}


def _note(found: NodeCounts) -> Found:
    """What was done, for people."""
    names = " and ".join(f"'{name}'" for name in dict.fromkeys(local.name for local in found.locals))
    what = f"intersections of neighbors for {names}, on simple graphs whose arcs lead both ways"
    return Found(what, "every triangle adds the same for each of its nodes")


class _Maker:
    """Puts the search, and the kernel without its counting, in the place of one launch."""

    def __init__(
        self, module: ir.Module, function: str, kernel: ir.Kernel, launch: ir.Launch, meeting: Meeting
    ) -> None:
        self.module = module
        self.function = module.function(function)
        self.kernel = kernel
        self.launch = launch
        self.meeting = meeting
        self.fits = True

    @cached_property
    def name(self) -> str:
        """The array of counts'; looked for where there is something to count."""
        return FreshNames(names_throughout(self.function, self.module)).free("triangles_of")

    def counts(self, element: ir.Element) -> ir.Array:
        return ir.Array(self.name, element, ir.Extent.NODES, ir.Origin.TEMPORARY)

    def added(self, local: ir.Variable, times: int) -> ir.KernelOp:
        """The local grows by so many times the triangles of the node in hand."""
        assert self.kernel.iterator is not None
        least, most = ir.limits(local.element)
        self.fits &= least <= times <= most
        counted: ir.Expression = ir.Load(self.counts(local.element), ir.Ref(self.kernel.iterator))
        if times != 1:
            counted = build.times(ir.Const(times, local.element), counted, local.element)
        return ir.SetLocal(local, build.plus(ir.Ref(local), counted))

    def module_with(self, found: NodeCounts, element: ir.Element) -> ir.Module:
        counts = self.counts(element)
        search = TriangleSearch(
            self.module, self.function, self.kernel, self.launch, self.meeting, loops_matter=found.loops_count
        )
        search.taken.add(counts.name)
        name = FreshNames({kernel.name for kernel in self.module.kernels}).free(f"{self.kernel.name}_from_triangles")
        comment = f"{self.kernel.comment}: from the triangles of nodes".removeprefix(": ")
        rest = with_signature(replace(self.kernel, name=name, body=found.body, comment=comment))
        return search.module_with(
            _Counts(counts, search.local("here", element)),
            before=(ir.Fill(counts, ir.Const(0, element)),),
            after=(ir.Launch(name),),
            arrays=(counts,),
            kernels=(rest,),
        )


@dataclass(frozen=True, slots=True)
class _Counts:
    """Every triangle adds one to the `counts` of its three nodes; `here` are those of the two that have all in
    common."""

    counts: ir.Array
    here: ir.Variable

    @property
    def reductions(self) -> tuple[ir.Reduction, ...]:
        return ()

    def begin(self) -> tuple[ir.KernelOp, ...]:
        return (ir.Let(self.here, ir.Const(0, self.here.element)),)

    def found(self, third: ir.Variable) -> tuple[ir.KernelOp, ...]:
        more = build.plus(ir.Ref(self.here), self._one())
        return (ir.SetLocal(self.here, more), self._add(third, self._one()))

    def end(self, one: ir.Variable, other: ir.Variable) -> tuple[ir.KernelOp, ...]:
        some = build.greater(ir.Ref(self.here), ir.Const(0, self.here.element))
        return (ir.KernelIf(some, (self._add(one, ir.Ref(self.here)), self._add(other, ir.Ref(self.here)))),)

    def _one(self) -> ir.Const:
        return ir.Const(1, self.here.element)

    def _add(self, node: ir.Variable, value: ir.Expression) -> ir.KernelOp:
        return ir.UpdateCell(ir.Combine.ADD, self.counts, ir.Ref(node), value, shared=True)
