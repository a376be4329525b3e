"""Asking kernels: each node learns whether any of its arcs passes a test, then uses the answer.

The shape is: values of the node, a local with a constant, one loop over the node's arcs that gives the local the other
constant and leaves at the first arc that passes, and the rest. Threads can share the arcs of such nodes, since it does
not matter which arc passes. They also look at arcs behind that one, so the test must be defined for every arc.
"""

from dataclasses import dataclass

from starplat.ir import build, visitor
from starplat.ir import nodes as ir
from starplat.ir.shapes.gathering import repeatable
from starplat.ir.shapes.members import membership


@dataclass(frozen=True, slots=True)
class Asking:
    """`ahead` computes values of the node; `answer` is `otherwise` if none of its arcs passes, else not. For an arc,
    `of_arc` is computed, then it passes if `condition` holds. `rest` uses the answer."""

    ahead: tuple[ir.KernelOp, ...]
    answer: ir.Variable
    otherwise: bool
    loop: ir.ForNeighbors
    of_arc: tuple[ir.KernelOp, ...]
    condition: ir.Expression
    rest: tuple[ir.KernelOp, ...]


def asking(kernel: ir.Kernel) -> Asking | None:
    """The kernel's parts, if it asks and its nodes are all."""
    if not isinstance(kernel.domain, ir.AllNodes) or membership(kernel) is not None:
        return None
    body = kernel.body
    place = next((i for i, op in enumerate(body) if not isinstance(op, ir.Let)), 0)
    match body[place : place + 1]:
        case (ir.ForNeighbors(node=ir.Ref(node), body=(*of_arc, ir.KernelIf() as test)) as loop,):
            condition, found = _leaving(test)
        case _:
            return None
    match found:
        case (ir.SetLocal(answer, ir.Const(bool() as value)),):
            ahead = tuple(op for op in body[:place] if op != ir.Let(answer, ir.Const(not value, ir.Element.BOOL)))
        case _:
            return None
    asks = node == kernel.iterator and len(ahead) == place - 1 and all(isinstance(op, ir.Let) for op in of_arc)
    values = (condition, *(op.value for op in (*ahead, *of_arc) if isinstance(op, ir.Let)))
    if not asks or not repeatable(ahead, kernel) or any(answer in visitor.variables_read(value) for value in values):
        return None
    known = {ir.Ref(variable) for variable in (kernel.iterator, loop.neighbor, loop.position) if variable is not None}
    if not all(_is_defined(part, known) for value in values for part in visitor.walk_expression(value)):
        return None
    return Asking(ahead, answer, not value, loop, tuple(of_arc), condition, body[place + 1 :])


def _leaving(test: ir.KernelIf) -> tuple[ir.Expression, tuple[ir.KernelOp, ...] | None]:
    """When the loop around a test is left, and what is done then; None if the test does something else."""
    match test:
        case ir.KernelIf(condition, (*found, ir.KernelBreak()), ()):
            return condition, tuple(found)
        case ir.KernelIf(condition, (ir.KernelIf() as inner,), ()):
            second, found_inside = _leaving(inner)
            return build.both(condition, second), found_inside
    return test.condition, None


def _is_defined(part: ir.Expression, known: set[ir.Ref]) -> bool:
    """Whether an expression reads no cells but those of node, neighbor and arc."""
    match part:
        case ir.Load(array, index):
            return index in known or array in ir.GRAPH_ARRAYS
        case ir.CallFunction(_, arguments) if any(isinstance(argument, ir.Array) for argument in arguments):
            return all(isinstance(argument, ir.Array | ir.Const) or argument in known for argument in arguments)
    return True
