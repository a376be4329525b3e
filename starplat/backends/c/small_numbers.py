"""Which arrays and variables of the host hold small numbers alone, for targets whose compilers take it that sums of
signed numbers do not overflow: with others they are made in unsigned types.
"""

from collections.abc import Iterator
from dataclasses import replace

from starplat.backends.c.expressions import ExpressionPrinter
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk


def with_numbers(printer: ExpressionPrinter, module: ir.Module) -> ExpressionPrinter:
    """The printer, with what it has to know of the arrays and of the variables that kernels get from the host."""
    if not printer.spelling.unsigned:
        return printer
    counts = _own_arrays(module) - set(_changed_by_kernels(module))
    hosts, kernels = tuple(walk(module.functions)), tuple(walk(module.kernels))
    stored = [(op.array, op.value) for op in hosts if isinstance(op, ir.Fill | ir.WriteCell)]
    first = {part.reduction for part in kernels if isinstance(part, ir.Contribute) and not _is_step(part.value)}
    first.update(module.function(module.entry).given_scalars)
    given = [
        (parameter.what, argument)
        for call in hosts
        if isinstance(call, ir.HostCall)
        for parameter, argument in zip(module.function(call.function).parameters, call.arguments, strict=True)
        if isinstance(parameter.what, ir.Variable) and not isinstance(argument, ir.Variable | ir.Array)
    ]
    while True:
        printer = replace(printer, counts=frozenset(counts), any_numbers=set(first))
        printer.note(module.functions, given)
        others = {array for array, value in stored if array in counts and printer.is_any_number(value)}
        if not others:
            return printer
        counts -= others


def _own_arrays(module: ir.Module) -> set[ir.Array]:
    """The compiler's own."""
    arrays = (part for part in walk((module.functions, module.kernels)) if isinstance(part, ir.Array))
    return {array for array in arrays if array.origin in (ir.Origin.TEMPORARY, ir.Origin.HOST)}


def _changed_by_kernels(module: ir.Module) -> Iterator[ir.Array]:
    """The arrays in which kernels do more than count, and copies of others."""
    for part in walk((module.functions, module.kernels, module.helpers)):
        match part:
            case ir.Store(array, _, value) | ir.FetchAdd(_, array, _, value):
                if not _is_step(value):
                    yield array
            case ir.UpdateCell() | ir.ExtremeCell() | ir.FetchOr() | ir.CompareSwap() | ir.Carry():
                yield part.array
            case ir.CopyArray(array) | ir.Reduction(_, _, ir.Array() as array):
                yield array
            case ir.CallFunction(_, arguments) | ir.HostCall(_, arguments):
                yield from (lent for lent in arguments if isinstance(lent, ir.Array))


def _is_step(value: ir.Expression) -> bool:
    return isinstance(value, ir.Const) and abs(value.value) <= 1
