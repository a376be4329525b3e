"""Decides which rows have heads on the device, where the arcs of a graph lie in the host's memory.

Copies of some arcs of rows lie on the device (`ir.with_heads`), and walks along these rows read them there. Which arcs
are copied follows from what kernels do with rows. Searches that leave a row early and samples of a few arcs of every
row seldom read beyond the first neighbors: as many of every row are copied as there is room for. Walks along the rows
of chosen nodes come to all arcs of a row: short rows are copied as a whole, since of long ones whole lines of the
host's memory are used. Kernels that go over everything gain nothing: for them the first arcs of all lie on the device.

Takes a scheduled module, whose arrays of arcs are placed on demand; changes nothing but where arcs are read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from starplat.ir import module_rewriter, nodes as ir, rewriter
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.collecting import collecting
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.members import membership
from starplat.ir.shapes.rows_of_arcs import row_of_arc
from starplat.ir.shapes.searching import asking, searching
from starplat.ir.shapes.shared_rows import leaves
from starplat.ir.visitor import all_expressions, arrays_in, assigned_variables, walk_expression, walk_kernel
from starplat.same import Same


def heads_of_rows(module: ir.Module, *, symmetric: bool, weights: frozenset[ir.Array] = frozenset()) -> ir.Module:
    """The module whose walks read the heads of rows on the device; the same object where none gains by that.

    Args:
        symmetric: whether the arcs into a node and out of it are the same array.
        weights: the parameters that begin as the graph's weights.
    """
    return _heads_of_rows(Same(module), symmetric, weights | {ir.WEIGHTS})


def heads_in_program(module: ir.Module) -> ir.Module:
    """The same for an emitted program, which has an array each for the arcs into nodes and out of them."""
    weights = frozenset(array for array in module.inputs if array.origin is ir.Origin.WEIGHT)
    return heads_of_rows(module, symmetric=False, weights=weights)


def with_near_kernels(module: ir.Module, capabilities: Capabilities) -> ir.Module:
    """The module for runs with room for all arcs: kernels are near that would read heads of rows, or whose threads
    share arcs in another way where these may lie on the host."""
    headed, shared = heads_in_program(module).kernels, capabilities.shared_arcs
    kernels = (
        replace(kernel, near=True) if kernel != other or (shared and _minds_the_place(kernel, module)) else kernel
        for kernel, other in zip(module.kernels, headed, strict=True)
    )
    return replace(module, kernels=tuple(kernels))


def _minds_the_place(kernel: ir.Kernel, module: ir.Module) -> bool:
    """Whether threads share its arcs in another way where these may lie on the host: sums over all rows begin in
    several places, and loops over the rows of chosen nodes read whole sectors."""
    if not kernel.shares_arcs or isinstance(kernel.domain, ir.Triangles):
        return False
    if set(module.mapped).isdisjoint(kernel.arrays):
        return False
    all_nodes = kernel.filter is None and isinstance(kernel.domain, ir.AllNodes)
    if (found := gathering(kernel)) is not None:
        return all_nodes and found.loop.node not in all_expressions(found.loop.body)
    others = (searching, collecting, asking, row_of_arc)
    return not (all_nodes and membership(kernel) is None) and all(shape(kernel) is None for shape in others)


@lru_cache(maxsize=64)
def _heads_of_rows(same: Same, symmetric: bool, weights: frozenset[ir.Array]) -> ir.Module:
    module: ir.Module = same.thing
    if not module.on_demand:
        return module
    weights = frozenset(a for a in weights & frozenset(module.mapped) if a.element in ir.HEAD_WEIGHTS)
    far = [kernel for kernel in module.kernels if not kernel.near]
    kind, gaining = ir.HeadKind.FIRST, {layout for kernel in far for layout in _read_at_their_heads(kernel)}
    if not gaining:
        kind, gaining = ir.HeadKind.SHORT, _walked_for_chosen_nodes(far, module.mapped, weights)
    gaining = {layout for layout in gaining if layout.neighbors in module.mapped}
    if not gaining:
        return module
    wanted = frozenset(ir.LAYOUTS.values() if symmetric else gaining)
    kernels = tuple(k if k.near else _OfKernel(k, wanted, weights).kernel(k) for k in module.kernels)
    return module_rewriter.with_graph_arrays(module_rewriter.with_arrays(replace(module, kernels=kernels, heads=kind)))


def _read_at_their_heads(kernel: ir.Kernel) -> Iterable[ir.Layout]:
    """The layouts of which the kernel probably reads the first arcs of a row only."""
    for op in walk_kernel(kernel.body):
        if isinstance(op, ir.ForNeighbors) and op.layout in ir.LAYOUTS.values() and leaves(op.body):
            yield op.layout
    first = _first_slots(kernel)
    for part in all_expressions(kernel.body):
        if isinstance(part, ir.Load) and (sampled := _sampled(part, first)) is not None:
            yield sampled[0]


def _walked_for_chosen_nodes(
    kernels: Iterable[ir.Kernel], mapped: Iterable[ir.Array], weights: frozenset[ir.Array]
) -> set[ir.Layout]:
    """The layouts along whose rows kernels go, each for some nodes, if nothing else is read of arcs there but what
    copies of `weights` have."""
    found: set[ir.Layout] = set()
    for kernel in kernels:
        arrays = [array for array in kernel.arrays if array in mapped]
        loops = [op for op in walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors)]
        if not arrays:
            continue
        match loops:
            case [ir.ForNeighbors(node=ir.Ref(node)) as loop] if node == kernel.iterator:
                chosen = kernel.filter is not None or isinstance(kernel.domain, ir.Listed | ir.InWords)
                copied = {loop.layout.neighbors, *(weights if loop.layout == ir.CSR else ())}
                if not chosen or not copied.issuperset(arrays) or _reads_elsewhere(kernel, loop, arrays):
                    return set()
                found.add(loop.layout)
            case [] if weights.issuperset(arrays):  # some weights, evenly spaced
                continue
            case _:
                return set()
    return found


def _reads_elsewhere(kernel: ir.Kernel, loop: ir.ForNeighbors, arrays: Iterable[ir.Array]) -> bool:
    """Whether arrays of arcs are read in another way than by the slots of the loop."""
    slot = ir.Ref(loop.position)
    expressions = (*all_expressions(kernel.body), *(() if kernel.filter is None else walk_expression(kernel.filter)))
    return any(
        isinstance(part, ir.FindArc)
        or (isinstance(part, ir.Load) and part.array in arrays and part.index != slot)
        or (isinstance(part, ir.CallFunction) and not set(arrays).isdisjoint(arrays_in(part)))
        for part in expressions
    )


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
    return None


class _OfKernel(rewriter.Rewriter):
    """Reads the heads of rows of the layouts that are wanted."""

    def __init__(self, kernel: ir.Kernel, wanted: frozenset[ir.Layout], weights: frozenset[ir.Array]) -> None:
        self.first, self.wanted, self.weights = _first_slots(kernel), wanted, weights
        self.changing = assigned_variables(kernel.body)
        self.slots: dict[ir.Expression, ir.Expression] = {}

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if not isinstance(op, ir.ForNeighbors) or op.layout not in self.wanted:
            return (self.rebuild(op),)
        match op.node:
            case ir.Ref(node) if op.layout == ir.CSR and self.changing.isdisjoint((node, op.position)):
                self.slots[ir.Ref(op.position)] = op.node
        return (replace(self.rebuild(op), heads=True),)

    def expression(self, expression: ir.Expression) -> ir.Expression:
        if not isinstance(expression, ir.Load):
            return self.rebuild(expression)
        if (sampled := _sampled(expression, self.first)) is not None and sampled[0] in self.wanted:
            return ir.with_heads(sampled[0]).neighbor_of(sampled[1], expression.index)
        if expression.array in self.weights and (node := self.slots.get(expression.index)) is not None:
            copies = ir.HEAD_WEIGHTS[expression.array.element]
            return ir.with_heads(ir.CSR).at_head(node, expression.index, copies, expression)
        return self.rebuild(expression)
