"""Steps `room` and `rows`: leave room behind the arcs of rows, so that a batch changes only rows that it names.

A slot without an arc holds ~node, which is below 0; bisection reads it as that node.
`room` marks a module that may have such rows: it must not ask for the number of an arc, which its slot is not, or for
how many arcs there are. `rows` lets the kernels pass over slots without arcs, and take a node's degree from where its
arcs end. Both are right for rows without room as well, with which every run begins. Arcs that are read against their
direction are searched for, where their numbers would change with every batch, also in rows without room if only some
nodes read them so:

  for u in in_neighbors(v) at slot            for u in in_neighbors(v) at slot
    … weight[in_arcs[slot]]                     … weight[arc_in_slot(…, slot, u, v)]

Where several arcs lead from u to v, the first such slot in the row of v stands for the first of them, and so on.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, conditions, fresh_names, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import changes_graph
from starplat.ir.module_rewriter import with_arrays, with_graph_arrays
from starplat.ir.rewriter import Rewriter
from starplat.ir.shapes.rows_of_arcs import reads_flags
from starplat.ir.visitor import arrays_in, host_ops, walk_host, walks_rows, with_signature
from starplat.schedule.schedule import Schedule, Updates
from starplat.schedule.step import Choice, Decided


def room_in_rows(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """The module marked, if the schedule asks for room in its rows and the program may have it."""
    if schedule.updates is not Updates.IN_PLACE or not capabilities.rows_with_room or not changes_graph(module):
        return Decided(module)
    if obstacle := _obstacle(module):
        return Decided(module, (Choice("rows have no room", obstacle),))
    return Decided(replace(module, room=True), (Choice("rows have room", "updates change only rows that they name"),))


_ARC, _NODE = ir.Element.ARC, ir.Element.NODE

MANY_ARCS, LONG_ROWS = 2**20, 8
"""From so many arcs on, and so many in a row in the mean, a batch in place is worth the room in rows."""


def pays_in_place(module: ir.Module, capabilities: Capabilities, num_nodes: int, num_arcs: int) -> bool:
    """Whether a run whose schedule leaves `updates` open gives rows room: merging takes long then, room takes a quarter
    or a third, and no loop that leaves the graph as it is reads all arcs in each round."""
    if not capabilities.rows_with_room or num_arcs < max(MANY_ARCS, LONG_ROWS * num_nodes):
        return False
    return changes_graph(module) and not _obstacle(module) and not _reads_all_arcs_in_rounds(module)


def _reads_all_arcs_in_rounds(module: ir.Module) -> bool:
    for loop in (op for op in host_ops(module) if isinstance(op, ir.Loop)):
        inside = tuple(walk_host(loop.body))
        if any(isinstance(op, ir.ChangeGraph) for op in inside):
            continue
        kernels = (module.kernel(op.kernel) for op in inside if isinstance(op, ir.Launch))
        if any(kernel.filter is None and _reads_arcs(kernel) for kernel in kernels):
            return True
    return False


def _reads_arcs(kernel: ir.Kernel) -> bool:
    return isinstance(kernel.domain, ir.AllArcs) or walks_rows(kernel)


def past_room(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module:
    """The module whose kernels pass over slots without arcs, and ask for no numbers of arcs that change."""
    if changes_graph(module) and (module.room or is_filtered_where_against(module)):
        module = found_by_search(module)
    if not module.room:
        return module
    first = _first_of_parallel(fresh_names.names_of(module).fresh("first_of_parallel"))
    passing = _Passing(first.name)
    kernels = tuple(map(passing.kernel, module.kernels))
    helpers = tuple(replace(helper, body=passing.kernel_block(helper.body)) for helper in module.helpers)
    helpers = (*helpers, first) if passing.asks_for_first else helpers
    return with_graph_arrays(with_arrays(replace(module, kernels=kernels, helpers=helpers)))


def _node_of_degree(expression: ir.Expression) -> tuple[ir.Layout, ir.Expression] | None:
    """The rows and the node of which an expression is the number of arcs."""
    match expression:
        case ir.Binary(ir.BinaryOperator.SUBTRACT, _, ir.Load(array, node)) if layout := ir.LAYOUTS.get(array):
            return (layout, node) if expression == layout.degree(node) else None
    return None


# --- what may have room --------------------------------------------------------------------------------------------


_OF_WHOLE_ARRAYS = (ir.Launch, ir.OnDevice, ir.Fill, ir.CopyArray, ir.Swap, ir.HostCall, ir.HostBlock, ir.ChangeGraph)


def _obstacle(module: ir.Module) -> str:
    """Why the rows of a program can have no room; nothing if they can."""
    ends = (*module.inputs, *module.results)
    if any(array.element is ir.Element.ARC for array in ends) or "edge" in map(str, module.result_types):
        return "an argument or a result holds edges"
    for op in host_ops(module):
        if not isinstance(op, _OF_WHOLE_ARRAYS) and any(array.extent.grows_with_arcs for array in arrays_in(op)):
            return "the host looks at edges one by one"
    looking = _Looking()
    for function in module.functions:
        looking.where = f"'{function.name}'"
        looking.host_block(function.body)
    for kernel in module.kernels:
        looking.where = f"'{kernel.name}'"
        if isinstance(kernel.domain, ir.NodeNeighbors):
            looking.note("goes over the row of one node")
        looking.kernel(kernel)
    for helper in module.helpers:
        looking.where = f"'{helper.name}'"
        if any(array in ir.LAYOUTS for array in helper.given_arrays):
            looking.note("asks for a degree, or an arc between two nodes, in a function that kernels call")
        looking.kernel_block(helper.body)
    return looking.found


_COMPARED = frozenset({ir.BinaryOperator.EQUAL, ir.BinaryOperator.NOT_EQUAL, ir.BinaryOperator.GREATER_EQUAL})
_COMPARED |= {ir.BinaryOperator.LESS}


class _Looking(Rewriter):
    """Changes nothing; `found` says what asks first where an arc lies, or how many there are."""

    def __init__(self) -> None:
        self.where, self.found = "", ""

    def note(self, what: str) -> None:
        self.found = self.found or f"{self.where} {what}"

    def expression(self, expression: ir.Expression) -> ir.Expression:
        if (degree := _node_of_degree(expression)) is not None:
            return self.expression(degree[1]) and expression
        match expression:
            case ir.Binary(operator, ir.Cast(arc) | arc, ir.Const(-1 | 0)) if operator in _COMPARED:
                return self.expression(arc) and expression  # whether there is one
            case ir.Binary(_, left, right, element) if element is not ir.Element.BOOL:
                if ir.Element.ARC in (left.element, right.element):
                    self.note("calculates with an edge")
            case ir.Cast(operand, element) if (ir.Element.ARC in (operand.element, element)) and (
                _node_of_degree(operand) is None
            ):
                self.note("takes an edge for a number")
            case ir.Const(value, ir.Element.ARC) if value != -1:
                self.note("takes a number for an edge")
            case ir.NumArcs():
                self.note("asks for the number of edges")
            case ir.Load(array) if array in ir.LAYOUTS:
                self.note("asks for the first edge of a node, or goes over its edges both ways")
        return self.rebuild(expression)


# --- kernels -------------------------------------------------------------------------------------------------------


class _Passing(Rewriter):
    """Passes over slots without arcs. Whether the arc of a slot is the first of those parallel to it is asked of the
    slots before it, by a function of that name, in place of a search in the row."""

    def __init__(self, first_of_parallel: str) -> None:
        self.first_of_parallel, self.asks_for_first = first_of_parallel, False
        self._rows: dict[ir.Variable, ir.ForNeighbors] = {}

    def kernel(self, kernel: ir.Kernel) -> ir.Kernel:
        if isinstance(kernel.domain, ir.AllArcs):
            assert kernel.iterator is not None
            is_arc = _is_node(ir.CSR.neighbor(ir.Ref(kernel.iterator)))
            if kernel.filter is not None:
                kept = kernel.filter
                is_arc = build.both(*((kept, is_arc) if reads_flags(kept, kernel.own) else (is_arc, kept)))
            kernel = replace(kernel, filter=is_arc)
        return with_signature(self.rebuild(kernel))

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if isinstance(op, ir.ForNeighbors):
            self._rows[op.position] = op
        rebuilt = self.rebuild(op)
        if isinstance(rebuilt, ir.ForNeighbors):
            assert rebuilt.layout in ir.ENDS, "rows of a graph that changes lie in one way"
            return (replace(rebuilt, body=(_where_node(ir.Ref(rebuilt.neighbor), rebuilt.body),)),)
        return (rebuilt,)

    def expression(self, expression: ir.Expression) -> ir.Expression:
        if (degree := _node_of_degree(expression)) is not None:
            layout, node = degree[0], self.expression(degree[1])
            return build.minus(ir.Load(ir.ENDS[layout], node), layout.first(node))
        match expression:
            case ir.Binary(ir.BinaryOperator.EQUAL, ir.Ref(slot), ir.FindArc() as found) if self._finds(found, slot):
                self.asks_for_first = True
                given = (ir.ROW_OFFSETS, ir.COLUMNS, ir.Ref(slot), found.source, found.destination)
                return ir.CallFunction(self.first_of_parallel, given, ir.Element.BOOL)
            case ir.FindArc():
                expression = replace(expression, among_gaps=True)
        return self.rebuild(expression)

    def _finds(self, found: ir.FindArc, slot: ir.Variable) -> bool:
        """Whether a search is for the ends of the arc that lies in a slot of a row that is gone over."""
        row = self._rows.get(slot)
        if row is None or row.layout is not ir.CSR:
            return False
        return (found.source, found.destination) == (row.node, ir.Ref(row.neighbor))


def _first_of_parallel(name: str) -> ir.Function:
    """The function that says whether no arc before that of a slot has the same ends: slots between may be empty."""
    slot, source, destination = ir.Variable("slot", _ARC), *(ir.Variable(w, _NODE) for w in ("source", "destination"))
    given = ir.ROW_OFFSETS, ir.COLUMNS
    parameters = (*map(ir.Parameter, given), *map(ir.Parameter, (slot, source, destination)))
    held = ir.CSR.neighbor(build.minus(ir.Ref(slot), ir.Const(1, _ARC)))
    is_behind_first = build.greater(ir.Ref(slot), ir.CSR.first(ir.Ref(source)))
    no_arc = build.minus(ir.Const(-1, _NODE), ir.Ref(destination))
    is_same = build.both(is_behind_first, build.equal(held, ir.Ref(destination)))
    body = (
        ir.KernelWhile(build.both(is_behind_first, build.equal(held, no_arc)), (_plus(slot, -1),)),
        ir.KernelReturn(build.denied(is_same)),
    )
    return ir.Function(name, parameters, ir.Element.BOOL, body, comment="whether an arc is the first of those parallel")


def _where_node(neighbor: ir.Expression, body: tuple[ir.KernelOp, ...]) -> ir.KernelIf:
    """The operations where a slot holds an arc; a search stays one test for each arc."""
    match body:
        case (ir.KernelIf(condition, then, ()),):
            return ir.KernelIf(build.both(_is_node(neighbor), *conditions.conjuncts(condition)), then)
    return ir.KernelIf(_is_node(neighbor), body)


def _is_node(neighbor: ir.Expression) -> ir.Expression:
    """Whether a slot holds an arc."""
    return build.at_least(neighbor, ir.Const(0, ir.Element.NODE))


_ROWS = (ir.ROW_OFFSETS, ir.COLUMNS, ir.IN_ROW_OFFSETS, ir.IN_COLUMNS)


def is_filtered_where_against(module: ir.Module) -> bool:
    """Whether only kernels for some of the nodes read arcs against their direction."""
    return all(kernel.filter is not None for kernel in module.kernels if ir.IN_ARCS in kernel.arrays)


def found_by_search(module: ir.Module) -> ir.Module:
    """The module that asks for no numbers of arcs in reversed rows; itself where it does so elsewhere than in loops of
    kernels over neighbors."""
    if ir.IN_ARCS not in module.graph_arrays:
        return module
    search = _arc_in_slot(fresh_names.names_of(module).fresh("arc_in_slot"))
    kernels = tuple(map(_Searching(search.name).kernel, module.kernels))
    made = with_graph_arrays(with_arrays(replace(module, kernels=kernels, helpers=(*module.helpers, search))))
    return module if ir.IN_ARCS in made.graph_arrays else made


class _Searching(Rewriter):
    """Calls a function in place of reading numbers of arcs."""

    def __init__(self, function: str) -> None:
        self.function = function
        self._rows: dict[ir.Variable, ir.ForNeighbors] = {}

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if isinstance(op, ir.ForNeighbors):
            self._rows[op.position] = op
        return super().kernel_op(op)

    def expression(self, expression: ir.Expression) -> ir.Expression:
        match expression:
            case ir.Load(ir.IN_ARCS, ir.Ref(slot)) if slot in self._rows:
                row = self._rows[slot]
                return ir.CallFunction(self.function, (*_ROWS, ir.Ref(slot), ir.Ref(row.neighbor), row.node), _ARC)
        return self.rebuild(expression)


def _arc_in_slot(name: str) -> ir.Function:
    """The function that gives the arc for a slot of the row of its destination."""
    slot, arc, skipped = (ir.Variable(word, _ARC) for word in ("slot", "arc", "skipped"))
    source, destination = ir.Variable("source", _NODE), ir.Variable("destination", _NODE)
    parameters = (*map(ir.Parameter, _ROWS), *map(ir.Parameter, (slot, source, destination)))
    zero, previous = ir.Const(0, _ARC), build.minus(ir.Ref(slot), ir.Const(1, _ARC))
    held, no_arc = ir.REVERSE.neighbor(previous), build.minus(ir.Const(-1, _NODE), ir.Ref(source))
    is_same = build.either(build.equal(held, ir.Ref(source)), build.equal(held, no_arc))
    is_behind_first = build.greater(ir.Ref(slot), ir.REVERSE.first(ir.Ref(destination)))
    is_parallel = build.equal(ir.REVERSE.neighbor(ir.Ref(slot)), ir.Ref(source))
    is_counted = build.equal(ir.CSR.neighbor(ir.Ref(arc)), ir.Ref(destination))
    body = (
        ir.Let(skipped, zero),
        ir.KernelWhile(
            build.both(is_behind_first, is_same), (_plus(slot, -1), ir.KernelIf(is_parallel, (_plus(skipped, 1),)))
        ),
        ir.Let(arc, ir.FindArc(ir.Ref(source), ir.Ref(destination))),
        ir.KernelWhile(
            build.greater(ir.Ref(skipped), zero), (_plus(arc, 1), ir.KernelIf(is_counted, (_plus(skipped, -1),)))
        ),
        ir.KernelReturn(ir.Ref(arc)),
    )
    return ir.Function(name, parameters, _ARC, body, comment="the arc for a slot in the row of its destination")


def _plus(variable: ir.Variable, number: int) -> ir.SetLocal:
    return ir.SetLocal(variable, build.plus(ir.Ref(variable), ir.Const(number, _ARC)))
