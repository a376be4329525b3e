"""Counts triangles by intersecting rows, where a program tries every pair of a node's neighbors.

A kernel that `kernels` has proved to count triangles gives way to a search that finds each once, on simple
graphs whose arcs lead both ways. On other graphs the program's own kernel runs.
"""

from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.passes.rewritten import Found, Rewritten, tidied
from starplat.passes.triangles.kernels import TriangleCount, triangle_count
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
                found = triangle_count(kernel)
                if found is not None and _fits(found):
                    current = rewritten.function(function.name)
                    search = TriangleSearch(rewritten, current, kernel, op, meeting, loops_matter=found.loops_count)
                    search.taken.add(found.reduction.variable.name)
                    rewritten = search.module_with(_Sum(found))
                    replaced.append(_note(found))
    return Rewritten(tidied(rewritten), tuple(replaced)) if replaced else Rewritten(module)


def _fits(found: TriangleCount) -> bool:
    """Whether a triangle's addition is a number of the sum's type."""
    least, most = ir.limits(found.reduction.variable.element)
    return least <= found.value <= most


def _note(found: TriangleCount) -> Found:
    """What was done, for people."""
    name = found.reduction.variable.name
    what = f"intersections of neighbors for '{name}', on simple graphs whose arcs lead both ways"
    return Found(what, f"every triangle adds {found.value} to it, whichever of its nodes comes first")


@dataclass(frozen=True, slots=True)
class _Sum:
    """Every triangle adds the same to one sum."""

    counted: TriangleCount

    @property
    def reductions(self) -> tuple[ir.Reduction, ...]:
        return (self.counted.reduction,)

    def begin(self) -> tuple[ir.KernelOp, ...]:
        return ()

    def found(self, third: ir.Variable) -> tuple[ir.KernelOp, ...]:
        variable = self.counted.reduction.variable
        return (ir.Contribute(variable, ir.Const(self.counted.value, variable.element)),)

    def end(self, one: ir.Variable, other: ir.Variable) -> tuple[ir.KernelOp, ...]:
        return ()
