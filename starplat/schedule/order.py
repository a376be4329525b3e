"""Step `order`: sorts rows for searches that leave early, or asks for nodes in another order.

Kernels that look for any one of a node's arcs and leave there walk neighbors of high degree first under `order=rows`.
More nodes reach such a neighbor early, so that a search for it ends sooner. The sorted rows lie beside the ascending
ones, which everything else goes on using. The module makes them itself, once for a graph: a launch for each class of
degrees, highest first, in which the nodes of the class append themselves to the rows of their neighbors. Degrees of one
class differ by less than a factor of two; within a class threads append in any order.

Other orders renumber the nodes of the graph, which leaves the module as it is: the runtime translates what goes in and
comes out. The answer must not depend on the numbers.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.ir import build, fresh_names, module_rewriter, nodes as ir, rewriter
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import changes_graph
from starplat.ir.shapes.shared_rows import leaves
from starplat.ir.visitor import all_expressions, walk_expression, walk_kernel, with_signature
from starplat.schedule.schedule import Order, Schedule
from starplat.schedule.step import Choice, Decided, for_kernels

_OTHER = {ir.Direction.OUT: ir.Direction.IN, ir.Direction.IN: ir.Direction.OUT}


RENUMBERING = frozenset({Order.DEGREE, Order.RCM})
"""The orders that give nodes other numbers."""


def in_order(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """The module for the order that the schedule asks for.

    Raises:
        DiagnosticError: E0667, the answer may depend on the numbers of nodes, which are to change.
    """
    if schedule.order in RENUMBERING:
        require_renumbering(module, schedule.order)
        made = replace(module, node_order=str(schedule.order))
        return Decided(made, (Choice(f"nodes are renumbered: {schedule.order.sentence}", "no answer depends on them"),))
    sorts = schedule.order is Order.ROWS and not changes_graph(module)
    return _rows_by_degree(module) if sorts else Decided(module)


def require_renumbering(module: ir.Module, order: Order) -> None:
    """Lets programs pass whose answer cannot depend on the numbers of nodes.

    Raises:
        DiagnosticError: E0667, with the place where it may.
    """
    if module.numbers is None:
        raise not_renumbered(order, f"'{module.entry}' was not looked at in its canonical form")
    shown = module.numbers.shown
    if shown is not None:
        message = f"nodes cannot be renumbered for 'order={order}': {shown.why}"
        help = f"leave it out; or {shown.remedy}"
        raise DiagnosticError(Diagnostic("E0667", message, module.source, Label(shown.span), help=help))


def not_renumbered(order: Order | str, why: str, help: str = "leave it out") -> DiagnosticError:
    """E0667 for what no place in the program is the reason of."""
    return DiagnosticError(Diagnostic("E0667", f"nodes cannot be renumbered for 'order={order}': {why}", help=help))


def _rows_by_degree(module: ir.Module) -> Decided:
    """The module whose searches walk sorted rows, with the functions that sort them."""
    searches = {kernel.name: kernel for kernel in map(_Searches().kernel, module.kernels)}
    found = [kernel.name for kernel in module.kernels if searches[kernel.name] != kernel]
    if not found:
        return Decided(module)
    changed = replace(module, kernels=tuple(searches.values()))
    changed = module_rewriter.with_graph_arrays(module_rewriter.with_arrays(changed))
    why = "any neighbor that passes will do, and nodes of high degree pass more often"
    return for_kernels(module, _with_builders(changed), found, "neighbors of high degree first", why)


# --- searches ------------------------------------------------------------------------------------------------------


class _Searches(rewriter.Rewriter):
    """Lets searches walk rows by degree."""

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if isinstance(op, ir.ForNeighbors) and _may_find_any(op):
            slots = _Slots(op)
            body = slots.kernel_block(op.body)
            if not slots.left:
                return (replace(op, body=body, by_degree=True),)
        return (self.rebuild(op),)


class _Slots(rewriter.Rewriter):
    """Reads the neighbor and the arc of a slot from the rows by degree; `left` says that a slot has another use."""

    def __init__(self, loop: ir.ForNeighbors) -> None:
        self.slot = ir.Ref(loop.position)
        self.old, self.new = loop.layout, loop.direction.layout_by_degree
        self.left = False

    def expression(self, expression: ir.Expression) -> ir.Expression:
        if expression == self.old.neighbor(self.slot):
            return self.new.neighbor(self.slot)
        if expression == self.old.arc_id(self.slot):
            return self.new.arc_id(self.slot)
        self.left |= expression == self.slot
        return self.rebuild(expression)


def _may_find_any(loop: ir.ForNeighbors) -> bool:
    """Whether a loop leaves at an arc that passes a test, and it does not matter at which.

    The compiler's own loops that leave, which are `parallel`, are such. In one of the program's, what is done then does
    not depend on the arc, and every arc can be tested.
    """
    match loop.body:
        case (*ahead, ir.KernelIf(condition, (*found, ir.KernelBreak()), ())):
            lets = [op for op in ahead if isinstance(op, ir.Let)]
            leaves_elsewhere = leaves(found) or any(isinstance(op, ir.KernelContinue) for op in walk_kernel(found))
            if len(lets) < len(ahead) or leaves_elsewhere:
                return False
            of_arc = {loop.neighbor, loop.position, *(op.variable for op in lets)}
            depends = any(isinstance(e, ir.Ref) and e.variable in of_arc for e in all_expressions(found))
            return loop.parallel or not (depends or _may_fail((*(op.value for op in lets), condition), lets, loop))
    return False


def _may_fail(tests: tuple[ir.Expression, ...], lets: list[ir.Let], loop: ir.ForNeighbors) -> bool:
    """Whether a test may divide by zero, call something, or load a cell that is not there."""
    slot, neighbor = ir.Ref(loop.position), ir.Ref(loop.neighbor)
    arc = loop.layout.arc_id(slot)
    places = [loop.node, neighbor, slot, arc, *(ir.Ref(op.variable) for op in lets if op.value == arc)]
    rows = [loop.node, neighbor, *(build.plus(node, ir.Const(1, ir.Element.NODE)) for node in (loop.node, neighbor))]
    for part in (part for test in tests for part in walk_expression(test)):
        match part:
            case ir.CallFunction() | ir.Binary(ir.BinaryOperator.DIVIDE | ir.BinaryOperator.REMAINDER):
                return True
            case ir.Load(array, index) if array.extent is not ir.Extent.ONE:
                if index not in (rows if array in ir.LAYOUTS else places):
                    return True
    return False


# --- the sorted rows -----------------------------------------------------------------------------------------------


def _with_builders(module: ir.Module) -> ir.Module:
    """The module with the functions that make the rows by degree that its kernels use."""
    for direction in ir.Direction:
        rows, used = direction.layout_by_degree, module.graph_arrays
        assert rows.arcs is not None
        if rows.neighbors in used or rows.arcs in used:
            module = _Builder(module, direction, with_arcs=rows.arcs in used).added()
    return module_rewriter.with_graph_arrays(module)


class _Builder:
    """Makes the function and the kernel that fill the rows of one direction, by walking those of the other."""

    def __init__(self, module: ir.Module, direction: ir.Direction, *, with_arcs: bool) -> None:
        self.module = module
        self.names = fresh_names.names_of(module)
        self.rows, self.walked = direction.layout, _OTHER[direction]
        made = direction.layout_by_degree
        arrays = (made.neighbors, made.arcs) if with_arcs else (made.neighbors,)
        self.made = tuple(array for array in arrays if array is not None)
        self.parameters = tuple(
            replace(array, name=self.names.fresh(f"sorted_{word}"), origin=ir.Origin.PARAMETER)
            for word, array in zip(("neighbors", "arcs"), self.made, strict=False)
        )
        self.filled = self.names.array("filled", ir.Element.INT, ir.Extent.NODES)
        self.least, self.below = self.names.variables(ir.Element.LONG, "least", "below")

    def added(self) -> ir.Module:
        way = self.made[0].name.removesuffix("columns_by_degree")
        kernel = self.kernel(self.names.fresh(f"append_to_{way}rows"))
        function = self.function(self.names.fresh(f"sort_{way}rows"), kernel)
        prepared = (*self.module.prepared, ir.Prepared(function.name, self.made))
        functions, kernels = (*self.module.functions, function), (*self.module.kernels, kernel)
        return replace(self.module, functions=functions, kernels=kernels, prepared=prepared)

    def function(self, name: str, kernel: ir.Kernel) -> ir.HostFunction:
        """Launches the kernel for every class, highest first."""
        least, zero, two = ir.Ref(self.least), ir.Const(0, ir.Element.LONG), ir.Const(2, ir.Element.LONG)
        follow = (ir.SetVariable(self.below, least), ir.SetVariable(self.least, build.divided(least, two)))
        body = (
            ir.Fill(self.filled, build.ZERO),
            ir.DeclareVariable(self.least, ir.NumArcs()),
            ir.DeclareVariable(self.below, ir.infinity(ir.Element.LONG)),
            ir.Loop((), build.greater(least, zero), body=(ir.Launch(kernel.name), *follow)),
        )
        return ir.HostFunction(name, tuple(map(ir.Parameter, self.parameters)), (self.filled,), None, body)

    def kernel(self, name: str) -> ir.Kernel:
        """Every node whose degree plus one is at least `least` and less than `below` joins its neighbors' rows."""
        node, neighbor = self.names.variables(ir.Element.NODE, "node", "neighbor")
        position = self.names.variable("position", ir.Element.ARC)
        place = self.names.variable("place", ir.Element.INT)
        slot = self.names.variable("slot", ir.Element.ARC)
        rank = build.plus(self.rows.degree(ir.Ref(node)), build.ONE)
        values = (ir.Ref(node), self.walked.layout.arc_id(ir.Ref(position)))
        stores = (ir.Store(a, ir.Ref(slot), value) for a, value in zip(self.parameters, values, strict=False))
        body: tuple[ir.KernelOp, ...] = (
            ir.Let(place, build.ZERO),
            ir.FetchAdd(place, self.filled, ir.Ref(neighbor), build.ONE),
            ir.Let(slot, build.plus(self.rows.first(ir.Ref(neighbor)), ir.Ref(place))),
            *stores,
        )
        return with_signature(
            ir.Kernel(
                name,
                ir.AllNodes(),
                node,
                filter=build.both(build.at_least(rank, ir.Ref(self.least)), build.less(rank, ir.Ref(self.below))),
                body=(ir.ForNeighbors(self.walked, ir.Ref(node), neighbor, position, body, parallel=True),),
                comment="nodes of a class of degrees join the rows of their neighbors",
            )
        )
