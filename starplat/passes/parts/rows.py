"""Decides whether a part needs only the arcs of its own nodes.

A part holds only the arcs out of its nodes, or into them, if each kernel walks rows of the part's own nodes only, and
reads weights of these arcs only. Else every part holds all rows, and `why_all_rows` says why.
"""

from collections.abc import Iterator

from starplat.ir import nodes as ir
from starplat.ir.visitor import (
    all_expressions,
    arrays_in,
    blocks_of,
    expressions_of,
    walk_expression,
    walk_host,
    walk_kernel,
    written_arrays,
)
from starplat.passes.parts.effects import OwnCells

_OF_ARCS = (ir.Extent.ARCS, ir.Extent.SLOTS, ir.Extent.HEADS)


def arrays_of_arcs(module: ir.Module) -> tuple[ir.Array, ...]:
    """The arrays of the graph with a cell for every arc, and what begins as its weights."""
    weights = (array for array in module.inputs if array.origin is ir.Origin.WEIGHT)
    return tuple(array for array in (*module.graph_arrays, *weights) if is_of_arcs(array))


def is_of_arcs(array: ir.Array) -> bool:
    """Whether an array belongs to the graph and has a cell for every arc."""
    return array.origin in (ir.Origin.GRAPH, ir.Origin.WEIGHT) and array.extent in _OF_ARCS


def why_all_rows(module: ir.Module) -> str | None:
    """Why parts of a divided program need the rows of all nodes; None if they do not."""
    return next(_reasons(module), None)


def _reasons(module: ir.Module) -> Iterator[str]:
    if module.prepared:
        yield "it makes arrays of all arcs"
    for function in module.functions:
        yield from _reasons_on_host(function)
    for kernel in module.kernels:
        for reason in _reasons_in(kernel):
            yield f"'{kernel.name}' {reason}"


def _reasons_on_host(function: ir.HostFunction) -> Iterator[str]:
    ops = list(walk_host(function.body))
    if any(isinstance(op, ir.TakeMembers | ir.TakeNumber) for op in ops):
        yield "its sources are divided, not its nodes"
    if any(isinstance(op, ir.HostForNeighbors) for op in ops):
        yield "the host walks a row"
    for op in ops:
        if not blocks_of(op) and not isinstance(op, ir.Launch) and any(map(is_of_arcs, arrays_in(op))):
            yield "the host reads arcs, or passes them on"
    for part in all_expressions(ops):
        if isinstance(part, ir.FindArc) or (isinstance(part, ir.Load) and is_of_arcs(part.array)):
            yield "the host reads an arc"


def _reasons_in(kernel: ir.Kernel) -> Iterator[str]:
    if changed := [array for array in written_arrays(kernel.body) if is_of_arcs(array)]:
        yield f"changes '{changed[0].name}'"
    if isinstance(kernel.domain, ir.NodeNeighbors | ir.Triangles | ir.Workers | ir.InWords):
        yield "walks a row that all parts share"
    own = None if kernel.iterator is None else OwnCells(kernel)
    for op in walk_kernel(kernel.body):
        if isinstance(op, ir.ForNeighbors) and (own is None or not own.is_own_row(op)):
            yield "walks rows of other parts' nodes"
    tops = [*expressions_of(kernel.domain), *(() if kernel.filter is None else (kernel.filter,))]
    tops += (top for op in walk_kernel(kernel.body) for top in expressions_of(op))
    for top in tops:
        for part in walk_expression(top):
            match part:
                case ir.FindArc(source) if own is None or not own.is_own_node(source):
                    yield "looks for an edge in a row of another part's node"
                case ir.Load(array, index) if is_of_arcs(array) and (
                    own is None or not own.is_of_own_rows(array, index)
                ):
                    yield f"reads '{array.name}' of other parts' arcs"
                case ir.CallFunction() if any(isinstance(a, ir.Array) and is_of_arcs(a) for a in part.arguments):
                    yield f"passes arcs to '{part.function}'"
