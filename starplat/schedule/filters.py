"""Gives kernels that do something only under a condition that condition as their filter.

Takes a module, returns one. A set of nodes is walked by kernels whose filter asks for it, so this comes before sets are
looked for.
"""

from __future__ import annotations

from dataclasses import replace

from starplat.ir.conditions import both
from starplat.ir.nodes import (
    AllNodes,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Contribute,
    Element,
    Expression,
    Kernel,
    KernelIf,
    Load,
    Module,
    Unary,
    UnaryOperator,
)
from starplat.ir.visitor import arrays_in, walk_expression, with_signature, written_arrays


def with_filters(module: Module) -> Module:
    """The module where a kernel that does something only under a condition has it as its filter."""
    kernels = tuple(map(_with_filter, module.kernels))
    return replace(module, kernels=kernels)


def _with_filter(kernel: Kernel) -> Kernel:
    match kernel:
        case Kernel(domain=AllNodes(), body=(KernelIf(condition, then, ()),)):
            if written_arrays(kernel.body).intersection(a for e in walk_expression(condition) for a in arrays_in(e)):
                return kernel
            wanted = condition if kernel.filter is None else both(kernel.filter, condition)
            return with_signature(replace(kernel, filter=wanted, body=then))
        case Kernel(domain=AllNodes(), filter=None, body=(Contribute(variable, value),)):
            combine = next(r.combine for r in kernel.reductions if r.variable == variable)
            counts = when_it_counts(combine, value)
            if counts is None:
                return kernel
            told = Contribute(variable, Const(combine is Combine.OR, Element.BOOL))
            return with_signature(replace(kernel, filter=counts, body=(told,)))
        case _:
            return kernel


def when_it_counts(combine: Combine, value: Expression) -> Expression | None:
    """The condition under which a value makes a difference to an `||` or `&&`, where it is a plain one."""
    match combine, value:
        case Combine.AND, Unary(UnaryOperator.NOT, operand):
            return operand
        case Combine.AND, Binary(BinaryOperator.EQUAL, operand, Const(False, Element.BOOL)):
            return operand
        case Combine.OR, Load():
            return value
        case _:
            return None
