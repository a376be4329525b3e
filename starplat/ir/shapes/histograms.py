"""Histogram kernels: each node adds up values by key over its arcs, in a local map, and asks only for the best key.

The shape is: values of the node, the map's window, made free, one loop over the node's arcs that adds at most one value
per arc, and the rest, which knows the best key. Threads can share the arcs of such nodes, since integers are added up
in any order.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from starplat.ir import nodes as ir, visitor
from starplat.ir.shapes.gathering import repeatable
from starplat.ir.shapes.members import membership

_TWO = ir.Const(2, ir.Element.LONG)


@dataclass(frozen=True, slots=True)
class Histogram:
    """The parts of such a kernel: `ahead`; `loop`, whose body ends with an addition to the map; `rest`, which asks for
    the best key by the call `best`. `first` is where the node's row begins, in arcs of all rows laid end to end. `keys`
    and `sums` are the map's arrays."""

    ahead: tuple[ir.KernelOp, ...]
    keys: ir.Array
    sums: ir.Array
    first: ir.Expression
    loop: ir.ForRange | ir.ForNeighbors
    best: ir.CallFunction
    rest: tuple[ir.KernelOp, ...]


def histogram(kernel: ir.Kernel, module: ir.Module) -> Histogram | None:
    """The kernel's parts, if it is such a kernel over all nodes and its sums are of `int`."""
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.iterator is None or membership(kernel) is not None:
        return None
    place = next((i for i, op in enumerate(kernel.body) if _adding(op, module) is not None), None)
    if place is None:
        return None
    before, loop, rest = kernel.body[:place], kernel.body[place], kernel.body[place + 1 :]
    add, best = _adding(loop, module), _best(rest, module)
    if add is None or not isinstance(loop, ir.ForRange | ir.ForNeighbors):
        return None
    keys, sums, first, end, *_ = add.arguments
    if best is None or best.arguments != (keys, sums, first, end):
        return None
    assert isinstance(keys, ir.Array)
    assert isinstance(sums, ir.Array)
    lets = {op.variable: op.value for op in before if isinstance(op, ir.Let)}
    ends = [_halved(lets.get(e.variable)) if isinstance(e, ir.Ref) else None for e in (first, end)]
    ahead = tuple(op for op in before if isinstance(op, ir.Let) and ir.Ref(op.variable) not in (first, end))
    cleared = [op for op in before if not isinstance(op, ir.Let)]
    if ends[0] is None or ends[1] is None or len(cleared) != 1 or not _clears(cleared[0], keys):
        return None
    if sums.element is not ir.Element.INT or not _of_row(loop, kernel.iterator) or not repeatable(ahead, kernel):
        return None
    window = {ir.Ref(e.variable) for e in (first, end) if isinstance(e, ir.Ref)}
    inside = (*ahead, *(op for op in visitor.walk_kernel(loop.body) if not isinstance(op, ir.KernelCall)))
    if any(_mentions(op, window, (keys, sums)) for op in inside):
        return None
    others = [part for part in visitor.all_expressions(rest) if isinstance(part, ir.CallFunction) and part != best]
    if any(array in call.arguments for call in others for array in (keys, sums)):
        return None
    return Histogram(ahead, keys, sums, ends[0], loop, best, rest)


def is_call(op: ir.KernelOp, part: ir.MapPart, module: ir.Module) -> bool:
    """Whether an operation calls the function that does so to a map."""
    return isinstance(op, ir.KernelCall) and module.helper(op.call.function).of_map is part


def _adding(op: ir.KernelOp, module: ir.Module) -> ir.CallFunction | None:
    """The addition with which the body of a loop ends, perhaps under conditions, after values of the arc."""
    if not isinstance(op, ir.ForRange | ir.ForNeighbors | ir.KernelIf):
        return None
    body = op.then if isinstance(op, ir.KernelIf) else op.body
    if not body or (isinstance(op, ir.KernelIf) and op.otherwise):
        return None
    values = (*body[:-1], *((op,) if isinstance(op, ir.KernelIf) else ()))
    calls = any(isinstance(e, ir.CallFunction) for value in values for e in _parts(value))
    if calls or not all(isinstance(value, ir.Let) for value in body[:-1]):
        return None
    last = body[-1]
    if isinstance(last, ir.KernelCall):
        inner = any(isinstance(part, ir.CallFunction) for part in visitor.walk(last.call.arguments[4:]))
        return last.call if is_call(last, ir.MapPart.ADD, module) and not inner else None
    return _adding(last, module) if isinstance(last, ir.KernelIf) else None


def _best(rest: Iterable[ir.KernelOp], module: ir.Module) -> ir.CallFunction | None:
    """A question for the best key of a map."""
    calls = (part for part in visitor.all_expressions(rest) if isinstance(part, ir.CallFunction))
    return next((call for call in calls if module.helper(call.function).of_map is ir.MapPart.BEST), None)


def _halved(value: ir.Expression | None) -> ir.Expression | None:
    match value:
        case ir.Binary(ir.BinaryOperator.MULTIPLY, factor, rest) if factor == _TWO:
            return rest
    return None


def _clears(op: ir.KernelOp, keys: ir.Array) -> bool:
    match op:
        case ir.ForRange(slot, body=(ir.Store(array, ir.Ref(at), ir.Const(-1)),)):
            return array == keys and at == slot
    return False


def _of_row(loop: ir.ForRange | ir.ForNeighbors, node: ir.Variable) -> bool:
    """Whether each round is for an arc of the node's row."""
    if isinstance(loop, ir.ForNeighbors):
        return loop.node == ir.Ref(node) and not loop.by_degree
    return loop.variable.element is ir.Element.ARC and isinstance(loop.first, ir.Const) and loop.first.value == 0


def _mentions(op: ir.KernelOp, window: set[ir.Ref], arrays: tuple[ir.Array, ...]) -> bool:
    if isinstance(op, ir.Store | ir.UpdateCell | ir.ExtremeCell) and op.array in arrays:
        return True
    return any(
        part in window
        or (isinstance(part, ir.Load) and part.array in arrays)
        or (isinstance(part, ir.CallFunction) and any(array in part.arguments for array in arrays))
        for part in _parts(op)
    )


def _parts(op: ir.KernelOp) -> Iterable[ir.Expression]:
    return (part for e in visitor.expressions_of(op) for part in visitor.walk_expression(e))
