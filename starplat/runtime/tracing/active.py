"""Counts active nodes and their arcs when the host launches a kernel, beside the run.

Conditions are evaluated for all nodes at once where NumPy can; other counts are unknown.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol, assert_never

import numpy as np

from starplat.ir import build, conditions, nodes as ir, points, visitor
from starplat.ir.interpreting import vectorize
from starplat.runtime.elements import Cells, Value, dtype_of
from starplat.runtime.tracing.reads import Lying, reads_of
from starplat.runtime.tracing.trace import Filled, Held, Walk


class Before(Lying, Protocol):
    """The state before a launch."""

    def value(self, expression: ir.Expression) -> Value:
        """Of an expression of the host, or a cell of an array of one."""

    def scalar(self, variable: ir.Variable) -> Value:
        """Of one of the host's variables."""


def walk_of(kernel: ir.Kernel, line: int | None, before: Before, num_nodes: int, num_arcs: int) -> Walk:
    """The walk of a launch; of a part's, over the nodes or arcs that it has."""
    nodes = _nodes(kernel, before, num_nodes, num_arcs)
    walk = _walk(kernel, line, nodes, before, num_nodes, num_arcs)
    return replace(walk, reads=reads_of(kernel, nodes, before, _bounds(kernel.domain, before, num_nodes, num_arcs)))


def _bounds(domain: ir.Domain, before: Before, num_nodes: int, num_arcs: int) -> tuple[int, int]:
    """The nodes, or arcs, that a kernel goes over: from the first up to the second."""
    if isinstance(domain, ir.AllNodes | ir.AllArcs) and domain.first is not None and domain.end is not None:
        return int(before.value(domain.first)), int(before.value(domain.end))
    return 0, num_arcs if isinstance(domain, ir.AllArcs) else num_nodes


def _own(kept: Cells, bounds: tuple[int, int]) -> Cells:
    """The nodes of a mask that are from the first bound up to the second."""
    first, end = bounds
    found: Cells = first + np.flatnonzero(kept[first:end])
    return found


def _nodes(kernel: ir.Kernel, before: Before, num_nodes: int, num_arcs: int) -> Cells | None:
    """The nodes that an iteration is for, or whose row is walked; None where they are unknown or it is for none."""
    match kernel.domain:
        case ir.AllNodes() if kernel.filter is None:
            return np.arange(*_bounds(kernel.domain, before, num_nodes, num_arcs))
        case ir.Listed(array, first, last):
            nodes = before.cells(array)[int(before.value(first)) : int(before.value(last))]
            if kernel.filter is None:
                return nodes
            kept = _kept(replace(kernel, domain=ir.AllNodes()), before, num_nodes, num_arcs)
            return None if kept is None else nodes[kept[nodes]]
        case ir.AllNodes() | ir.InWords():
            kept = _kept(replace(kernel, domain=ir.AllNodes()), before, num_nodes, num_arcs)
            return None if kept is None else _own(kept, _bounds(kernel.domain, before, num_nodes, num_arcs))
        case ir.NodeNeighbors(_, node):
            return np.array([int(before.value(node))])
    return None


def _walk(
    kernel: ir.Kernel, line: int | None, nodes: Cells | None, before: Before, num_nodes: int, num_arcs: int
) -> Walk:
    way = points.way_of(kernel)
    match kernel.domain:
        case ir.AllNodes() if kernel.filter is None:
            return _counted(kernel, line, nodes, before, Held.ALL)
        case ir.AllNodes():
            sought = _sought(kernel)
            if sought is not None and (kept := _kept(sought, before, num_nodes, num_arcs)) is not None:
                own = _own(kept, _bounds(kernel.domain, before, num_nodes, num_arcs))
                found = _counted(sought, line, own, before, held_by(sought))
                return replace(found, direction=way)
            return _counted(kernel, line, nodes, before, held_by(kernel))
        case ir.Listed():
            return _counted(kernel, line, nodes, before, Held.LIST)
        case ir.InWords():
            return _counted(kernel, line, nodes, before, Held.LAYERS)
        case ir.AllArcs():
            first, end = _bounds(kernel.domain, before, num_nodes, num_arcs)
            arcs = end - first if kernel.filter is None else None
            return Walk(kernel.name, line, arcs, arcs, way, Held.ARCS)
        case ir.NodeNeighbors():
            arcs = _counted(kernel, line, nodes, before, Held.ROW).arcs
            return Walk(kernel.name, line, arcs, arcs, way, Held.ROW)
        case ir.Numbers(count):
            return Walk(kernel.name, line, int(before.value(count)), None, way, Held.SHARES)
        case ir.Triangles():
            return Walk(kernel.name, line, num_nodes, None, way, Held.ALL)
        case ir.Workers():
            return Walk(kernel.name, line, ir.WORKERS, None, way, Held.SHARES)
        case ir.Once():
            return Walk(kernel.name, line, 1, None, way, Held.ONE)
        case _:
            assert_never(kernel.domain)


def _sought(kernel: ir.Kernel) -> ir.Kernel | None:
    """The kernel whose nodes this one searches for among in-neighbors, and their arcs, if that is what it does."""
    match kernel.body:
        case (
            ir.ForNeighbors(
                ir.Direction.IN, ir.Ref(node), neighbor, position, (ir.KernelIf(condition, (*_, ir.KernelBreak()), ()),)
            ) as loop,
        ) if node == kernel.iterator:
            pass
        case _:
            return None
    known = {neighbor, *kernel.scalars}
    about = [part for part in conditions.conjuncts(condition) if visitor.variables_read(part) <= known]
    if not any(neighbor in visitor.variables_read(part) for part in about):
        return None
    chosen = build.both(*about)
    arcs = ir.ForNeighbors(ir.Direction.OUT, ir.Ref(neighbor), node, position, (), loop.parallel)
    return visitor.with_signature(replace(kernel, iterator=neighbor, filter=chosen, body=(arcs,)))


def held_by(kernel: ir.Kernel) -> Held:
    """How the nodes of a condition are held, where there is no set."""
    asked = list(visitor.walk_expression(kernel.filter)) if kernel.filter else []
    if any(vectorize.bits_asked(part, kernel) is not None for part in asked):
        return Held.BITS
    loads = [part for part in asked if isinstance(part, ir.Load)]
    flags = (load.array for load in loads if load.array.extent is not ir.Extent.ONE)
    return Held.FLAGS if any(array.element is ir.Element.BOOL for array in flags) else Held.TESTED


def filled_by(op: ir.Fill | ir.CopyArray, num_nodes: int, num_arcs: int, *, wide_arcs: bool) -> Filled:
    """The cells that a host operation goes through."""
    array = op.array if isinstance(op, ir.Fill) else op.destination
    cells = array.extent.cells(num_nodes, num_arcs)
    if array.packed:
        return Filled(-(-cells // 32), 4, copied=False)
    size = dtype_of(array.element, wide_arcs=wide_arcs).itemsize
    return Filled(cells, size, copied=isinstance(op, ir.CopyArray))


def _counted(kernel: ir.Kernel, line: int | None, nodes: Cells | None, before: Before, held: Held) -> Walk:
    """A walk over nodes, given by number; None where they are unknown."""
    rows, way = points.rows_of(kernel), points.way_of(kernel)
    if nodes is None:
        return Walk(kernel.name, line, None, None, way, held)
    arcs = None
    if rows is not None:
        offsets = before.cells(rows)
        arcs = int((offsets[nodes + 1].astype(np.int64) - offsets[nodes]).sum())
    return Walk(kernel.name, line, len(nodes), arcs, way, held)


def _kept(kernel: ir.Kernel, before: Before, num_nodes: int, num_arcs: int) -> Cells | None:
    """For every node whether the kernel's filter holds; None where only the kernel can evaluate it."""
    if (mask := _mask(kernel)) is None or kernel.filter is None:
        return None
    loaded = {part.array for part in visitor.walk_expression(kernel.filter) if isinstance(part, ir.Load)}
    cells = [before.cells(array) if array in loaded else None for array in kernel.arrays]
    given = [vectorize.numpy_scalar(variable, before.scalar(variable)) for variable in kernel.scalars]
    kept = mask(num_nodes, num_arcs, *cells, *given)
    return np.broadcast_to(np.asarray(kept, np.bool_), (num_nodes,))


@lru_cache(maxsize=256)
def _mask(kernel: ir.Kernel) -> Callable[..., Any] | None:
    fast, slow = vectorize.split_filter(kernel)
    if fast is None or slow is not None:
        return None
    scope: dict[str, Any] = {**vectorize.OPERATIONS, "__builtins__": {}}
    exec(compile(vectorize.mask_text(kernel, fast), "<filter>", "exec"), scope)
    mask: Callable[..., Any] = scope["mask"]
    return mask
