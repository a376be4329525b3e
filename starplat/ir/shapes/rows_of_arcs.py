"""Kernels over some arcs, each of which leads to a row: the threads share these rows.

The shape is a filter, values of the arc, perhaps a condition and more values, and last a `forall` over the arcs of a
node that is one of these values.
"""

from dataclasses import dataclass

from starplat.ir import build, conditions, nodes as ir
from starplat.ir.shapes.gathering import repeatable
from starplat.ir.visitor import walk_expression, walk_kernel


@dataclass(frozen=True, slots=True)
class RowOfArc:
    """The loop over a row; `lets` are the values ahead of it, and `condition` says whether there is one."""

    lets: tuple[ir.Let, ...]
    condition: ir.Expression | None
    loop: ir.ForNeighbors


def row_of_arc(kernel: ir.Kernel) -> RowOfArc | None:
    """The parts, if the kernel has the shape."""
    over_some = isinstance(kernel.domain, ir.AllArcs) and kernel.filter is not None
    found = _row(kernel.body) if over_some else None
    if found is None:
        return None
    tested = () if found.condition is None else (ir.KernelIf(found.condition, ()),)
    return found if repeatable((*found.lets, *tested), kernel) else None


def _row(body: tuple[ir.KernelOp, ...]) -> RowOfArc | None:
    if not body:
        return None
    *ahead, last = body
    lets = tuple(op for op in ahead if isinstance(op, ir.Let))
    if len(lets) != len(ahead):
        return None
    match last:
        case ir.ForNeighbors(ahead=None):
            return RowOfArc(lets, None, last)
        case ir.KernelIf(condition, then, ()):
            inner = _row(then)
            if inner is None or inner.lets:
                return None
            both = condition if inner.condition is None else build.both(condition, inner.condition)
            return RowOfArc(lets, both, inner.loop)
    return None


def reads_flags(condition: ir.Expression, own: ir.Ref) -> bool:
    """Whether a condition reads flags of an arc alone, which slots without an arc have too: a quarter of the bytes that
    its neighbor takes."""
    reads = (e for e in walk_expression(condition) if isinstance(e, ir.Load | ir.FindArc | ir.CallFunction))
    return all(isinstance(e, ir.Load) and (e.array.element, e.index) == (ir.Element.BOOL, own) for e in reads)


def flags_asked(kernel: ir.Kernel) -> ir.Array | None:
    """The program's own flags of arcs, where brief work on all arcs asks one of each and nothing else: a thread reads
    several at once, so it has other arcs than where it takes one after the other."""
    match kernel.domain, kernel.filter:
        case ir.AllArcs(None, None), ir.Load(ir.Array(origin=ir.Origin.LOCAL, packed=None) as flags, index):
            brief = not any(isinstance(op, ir.KernelLoop) for op in walk_kernel(kernel.body))
            return flags if brief and index == kernel.own and flags.element is ir.Element.BOOL else None
    return None


def tested_apart(kernel: ir.Kernel) -> tuple[ir.Expression, tuple[ir.Expression, ...]]:
    """What the filter asks of all arcs, and what it asks then: the second reads more, of few arcs if flags come first.
    Flags alone can be read for several arcs at once, since no other answer decides whether they may be."""
    assert kernel.filter is not None
    first, *others = conditions.conjuncts(kernel.filter)
    return (first, tuple(others)) if reads_flags(first, kernel.own) else (kernel.filter, ())
