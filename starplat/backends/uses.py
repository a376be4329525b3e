"""Walks over operations, statements and expressions alike, and what printers want to know from such walks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from starplat.backends.statements import Accumulate, Assign, FetchCell, SwapCell
from starplat.ir import nodes as ir
from starplat.ir.same import Same
from starplat.source import SourceFile, Span


def walk(node: object) -> Iterator[Any]:
    """Every record inside `node`, itself first, in the order of their fields."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        kind: Any = type(part)
        if kind is tuple:
            waiting.extend(part[::-1])  # type: ignore[index]
            continue
        values = _VALUES[kind] if kind in _VALUES else _values_of(kind)
        if values is not None:
            yield part
            waiting.extend(values(part))


_VALUES: dict[type, Callable[[Any], tuple[Any, ...]] | None] = {}


def _values_of(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """What gives the fields of a record, the last one first; None for what is no record, and for source files and
    places in them, which are not walked into."""
    names = [field.name for field in fields(kind)][::-1] if is_dataclass(kind) else []
    if not is_dataclass(kind) or kind in (SourceFile, Span):
        _VALUES[kind] = None
    elif len(names) > 1:
        _VALUES[kind] = attrgetter(*names)
    else:  # of a single name it gives the value alone
        _VALUES[kind] = lambda record: tuple(getattr(record, name) for name in names)
    return _VALUES[kind]


def arrays_in(node: object) -> tuple[ir.Array, ...]:
    """The arrays that are mentioned, each once, by first mention."""
    return tuple(dict.fromkeys(part for part in walk(node) if isinstance(part, ir.Array)))


def variables_in(node: object) -> tuple[ir.Variable, ...]:
    """The variables that are mentioned, each once, by first mention."""
    return tuple(dict.fromkeys(part for part in walk(node) if isinstance(part, ir.Variable)))


def names_taken(module: ir.Module) -> frozenset[str]:
    """The names of all arrays and variables of a module; found out once, however many of its loops ask."""
    return _names_taken(Same(module))


@lru_cache(maxsize=16)
def _names_taken(same: Same) -> frozenset[str]:
    everything = (same.module.functions, same.module.kernels)
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
    | Assign
    | Accumulate
    | FetchCell
    | SwapCell
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
    count = Counter(part.variable for part in walk(node) if isinstance(part, _SETTING))
    calls = [part for part in walk(node) if isinstance(part, ir.CallFunction)]
    return frozenset(
        variable for variable, times in count.items() if times == 1 and not any(variable in c.arguments for c in calls)
    )


def written_in(body: object, module: ir.Module) -> frozenset[ir.Array]:
    """The arrays whose cells kernel operations write, themselves or through the functions they call."""
    written: set[ir.Array] = set()
    for part in walk(body):
        match part:
            case ir.Store() | ir.UpdateCell() | ir.FetchAdd() | ir.FetchOr() | ir.CompareSwap():
                written.add(part.array)
            case ir.ExtremeCell():
                written.update((part.array, *(carry.array for carry in part.carried)))
                written.update(() if part.lock is None else (part.lock,))
            case ir.CallFunction():
                written.update(_lent(part, written_in(module.helper(part.function).body, module), module))
            case ir.Fill():
                written.add(part.array)
            case ir.CopyArray():
                written.add(part.destination)
    return frozenset(written)


def locked_in(body: object, module: ir.Module) -> frozenset[ir.Array]:
    """The arrays whose cells are read or written while a lock is held."""
    locked: set[ir.Array] = set()
    for part in walk(body):
        match part:
            case ir.ExtremeCell(lock=ir.Array()) if part.shared:
                locked.update((part.array, *(carry.array for carry in part.carried)))
            case ir.CallFunction():
                locked.update(_lent(part, locked_in(module.helper(part.function).body, module), module))
    return frozenset(locked)


def contested_in(body: object, module: ir.Module) -> frozenset[ir.Array]:
    """The arrays whose cells may be read at any moment while they change by an atomic Min, Max, swap or or."""
    contested: set[ir.Array] = set()
    for part in walk(body):
        match part:
            case ir.ExtremeCell(lock=None) if part.shared:
                contested.add(part.array)
            case ir.UpdateCell(combine=ir.Combine.MIN | ir.Combine.MAX) if part.shared:
                contested.add(part.array)
            case ir.CompareSwap() | ir.FetchOr():
                contested.add(part.array)
            case ir.CallFunction():
                contested.update(_lent(part, contested_in(module.helper(part.function).body, module), module))
    return frozenset(contested)


def volatile_arrays(module: ir.Module) -> dict[str, frozenset[ir.Array]]:
    """For every kernel and function, the arrays whose cells change under a lock, there or where it is called."""
    return _seen_by_callees(module, locked_in)


def contested_arrays(module: ir.Module) -> dict[str, frozenset[ir.Array]]:
    """For every kernel and function, the arrays of `contested_in`, there or where it is called."""
    return _seen_by_callees(module, contested_in)


def _seen_by_callees(
    module: ir.Module, chosen_in: Callable[[object, ir.Module], frozenset[ir.Array]]
) -> dict[str, frozenset[ir.Array]]:
    """What is chosen in each kernel and function, with what callers of the function have chosen and lend it."""
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


def _lent(call: ir.CallFunction, chosen: Iterable[ir.Array], module: ir.Module) -> Iterator[ir.Array]:
    """What the caller calls the arrays that the called function knows as `chosen`."""
    for argument, parameter in zip(call.arguments, module.helper(call.function).parameters, strict=True):
        if isinstance(argument, ir.Array) and parameter.what in tuple(chosen):
            yield argument


def called_in(body: object, module: ir.Module) -> tuple[ir.Function, ...]:
    """The functions that are called, also by those called, in the order of the module."""
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
