"""Step `sums`: a filtered sum of whole numbers adds each of them times the filter.

  forall (e in arcs with weight[e] <= limit)      forall (e in arcs)
    sum += weight[e];                               sum += weight[e] * (weight[e] <= limit);

A core cannot guess which of many numbers pass, and a wrong guess takes longer than several products. Only numbers that
are at hand for every arc: its own cells and scalars, which are read in any case then.
"""

from dataclasses import replace

from starplat.ir import build, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.schedule.schedule import Schedule

_BRANCHES = (ir.BinaryOperator.AND, ir.BinaryOperator.OR, ir.BinaryOperator.ADD_INF)


def sums_without_branch(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module:
    """The module whose sums are made so, if threads are cores."""
    return module if capabilities.lockstep else module.with_each_kernel(_without_branch)


def _without_branch(kernel: ir.Kernel) -> ir.Kernel:
    if kernel.filter is None or kernel.domain != ir.AllArcs() or kernel.guard is not None:
        return kernel
    adds = {reduction.variable for reduction in kernel.reductions if reduction.combine is ir.Combine.ADD}
    sums = [op for op in kernel.body if isinstance(op, ir.Contribute) and op.reduction in adds]
    if len(sums) < len(kernel.body) or not all(_is_at_hand(e, kernel) for e in (kernel.filter, *_values(sums))):
        return kernel
    if not all(value.element.is_integer for value in _values(sums)):
        return kernel
    body = tuple(replace(op, value=_times(op.value, kernel.filter)) for op in sums)
    return visitor.with_signature(replace(kernel, filter=None, body=body))


def _values(sums: list[ir.Contribute]) -> list[ir.Expression]:
    return [op.value for op in sums]


def _times(value: ir.Expression, condition: ir.Expression) -> ir.Expression:
    passes = ir.Cast(condition, value.element)
    return passes if isinstance(value, ir.Const) and value.value == 1 else build.times(value, passes)


def _is_at_hand(value: ir.Expression, kernel: ir.Kernel) -> bool:
    """Whether a value can be worked out for every arc, without a branch."""
    own = kernel.own
    return all(
        isinstance(part, ir.Const | ir.Ref)
        or (isinstance(part, ir.Load) and part.index == own)
        or (isinstance(part, ir.Binary) and part.operator not in _BRANCHES and not part.operator.divides)
        or (isinstance(part, ir.Unary) and part.operator is ir.UnaryOperator.NOT)
        or (isinstance(part, ir.Cast) and not (part.operand.element.is_real and not part.element.is_real))
        for part in visitor.walk_expression(value)
    )
