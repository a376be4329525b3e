"""Verifies a module, so that a mistake of a pass is found where it was made.

Takes a module, returns nothing, raises `InvalidModule`. It is run after lowering and, in tests, after every pass.
"""

from typing import assert_never

from starplat.ir import nodes as ir, visitor
from starplat.ir.shapes.following import following
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.whole_rows import takes_whole_rows
from starplat.ir.verifying import bounds, host, wellformed
from starplat.ir.verifying.operations import Body, combines
from starplat.ir.verifying.wellformed import InvalidModule, Scope, calls_itself
from starplat.same import remembered

__all__ = ["InvalidModule", "verify"]


def verify(module: ir.Module) -> None:
    """Passes if the module is well formed.

    Raises:
        InvalidModule: it is not; the message says where and what.
    """
    helpers = {helper.name: helper for helper in module.helpers}
    whole = Scope("module", helpers, on_host=True)
    for group in (module.kernels, module.helpers, module.functions):
        names = [item.name for item in group]
        whole.require(len(set(names)) == len(names), f"of {sorted(names)} two have one name")
    whole.require(module.entry in {f.name for f in module.functions}, f"the entry '{module.entry}' is missing")
    for kernel in module.kernels:
        _verify_kernel(kernel, module.helpers)
    for helper in module.helpers:
        _verify_helper(helper, helpers)
    host.verify_host(module)
    _verify_interface(module, whole)


def _verify_interface(module: ir.Module, whole: Scope) -> None:
    used = {array for kernel in module.kernels for array in kernel.arrays if array.origin is ir.Origin.GRAPH}
    whole.require(set(module.graph_arrays) == used, "graph_arrays are not what the kernels use")
    parameters = {parameter.what for parameter in module.function(module.entry).parameters}
    for array in (*module.inputs, *module.results):
        whole.require(array in parameters, f"'{array.name}' is no parameter of the entry")
    written = {array for kernel in module.kernels for array in visitor.written_arrays(kernel.body)}
    _verify_prepared(module, whole)
    for array in module.mapped:
        whole.require(
            array in (*module.graph_arrays, *module.inputs), f"'{array.name}' is neither the graph's nor given"
        )
        whole.require(array not in module.prepared_arrays, f"'{array.name}' is made on the device")
        whole.require(array not in written, f"a kernel changes '{array.name}', which is in mapped host memory")


def _verify_prepared(module: ir.Module, whole: Scope) -> None:
    """What the module makes of the graph is all that no host has, and each of its makers can."""
    made = [array for one in module.prepared for array in one.arrays]
    wanted = {array for array in module.graph_arrays if array in ir.MADE_ARRAYS}
    whole.require(len(set(made)) == len(made) and set(made) >= wanted, "not all that is prepared is made once")
    functions = {function.name: function for function in module.functions}
    for one in module.prepared:
        whole.require(one.function in functions, f"there is no function '{one.function}'")
        parameters = functions[one.function].parameters
        whole.require(
            [_kind(parameter.what) for parameter in parameters] == [_kind(array) for array in one.arrays],
            f"'{one.function}' makes other arrays",
        )


def _kind(what: ir.Array | ir.Variable) -> tuple[ir.Element, ir.Extent | None]:
    return what.element, what.extent if isinstance(what, ir.Array) else None


@remembered(256)
def _verify_kernel(kernel: ir.Kernel, helpers: tuple[ir.Function, ...]) -> None:
    scope = Scope(f"kernel '{kernel.name}'", {helper.name: helper for helper in helpers}, on_host=False)
    for array in kernel.arrays:
        scope.add_array(array)
    for array in visitor.thread_arrays(kernel.body):
        scope.require(array.extent is ir.Extent.NODES, f"'{array.name}' has no cell for each node")
        scope.add_array(array)
    for scalar in kernel.scalars:
        scope.declare(scalar)
    _verify_domain(kernel, scope)
    _verify_guard(kernel, scope)
    gathers = gathering(kernel) is not None
    scope.require(not kernel.short_rows or gathers or takes_whole_rows(kernel), "a thread cannot take whole rows")
    scope.require(not kernel.streams or gathers, "it gathers nothing")
    scope.require(not kernel.in_pieces_of_rows or kernel.streams, "it does not stream")
    scope.require(not kernel.follows or following(kernel) is not None, "it has nothing to follow")
    if kernel.filter is not None:
        scope.condition(kernel.filter)
    for reduction in kernel.reductions:
        fits = combines(reduction.combine, reduction.variable.element)
        scope.require(fits, f"'{reduction.variable.name}' cannot be combined by '{reduction.combine.value}'")
        _verify_cell(reduction, kernel, scope)
    reductions = {reduction.variable for reduction in kernel.reductions}
    scope.require(len(reductions) == len(kernel.reductions), "two reductions have one variable")
    Body(scope, reductions, result=None, in_helper=False, alone=isinstance(kernel.domain, ir.Once)).block(kernel.body)
    _verify_signature(kernel, scope)
    verify_spaces(kernel, scope)


def _verify_cell(reduction: ir.Reduction, kernel: ir.Kernel, scope: Scope) -> None:
    into, element = reduction.into, reduction.variable.element
    if into is not None:
        cell = ir.Element.INT if element is ir.Element.BOOL else element
        scope.require(
            into.element is cell and into.extent is ir.Extent.ONE, f"'{into.name}' cannot take what is combined"
        )
        scope.require(into not in kernel.arrays, f"it looks at '{into.name}' while that is combined")


def _verify_guard(kernel: ir.Kernel, scope: Scope) -> None:
    guard = kernel.guard
    if guard is not None:
        scope.require(guard.element is ir.Element.BOOL and guard.extent is ir.Extent.ONE, f"'{guard.name}' is no guard")
        alone = isinstance(kernel.domain, ir.Once) or guard not in visitor.written_arrays(kernel.body)
        scope.require(alone, f"it changes '{guard.name}', which says whether it runs")


def _verify_bounds(first: ir.Expression | None, end: ir.Expression | None, of: ir.Element, scope: Scope) -> None:
    for bound in (first, end):
        if bound is not None:
            scope.require(isinstance(bound, ir.Ref), "a part begins and ends where scalars say")
            scope.value(bound, of)
    scope.require((first is None) == (end is None), "a part has a beginning and an end")


def _verify_domain(kernel: ir.Kernel, scope: Scope) -> None:
    match kernel.domain:
        case ir.AllNodes(first, end):
            expected = ir.Element.NODE
            _verify_bounds(first, end, expected, scope)
        case ir.AllArcs(first, end):
            expected = ir.Element.ARC
            _verify_bounds(first, end, expected, scope)
        case ir.NodeNeighbors(_, node, position):
            expected = ir.Element.NODE
            scope.index(node)
            scope.require(
                not any(True for e in visitor.walk_expression(node) if isinstance(e, ir.Load)), "its node is not known"
            )
            scope.require(position.element is ir.Element.ARC, "its position is no arc")
            scope.declare(position)
        case ir.Listed():
            expected = ir.Element.NODE
            _verify_list(kernel, kernel.domain, scope)
        case ir.InWords(array, count):
            expected = ir.Element.NODE
            words = array.element is ir.Element.NODE and array.extent is ir.Extent.BITS
            scope.require(words, f"'{array.name}' lists no words")
            scope.require(
                array not in visitor.written_arrays(kernel.body), f"it changes '{array.name}', which it goes over"
            )
            _verify_count(count, scope)
        case ir.Numbers(count):
            expected = ir.Element.INT
            _verify_count(count, scope)
        case ir.Triangles(kept, sizes, number):
            expected = ir.Element.NODE
            scope.require(_holds(kept, ir.Element.NODE, ir.Extent.ARCS), f"'{kept.name}' keeps no arcs")
            scope.require(_holds(sizes, ir.Element.INT, ir.Extent.NODES), f"'{sizes.name}' has no numbers of arcs")
            scope.require(not {kept, sizes} & visitor.written_arrays(kernel.body), "it changes the arcs that are kept")
            scope.require(kernel.shares_arcs and kernel.filter is None, "its threads do not share all triangles")
            scope.require(number.element is ir.Element.LONG, "its number of triangles is of a wrong type")
            scope.declare(number)
        case ir.Workers():
            expected = ir.Element.INT
        case ir.Once():
            scope.require(kernel.iterator is None, "runs once but has an iterator")
            return
        case _:
            assert_never(kernel.domain)
    scope.require(
        kernel.iterator is not None and kernel.iterator.element is expected, "its iterator is of a wrong type"
    )
    scope.declare(kernel.index)


def _holds(array: ir.Array, element: ir.Element, extent: ir.Extent) -> bool:
    return array.element is element and array.extent is extent


def _verify_list(kernel: ir.Kernel, listed: ir.Listed, scope: Scope) -> None:
    array, written = listed.array, visitor.written_arrays(kernel.body)
    extents = (ir.Extent.NODES, ir.Extent.ITEMS)
    scope.require(array.element is ir.Element.NODE and array.extent in extents, f"'{array.name}' lists no nodes")
    for end in (listed.first, listed.last):
        scope.index(end)
        is_cell = isinstance(end, ir.Load) and end.array.extent is ir.Extent.ONE and isinstance(end.index, ir.Const)
        loads = any(isinstance(part, ir.Load) for part in visitor.walk_expression(end))
        scope.require(is_cell or not loads, "an end of its list is not known")
        scope.require(not is_cell or not written & set(visitor.arrays_in(end)), "it changes an end of its list")


def _verify_count(count: ir.Expression, scope: Scope) -> None:
    scope.index(count)
    loads = any(isinstance(part, ir.Load) for part in visitor.walk_expression(count))
    scope.require(not loads, "how many iterations it has is not known")


def _verify_signature(kernel: ir.Kernel, scope: Scope) -> None:
    arrays = visitor.used_arrays(kernel.body, kernel.domain, kernel.filter, kernel.guard)
    scope.require(set(arrays) == set(kernel.arrays), f"arrays must be {sorted(a.name for a in arrays)}")
    scope.require(all(array.origin is not ir.Origin.HOST for array in kernel.arrays), "it uses what the host has alone")
    graph = [array.origin is ir.Origin.GRAPH for array in kernel.arrays]
    scope.require(graph == sorted(graph, reverse=True), "the graph's arrays must come first")
    scope.require(
        all(a in ir.GRAPH_ARRAYS for a in kernel.arrays if a.origin is ir.Origin.GRAPH), "an unknown graph array"
    )
    scalars = visitor.used_scalars(kernel.body, kernel.domain, kernel.filter, kernel.iterator)
    scope.require(set(scalars) == set(kernel.scalars), f"scalars must be {sorted(s.name for s in scalars)}")


def _verify_helper(helper: ir.Function, helpers: dict[str, ir.Function]) -> None:
    scope = Scope(f"helper '{helper.name}'", helpers, on_host=False)
    scope.declare_parameters(helper.parameters)
    body = Body(scope, set(), result=helper.result, in_helper=True, alone=False)
    body.locals.update(helper.given_scalars)
    body.block(helper.body)
    scope.require(not calls_itself(helper.name, lambda name: _callees(helpers[name])), "it calls itself")


def _callees(helper: ir.Function) -> set[str]:
    return {call.function for call in visitor.all_expressions(helper.body) if isinstance(call, ir.CallFunction)}


_WORDS: dict[ir.Extent | None, str] = {ir.Extent.ARCS: "arc", ir.Extent.SLOTS: "slot"}
_GIVEN: dict[ir.Extent | None, str] = {ir.Extent.ARCS: "an arc", ir.Extent.SLOTS: "a slot"}
_INDEXED = (ir.Load, ir.Store, ir.UpdateCell, ir.ExtremeCell, ir.Carry, ir.FetchAdd, ir.FetchOr, ir.CompareSwap)


def verify_spaces(kernel: ir.Kernel, scope: wellformed.Scope) -> None:
    """Passes if no array is indexed by a number of another space."""
    known = _known(kernel)
    for part in visitor.walk((kernel.filter, kernel.body)):
        if isinstance(part, _INDEXED):
            wanted, given = part.array.extent, known.domain(part.index)
            if {wanted, given} == set(_WORDS):
                message = f"'{part.array.name}' has a cell for every {_WORDS[wanted]} and is indexed by {_GIVEN[given]}"
                scope.require(False, message)


def _known(kernel: ir.Kernel) -> bounds.Bounds:
    known = bounds.Bounds(visitor.assigned_variables(kernel.body))
    match kernel.domain:
        case ir.AllArcs() if kernel.iterator is not None:
            known.learn(kernel.iterator, ir.Extent.ARCS)
        case ir.NodeNeighbors(direction, _, position):
            known.learn(position, direction.layout.slots)
    for op in visitor.walk_kernel(kernel.body):
        match op:
            case ir.ForNeighbors():
                known.learn(op.position, op.layout.slots)
            case ir.ForRange():
                known.learn_range(op)
            case ir.Let(variable, value):
                known.learn_value(variable, value)
    return known
