"""Turns the condition around all of a kernel's work into the kernel's filter.

A set of nodes is walked by kernels whose filter tests it, so this comes before sets are found.
"""

from dataclasses import replace

from starplat.ir import build, nodes as ir
from starplat.ir.visitor import arrays_in, walk_expression, with_signature, written_arrays


def with_filters(module: ir.Module) -> ir.Module:
    """The module where a kernel that works only under a condition has it as its filter."""
    return module.with_each_kernel(_with_filter)


def _with_filter(kernel: ir.Kernel) -> ir.Kernel:
    match kernel:
        case ir.Kernel(domain=ir.AllNodes(), body=(ir.KernelIf(condition, then, ()),)):
            if written_arrays(kernel.body).intersection(a for e in walk_expression(condition) for a in arrays_in(e)):
                return kernel
            wanted = condition if kernel.filter is None else build.both(kernel.filter, condition)
            return with_signature(replace(kernel, filter=wanted, body=then))
        case ir.Kernel(domain=ir.AllNodes(), filter=None, body=(ir.Contribute(variable, value),)):
            combine = next(r.combine for r in kernel.reductions if r.variable == variable)
            if (counts := when_it_counts(combine, value)) is None:
                return kernel
            told = ir.Contribute(variable, ir.Const(combine is ir.Combine.OR, ir.Element.BOOL))
            return with_signature(replace(kernel, filter=counts, body=(told,)))
    return kernel


def when_it_counts(combine: ir.Combine, value: ir.Expression) -> ir.Expression | None:
    """The condition under which a value makes a difference to an `||` or `&&`, where it is a simple one."""
    match combine, value:
        case ir.Combine.AND, ir.Unary(ir.UnaryOperator.NOT, operand):
            return operand
        case ir.Combine.OR, ir.Load():
            return value
    return None
