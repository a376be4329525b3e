"""Walks over the intermediate form: the parts of an expression or an operation, and what it uses.

Everything is derived from the fields of the dataclasses in `nodes`, so a new node needs no change here. The
walks are in program order, outer before inner. A pass that changes something derives from `rewriter.Rewriter`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import is_dataclass, replace
from functools import cache
from itertools import chain
from types import UnionType
from typing import Any, TypeGuard, TypeVar, get_args

from starplat.ir import nodes as ir
from starplat.records import Getter, fields_of_records, getter_of, kinds_in_fields
from starplat.same import remembered
from starplat.source import SourceFile, Span

Op = TypeVar("Op")

EXPRESSIONS: tuple[type, ...] = get_args(ir.Expression)
KERNEL_OPS: tuple[type, ...] = get_args(ir.KernelOp)
HOST_OPS: tuple[type, ...] = get_args(ir.HostOp)
_OPS = frozenset((*KERNEL_OPS, *HOST_OPS))
_EXPRESSIONS = frozenset(EXPRESSIONS)
_LEAVES = frozenset((ir.Const, ir.Ref, ir.NumNodes, ir.NumArcs))


def parts_of(node: object) -> Iterator[Any]:
    """The values of the fields of a node that may hold nodes; tuples, carried stores and drivers are opened."""
    for value in record_values(node):
        if type(value) is tuple:
            for item in value:
                if type(item) is ir.Carry:
                    yield from parts_of(item)
                else:
                    yield item
        elif type(value) is ir.NearestFirst:
            yield from parts_of(value)
        else:
            yield value


# --- reading -------------------------------------------------------------------------------------------------------


def operands(expression: ir.Expression) -> tuple[ir.Expression, ...]:
    """The expressions directly inside an expression."""
    return _own(expression)


@remembered()
def expressions_of(op: ir.KernelOp | ir.HostOp | ir.Domain) -> tuple[ir.Expression, ...]:
    """The expressions of the operation itself, not those in blocks inside it."""
    return _own(op)


def _own(node: object) -> tuple[ir.Expression, ...]:
    """The expressions that a node itself holds."""
    kind: Any = type(node)
    getter = _own_of(kind)
    return tuple(part for part in parts_of(node) if type(part) in _EXPRESSIONS) if getter is None else getter(node)


@cache
def _own_of(kind: type) -> Getter | None:
    """What gives the expressions of a node, where each of its fields holds one or cannot hold any; else None."""
    kinds = kinds_in_fields(kind).items()
    single = [name for name, found in kinds if found <= _EXPRESSIONS]
    rest = (found for name, found in kinds if name not in single)
    return None if any(found & _WITH_EXPRESSIONS for found in rest) else getter_of(single)


_WITH_EXPRESSIONS = frozenset((*EXPRESSIONS, ir.Carry, ir.NearestFirst))


def blocks_of(op: Op) -> tuple[tuple[Op, ...], ...]:
    """The non-empty blocks of operations inside an operation, in the order of its fields."""
    kind: Any = type(op)
    getter = _blocks_of(kind)
    return () if getter is None else tuple(block for block in getter(op) if block)


@cache
def _blocks_of(kind: type) -> Getter | None:
    names = [name for name, found in kinds_in_fields(kind).items() if found & _OPS]
    return getter_of(names) if names else None


def walk_expression(expression: ir.Expression) -> Iterator[ir.Expression]:
    return iter((expression,) if type(expression) in _LEAVES else _all_inside(expression))


@remembered()
def _all_inside(expression: ir.Expression) -> Sequence[ir.Expression]:
    found, waiting = list[ir.Expression](), [expression]
    while waiting:
        found.append(part := waiting.pop())
        if type(part) not in _LEAVES:
            waiting += _own(part)[::-1]
    return found


def variables_read(expression: ir.Expression) -> set[ir.Variable]:
    """The variables whose values an expression reads."""
    return {part.variable for part in walk_expression(expression) if isinstance(part, ir.Ref)}


def _walk(ops: Iterable[Op]) -> Iterator[Op]:
    if type(ops) is tuple:
        return iter(_operations_in(ops))
    return chain.from_iterable(map(_with_inner, ops))


def _with_inner(op: Op) -> tuple[Op, ...]:
    """An operation and all inside it."""
    return (op, *chain.from_iterable(map(_operations_in, inner))) if (inner := blocks_of(op)) else (op,)


@remembered()
def _operations_in(block: tuple[Op, ...]) -> tuple[Op, ...]:
    return tuple(chain.from_iterable(map(_with_inner, block)))


def walk_kernel(ops: Iterable[ir.KernelOp]) -> Iterator[ir.KernelOp]:
    """The operations of a kernel or a helper and all inside them."""
    return _walk(ops)


def walk_host(ops: Iterable[ir.HostOp]) -> Iterator[ir.HostOp]:
    """The operations of a host function and all inside them."""
    return _walk(ops)


def walk_around(ops: Iterable[ir.HostOp], *left_out: ir.HostOp) -> Iterator[ir.HostOp]:
    """The operations of a host function and all inside them, except some and what is inside those."""
    for op in ops:
        if not any(op is one for one in left_out):
            yield op
            for block in blocks_of(op):
                yield from walk_around(block, *left_out)


def walk_outside(kinds: type | UnionType, ops: Iterable[Op]) -> Iterator[Op]:
    """Operations and all inside them, except what is inside operations of some kinds."""
    for op in ops:
        yield op
        if not isinstance(op, kinds):
            for block in blocks_of(op):
                yield from walk_outside(kinds, block)


def all_expressions(ops: Iterable[ir.KernelOp] | Iterable[ir.HostOp]) -> Iterator[ir.Expression]:
    """Every expression of the operations and of what is inside them, subexpressions too."""
    return iter(_expressions_in(tuple(ops)))


@remembered()
def _expressions_in(block: tuple[Any, ...]) -> tuple[ir.Expression, ...]:
    own = (expression for op in _operations_in(block) for expression in expressions_of(op))
    return tuple(inner for expression in own for inner in walk_expression(expression))


def walk(node: object) -> Iterator[Any]:
    """Every record inside `node`, itself first, in the order of their fields."""
    return iter(_records_of(node) if _is_block(node) else _records_in((node,)))


def _is_block(part: Any) -> TypeGuard[tuple[Any, ...]]:
    return type(part) is tuple and bool(part) and type(part[0]) not in _SMALL


@remembered()
def _records_of(block: tuple[Any, ...]) -> Sequence[Any]:
    """The records in a block of operations or statements, or in a tuple of routines."""
    return tuple(_records_in(block))


def _records_in(parts: tuple[Any, ...]) -> Sequence[Any]:
    found: list[Any] = []
    waiting = [*parts[::-1]]
    while waiting:
        part = waiting.pop()
        kind: Any = type(part)
        if kind is tuple:
            if part and type(part[0]) not in _SMALL:
                found += _records_of(part)
            else:
                waiting += part[::-1]
        elif (values := _values_of(kind)) is not None:
            found.append(part)
            waiting += values(part)[::-1]
    return found


_SMALL = frozenset((*EXPRESSIONS, ir.Array, ir.Variable, ir.Parameter, ir.Carry))
"""A tuple of such records is no block."""


@cache
def _values_of(kind: type) -> Getter | None:
    """What gives the fields of a record that may hold records; None for what is no record, and for source files and
    places in them, which are not walked into."""
    is_record = is_dataclass(kind) and kind not in (SourceFile, Span)
    return getter_of(fields_of_records(kind)) if is_record else None


def record_values(record: object) -> tuple[Any, ...]:
    """The values of the fields of a record that may hold records."""
    kind: Any = type(record)
    values = _values_of(kind)
    assert values is not None, record
    return values(record)


def host_ops(module: ir.Module) -> Iterator[ir.HostOp]:
    """All operations of the host, function by function."""
    return chain.from_iterable(walk_host(function.body) for function in module.functions)


def loops_of(module: ir.Module) -> tuple[ir.OnDevice, ...]:
    """The persistent kernels, in the order of the functions."""
    return tuple(op for op in host_ops(module) if isinstance(op, ir.OnDevice))


def launched_alone(module: ir.Module) -> tuple[ir.Kernel, ...]:
    """The kernels that the host launches; the others are parts of `OnDevice` operations."""
    loops = loops_of(module)
    if not loops:
        return module.kernels
    outside = (op for function in module.functions for op in walk_around(function.body, *loops))
    names = {op.kernel for op in outside if isinstance(op, ir.Launch)}
    return tuple(kernel for kernel in module.kernels if kernel.name in names)


def declared_by(op: ir.KernelOp | ir.HostOp | ir.Domain) -> tuple[ir.Variable, ...]:
    """The variables that an operation declares, or a domain beside the iterator."""
    match op:
        case ir.ForNeighbors() | ir.HostForNeighbors():
            return (op.position, op.neighbor)
        case (
            ir.Let()
            | ir.ForRange()
            | ir.DeclareVariable()
            | ir.HostForRange()
            | ir.HostForMembers()
            | ir.HostForItems()
        ):
            return (op.variable,)
        case ir.TakePart():
            return (op.first, op.end)
        case ir.TakeNumber():
            return (op.number, op.parts)
        case ir.NodeNeighbors():
            return (op.position,)
        case ir.Triangles():
            return (op.number,)
    return ()


def walks_rows(kernel: ir.Kernel) -> bool:
    """Whether iterations go over rows of arcs, which differ in length."""
    return any(isinstance(op, ir.ForNeighbors) for op in walk_kernel(kernel.body))


def breaks_off(body: Iterable[ir.KernelOp], ways: type | UnionType = ir.KernelBreak | ir.KernelContinue) -> bool:
    """Whether a loop's body has a Break or a Continue of that very loop, or that of them which `ways` says."""
    return any(isinstance(op, ways) for op in walk_outside(ir.KernelLoop, body))


def continues(body: Iterable[ir.KernelOp]) -> bool:
    """Whether a loop's body has a Continue of that very loop."""
    return breaks_off(body, ir.KernelContinue)


# --- what a kernel uses --------------------------------------------------------------------------------------------


@remembered()
def arrays_in(node: ir.KernelOp | ir.HostOp | ir.Domain | ir.Expression) -> tuple[ir.Array, ...]:
    """The arrays that one node names or uses by its meaning, those of its expressions included, of its blocks not."""
    return tuple(_each_array(node))


def _each_array(node: ir.KernelOp | ir.HostOp | ir.Domain | ir.Expression) -> Iterator[ir.Array]:
    if isinstance(node, ir.ForNeighbors):
        yield from node.layout.row_arrays
    elif isinstance(node, ir.NodeNeighbors):
        yield from node.direction.layout.row_arrays
    elif isinstance(node, ir.FindArc | ir.Triangles):
        yield from ir.CSR.row_arrays
    for part in parts_of(node):
        if type(part) is ir.Array:
            yield part
        elif type(part) in _EXPRESSIONS:
            yield from _each_array(part)


@remembered()
def _arrays_of(block: tuple[ir.KernelOp, ...]) -> tuple[ir.Array, ...]:
    """The arrays of a block, by first use."""
    return tuple(dict.fromkeys(array for op in walk_kernel(block) for array in arrays_in(op)))


@remembered()
def _scalars_of(block: tuple[ir.KernelOp, ...]) -> tuple[tuple[ir.Variable, ...], frozenset[ir.Variable]]:
    """The variables that a block reads, by first use, and those that it declares."""
    ops = _operations_in(block)
    read = dict.fromkeys(inner.variable for inner in all_expressions(block) if type(inner) is ir.Ref)
    return tuple(read), frozenset(variable for op in ops for variable in declared_by(op))


def used_arrays(
    body: tuple[ir.KernelOp, ...],
    domain: ir.Domain | None = None,
    filter: ir.Expression | None = None,
    guard: ir.Array | None = None,
) -> tuple[ir.Array, ...]:
    """What `Kernel.arrays` must be: the graph's arrays in their own order, then the others by first use."""
    heads = [head for head in (domain, filter) if head is not None]
    found = {} if guard is None else {guard: None}
    found |= dict.fromkeys(array for head in heads for array in arrays_in(head))
    found |= dict.fromkeys(_arrays_of(body))
    own = (array for array in found if array not in ir.GRAPH_ARRAYS and array.origin is not ir.Origin.THREAD)
    return (*(array for array in ir.GRAPH_ARRAYS if array in found), *own)


def thread_arrays(body: tuple[ir.KernelOp, ...]) -> tuple[ir.Array, ...]:
    """The arrays that each thread has for itself, by first use."""
    return tuple(array for array in _arrays_of(body) if array.origin is ir.Origin.THREAD)


def used_scalars(
    body: tuple[ir.KernelOp, ...],
    domain: ir.Domain | None = None,
    filter: ir.Expression | None = None,
    iterator: ir.Variable | None = None,
) -> tuple[ir.Variable, ...]:
    """What `Kernel.scalars` must be: the variables that are read and not declared inside, by first use."""
    read, inside = _scalars_of(body)
    declared = {*inside, iterator, *(() if domain is None else declared_by(domain))}
    heads = [] if domain is None else list(expressions_of(domain))
    heads += [] if filter is None else [filter]
    before = [e.variable for head in heads for e in walk_expression(head) if type(e) is ir.Ref]
    return tuple(dict.fromkeys(variable for variable in (*before, *read) if variable not in declared))


def with_signature(kernel: ir.Kernel) -> ir.Kernel:
    """The kernel with `arrays` and `scalars` derived from what it uses."""
    return replace(
        kernel,
        arrays=used_arrays(kernel.body, kernel.domain, kernel.filter, kernel.guard),
        scalars=used_scalars(kernel.body, kernel.domain, kernel.filter, kernel.iterator),
    )


@remembered()
def written_arrays(block: tuple[ir.KernelOp, ...]) -> frozenset[ir.Array]:
    """The arrays that operations of a kernel may write, for all threads to see; an array passed to a helper counts."""
    written = {part for op in walk_kernel(block) for part in parts_of(op) if type(part) is ir.Array}
    for inner in all_expressions(block):
        if type(inner) not in _READING:
            written.update(part for part in parts_of(inner) if type(part) is ir.Array)
    seen = (array for array in written if array.origin is not ir.Origin.THREAD)
    return frozenset(array for array in seen if array not in ir.GRAPH_ARRAYS)


def copied_arrays(kernel: ir.Kernel) -> frozenset[ir.Array]:
    """What the host copies chunks of for the kernel, and what says where that stands."""
    if kernel.chunks is None:
        return frozenset()
    rows = kernel.chunks.rows if isinstance(kernel.chunks, ir.Chunks) else ()
    copied = (array for cells in kernel.chunks.cells for array in (cells[0], cells[2]) if array is not None)
    return frozenset((*copied, *(one.offsets for one in rows)))


def only_copied(module: ir.Module) -> frozenset[ir.Array]:
    """The entry's arrays of which the device only gets chunks."""
    return frozenset(array for kernel in module.kernels for array in copied_arrays(kernel)).intersection(module.inputs)


@remembered()
def assigned_variables(block: tuple[ir.KernelOp, ...]) -> frozenset[ir.Variable]:
    """The variables that change after their declaration: set, or passed to a helper by reference."""
    changed: set[ir.Variable] = set()
    for op in walk_kernel(block):
        if isinstance(op, ir.SetLocal | ir.FetchAdd | ir.FetchOr | ir.CompareSwap):
            changed.add(op.variable)
    for inner in all_expressions(block):
        if type(inner) not in _READING:
            changed.update(part for part in parts_of(inner) if type(part) is ir.Variable)
    return frozenset(changed)


_READING = frozenset((ir.Load, *_LEAVES))
"""Expressions that change nothing."""
