"""Makes one kernel of two that are launched one after the other, where no iteration of the second waits for another
iteration of the first.

That is so if all that one of them writes and both touch are the iteration's own cells. The second's filter is then
judged after the first's body, by the same thread.
"""

from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames, names_in
from starplat.ir.rewriter import Renamer
from starplat.ir.visitor import (
    continues,
    declared_by,
    walk_expression,
    walk_kernel,
    walks_rows,
    with_signature,
    written_arrays as arrays_written,
)
from starplat.passes.cells import Access, kernel_accesses, own_cells
from starplat.passes.memory import Memory

Ops = tuple[ir.KernelOp, ...]


def joined(first: ir.Kernel, second: ir.Kernel, memory: Memory) -> ir.Kernel | None:
    """A kernel that does what both do, with the first's name, span and comment; None if it may not be."""
    if not _same_iterations(first, second) or continues(first.body):
        return None
    if first.counts is not None or second.counts is not None:
        return None  # a search for triangles may take its place
    if not _independent(first, second, memory):
        return None
    if (reductions := _united(first, second)) is None:
        return None
    first, second = _renamed_apart(first, second)
    filter, bodies = _under_filters(first, second)
    body = tuple(op for part in bodies for op in part)
    if filter is None and (_is_advance(first) or _is_advance(second)):
        return None
    return with_signature(replace(first, filter=filter, body=body, reductions=reductions))


def _same_iterations(first: ir.Kernel, second: ir.Kernel) -> bool:
    return isinstance(first.domain, ir.AllNodes | ir.AllArcs) and first.domain == second.domain


def _is_advance(kernel: ir.Kernel) -> bool:
    """Whether it goes from chosen nodes to their neighbors: that is for few threads to do, or for many together, and
    none of the work of all nodes."""
    return kernel.filter is not None and walks_rows(kernel)


def has_loop(kernel: ir.Kernel) -> bool:
    """Whether an iteration has a loop of its own."""
    return any(isinstance(op, ir.KernelLoop) for op in walk_kernel(kernel.body))


# --- whether they may be joined ------------------------------------------------------------------------------------


def _independent(first: ir.Kernel, second: ir.Kernel, memory: Memory) -> bool:
    """Whether the iterations of one leave alone what other iterations of the other touch."""
    if {reduction.variable for reduction in first.reductions} & set(second.scalars):
        return False
    firsts, seconds = list(kernel_accesses(first)), list(kernel_accesses(second))
    own, other_own = own_cells(first), own_cells(second)
    loose = [access for access in firsts if not own.has(access.array, access.index)]
    other_loose = [access for access in seconds if not other_own.has(access.array, access.index)]
    return not _meet(loose, seconds, memory) and not _meet(firsts, other_loose, memory)


def _meet(some: list[Access], others: list[Access], memory: Memory) -> bool:
    """Whether one of the accesses may write what one of the others touches, or the other way round."""
    ones = {(access.array, access.writes) for access in some}
    twos = {(access.array, access.writes) for access in others}
    return any(
        (writes or other_writes) and memory.may_be_one(array, other)
        for array, writes in ones
        for other, other_writes in twos
    )


def _united(first: ir.Kernel, second: ir.Kernel) -> tuple[ir.Reduction, ...] | None:
    """The reductions of both. Sums of reals keep their order, so two kernels may not add to one."""
    mine = {reduction.variable: reduction for reduction in first.reductions}
    for reduction in second.reductions:
        other = mine.get(reduction.variable)
        if other is not None and (other.combine is not reduction.combine or reduction.variable.element.is_real):
            return None
    return tuple({**mine, **{reduction.variable: reduction for reduction in second.reductions}}.values())


# --- joining -------------------------------------------------------------------------------------------------------


def _under_filters(first: ir.Kernel, second: ir.Kernel) -> tuple[ir.Expression | None, tuple[Ops, Ops]]:
    """The filter that both have and still have when the first is done, and the bodies under what else they ask."""
    if first.filter is not None and first.filter == second.filter:
        read = {e.array for e in walk_expression(first.filter) if isinstance(e, ir.Load)}
        if not read & arrays_written(first.body):
            return first.filter, (first.body, second.body)
    return None, (_under(first), _under(second))


def _under(kernel: ir.Kernel) -> Ops:
    return kernel.body if kernel.filter is None else (ir.KernelIf(kernel.filter, kernel.body),)


def _renamed_apart(first: ir.Kernel, second: ir.Kernel) -> tuple[ir.Kernel, ir.Kernel]:
    """Both with one iterator, and with locals that no name of the other is like."""
    first = _with_locals(first, _outer(second), {})
    taken = names_in(first) | _outer(second)
    return first, _with_locals(second, taken, {second.index: first.index})


def _outer(kernel: ir.Kernel) -> set[str]:
    """The names that a kernel has from outside."""
    variables = (*kernel.scalars, *(reduction.variable for reduction in kernel.reductions))
    return {array.name for array in kernel.arrays} | {variable.name for variable in variables}


def _with_locals(kernel: ir.Kernel, taken: set[str], given: dict[ir.Variable, ir.Variable]) -> ir.Kernel:
    """The kernel with `given` put for some of its locals and fresh names for the others."""
    declared = [kernel.iterator] if kernel.iterator is not None else []
    declared += [variable for op in walk_kernel(kernel.body) for variable in declared_by(op)]
    mine = [variable for variable in dict.fromkeys(declared) if variable not in given]
    names = FreshNames(taken | {variable.name for variable in mine if variable.name not in taken} | _outer(kernel))
    new = dict(given)
    for variable in mine:
        if variable.name in taken:
            new[variable] = replace(variable, name=names.fresh(variable.name))
    return kernel if all(old == now for old, now in new.items()) else Renamer(new).kernel(kernel)
