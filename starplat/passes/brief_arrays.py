"""Replaces a property that is live only within one iteration by a local.

In `v.rank_nxt = …; change += abs(v.rank_nxt - v.rank);` and then `rank = rank_nxt`, once the copy is part of the loop,
`rank_nxt` is dead afterwards: every iteration stores its own cell before it reads it, and no other operation of the
host function reads the property. Then there is no need for the property, and no fill of it.

Cells of type ARC stay, because a local holds 64 bits where the cell may have 32.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import fresh_names, launches, nodes as ir, rewriter
from starplat.ir.module_rewriter import with_graph_arrays
from starplat.ir.visitor import all_expressions, walk_expression, walk_host, walk_kernel, with_signature
from starplat.passes.cells import accesses, expression_accesses, own_cells

_OWN = (ir.Origin.LOCAL, ir.Origin.TEMPORARY)


def brief_arrays(module: ir.Module) -> ir.Module:
    """The same program with fewer properties."""
    for function in module.functions:
        for array in function.arrays:
            module = _without(module, function.name, array)
    return module


def _without(module: ir.Module, name: str, array: ir.Array) -> ir.Module:
    """The module without a property of a host function, if each kernel that touches it can do with a local."""
    function = next(function for function in module.functions if function.name == name)
    touching = [op for op in walk_host(function.body) if array in launches.touched(op, module)]
    if array.origin not in _OWN or not all(isinstance(op, ir.Fill | ir.Launch) for op in touching):
        return module
    kernels = {op.kernel: module.kernel(op.kernel) for op in touching if isinstance(op, ir.Launch)}
    if not kernels or not all(_is_brief(array, kernel) for kernel in kernels.values()):
        return module
    changed = {name: _with_local(array, kernel) for name, kernel in kernels.items()}
    if not all(kernel.body for kernel in changed.values()):
        return module
    made = module.with_function(_without_fills(function, array))
    return with_graph_arrays(made.with_each_kernel(lambda kernel: changed.get(kernel.name, kernel)))


def _is_brief(array: ir.Array, kernel: ir.Kernel) -> bool:
    """Whether every iteration stores its own cell before any other use of the array, and only loads and stores that
    cell."""
    own = own_cells(kernel)
    head = () if kernel.filter is None else expression_accesses(kernel.filter)
    if array.element is ir.Element.ARC or any(access.array == array for access in head):
        return False
    found = [access for access in accesses(kernel.body) if access.array == array]
    if any(access.shared or not own.has(array, access.index) for access in found):
        return False
    first = next(op for op in kernel.body if any(access.array == array for access in accesses((op,))))
    if not isinstance(first, ir.Store) or any(access.array == array for access in expression_accesses(first.value)):
        return False
    calls = any(isinstance(part, ir.CallFunction) for e in all_expressions(kernel.body) for part in walk_expression(e))
    return not calls and _only_stores(array, kernel)


def _only_stores(array: ir.Array, kernel: ir.Kernel) -> bool:
    """Whether the array is written by plain stores only."""
    writes = sum(access.writes for access in accesses(kernel.body) if access.array == array)
    return writes == sum(isinstance(op, ir.Store) and op.array == array for op in walk_kernel(kernel.body))


def _with_local(array: ir.Array, kernel: ir.Kernel) -> ir.Kernel:
    """The kernel with a local in the place of its own cell; with nothing if it never loads it."""
    loads = any(access.array == array and not access.writes for access in accesses(kernel.body))
    name = fresh_names.FreshNames(fresh_names.names_in(kernel)).fresh(f"{array.name}_of_{kernel.index.name}")
    keeper = _InLocal(array, ir.Variable(name, array.element) if loads else None)
    return with_signature(replace(kernel, body=keeper.kernel_block(kernel.body)))


class _InLocal(rewriter.Rewriter):
    """Puts a local, or nothing, in the place of the cells of an array."""

    def __init__(self, array: ir.Array, local: ir.Variable | None) -> None:
        self.brief = array
        self.local = local
        self.declared = False

    def expression(self, expression: ir.Expression) -> ir.Expression:
        if isinstance(expression, ir.Load) and expression.array == self.brief:
            assert self.local is not None
            return ir.Ref(self.local)
        return self.rebuild(expression)

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if not isinstance(op, ir.Store) or op.array != self.brief:
            return (self.rebuild(op),)
        if self.local is None:
            return ()
        value = self.expression(op.value)
        if value.element is not self.local.element:
            value = ir.Cast(value, self.local.element)
        if self.declared:
            return (ir.SetLocal(self.local, value),)
        self.declared = True
        return (ir.Let(self.local, value),)


def _without_fills(function: ir.HostFunction, array: ir.Array) -> ir.HostFunction:
    arrays = tuple(a for a in function.arrays if a != array)
    drops = rewriter.HostRule(lambda op: () if isinstance(op, ir.Fill) and op.array == array else None)
    return replace(function, arrays=arrays, body=drops.host_block(function.body))
