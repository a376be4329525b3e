"""The kernels that host operations launch, and what operations read and change, by themselves and thereby."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from starplat.ir import nodes as ir, visitor
from starplat.same import remembered

MOST_ARRAYS_OF_PARTS = 24
"""Arrays of a launch on several devices, the graph's left out: parts may change each other's cells of so many."""


def touched(op: ir.HostOp, module: ir.Module) -> tuple[ir.Array, ...]:
    """The arrays that an operation itself names or its kernel uses, blocks left out."""
    return module.kernel(op.kernel).arrays if isinstance(op, ir.Launch) else tuple(visitor.arrays_in(op))


def used_host_arrays(ops: Iterable[ir.HostOp], module: ir.Module) -> tuple[ir.Array, ...]:
    """The arrays of host operations and of the kernels they launch: the graph's first, then by first use."""
    found = dict.fromkeys(array for op in ops for array in touched(op, module))
    return (*(a for a in ir.GRAPH_ARRAYS if a in found), *(a for a in found if a not in ir.GRAPH_ARRAYS))


def calls_in(function: ir.HostFunction) -> set[str]:
    return {op.function for op in visitor.walk_host(function.body) if isinstance(op, ir.HostCall)}


def is_ahead(op: ir.HostOp) -> bool:
    """Whether it is a loop of which the host launches rounds ahead."""
    return isinstance(op, ir.Loop) and isinstance(op.driver, ir.Ahead)


def changed_by(op: ir.HostOp) -> tuple[ir.Array, ...]:
    """The arrays whose cells, or whose place in memory, a host operation changes itself."""
    match op:
        case ir.Fill() | ir.WriteCell() | ir.ListMembers() | ir.PutItems() | ir.MakeRoom():
            return (op.array,)
        case ir.TakeMembers() | ir.KeepOwn() | ir.CombineChanged() | ir.ShareParts():
            return (op.array,)
        case ir.CombineParts():
            return (op.array, *op.carried, *(() if op.among is None else (op.among,)))
        case ir.ExchangeCells(arrays, among):
            return arrays if among is None else (*arrays, among)
        case ir.CopyArray():
            return (op.destination,)
        case ir.Swap():
            return (op.first, op.second)
        case ir.ChangeGraph():
            return op.properties
    return ()


def changed(op: ir.HostOp, module: ir.Module) -> frozenset[ir.Array]:
    """The same, and what a launched kernel or a called function may change."""
    match op:
        case ir.Launch(kernel):
            return visitor.written_arrays(module.kernel(kernel).body)
        case ir.HostCall():
            return frozenset(visitor.arrays_in(op))
    return frozenset(changed_by(op))


def read_by(op: ir.HostOp, module: ir.Module) -> Iterator[ir.Variable]:
    """The variables that an operation, its kernel or what it calls reads, those of its blocks left out."""
    for expression in visitor.expressions_of(op):
        yield from (part.variable for part in visitor.walk_expression(expression) if isinstance(part, ir.Ref))
    match op:
        case ir.Launch(kernel):
            for one in _launched(module.kernel(kernel), module):
                yield from one.scalars
        case ir.HostCall():
            yield from (argument for argument in op.arguments if isinstance(argument, ir.Variable))
        case ir.OnDevice():
            yield from op.scalars
        case ir.Loop(driver=ir.NearestFirst(step=step, hand_over=hand_over) as driver):
            yield from dict.fromkeys((step, driver.first))
            yield from () if driver.enough is None else (driver.enough,)
            yield from () if hand_over is None else (hand_over.limit,)
        case ir.Together(variable, _, before):
            yield from (variable, before)
        case ir.ExchangeCells():
            yield from (op.first, op.end)
        case ir.TakeFirst(variable):
            yield variable


def _launched(kernel: ir.Kernel, module: ir.Module) -> Iterator[ir.Kernel]:
    """The kernel, and the one that asks which nodes its chunks are for."""
    yield kernel
    if isinstance(kernel.chunks, ir.Chunks) and kernel.chunks.asking is not None:
        yield module.kernel(kernel.chunks.asking)


def set_by(op: ir.HostOp, module: ir.Module) -> Iterator[ir.Variable]:
    """The variables that an operation changes after their declaration, those of its blocks left out."""
    match op:
        case ir.SetVariable(variable) | ir.ReadCell(variable) | ir.ReadEmpty(variable) | ir.ReadSize(variable):
            yield variable
        case ir.TakeBatch(variable) | ir.Together(variable) | ir.ReadItem(variable) | ir.ReadLength(variable):
            yield variable
        case ir.TakeFirst(variable):
            yield variable
        case ir.Launch(kernel):
            launched = module.kernel(kernel)
            yield from (reduction.variable for reduction in launched.brought_back)
            yield from () if launched.chunks is None else (launched.chunks.first, launched.chunks.end)
        case ir.HostCall(_, arguments, result):
            yield from (argument for argument in (*arguments, result) if isinstance(argument, ir.Variable))
        case ir.OnDevice():
            yield from op.outcomes
        case ir.Loop(driver=ir.NearestFirst(hand_over=ir.HandOver(goes_on=goes_on, limit=limit))):
            yield from (goes_on, limit)
        case ir.Loop(driver=ir.NearestFirst(alone=ir.Variable() as alone)):
            yield alone
    for part in (part for whole in visitor.expressions_of(op) for part in visitor.walk_expression(whole)):
        if isinstance(part, ir.CallFunction):
            yield from (argument for argument in part.arguments if isinstance(argument, ir.Variable))


def scalars_read(ops: Iterable[ir.HostOp], module: ir.Module) -> Iterator[ir.Variable]:
    """The variables that the operations may read, each once."""
    found: dict[ir.Variable, None] = {}
    for op in ops:
        found.update(dict.fromkeys(read_by(op, module)))
        if isinstance(op, ir.Launch | ir.OnDevice):
            found.update(dict.fromkeys(set_by(op, module)))  # what contributions are added to
    yield from found


def scalars_set(ops: Iterable[ir.HostOp], module: ir.Module) -> Iterator[ir.Variable]:
    """The variables that the operations change after their declaration."""
    return (variable for op in ops for variable in set_by(op, module))


def given_by(op: ir.HostOp, module: ir.Module) -> tuple[ir.Variable, ...]:
    """The variables that an operation declares or changes, those of its blocks left out."""
    return (*visitor.declared_by(op), *set_by(op, module))


def assigns(op: ir.HostOp, variable: ir.Variable, module: ir.Module) -> bool:
    """Whether an operation, or one inside it, gives a variable a value."""
    return any(variable in given_by(inner, module) for inner in visitor.walk_host((op,)))


@remembered(256)
def changes_graph(module: ir.Module) -> bool:
    """Whether the graph changes while the module runs."""
    return any(isinstance(op, ir.ChangeGraph) for op in visitor.host_ops(module))


def in_one_launch(op: ir.OnDevice, module: ir.Module, asked: Container[ir.Variable] | None = None) -> ir.OnDevice:
    """The operation with its signature derived; of the scalars that it changes, some are `asked` for, by default all"""
    inside = tuple(visitor.walk_host(op.body))
    declared = {variable for op in inside for variable in visitor.declared_by(op)}
    changed = dict.fromkeys(v for v in scalars_set(inside, module) if v not in declared)
    read = dict.fromkeys(v for v in scalars_read(inside, module) if v not in declared)
    scalars = tuple(read | changed)  # scalars assigned under a condition are live-in
    outcomes = tuple(v for v in changed if asked is None or v in asked)
    return replace(with_own_arrays(op, module), scalars=scalars, outcomes=outcomes)


def with_own_arrays(op: ir.OnDevice, module: ir.Module, added: Iterable[ir.Kernel] = ()) -> ir.OnDevice:
    """The operation with its arrays derived again; it may launch kernels `added` to the module's."""
    everything = replace(module, kernels=(*module.kernels, *added)) if added else module
    left = () if op.crossing is None else (op.crossing.cells,)
    return replace(op, arrays=(*used_host_arrays(visitor.walk_host(op.body), everything), *left))


def launched_kernels(ops: Iterable[ir.HostOp], module: ir.Module) -> Iterator[ir.Kernel]:
    """The kernels that the operations themselves launch, one for each launch."""
    return (module.kernel(op.kernel) for op in ops if isinstance(op, ir.Launch))


def launches(functions: Iterable[ir.HostFunction]) -> Iterator[ir.Launch]:
    """All launches, wherever they stand."""
    return (op for function in functions for op in visitor.walk_host(function.body) if isinstance(op, ir.Launch))


def launched_names(functions: Iterable[ir.HostFunction]) -> set[str]:
    return {launch.kernel for launch in launches(functions)}


def reached_in(op: ir.OnDevice | ir.Loop) -> tuple[ir.Array, ...]:
    """The cells that launches in it lower once, of which a cluster has bits."""
    found = (inner.reaches for inner in visitor.walk_host((op,)) if isinstance(inner, ir.Launch))
    return tuple(dict.fromkeys(cells for cells in found if cells is not None and cells.element is ir.Element.INT))


def is_launched_once(kernel: str, module: ir.Module) -> bool:
    """Whether a kernel runs at one place only."""
    return _places(module)[kernel] == 1


@remembered(16)
def _places(module: ir.Module) -> Counter[str]:
    """At how many places each kernel is launched; steps ask for every kernel of a module."""
    return Counter(launch.kernel for launch in launches(module.functions))
