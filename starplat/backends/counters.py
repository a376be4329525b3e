"""Which variables operations of a launch give values to, and which of them only ever count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from starplat.ir import nodes as ir
from starplat.ir.visitor import declared_by, expressions_of, walk_expression, walk_host

_SMALL = 2**20
"""Up to which number a variable may begin to count: it takes two thousand million rounds to wrap around from there."""


def variables_set(ops: Iterable[ir.HostOp], module: ir.Module) -> frozenset[ir.Variable]:
    """The variables that get a value in the operations, or in blocks inside them."""
    return frozenset(variable for part in walk_host(ops) for variable in _set_by(part, module))


def counters_in(ops: Iterable[ir.HostOp], module: ir.Module) -> frozenset[ir.Variable]:
    """The variables of the operations that begin with a small constant, go up or down by one, and do nothing else."""
    counting, others = set[ir.Variable](), set[ir.Variable]()
    for part in walk_host(ops):
        (counting if _counts(part) else others).update(_set_by(part, module))
    return frozenset(counting - others)


def _set_by(op: ir.HostOp, module: ir.Module) -> Iterator[ir.Variable]:
    """Of one operation itself."""
    match op:
        case ir.SetVariable(variable) | ir.ReadCell(variable) | ir.ReadEmpty(variable) | ir.ReadSize(variable):
            yield variable
        case ir.Launch(kernel):
            yield from (reduction.variable for reduction in module.kernel(kernel).reductions)
        case ir.HostCall(_, arguments, result):
            yield from (argument for argument in arguments if isinstance(argument, ir.Variable))
            yield from () if result is None else (result,)
        case _:
            yield from declared_by(op)  # of DeclareVariable, and of loops
    for whole in expressions_of(op):
        for part in walk_expression(whole):
            if isinstance(part, ir.CallFunction):
                yield from (argument for argument in part.arguments if isinstance(argument, ir.Variable))


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
        case _:
            return False
