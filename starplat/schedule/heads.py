"""Decides which rows have their heads on the device, where the arcs of a graph lie in the host's memory.

Searches that leave a row early and samples of a few arcs of every row seldom read beyond the first neighbors. Of rows
that such kernels walk, copies of as many neighbors as there is room for lie on the device (`ir.with_heads`), and all
walks along these rows read them there. Kernels that go over everything gain nothing by that: for them the first arcs of
all lie on the device. Takes a scheduled module, whose arrays of arcs are placed on demand; changes nothing but where
neighbors are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from starplat.ir import nodes as ir
from starplat.ir.launches import with_own_arrays
from starplat.ir.rewriter import Rewriter
from starplat.ir.shapes.shared_rows import leaves
from starplat.ir.visitor import all_expressions, assigned_variables, walk_kernel
from starplat.same import Same
from starplat.schedule.direction.pull_kernels import with_graph_arrays


def heads_of_rows(module: ir.Module, *, symmetric: bool) -> ir.Module:
    """The module whose walks read the heads of rows on the device; the same object where none gains by that.

    Args:
        symmetric: whether the arcs into a node and out of it are the same array.
    """
    return _heads_of_rows(Same(module), symmetric)


@lru_cache(maxsize=64)
def _heads_of_rows(same: Same, symmetric: bool) -> ir.Module:
    module: ir.Module = same.thing
    if not module.on_demand:
        return module
    gaining = {layout for kernel in module.kernels for layout in _read_at_their_heads(kernel)}
    gaining = {layout for layout in gaining if layout.neighbors in module.mapped}
    if not gaining:
        return module
    wanted = frozenset(ir.LAYOUTS.values() if symmetric else gaining)
    changed = replace(module, kernels=tuple(_OfKernel(kernel, wanted).kernel(kernel) for kernel in module.kernels))
    functions = tuple(replace(f, body=_Launches(changed).host_block(f.body)) for f in module.functions)
    return with_graph_arrays(replace(changed, functions=functions))


def _read_at_their_heads(kernel: ir.Kernel) -> Iterable[ir.Layout]:
    """The layouts of which the kernel probably reads the first arcs of a row only."""
    for op in walk_kernel(kernel.body):
        if isinstance(op, ir.ForNeighbors) and op.layout in ir.LAYOUTS.values() and leaves(op.body):
            yield op.layout
    first = _first_slots(kernel)
    for part in all_expressions(kernel.body):
        if isinstance(part, ir.Load) and (sampled := _sampled(part, first)) is not None:
            yield sampled[0]


def _first_slots(kernel: ir.Kernel) -> Mapping[ir.Variable, tuple[ir.Layout, ir.Expression]]:
    """The locals that are the first slot of a row, with the row's layout and node."""
    changing = assigned_variables(kernel.body)
    found = {}
    for op in walk_kernel(kernel.body):
        match op:
            case ir.Let(variable, ir.Load(offsets, ir.Ref(node) as row)) if offsets in ir.LAYOUTS:
                if changing.isdisjoint((variable, node)):
                    found[variable] = ir.LAYOUTS[offsets], row
    return found


def _sampled(
    load: ir.Load, first: Mapping[ir.Variable, tuple[ir.Layout, ir.Expression]]
) -> tuple[ir.Layout, ir.Expression] | None:
    """The layout and the node of the row in which a neighbor near the beginning is read."""
    match load.index:
        case ir.Ref(variable) | ir.Binary(ir.BinaryOperator.ADD, ir.Ref(variable), ir.Const()):
            layout, node = first.get(variable, (None, None))
            return (layout, node) if layout is not None and node and load.array == layout.neighbors else None
        case _:
            return None


class _OfKernel(Rewriter):
    """Reads the heads of rows of the layouts that are wanted."""

    def __init__(self, kernel: ir.Kernel, wanted: frozenset[ir.Layout]) -> None:
        self.first, self.wanted = _first_slots(kernel), wanted

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        rebuilt = self.rebuild(op)
        if isinstance(rebuilt, ir.ForNeighbors) and rebuilt.layout in self.wanted:
            return (replace(rebuilt, heads=True),)
        return (rebuilt,)

    def expression(self, expression: ir.Expression) -> ir.Expression:
        sampled = _sampled(expression, self.first) if isinstance(expression, ir.Load) else None
        if sampled is None or sampled[0] not in self.wanted:
            return self.rebuild(expression)
        layout, node = sampled
        assert isinstance(expression, ir.Load)
        return ir.with_heads(layout).neighbor_of(node, expression.index)


class _Launches(Rewriter):
    """Derives the arrays of persistent kernels again."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        return (with_own_arrays(op, self.module) if isinstance(op, ir.OnDevice) else self.rebuild(op),)
