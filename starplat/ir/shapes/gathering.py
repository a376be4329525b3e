"""Gathering kernels: each node reduces a value of every arc into a local, then uses it.

The shape is: values of the node, the local with its first value, one loop over the node's arcs that combines at most
one value per arc into the local, and the rest. Threads can share the arcs of such nodes, since the order of combination
does not matter (reals within the language's tolerance).
"""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir import build, nodes as ir, visitor
from starplat.ir.shapes.members import membership

_COMBINES = {
    ir.BinaryOperator.ADD: ir.Combine.ADD,
    ir.BinaryOperator.OR: ir.Combine.OR,
    ir.BinaryOperator.AND: ir.Combine.AND,
    ir.BinaryOperator.BIT_OR: ir.Combine.BIT_OR,
    ir.BinaryOperator.BIT_AND: ir.Combine.BIT_AND,
    ir.BinaryOperator.BIT_XOR: ir.Combine.BIT_XOR,
}
_EXTREMES = {ir.MathFunction.MIN: ir.Combine.MIN, ir.MathFunction.MAX: ir.Combine.MAX}
_BEYOND = {ir.BinaryOperator.LESS: ir.Combine.MIN, ir.BinaryOperator.GREATER: ir.Combine.MAX}


@dataclass(frozen=True, slots=True)
class Gathering:
    """The parts of a gathering kernel: `ahead`, then `total` begins as `first`, takes a value of every arc by
    `combine`, and `rest` uses it. The loop's body computes a value and sets `total` once, at the end of a path."""

    ahead: tuple[ir.KernelOp, ...]
    total: ir.Variable
    first: ir.Expression
    combine: ir.Combine
    loop: ir.ForNeighbors
    rest: tuple[ir.KernelOp, ...]


def gathering(kernel: ir.Kernel) -> Gathering | None:
    """The kernel's parts, if it gathers and its nodes are all, those of a list, or the members of a set."""
    if not isinstance(kernel.domain, ir.AllNodes | ir.Listed | ir.InWords) or kernel.iterator is None:
        return None
    members = membership(kernel)
    body = kernel.body if members is None else members.body
    place = next((i for i, op in enumerate(body) if isinstance(op, ir.ForNeighbors)), None)
    if place is None or place == 0:
        return None
    loop, before, rest = body[place], body[:place], body[place + 1 :]
    assert isinstance(loop, ir.ForNeighbors)
    found = _taken(loop.body)
    if loop.node != kernel.own or found is None:
        return None
    total, combine = found
    lets = {op.variable: op for op in before if isinstance(op, ir.Let)}
    if total not in lets or len(lets) != len(before) or _mentions(loop.body, total) != 1:
        return None
    ahead = tuple(op for op in before if op is not lets[total])
    if not repeatable(ahead, kernel) or any(total in _refs(op) for op in ahead):
        return None
    return Gathering(ahead, total, lets[total].value, combine, loop, rest)


def _taken(body: tuple[ir.KernelOp, ...]) -> tuple[ir.Variable, ir.Combine] | None:
    """The local that takes a value in the last operation, and how; everything before it only computes values."""
    if not body or not all(isinstance(op, ir.Let) for op in body[:-1]):
        return None
    extreme = extreme_with(body[-1])
    if extreme is not None:
        return extreme[:2]
    match body[-1]:
        case ir.SetLocal(total, value):
            combine = combined_with(total, value)
            return None if combine is None else (total, combine[0])
        case ir.KernelIf(_, then, ()):
            return _taken(then)
    return None


def combined_with(total: ir.Variable, value: ir.Expression) -> tuple[ir.Combine, ir.Expression] | None:
    """The operand, if the value is `total combine operand`."""
    match value:
        case ir.Binary(operator, ir.Ref(left), operand) if left == total and operator in _COMBINES:
            return _COMBINES[operator], operand
        case ir.Apply(function, (ir.Ref(left), operand)) if left == total and function in _EXTREMES:
            return _EXTREMES[function], operand
    return None


def extreme_with(op: ir.KernelOp) -> tuple[ir.Variable, ir.Combine, ir.Expression] | None:
    """The local, which extreme it becomes and the operand, if the operation sets it to an operand that is beyond it."""
    match op:
        case ir.KernelIf(ir.Binary(operator, value, ir.Ref(local)), (ir.SetLocal(other, same),), ()):
            if local == other and value == same and operator in _BEYOND:
                return local, _BEYOND[operator], value
    return None


def giving(
    body: tuple[ir.KernelOp, ...], total: ir.Variable, give: Callable[[ir.Expression], ir.KernelOp]
) -> tuple[ir.KernelOp, ...]:
    """The body of a loop that gathers, which gives what it would have combined into `total`."""
    *lets, last = body
    if (extreme := extreme_with(last)) is not None:
        return (*lets, give(extreme[2]))
    match last:
        case ir.SetLocal(_, value) if (found := combined_with(total, value)) is not None:
            return (*lets, give(found[1]))
        case ir.KernelIf(condition, then, ()):
            return (*lets, ir.KernelIf(condition, giving(then, total, give)))
    raise AssertionError("the loop does not gather")


def _refs(op: ir.KernelOp) -> list[ir.Variable]:
    return [
        part.variable
        for e in visitor.expressions_of(op)
        for part in visitor.walk_expression(e)
        if isinstance(part, ir.Ref)
    ]


def _mentions(body: tuple[ir.KernelOp, ...], variable: ir.Variable) -> int:
    """How often the value of a local is used."""
    return sum(_refs(op).count(variable) for op in visitor.walk_kernel(body))


def repeatable(ahead: tuple[ir.KernelOp, ...], kernel: ir.Kernel) -> bool:
    """Whether a node's values are the same whenever they are evaluated."""
    written = visitor.written_arrays(kernel.body)
    loads = (
        part for e in visitor.all_expressions(ahead) for part in visitor.walk_expression(e) if isinstance(part, ir.Load)
    )
    changed = visitor.assigned_variables(kernel.body)
    return not any(load.array in written for load in loads) and not any(
        isinstance(op, ir.Let) and op.variable in changed for op in ahead
    )


def raised(value: ir.Variable, by: ir.Variable) -> ir.Expression:
    """The sum, or INF where it would be beyond."""
    element = value.element
    total = build.plus(ir.Ref(value), ir.Ref(by), element)
    if element.is_real:
        return total
    largest = ir.infinity(element)
    room = build.minus(largest, ir.Ref(by), element)
    return ir.Select(build.greater(ir.Ref(value), room), largest, total)
