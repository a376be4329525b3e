"""Which variables operations of a launch give values to, and which of them only ever count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from starplat.ir.nodes import (
    Binary,
    BinaryOperator,
    CallFunction,
    Const,
    DeclareVariable,
    Element,
    HostCall,
    HostOp,
    Launch,
    Module,
    ReadCell,
    ReadEmpty,
    ReadSize,
    Ref,
    SetVariable,
    Variable,
)
from starplat.ir.visitor import declared_by, expressions_of, walk_expression, walk_host

_SMALL = 2**20
"""Up to which number a variable may begin to count: it takes two thousand million rounds to wrap around from there."""


def variables_set(ops: Iterable[HostOp], module: Module) -> frozenset[Variable]:
    """The variables that get a value in the operations, or in blocks inside them."""
    return frozenset(variable for part in walk_host(ops) for variable in _set_by(part, module))


def counters_in(ops: Iterable[HostOp], module: Module) -> frozenset[Variable]:
    """The variables of the operations that begin with a small constant, go up or down by one, and do nothing else."""
    counting, others = set[Variable](), set[Variable]()
    for part in walk_host(ops):
        (counting if _counts(part) else others).update(_set_by(part, module))
    return frozenset(counting - others)


def _set_by(op: HostOp, module: Module) -> Iterator[Variable]:
    """Of one operation itself."""
    match op:
        case SetVariable(variable) | ReadCell(variable) | ReadEmpty(variable) | ReadSize(variable):
            yield variable
        case Launch(kernel):
            yield from (reduction.variable for reduction in module.kernel(kernel).reductions)
        case HostCall(_, arguments, result):
            yield from (argument for argument in arguments if isinstance(argument, Variable))
            yield from () if result is None else (result,)
        case _:
            yield from declared_by(op)  # of DeclareVariable, and of loops
    for whole in expressions_of(op):
        for part in walk_expression(whole):
            if isinstance(part, CallFunction):
                yield from (argument for argument in part.arguments if isinstance(argument, Variable))


def _counts(op: HostOp) -> bool:
    match op:
        case DeclareVariable(variable, Const(int() as value, Element.INT)):
            return variable.element is Element.INT and abs(value) <= _SMALL
        case SetVariable(variable, Const(int() as value, Element.INT)):
            return variable.element is Element.INT and abs(value) <= _SMALL
        case SetVariable(variable, Binary(BinaryOperator.ADD | BinaryOperator.SUBTRACT, Ref(counted), Const(1))):
            return counted == variable and variable.element is Element.INT
        case _:
            return False
