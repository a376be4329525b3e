"""Removes kernels that are no longer launched, and the lock arrays that only these used."""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.launches import launched_names
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import arrays_in, walk_host, walk_kernel


def without_the_unused(module: ir.Module, given: ir.Module, changed: Iterable[str] = ()) -> ir.Module:
    """The module without what is left over of `given`, of which kernels are gone or `changed`."""
    gone = launched_names(given.functions) - launched_names(module.functions)
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
    ops = (op for op in walk_kernel(module.kernel(kernel).body) if isinstance(op, ir.ExtremeCell))
    return {op.lock for op in ops if op.lock is not None}


def _is_only_filled(array: ir.Array, module: ir.Module) -> bool:
    ops = (op for f in module.functions for op in walk_host(f.body) if not isinstance(op, ir.OnDevice))
    return all(isinstance(op, ir.Fill) for op in ops if array in arrays_in(op))


class _Dropper(Rewriter):
    """Drops the fills of some arrays."""

    def __init__(self, arrays: set[ir.Array]) -> None:
        self.arrays = arrays

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.Fill(array) if array in self.arrays:
                return ()
            case ir.OnDevice(arrays=arrays):
                return (replace(self.rebuild(op), arrays=tuple(a for a in arrays if a not in self.arrays)),)
            case _:
                return (self.rebuild(op),)
