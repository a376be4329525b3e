"""Push kernels over chosen nodes, and their pull form: an unreached node searches its in-neighbors for a chosen one.

Kernels that are no longer launched then go, with the lock arrays that only these used.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir import build, fresh_names, launches, nodes as ir, rewriter, visitor
from starplat.schedule.edge_effects import EdgeEffect, edge_effect


@dataclass(frozen=True, slots=True)
class Spread:
    """A loop over out-arcs that only lowers the cells of neighbors to `candidate`, where all `guards` hold; locals are
    unfolded in these."""

    loop: ir.ForNeighbors
    lowering: ir.ExtremeCell
    candidate: ir.Expression
    guards: tuple[ir.Expression, ...]

    @property
    def cells(self) -> ir.Array:
        return self.lowering.array


def spread_in(body: tuple[ir.KernelOp, ...], node: ir.Variable | None) -> Spread | None:
    """The spread that is the whole body of a kernel over nodes; it can be pulled where it does not matter which of
    several neighbors lowers a cell. What is carried is known at both ends of the arc as well."""
    match edge_effect(body, node):
        case EdgeEffect(
            ir.ForNeighbors(ir.Direction.OUT, parallel=True) as loop,
            ops=(ir.ExtremeCell(ir.Combine.MIN, index=index) as lowering,),
        ) as edge if index == ir.Ref(loop.neighbor):
            spread = Spread(loop, lowering, edge.unfolded(lowering.candidate), edge.guards)
        case _:
            return None
    values = (spread.candidate, *spread.guards, *(carry.value for carry in lowering.carried))
    return spread if all(_is_known(part, spread) for part in values) else None


def _is_known(expression: ir.Expression, spread: Spread) -> bool:
    """Whether an expression is the same from the other end: it reads the two nodes, not the arc, and no changing cells
    but those of the two."""
    told = {carry.array for carry in spread.lowering.carried}
    for part in visitor.walk_expression(expression):
        match part:
            case ir.CallFunction():
                return False
            case ir.Ref(variable) if variable == spread.loop.position:
                return False
            case ir.Load(array, index) if array == spread.cells:
                if index not in (ir.Ref(spread.loop.neighbor), spread.loop.node):
                    return False
            case ir.Load(array) if array in told:
                return False
    return True


def says_only_that(ops: Iterable[ir.KernelOp]) -> bool:
    """Whether what is done beside a lowering signals that there was one, and not whose."""
    return all(isinstance(op, ir.Contribute) and isinstance(op.value, ir.Const) for op in ops)


def from_other_end(
    kernel: ir.Kernel,
    spread: Spread,
    taken: fresh_names.FreshNames,
    chosen: ir.Expression,
    told: tuple[ir.KernelOp, ...],
    *,
    by_value: bool = False,
    shares_arcs: bool = False,
) -> ir.Kernel:
    """The kernel over all nodes whose cell is INF, which search for a `chosen` node, a condition on the kernel's own
    node; `told` is done beside a lowering. If it chooses `by_value`, other threads read the cell meanwhile."""
    node = spread.loop.neighbor
    found = ir.KernelIf(build.both(chosen, *spread.guards), (_lowered(spread, by_value), *told, ir.KernelBreak()))
    position = taken.variable(f"{spread.loop.position.name}_in", ir.Element.ARC)
    unreached = build.equal(ir.Load(spread.cells, ir.Ref(node)), ir.infinity(spread.cells.element))
    return visitor.with_signature(
        replace(
            kernel,
            name=taken.fresh(f"{kernel.name}_pull"),
            domain=ir.AllNodes(),
            iterator=node,
            filter=unreached,
            body=(ir.ForNeighbors(ir.Direction.IN, ir.Ref(node), kernel.index, position, (found,), True),),
            comment="nodes that are not reached yet look for one that is",
            shares_arcs=shares_arcs,
        )
    )


def _lowered(spread: Spread, by_value: bool) -> ir.KernelOp:
    own = ir.Ref(spread.loop.neighbor)
    if by_value:
        return ir.UpdateCell(ir.Combine.MIN, spread.cells, own, spread.candidate, shared=True)
    return ir.Store(spread.cells, own, spread.candidate)


def without_the_unused(module: ir.Module, given: ir.Module, changed: Iterable[str] = ()) -> ir.Module:
    """The module without what is left over of `given`, of which kernels are gone or `changed`."""
    gone = launches.launched_names(given.functions) - launches.launched_names(module.functions)
    kernels = tuple(kernel for kernel in module.kernels if kernel.name not in gone)
    locks = {array for name in (*gone, *changed) for array in _locks(given, name)}
    return without_locks(replace(module, kernels=kernels), locks)


def without_locks(module: ir.Module, locks: set[ir.Array]) -> ir.Module:
    """The module without those of the locks that no kernel uses."""
    used = {array for kernel in module.kernels for array in kernel.arrays}
    dropper = _Dropper({lock for lock in locks - used if _is_only_filled(lock, module)})
    functions = tuple(
        replace(f, arrays=tuple(a for a in f.arrays if a not in dropper.arrays), body=dropper.host_block(f.body))
        for f in module.functions
    )
    return replace(module, functions=functions)


def _locks(module: ir.Module, kernel: str) -> set[ir.Array]:
    ops = (op for op in visitor.walk_kernel(module.kernel(kernel).body) if isinstance(op, ir.ExtremeCell))
    return {op.lock for op in ops if op.lock is not None}


def _is_only_filled(array: ir.Array, module: ir.Module) -> bool:
    ops = (op for op in visitor.host_ops(module) if not isinstance(op, ir.OnDevice))
    return all(isinstance(op, ir.Fill) for op in ops if array in visitor.arrays_in(op))


class _Dropper(rewriter.Rewriter):
    """Drops the fills of some arrays."""

    def __init__(self, arrays: set[ir.Array]) -> None:
        self.arrays = arrays

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.Fill(array) if array in self.arrays:
                return ()
            case ir.OnDevice(arrays=arrays):
                return (replace(self.rebuild(op), arrays=tuple(a for a in arrays if a not in self.arrays)),)
        return (self.rebuild(op),)
