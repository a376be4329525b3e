"""Loops over a node's arcs that a team of threads can share, in a kernel with a thread per node.

Such a loop has no early exit, several threads may do its writes at once, and it changes the node's locals only by
combining values. `balance` asks whether there is one, legalisation which they are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from starplat.ir import nodes as ir, shared_cells
from starplat.ir.shapes.gathering import combined_with, extreme_with
from starplat.ir.visitor import all_expressions, assigned_variables, blocks_of, declared_by, walk_kernel, walk_outside


@dataclass(frozen=True, slots=True)
class SharedRow:
    """A loop over arcs that threads can share; `combined` are the locals around it that it combines values into, each
    with how, and `contributed` the kernel's reductions that it contributes to."""

    loop: ir.ForNeighbors
    combined: tuple[tuple[ir.Combine, ir.Variable], ...]
    contributed: tuple[ir.Variable, ...]


def shared_rows(kernel: ir.Kernel, module: ir.Module) -> tuple[SharedRow, ...]:
    """The outermost such loops of the kernel."""
    return () if isinstance(kernel.domain, ir.Once) else tuple(_rows(kernel.body, module))


def leaves(body: Iterable[ir.KernelOp]) -> bool:
    """Whether a loop's body may end the loop itself; a Break of a loop inside it is that loop's."""
    inside = walk_outside(ir.ForNeighbors | ir.ForRange, body)
    return any(isinstance(op, ir.KernelBreak | ir.KernelReturn) for op in inside)


def _rows(body: Iterable[ir.KernelOp], module: ir.Module) -> Iterator[SharedRow]:
    for op in body:
        row = _row(op, module) if isinstance(op, ir.ForNeighbors) else None
        if row is not None:
            yield row
        elif isinstance(op, ir.KernelIf | ir.KernelLoop):
            for block in blocks_of(op):
                yield from _rows(block, module)


def _row(loop: ir.ForNeighbors, module: ir.Module) -> SharedRow | None:
    writes = tuple(_writes(loop.body, module))
    if leaves(loop.body) or not (loop.parallel or not writes) or not all(_for_many(op, loop, writes) for op in writes):
        return None
    if (combined := _combined(loop.body)) is None:
        return None
    told = (op.reduction for op in walk_kernel(loop.body) if isinstance(op, ir.Contribute))
    return SharedRow(loop, combined, tuple(dict.fromkeys(told)))


def _writes(body: Iterable[ir.KernelOp], module: ir.Module) -> Iterator[ir.KernelOp]:
    """The operations that write cells, also those of functions that are called."""
    yield from (op for op in walk_kernel(body) if shared_cells.cells_written(op))
    for name in dict.fromkeys(part.function for part in all_expressions(body) if isinstance(part, ir.CallFunction)):
        yield from _writes(module.helper(name).body, module)


def _for_many(op: ir.KernelOp, loop: ir.ForNeighbors, writes: Iterable[ir.KernelOp]) -> bool:
    """Whether several threads may do it at once: atomically, or to a cell that is the arc's, or of an array private to
    a worker."""
    match op:
        case ir.Store(index=ir.Ref(place)) if place == loop.position:
            return True
        case ir.Store(index=ir.Ref(place)) if any(isinstance(o, ir.FetchAdd) and o.variable == place for o in writes):
            return True
        case ir.Store() | ir.UpdateCell() | ir.ExtremeCell():
            return op.shared
    return True


def _combined(body: tuple[ir.KernelOp, ...]) -> tuple[tuple[ir.Combine, ir.Variable], ...] | None:
    """The locals from around the loop that it changes, if all it does to each is to combine values with it."""
    declared = {variable for op in walk_kernel(body) for variable in declared_by(op)}
    outside = assigned_variables(body) - declared
    ways = [way for op in walk_kernel(body) if (way := _way(op)) is not None and way[1] in outside]
    changes = sum(isinstance(op, ir.SetLocal) and op.variable in outside for op in walk_kernel(body))
    mentions = sum(isinstance(part, ir.Ref) and part.variable in outside for part in all_expressions(body))
    found = tuple(dict.fromkeys(ways))
    once = len(found) == len(outside) == len({variable for _, variable in found})
    return found if once and len(ways) == changes == mentions else None


def _way(op: ir.KernelOp) -> tuple[ir.Combine, ir.Variable] | None:
    """How an operation combines a value with a local, and which value, if it is the local's only mention."""
    match op:
        case ir.SetLocal(local, value) if (taken := combined_with(local, value)) is not None:
            return taken[0], local
        case _ if (extreme := extreme_with(op)) is not None:
            return extreme[1], extreme[0]
    return None
