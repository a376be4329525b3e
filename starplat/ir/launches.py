"""The kernels that host operations launch, and the arrays that they touch thereby."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from starplat.ir import nodes as ir
from starplat.ir.same import Same
from starplat.ir.visitor import arrays_in, declared_by, expressions_of, walk_expression, walk_host


def touched(op: ir.HostOp, module: ir.Module) -> tuple[ir.Array, ...]:
    """The arrays that an operation itself names or its kernel uses, blocks left out."""
    kernel = module.kernel(op.kernel).arrays if isinstance(op, ir.Launch) else ()
    return (*arrays_in(op), *kernel)


def set_by(op: ir.HostOp, module: ir.Module) -> Iterator[ir.Variable]:
    """The variables that an operation changes after their declaration, those of its blocks left out."""
    match op:
        case ir.SetVariable(variable) | ir.ReadCell(variable) | ir.ReadEmpty(variable) | ir.ReadSize(variable):
            yield variable
        case ir.Launch(kernel):
            yield from (reduction.variable for reduction in module.kernel(kernel).brought_back)
        case ir.HostCall(_, arguments, result):
            yield from (argument for argument in (*arguments, result) if isinstance(argument, ir.Variable))
    for part in (part for whole in expressions_of(op) for part in walk_expression(whole)):
        if isinstance(part, ir.CallFunction):
            yield from (argument for argument in part.arguments if isinstance(argument, ir.Variable))


def given_by(op: ir.HostOp, module: ir.Module) -> tuple[ir.Variable, ...]:
    """The variables that an operation declares or changes, those of its blocks left out."""
    return (*declared_by(op), *set_by(op, module))


def assigns(op: ir.HostOp, variable: ir.Variable, module: ir.Module) -> bool:
    """Whether an operation, or one inside it, gives a variable a value."""
    return any(variable in given_by(inner, module) for inner in walk_host((op,)))


def launched_kernels(ops: Iterable[ir.HostOp], module: ir.Module) -> Iterator[ir.Kernel]:
    """The kernels that the operations themselves launch, one for each launch."""
    return (module.kernel(op.kernel) for op in ops if isinstance(op, ir.Launch))


def launches(module: ir.Module) -> Iterator[ir.Launch]:
    """All launches, wherever they stand."""
    return (op for function in module.functions for op in walk_host(function.body) if isinstance(op, ir.Launch))


def launched_names(module: ir.Module) -> set[str]:
    """The names of all launched kernels."""
    return {launch.kernel for launch in launches(module)}


def is_launched_once(kernel: str, module: ir.Module) -> bool:
    """Whether a kernel runs at one place only."""
    return _places(Same(module))[kernel] == 1


@lru_cache(maxsize=16)
def _places(same: Same) -> Counter[str]:
    """At how many places each kernel is launched; steps ask for every kernel of a module."""
    return Counter(launch.kernel for launch in launches(same.module))
