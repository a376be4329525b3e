"""How to go through the intermediate form: what stands inside an expression or an operation, and what it uses.

Everything is derived from the fields of the dataclasses in `nodes`, so a new node needs no change here. The
walks are in program order, outer before inner. A pass that changes something derives from `rewriter.Rewriter`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar, get_args

from starplat.ir.nodes import (
    COLUMNS,
    GRAPH_ARRAYS,
    IN_COLUMNS,
    IN_ROW_OFFSETS,
    ROW_OFFSETS,
    Array,
    Carry,
    CompareSwap,
    CopyArray,
    DeclareVariable,
    Direction,
    Domain,
    Expression,
    FetchAdd,
    FetchOr,
    Fill,
    FindArc,
    ForNeighbors,
    ForRange,
    HostForMembers,
    HostForNeighbors,
    HostForRange,
    HostOp,
    Kernel,
    KernelContinue,
    KernelIf,
    KernelOp,
    Launch,
    Let,
    ListMembers,
    Load,
    Module,
    NodeNeighbors,
    OnDevice,
    Ref,
    SetLocal,
    Swap,
    Variable,
    WriteCell,
)

Op = TypeVar("Op")

EXPRESSIONS: tuple[type, ...] = get_args(Expression)
KERNEL_OPS: tuple[type, ...] = get_args(KernelOp)
HOST_OPS: tuple[type, ...] = get_args(HostOp)
_OPS = frozenset((*KERNEL_OPS, *HOST_OPS))
_EXPRESSIONS = frozenset(EXPRESSIONS)


_FIELD_NAMES: dict[object, tuple[str, ...]] = {}


def field_names(node: Any) -> tuple[str, ...]:
    """The names of a node's fields."""
    names = _FIELD_NAMES.get(type(node))
    if names is None:
        names = _FIELD_NAMES[type(node)] = tuple(field.name for field in fields(node))
    return names


def _parts(node: object) -> Iterator[Any]:
    """The values of the fields of a node; tuples and carried stores are opened."""
    for name in field_names(node):
        value = getattr(node, name)
        if type(value) is tuple:
            for item in value:
                if type(item) is Carry:
                    yield from _parts(item)
                else:
                    yield item
        else:
            yield value


# --- reading -------------------------------------------------------------------------------------------------------


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly inside an expression."""
    return tuple(part for part in _parts(expression) if type(part) in _EXPRESSIONS)


def expressions_of(op: KernelOp | HostOp | Domain) -> tuple[Expression, ...]:
    """The expressions of the operation itself, not those in blocks inside it."""
    return tuple(part for part in _parts(op) if type(part) in _EXPRESSIONS)


def blocks_of(op: Op) -> tuple[tuple[Op, ...], ...]:
    """The non-empty blocks of operations inside an operation, in the order of its fields."""
    values = (getattr(op, name) for name in field_names(op))
    return tuple(value for value in values if type(value) is tuple and value and type(value[0]) in _OPS)


def walk_expression(expression: Expression) -> Iterator[Expression]:
    """The expression and all inside it."""
    yield expression
    for operand in operands(expression):
        yield from walk_expression(operand)


def _walk(ops: Iterable[Op]) -> Iterator[Op]:
    for op in ops:
        yield op
        for block in blocks_of(op):
            yield from _walk(block)


def walk_kernel(ops: Iterable[KernelOp]) -> Iterator[KernelOp]:
    """The operations of a kernel or a helper and all inside them."""
    return _walk(ops)


def walk_host(ops: Iterable[HostOp]) -> Iterator[HostOp]:
    """The operations of a host function and all inside them."""
    return _walk(ops)


def all_expressions(ops: Iterable[KernelOp] | Iterable[HostOp]) -> Iterator[Expression]:
    """Every expression of the operations and of what is inside them, subexpressions too."""
    for op in _walk(ops):
        for expression in expressions_of(op):
            yield from walk_expression(expression)


def used_host_arrays(ops: Iterable[HostOp], module: Module) -> tuple[Array, ...]:
    """The arrays of host operations and of the kernels they launch: the graph's first, then by first use."""
    found: dict[Array, None] = {}
    for op in ops:
        found.update(dict.fromkeys(arrays_in(op)))
        if isinstance(op, Launch):
            found.update(dict.fromkeys(module.kernel(op.kernel).arrays))
    return (*(a for a in GRAPH_ARRAYS if a in found), *(a for a in found if a not in GRAPH_ARRAYS))


def changed_by(op: HostOp) -> tuple[Array, ...]:
    """The arrays whose cells, or whose place in memory, a host operation changes by itself."""
    match op:
        case Fill() | WriteCell() | ListMembers():
            return (op.array,)
        case CopyArray():
            return (op.destination,)
        case Swap():
            return (op.first, op.second)
        case _:
            return ()


def loops_of(module: Module) -> tuple[OnDevice, ...]:
    """The operations that run in one launch each, in the order of the functions."""
    return tuple(op for function in module.functions for op in walk_host(function.body) if isinstance(op, OnDevice))


def launched_alone(module: Module) -> tuple[Kernel, ...]:
    """The kernels that the host launches; the others are only parts of `OnDevice` operations."""
    loops = loops_of(module)
    if not loops:
        return module.kernels
    inside = {id(op) for loop in loops for op in walk_host(loop.body)}
    launches = (op for function in module.functions for op in walk_host(function.body) if isinstance(op, Launch))
    names = {launch.kernel for launch in launches if id(launch) not in inside}
    return tuple(kernel for kernel in module.kernels if kernel.name in names)


def declared_by(op: KernelOp | HostOp) -> tuple[Variable, ...]:
    """The variables that an operation declares."""
    match op:
        case ForNeighbors() | HostForNeighbors():
            return (op.position, op.neighbor)
        case Let() | ForRange() | DeclareVariable() | HostForRange() | HostForMembers():
            return (op.variable,)
        case _:
            return ()


def continues(body: Iterable[KernelOp]) -> bool:
    """Whether a loop's body has a Continue of that very loop."""
    for op in body:
        if isinstance(op, KernelContinue):
            return True
        if isinstance(op, KernelIf) and (continues(op.then) or continues(op.otherwise)):
            return True
    return False


# --- what a kernel uses --------------------------------------------------------------------------------------------


def _neighbor_arrays(direction: Direction) -> tuple[Array, ...]:
    return (ROW_OFFSETS, COLUMNS) if direction is Direction.OUT else (IN_ROW_OFFSETS, IN_COLUMNS)


def arrays_in(node: KernelOp | HostOp | Domain | Expression) -> Iterator[Array]:
    """The arrays that one node names or uses by its meaning, those of its expressions included, of its blocks not."""
    if isinstance(node, (ForNeighbors, NodeNeighbors)):
        yield from _neighbor_arrays(node.direction)
    elif isinstance(node, FindArc):
        yield from (ROW_OFFSETS, COLUMNS)
    for part in _parts(node):
        if type(part) is Array:
            yield part
        elif type(part) in _EXPRESSIONS:
            yield from arrays_in(part)


def used_arrays(
    body: Iterable[KernelOp],
    domain: Domain | None = None,
    filter: Expression | None = None,
    guard: Array | None = None,
) -> tuple[Array, ...]:
    """What `Kernel.arrays` must be: the graph's arrays in their own order, then the others by first use."""
    heads = [head for head in (domain, filter) if head is not None]
    found = {} if guard is None else {guard: None}
    found |= dict.fromkeys(array for node in (*heads, *walk_kernel(body)) for array in arrays_in(node))
    return (*(a for a in GRAPH_ARRAYS if a in found), *(a for a in found if a not in GRAPH_ARRAYS))


def used_scalars(
    body: Iterable[KernelOp],
    domain: Domain | None = None,
    filter: Expression | None = None,
    iterator: Variable | None = None,
) -> tuple[Variable, ...]:
    """What `Kernel.scalars` must be: the variables that are read and not declared inside, by first use."""
    ops = tuple(walk_kernel(body))
    declared = {variable for op in ops for variable in declared_by(op)} | {iterator}
    if isinstance(domain, NodeNeighbors):
        declared.add(domain.position)
    heads = [] if domain is None else list(expressions_of(domain))
    heads += [] if filter is None else [filter]
    tops = (*heads, *(expression for op in ops for expression in expressions_of(op)))
    refs = (e.variable for top in tops for e in walk_expression(top) if type(e) is Ref)
    return tuple(dict.fromkeys(variable for variable in refs if variable not in declared))


def with_signature(kernel: Kernel) -> Kernel:
    """The kernel with `arrays` and `scalars` worked out from what it uses."""
    return replace(
        kernel,
        arrays=used_arrays(kernel.body, kernel.domain, kernel.filter, kernel.guard),
        scalars=used_scalars(kernel.body, kernel.domain, kernel.filter, kernel.iterator),
    )


def written_arrays(ops: Iterable[KernelOp]) -> frozenset[Array]:
    """The arrays that operations of a kernel may write; an array that is handed to a helper counts."""
    written: set[Array] = set()
    for op in walk_kernel(ops):
        written.update(part for part in _parts(op) if type(part) is Array)
        for expression in expressions_of(op):
            for inner in walk_expression(expression):
                if type(inner) is not Load:
                    written.update(part for part in _parts(inner) if type(part) is Array)
    return frozenset(written.difference(GRAPH_ARRAYS))


def assigned_variables(ops: Iterable[KernelOp]) -> frozenset[Variable]:
    """The variables that change after their declaration: set, or handed to a helper by reference."""
    changed: set[Variable] = set()
    for op in walk_kernel(ops):
        if isinstance(op, SetLocal | FetchAdd | FetchOr | CompareSwap):
            changed.add(op.variable)
        for expression in expressions_of(op):
            for inner in walk_expression(expression):
                if type(inner) is not Ref:
                    changed.update(part for part in _parts(inner) if type(part) is Variable)
    return frozenset(changed)
