"""Counts triangles by intersecting rows, where a program tries every pair of a node's neighbors.

A kernel that counts triangles, as its `counts` tells, gives way to a search that finds each once, on simple graphs
whose arcs lead both ways. On other graphs the program's own kernel runs.
"""

from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.passes.rewritten import Found, Rewritten, tidied
from starplat.passes.triangles.meetings import Meeting
from starplat.passes.triangles.search import TriangleSearch


def triangles(module: ir.Module, *, meeting: Meeting = Meeting.SEARCH) -> Rewritten:
    """The same program with intersections in place of tests of pairs, and the replacements.

    Args:
        meeting: how rows are compared.
    """
    replaced = []
    rewritten = module
    for function in module.functions:
        for op in walk_host(function.body):
            if isinstance(op, ir.Launch):
                kernel = module.kernel(op.kernel)
                if kernel.counts is not None and _fits(total := _Sum(kernel.reductions[0], kernel.counts.value)):
                    loops_matter = kernel.counts.loops_count
                    search = TriangleSearch(
                        rewritten, rewritten.function(function.name), kernel, op, meeting, loops_matter
                    )
                    search.taken.add(total.reduction.variable.name)
                    rewritten = search.module_with(total)
                    replaced.append(_note(total))
    return Rewritten(tidied(rewritten), tuple(replaced)) if replaced else Rewritten(module)


@dataclass(frozen=True, slots=True)
class _Sum:
    """Every triangle adds the same to one sum."""

    reduction: ir.Reduction
    value: int

    @property
    def reductions(self) -> tuple[ir.Reduction, ...]:
        return (self.reduction,)

    def begin(self) -> tuple[ir.KernelOp, ...]:
        return ()

    def found(self, third: ir.Variable) -> tuple[ir.KernelOp, ...]:
        variable = self.reduction.variable
        return (ir.Contribute(variable, ir.Const(self.value, variable.element)),)

    def end(self, one: ir.Variable, other: ir.Variable) -> tuple[ir.KernelOp, ...]:
        return ()


def _fits(total: _Sum) -> bool:
    """Whether a triangle's addition is a number of the sum's type."""
    least, most = ir.limits(total.reduction.variable.element)
    return least <= total.value <= most


def _note(total: _Sum) -> Found:
    """What was done, for people."""
    name = total.reduction.variable.name
    what = f"intersections of neighbors for '{name}', on simple graphs whose arcs lead both ways"
    return Found(what, f"every triangle adds {total.value} to it, whichever of its nodes comes first")
