"""Leaves out what a module no longer has a use for once other kernels have taken the place of some: kernels that nobody
launches, and the arrays of locks that only these took.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir.launches import launched_names
from starplat.ir.nodes import Array, ExtremeCell, Fill, HostOp, Module
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import arrays_in, walk_host, walk_kernel


def without_the_unused(module: Module, given: Module) -> Module:
    """The module without what it has from `given` for nothing."""
    gone = launched_names(given) - launched_names(module)
    kernels = tuple(kernel for kernel in module.kernels if kernel.name not in gone)
    used = {array for kernel in kernels for array in kernel.arrays}
    locks = {array for name in gone for array in _locks(given, name)} - used
    dropper = _Dropper({lock for lock in locks if _is_only_filled(lock, module)})
    functions = tuple(
        replace(f, arrays=tuple(a for a in f.arrays if a not in dropper.arrays), body=dropper.host_block(f.body))
        for f in module.functions
    )
    return replace(module, functions=functions, kernels=kernels)


def _locks(module: Module, kernel: str) -> set[Array]:
    ops = (op for op in walk_kernel(module.kernel(kernel).body) if isinstance(op, ExtremeCell))
    return {op.lock for op in ops if op.lock is not None}


def _is_only_filled(array: Array, module: Module) -> bool:
    ops = (op for f in module.functions for op in walk_host(f.body))
    return all(isinstance(op, Fill) for op in ops if array in arrays_in(op))


class _Dropper(Rewriter):
    """Fills some arrays no longer."""

    def __init__(self, arrays: set[Array]) -> None:
        self.arrays = arrays

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        return () if isinstance(op, Fill) and op.array in self.arrays else (self.rebuild(op),)
