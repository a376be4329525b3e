"""Counts the triangles of every node by intersecting neighbors, where a program tries the pairs of its neighbors.

A kernel that `node_counts` has proved to count them, to work out clustering coefficients or whatever it likes, gives
way to a search that finds each triangle once and adds one to all of its nodes, and to the same kernel without the
counting, on simple graphs whose arcs lead both ways. On other graphs the program's own kernel runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Element,
    Expression,
    Extent,
    Fill,
    Kernel,
    KernelIf,
    KernelOp,
    Launch,
    Let,
    Load,
    Module,
    Origin,
    Reduction,
    Ref,
    SetLocal,
    UpdateCell,
    Variable,
    limits,
)
from starplat.ir.visitor import walk_host, with_signature
from starplat.passes.meetings import Meeting
from starplat.passes.names import names_throughout
from starplat.passes.node_counts import NodeCounts, node_counts
from starplat.passes.rewritten import Found, Rewritten, free_name, tidied
from starplat.passes.triangle_search import TriangleSearch


def node_triangles(
    module: Module, *, meeting: Meeting = Meeting.SEARCH, adds: Callable[[Element], bool] = lambda element: True
) -> Rewritten:
    """The same program with intersections in place of tests of pairs, and what was found.

    Args:
        meeting: how rows are compared.
        adds: whether threads can add to one cell of this kind at the same time.
    """
    replaced = []
    rewritten = module
    for function in module.functions:
        for op in walk_host(function.body):
            if isinstance(op, Launch):
                kernel = module.kernel(op.kernel)
                maker = _Maker(rewritten, function.name, kernel, op, meeting)
                found = node_counts(kernel, module, maker.added)
                if found is not None and maker.fits and len(kinds := _elements(found)) == 1 and all(map(adds, kinds)):
                    rewritten = maker.module_with(found, *kinds)
                    replaced.append(_note(found))
    return Rewritten(tidied(rewritten), tuple(replaced)) if replaced else Rewritten(module)


def _elements(found: NodeCounts) -> set[Element]:
    return {local.element for local in found.locals}


def _note(found: NodeCounts) -> Found:
    """What was done, for people."""
    names = " and ".join(f"'{name}'" for name in dict.fromkeys(local.name for local in found.locals))
    what = f"intersections of neighbors for {names}, on simple graphs whose arcs lead both ways"
    return Found(what, "every triangle adds the same for each of its nodes")


class _Maker:
    """Puts the search, and the kernel without its counting, in the place of one launch."""

    def __init__(self, module: Module, function: str, kernel: Kernel, launch: Launch, meeting: Meeting) -> None:
        self.module = module
        self.function = module.function(function)
        self.kernel = kernel
        self.launch = launch
        self.meeting = meeting
        self.fits = True

    @cached_property
    def name(self) -> str:
        """The array of counts'; looked for where there is something to count."""
        return free_name("triangles_of", names_throughout(self.function, self.module))

    def counts(self, element: Element) -> Array:
        return Array(self.name, element, Extent.NODES, Origin.TEMPORARY)

    def added(self, local: Variable, times: int) -> KernelOp:
        """The local grows by so many times the triangles of the node in hand."""
        assert self.kernel.iterator is not None
        least, most = limits(local.element)
        self.fits &= least <= times <= most
        counted: Expression = Load(self.counts(local.element), Ref(self.kernel.iterator))
        if times != 1:
            counted = Binary(BinaryOperator.MULTIPLY, Const(times, local.element), counted, local.element)
        return SetLocal(local, Binary(BinaryOperator.ADD, Ref(local), counted, local.element))

    def module_with(self, found: NodeCounts, element: Element) -> Module:
        counts = self.counts(element)
        search = TriangleSearch(
            self.module, self.function, self.kernel, self.launch, self.meeting, loops_matter=found.loops_count
        )
        search.taken.add(counts.name)
        name = free_name(f"{self.kernel.name}_from_triangles", {kernel.name for kernel in self.module.kernels})
        comment = f"{self.kernel.comment}: from the triangles of nodes".removeprefix(": ")
        rest = with_signature(replace(self.kernel, name=name, body=found.body, comment=comment))
        return search.module_with(
            _Counts(counts, search.local("here", element)),
            before=(Fill(counts, Const(0, element)),),
            after=(Launch(name),),
            arrays=(counts,),
            kernels=(rest,),
        )


@dataclass(frozen=True, slots=True)
class _Counts:
    """Every triangle adds one to the `counts` of its three nodes; `here` are those of the two that have all in
    common."""

    counts: Array
    here: Variable

    @property
    def reductions(self) -> tuple[Reduction, ...]:
        return ()

    def begin(self) -> tuple[KernelOp, ...]:
        return (Let(self.here, Const(0, self.here.element)),)

    def found(self, third: Variable) -> tuple[KernelOp, ...]:
        more = Binary(BinaryOperator.ADD, Ref(self.here), self._one(), self.here.element)
        return (SetLocal(self.here, more), self._add(third, self._one()))

    def end(self, one: Variable, other: Variable) -> tuple[KernelOp, ...]:
        some = Binary(BinaryOperator.GREATER, Ref(self.here), Const(0, self.here.element), Element.BOOL)
        return (KernelIf(some, (self._add(one, Ref(self.here)), self._add(other, Ref(self.here)))),)

    def _one(self) -> Const:
        return Const(1, self.here.element)

    def _add(self, node: Variable, value: Expression) -> KernelOp:
        return UpdateCell(Combine.ADD, self.counts, Ref(node), value, shared=True)
