"""What the threads of one launch can do of a host program, and what they must know for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from starplat.ir.nodes import (
    Binary,
    BinaryOperator,
    CallFunction,
    Cast,
    Const,
    DeclareVariable,
    Element,
    Expression,
    ExtremeCell,
    Fill,
    FindArc,
    HostOp,
    Kernel,
    Launch,
    Load,
    Module,
    OnDevice,
    ReadCell,
    Ref,
    SetVariable,
    Variable,
    WriteCell,
)
from starplat.ir.visitor import all_expressions, expressions_of, walk_expression, walk_kernel

_DIVISIONS = (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)


def is_safe(expression: Expression) -> bool:
    """Whether it cannot fail, and needs nothing that only the host has at hand."""
    for part in walk_expression(expression):
        if isinstance(part, Load | FindArc | CallFunction):
            return False
        if isinstance(part, Cast) and part.element is Element.ARC and part.operand.element is Element.LONG:
            return False
        if isinstance(part, Binary) and part.operator in _DIVISIONS and not part.element.is_real:
            right = part.right
            if not (isinstance(right, Const) and right.value):
                return False
    return True


def takes_locks(kernel: Kernel, module: Module) -> bool:
    """Whether cells are read and written under a lock, for which they must be volatile, as no atomic update takes them.

    Other kernels of the same launch might update them so.
    """
    called = {e.function for e in all_expressions(kernel.body) if isinstance(e, CallFunction)}
    while (
        more := {
            e.function
            for name in called
            for e in all_expressions(module.helper(name).body)
            if isinstance(e, CallFunction)
        }
        - called
    ):
        called |= more
    bodies = (kernel.body, *(module.helper(name).body for name in called))
    return any(isinstance(op, ExtremeCell) and op.lock is not None for body in bodies for op in walk_kernel(body))


def shortens(op: HostOp) -> bool:
    """Whether a 64-bit number becomes an arc's, which the host stops at the ends of its range."""
    match op:
        case Fill(array, value) | WriteCell(array, _, value):
            return array.element is Element.ARC and value.element is Element.LONG
        case DeclareVariable(variable, value) | SetVariable(variable, value):
            return variable.element is Element.ARC and value.element is Element.LONG
        case _:
            return False


def scalars_read(ops: Iterable[HostOp], module: Module) -> Iterator[Variable]:
    """The variables whose value the operations may look at, each once."""
    found: dict[Variable, None] = {}
    for op in ops:
        for expression in expressions_of(op):
            for part in walk_expression(expression):
                if isinstance(part, Ref):
                    found[part.variable] = None
        match op:
            case Launch(name):
                kernel = module.kernel(name)
                found.update(dict.fromkeys((*kernel.scalars, *(r.variable for r in kernel.brought_back))))
            case _:
                arguments = getattr(op, "arguments", ())
                found.update(dict.fromkeys(a for a in arguments if isinstance(a, Variable)))
        if isinstance(op, OnDevice):
            found.update(dict.fromkeys((*op.scalars, *op.outcomes)))
    yield from found


def scalars_set(ops: Iterable[HostOp], module: Module) -> Iterator[Variable]:
    """The variables that the operations change after their declaration."""
    for op in ops:
        match op:
            case SetVariable(variable) | ReadCell(variable):
                yield variable
            case Launch(kernel):
                yield from (reduction.variable for reduction in module.kernel(kernel).brought_back)
            case _:
                arguments = getattr(op, "arguments", ())
                yield from (a for a in arguments if isinstance(a, Variable))
                result = getattr(op, "result", None)
                if isinstance(result, Variable):
                    yield result
