"""Step `parts`: sums of what neighbors have are gathered from one part of the nodes after the other.

A gather reads a cell of an arbitrary node for every arc. Where the cells of all nodes are more than the cache of a
device holds, nearly every such read goes to its memory. So rows are cut by the neighbors' numbers into parts, of whose
cells the cache holds all: first every node adds up what its neighbors in the first part have, then those in the second,
and so on. Each node's sum so far stands in a cell of its own, which is read and written in order. The module makes the
rows in parts itself, once for a graph (see `rows.in_parts`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from starplat.ir import build, fresh_names, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.module_rewriter import ModuleRewriter, with_graph_arrays
from starplat.ir.shapes.gathering import Gathering, gathering
from starplat.ir.visitor import all_expressions, variables_read, walk_expression, with_signature, written_arrays
from starplat.schedule import step
from starplat.schedule.facts import GraphFacts
from starplat.schedule.rows.in_parts import with_rows_in_parts
from starplat.schedule.schedule import Order, Schedule

_CACHED = 2**24
"""Bytes of cells of a part: random reads of them are the fastest there are, on the devices that were measured."""

_MANY_ARCS = 8
"""Arcs of a node in the mean from which its additions outweigh the reading and writing of its sum for every part."""

_FAR = 0.5
"""Share of arcs between nodes of distant numbers from which neighbors count as being anywhere."""

_WIDTHS = {ir.Element.DOUBLE: 8, ir.Element.LONG: 8, ir.Element.BOOL: 1}
_REALS = (ir.Element.FLOAT, ir.Element.DOUBLE)


def sums_in_parts(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> step.Decided:
    """The module whose sums are gathered in parts, where the schedule says so or the graph asks for it."""
    if schedule.order not in (Order.PARTS, Order.AUTO):
        return step.Decided(module)
    asked = schedule.order is Order.PARTS
    found: dict[str, int] = {}
    for kernel in module.kernels:
        width = gathered(kernel)
        parts = 0 if width is None else _parts(width, asked, capabilities, facts)
        if parts:
            found[kernel.name] = parts
    if not found:
        return step.Decided(module)
    why = "the schedule says so" if asked else f"{facts}: what neighbors have does not fit in the cache"
    choices = tuple(
        step.Choice(f"{name}: adds up what neighbors have in {parts} parts", why) for name, parts in found.items()
    )
    made = _Gathers(module, found).module()
    return step.Decided(with_rows_in_parts(with_graph_arrays(made)), choices)


def has_sums(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether the module gathers sums that a large graph would have in parts."""
    return capabilities.shared_arcs and any(gathered(kernel) is not None for kernel in module.kernels)


def _parts(width: int, asked: bool, capabilities: Capabilities, facts: GraphFacts | None) -> int:
    """In how many parts; 0 if in one, as ever. Who asks for parts has a large graph in mind."""
    if asked or facts is None:
        return ir.PARTS[-1] * asked
    size = facts.num_nodes * width
    pays = facts.mean_degree >= _MANY_ARCS and facts.far_arcs >= _FAR and size > _CACHED * 5 // 4
    if not pays or not capabilities.shared_arcs:
        return 0
    return next((parts for parts in ir.PARTS if size <= parts * _CACHED), ir.PARTS[-1])


def gathered(kernel: ir.Kernel) -> int | None:
    """Bytes for each node of what a kernel adds up of neighbors, if it does that and its sum may be taken apart."""
    parts = gathering(kernel)
    if parts is None or kernel.filter is not None or kernel.guard is not None or kernel.shares_arcs:
        return None
    whole = isinstance(kernel.domain, ir.AllNodes) and parts.combine is ir.Combine.ADD
    loop = parts.loop
    if not whole or parts.total.element not in _REALS or loop.by_degree or loop.one_way or loop.ahead is not None:
        return None
    near, arrays = {ir.Ref(loop.neighbor), loop.node}, set[ir.Array]()
    for part in (part for e in all_expressions(loop.body) for part in walk_expression(e)):
        match part:
            case ir.Load(array, index) if index not in near or array in written_arrays(kernel.body):
                return None
            case ir.Load(array, index):
                arrays |= {array} if index == ir.Ref(loop.neighbor) else set()
            case ir.CallFunction() | ir.FindArc():
                return None
            case ir.Ref(variable) if variable == loop.position:
                return None
    return sum(_WIDTHS.get(array.element, 4) for array in arrays) or None


@dataclass(frozen=True, slots=True)
class _InParts:
    """A gathering kernel taken apart: `one` adds up a part, which lies after `ahead` rows, into the cells of `sums`,
    and `rest` uses these."""

    parts: int
    sums: ir.Array
    ahead: ir.Variable
    one: ir.Kernel
    rest: ir.Kernel

    def launches(self) -> Iterator[ir.HostOp]:
        """What stands for the launch of the kernel."""
        nothing, ahead = ir.Const(0, ir.Element.LONG), ir.Ref(self.ahead)
        nodes = ir.NumNodes(ir.Element.LONG)
        yield ir.DeclareVariable(self.ahead, nothing)
        yield ir.Loop(
            (),
            build.less(ahead, build.times(nodes, ir.Const(self.parts, ir.Element.LONG))),
            body=(ir.Launch(self.one.name),),
            step=(ir.SetVariable(self.ahead, build.plus(ahead, nodes)),),
        )
        yield ir.Launch(self.rest.name)


class _Gathers(ModuleRewriter):
    """Puts the kernels' parts in their place."""

    def __init__(self, given: ir.Module, found: dict[str, int]) -> None:
        super().__init__(given)
        self.found = {name: _taken_apart(given.kernel(name), parts, self.taken) for name, parts in found.items()}

    def with_kernels(self) -> ir.Module:
        kernels = (kernel for old in self.given.kernels for kernel in self.of(old))
        return replace(self.given, kernels=tuple(kernels))

    def of(self, old: ir.Kernel) -> tuple[ir.Kernel, ...]:
        new = self.found.get(old.name)
        return (old,) if new is None else (new.one, new.rest)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.Launch) and op.kernel in self.found:
            new = self.found[op.kernel]
            self.arrays += () if new.sums in self.arrays else (new.sums,)
            return tuple(new.launches())
        return (self.rebuild(op),)


def _taken_apart(kernel: ir.Kernel, parts: int, names: fresh_names.FreshNames) -> _InParts:
    found = gathering(kernel)
    assert found is not None
    total, node = found.total, kernel.own
    sums = names.array(f"{total.name}_so_far", total.element, ir.Extent.NODES)
    ahead = names.variable("rows_ahead", ir.Element.LONG)
    so_far = ir.Load(sums, node)
    rest = replace(kernel, body=(*found.ahead, ir.Let(total, _added(found, so_far)), *found.rest))
    return _InParts(parts, sums, ahead, _one_part(kernel, found, sums, ahead, parts, names), with_signature(rest))


def _added(found: Gathering, so_far: ir.Expression) -> ir.Expression:
    nothing = isinstance(found.first, ir.Const) and found.first.value == 0
    return so_far if nothing else build.plus(found.first, so_far)


def _one_part(
    kernel: ir.Kernel, found: Gathering, sums: ir.Array, ahead: ir.Variable, parts: int, names: fresh_names.FreshNames
) -> ir.Kernel:
    """Adds what a node's neighbors of one part have to its sum, if there is anything to add; the first part begins
    it."""
    total, node = found.total, kernel.own
    nothing, begins = ir.Const(0.0, total.element), build.equal(ir.Ref(ahead), ir.Const(0, ahead.element))
    begin = ir.Store(sums, node, ir.Ref(total))
    add = ir.Store(sums, node, build.plus(ir.Load(sums, node), ir.Ref(total)))
    body = (
        *_needed(found.ahead, found.loop.body),
        ir.Let(total, nothing),
        replace(found.loop, parts=parts, ahead=ir.Ref(ahead), counts=()),
        ir.KernelIf(begins, (begin,), (ir.KernelIf(build.differs(ir.Ref(total), nothing), (add,)),)),
    )
    name, comment = names.fresh(f"{kernel.name}_part"), f"adds up one part of what neighbors have, for {kernel.name}"
    return with_signature(replace(kernel, name=name, body=body, reductions=(), comment=comment, counts=None))


def _needed(ahead: tuple[ir.KernelOp, ...], body: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
    """The values of the node that the loop uses."""
    used: tuple[ir.KernelOp, ...] = ()
    for op in reversed(ahead):
        assert isinstance(op, ir.Let)
        if any(op.variable in variables_read(e) for e in all_expressions((*used, *body))):
            used = (op, *used)
    return used
