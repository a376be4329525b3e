"""Searching kernels: each node does something with any one arc that passes a test.

It does not matter which arc is found: the compiler makes such kernels itself and asks that their arcs are shared, or
what is done is the same for every arc of the node.
"""

from dataclasses import dataclass

from starplat.ir import build, nodes as ir, visitor
from starplat.ir.shapes.gathering import repeatable
from starplat.ir.shapes.members import membership
from starplat.ir.visitor import all_expressions, arrays_in, declared_by, walk_expression, written_arrays


@dataclass(frozen=True, slots=True)
class Searching:
    """The loop over a node's arcs; `ahead` is computed for an arc, then `found` is done if `condition` holds."""

    loop: ir.ForNeighbors
    ahead: tuple[ir.KernelOp, ...]
    condition: ir.Expression
    found: tuple[ir.KernelOp, ...]


def searching(kernel: ir.Kernel) -> Searching | None:
    """The kernel's parts, if it shares arcs and looks for one."""
    return _searching(kernel) if kernel.shares_arcs else None


def finds_any(kernel: ir.Kernel) -> bool:
    """Whether each node looks for an arc, and does the same whichever it finds: it only stores, in cells that nothing
    else of the kernel uses, values that have nothing to do with the arc."""
    found = _searching(kernel) if isinstance(kernel.domain, ir.AllNodes) else None
    if found is None or not all(isinstance(op, ir.Store) and op.index == found.loop.node for op in found.found):
        return False
    of_arc = {v for op in (found.loop, *found.ahead) for v in declared_by(op)}
    done, asked = tuple(all_expressions(found.found)), (*all_expressions(found.ahead), found.condition)
    mentioned = {part.variable for e in done for part in walk_expression(e) if isinstance(part, ir.Ref)}
    filters = () if kernel.filter is None else (kernel.filter,)
    read = {array for e in (*done, *asked, *filters) for array in arrays_in(e)}
    return mentioned.isdisjoint(of_arc) and read.isdisjoint(written_arrays(found.found))


def _searching(kernel: ir.Kernel) -> Searching | None:
    match kernel.body:
        case (
            ir.ForNeighbors(
                node=ir.Ref(node), body=(*ahead, ir.KernelIf(condition, (*found, ir.KernelBreak()), ()))
            ) as loop,
        ):
            lets = all(isinstance(op, ir.Let) for op in ahead)
            return Searching(loop, tuple(ahead), condition, tuple(found)) if lets and node == kernel.iterator else None
    return None


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
