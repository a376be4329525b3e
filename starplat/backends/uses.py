"""Walks over operations, statements and expressions, and the questions of printers that need them: what is mentioned,
read, assigned or only counted, which arrays change and which sets do not, which functions call which.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from starplat.backends import statements as st
from starplat.ir import launches, nodes as ir, shared_cells, visitor
from starplat.ir.visitor import walk
from starplat.same import remembered

Function = TypeVar("Function", ir.Function, ir.HostFunction)


def arrays_in(node: object) -> tuple[ir.Array, ...]:
    """The arrays that are mentioned, each once, by first mention."""
    return tuple(dict.fromkeys(part for part in walk(node) if isinstance(part, ir.Array)))


def variables_in(node: object) -> tuple[ir.Variable, ...]:
    """The variables that are mentioned, each once, by first mention."""
    return tuple(dict.fromkeys(part for part in walk(node) if isinstance(part, ir.Variable)))


@remembered(16)
def names_taken(module: ir.Module) -> frozenset[str]:
    """The names of all arrays and variables of a module; found out once, however many of its loops ask."""
    everything = (module.functions, module.kernels)
    return frozenset(part.name for part in walk(everything) if isinstance(part, ir.Array | ir.Variable))


def reads(variable: ir.Variable, node: object) -> bool:
    """Whether an expression in `node` has the value of `variable`, or a call may take it by reference."""
    return any(
        (isinstance(part, ir.Ref) and part.variable == variable)
        or (isinstance(part, ir.CallFunction | ir.HostCall) and variable in part.arguments)
        for part in walk(node)
    )


_SETTING = (
    ir.SetLocal
    | ir.SetVariable
    | ir.FetchAdd
    | ir.FetchOr
    | ir.CompareSwap
    | st.Assign
    | st.Accumulate
    | st.FetchCell
    | st.SwapCell
    | st.HearOf
)


def assigned_in(node: object) -> frozenset[ir.Variable]:
    """The variables that change after their declaration: assigned, or lent to a call by reference."""
    changed: set[ir.Variable] = set()
    for part in walk(node):
        if isinstance(part, _SETTING):
            changed.add(part.variable)
        elif isinstance(part, ir.CallFunction | ir.HostCall):
            changed.update(argument for argument in part.arguments if isinstance(argument, ir.Variable))
    return frozenset(changed)


def assigned_once(node: object) -> frozenset[ir.Variable]:
    """The variables that one operation or statement assigns, and no call may change."""
    parts = [part for part in walk(node) if isinstance(part, _SETTING | ir.CallFunction)]
    calls = [part for part in parts if isinstance(part, ir.CallFunction)]
    count = Counter(part.variable for part in parts if isinstance(part, _SETTING))
    return frozenset(
        variable for variable, times in count.items() if times == 1 and not any(variable in c.arguments for c in calls)
    )


def seen_by_callees(
    module: ir.Module, chosen_in: Callable[[object, ir.Module], frozenset[ir.Array]]
) -> dict[str, frozenset[ir.Array]]:
    """The arrays chosen in each kernel and function, such as those of `shared_cells.locked_in`, with those that its
    callers have chosen and pass to it."""
    routines: dict[str, ir.Kernel | ir.Function] = {kernel.name: kernel for kernel in module.kernels}
    routines |= {helper.name: helper for helper in module.helpers}
    found = {name: set(chosen_in(routine.body, module)) for name, routine in routines.items()}
    calls = [
        (name, argument, call.function, parameter.what)
        for name, routine in routines.items()
        for call in walk(routine.body)
        if isinstance(call, ir.CallFunction)
        for argument, parameter in zip(call.arguments, module.helper(call.function).parameters, strict=True)
        if isinstance(argument, ir.Array) and isinstance(parameter.what, ir.Array)
    ]
    grown = True
    while grown:
        grown = False
        for caller, argument, callee, parameter in calls:
            if argument in found[caller] and parameter not in found[callee]:
                found[callee].add(parameter)
                grown = True
    return {name: frozenset(arrays) for name, arrays in found.items()}


def called_in(body: object, module: ir.Module) -> tuple[ir.Function, ...]:
    """The called functions, transitively, in the order of the module."""
    if not module.helpers:
        return ()
    names = {part.function for part in walk(body) if isinstance(part, ir.CallFunction)}
    while True:
        bodies = [module.helper(name).body for name in names]
        deeper = {part.function for inner in bodies for part in walk(inner) if isinstance(part, ir.CallFunction)}
        if deeper <= names:
            return tuple(function for function in module.helpers if function.name in names)
        names |= deeper


def uses_num_nodes(body: object, module: ir.Module) -> bool:
    """Whether n is asked for, also by functions that are called."""
    return _uses(ir.NumNodes, body, module)


def uses_num_arcs(body: object, module: ir.Module) -> bool:
    """Whether m is asked for, also by functions that are called."""
    return _uses(ir.NumArcs, body, module)


def _uses(kind: type, body: object, module: ir.Module) -> bool:
    everything = (body, *(function.body for function in called_in(body, module)))
    return any(isinstance(part, kind) for part in walk(everything))


def code_of(kernel: ir.Kernel) -> tuple[object, ...]:
    """The operations and expressions of a kernel, without its lists of parameters."""
    return (kernel.domain, kernel.filter, kernel.body)


_SMALL = 2**20
"""The largest start of a counter: from there it takes two thousand million rounds to wrap around."""


def variables_set(ops: Iterable[ir.HostOp], module: ir.Module) -> frozenset[ir.Variable]:
    """The variables that get a value in the operations, or in blocks inside them."""
    return frozenset(variable for part in visitor.walk_host(ops) for variable in launches.given_by(part, module))


def counters_in(ops: Iterable[ir.HostOp], module: ir.Module) -> frozenset[ir.Variable]:
    """The variables of the operations that begin with a small constant, go up or down by one, and do nothing else."""
    counting, others = set[ir.Variable](), set[ir.Variable]()
    for part in visitor.walk_host(ops):
        (counting if _counts(part) else others).update(launches.given_by(part, module))
    return frozenset(counting - others)


def _counts(op: ir.HostOp) -> bool:
    match op:
        case ir.DeclareVariable(variable, ir.Const(int() as value, ir.Element.INT)):
            return variable.element is ir.Element.INT and abs(value) <= _SMALL
        case ir.SetVariable(variable, ir.Const(int() as value, ir.Element.INT)):
            return variable.element is ir.Element.INT and abs(value) <= _SMALL
        case ir.SetVariable(
            variable, ir.Binary(ir.BinaryOperator.ADD | ir.BinaryOperator.SUBTRACT, ir.Ref(counted), ir.Const(1))
        ):
            return counted == variable and variable.element is ir.Element.INT
    return False


def host_arrays(module: ir.Module) -> frozenset[ir.Array]:
    """The graph's arrays that host functions read from the host's copy."""
    found = set()
    for part in walk(module.functions):
        match part:
            case ir.Array() if part in ir.GRAPH_ARRAYS:
                found.add(part)
            case ir.HostForNeighbors(direction):
                found.update(direction.layout.row_arrays)
    for kernel in module.kernels:
        if isinstance(kernel.domain, ir.NodeNeighbors):
            found.update(kernel.domain.direction.layout.row_arrays)
        found.update(array for array in visitor.copied_arrays(kernel) if array in ir.GRAPH_ARRAYS)
    return frozenset(found)


def callees_first(functions: Iterable[Function], called: Callable[[Function], Iterable[Function]]) -> list[Function]:
    """The functions, each after those that it calls."""
    ordered: list[Function] = []

    def place(function: Function) -> None:
        for callee in called(function):
            place(callee)
        if function not in ordered:
            ordered.append(function)

    for function in functions:
        place(function)
    return ordered


def called_by_host(function: ir.HostFunction, module: ir.Module) -> tuple[ir.HostFunction, ...]:
    return tuple(module.function(part.function) for part in walk(function.body) if isinstance(part, ir.HostCall))


def changed_arrays(module: ir.Module) -> frozenset[ir.Array]:
    """The arrays that kernels or the host change, here or in a function that is called."""
    by_host = (array for part in visitor.walk(module.functions) for array in launches.changed_by(part))
    changed = {*shared_cells.written_in((module.functions, module.kernels), module), *by_host}
    return frozenset(_spread(changed, tuple(_ways_up(module))))


def fixed_sets(module: ir.Module) -> frozenset[ir.Array]:
    """The sets that the host goes over, here or in a function that is called, and that nothing changes."""
    looped = {part.members for part in visitor.walk(module.functions) if isinstance(part, ir.HostForMembers)}
    if not looped:
        return frozenset()
    up = tuple(_ways_up(module))
    down = tuple((argument, parameter) for parameter, argument in up)
    wanted = _spread(looped, up)
    made_here = {array for array in wanted if array.origin is not ir.Origin.PARAMETER}
    return frozenset(wanted - _spread({*changed_arrays(module), *made_here}, (*down, *up)))


def _ways_up(module: ir.Module) -> Iterator[tuple[ir.Array, ir.Array]]:
    """From a function's name of an array to the callers' names."""
    for call in visitor.walk(module.functions):
        if isinstance(call, ir.HostCall):
            parameters = module.function(call.function).parameters
            for argument, parameter in zip(call.arguments, parameters, strict=True):
                if isinstance(argument, ir.Array) and isinstance(parameter.what, ir.Array):
                    yield parameter.what, argument


def _spread(arrays: set[ir.Array], ways: tuple[tuple[ir.Array, ir.Array], ...]) -> set[ir.Array]:
    """The arrays, and those reachable from them."""
    found = set(arrays)
    while reached := {end for start, end in ways if start in found} - found:
        found |= reached
    return found
