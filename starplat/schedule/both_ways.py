"""Step `both-ways`: a search among a node's arcs both ways, or what all of them do at once, takes one row of a graph in
which every arc has its reverse.

Both rows of a node are the same there, so that all that the loop does is done twice. Once is enough where the loop only
stores values, or combines them by what changes nothing the second time, and reads nothing that it changes. A loop that
adds whole numbers to a map may add twice as much, once, and the map then has room for the keys of one row.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, module_rewriter, nodes as ir, rewriter, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.gathering import combined_with
from starplat.ir.shapes.histograms import is_call
from starplat.ir.shapes.shared_rows import leaves
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Decided, for_kernels

_PLAIN = (ir.Let, ir.SetLocal, ir.Store, ir.KernelIf, ir.KernelBreak, ir.KernelContinue)
_AGAIN = {ir.Combine.AND, ir.Combine.OR, ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.MIN, ir.Combine.MAX}
"""What changes nothing the second time."""


def one_way(module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None) -> Decided:
    """The module whose loops over arcs both ways take the arcs that leave a node, if the graph is symmetric."""
    if facts is None or not facts.symmetric:
        return Decided(module)
    kernels = tuple(_with_one_way(kernel, module) for kernel in module.kernels)
    changed = [new.name for old, new in zip(module.kernels, kernels, strict=True) if new is not old]
    if not changed:
        return Decided(module)
    why = "every arc has its reverse, and once is enough"
    made = module_rewriter.with_graph_arrays(replace(module, kernels=kernels))
    return for_kernels(module, made, changed, "arcs one way in place of both", why)


def goes_both_ways(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether there is such a loop, so that the symmetry of the graph matters."""
    return any(_with_one_way(kernel, module) is not kernel for kernel in module.kernels)


def _with_one_way(kernel: ir.Kernel, module: ir.Module) -> ir.Kernel:
    body = _OneWay(module).kernel_block(kernel.body)
    return kernel if body == kernel.body else visitor.with_signature(replace(kernel, body=body))


class _OneWay(rewriter.Rewriter):
    """Replaces loops over both rows by loops over one."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module

    def kernel_block(self, ops: Iterable[ir.KernelOp]) -> tuple[ir.KernelOp, ...]:
        block = super().kernel_block(ops)
        for loop in (op for op in block if isinstance(op, ir.ForRange)):
            if (row := _row(loop, block)) is None:
                continue
            added = _only_addition(row.body, self.module)
            if _once_is_enough(row) or added is not None:
                ends = _refs((*visitor.expressions_of(loop), *visitor.expressions_of(loop.body[0]))) - _refs(
                    (row.node,)
                )
                kept = tuple(op for op in block if not (isinstance(op, ir.Let) and op.variable in ends))
                if added is not None:
                    row = replace(row, body=tuple(_Twice(added).kernel_block(row.body)))
                    kept = tuple(_with_room_of_one_row(op, added) for op in kept)
                block = tuple(row if op is loop else op for op in kept)
        return block


def _only_addition(body: tuple[ir.KernelOp, ...], module: ir.Module) -> ir.CallFunction | None:
    """The addition to a map, of a whole number, that is all that the body of a loop does."""
    inside = tuple(visitor.walk_kernel(body))
    calls = [op.call for op in inside if isinstance(op, ir.KernelCall)]
    if len(calls) != 1 or not is_call(ir.KernelCall(calls[0]), ir.MapPart.ADD, module):
        return None
    value = calls[0].arguments[-1]
    others = (part for op in inside for e in visitor.expressions_of(op) for part in visitor.walk_expression(e))
    if any(isinstance(part, ir.CallFunction) and part != calls[0] for part in others):
        return None
    plain = all(isinstance(op, ir.Let | ir.KernelIf | ir.KernelCall | ir.KernelContinue) for op in inside)
    whole = isinstance(value, ir.Expression) and value.element in (ir.Element.INT, ir.Element.LONG)
    return calls[0] if plain and whole else None


class _Twice(rewriter.Rewriter):
    """Adds a value twice at once."""

    def __init__(self, added: ir.CallFunction) -> None:
        self.added = added

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if not isinstance(op, ir.KernelCall) or op.call != self.added:
            return (self.rebuild(op),)
        *others, value = op.call.arguments
        assert isinstance(value, ir.Expression)
        one = value == ir.Const(1, value.element)
        twice = ir.Const(2, value.element) if one else build.times(ir.Const(2, value.element), value)
        return (ir.KernelCall(replace(op.call, arguments=(*others, twice))),)


def _with_room_of_one_row(op: ir.KernelOp, added: ir.CallFunction) -> ir.KernelOp:
    """The window of the map at the node's own row: its ends are twice the sum of the offsets of both."""
    match op:
        case ir.Let(variable, ir.Binary(ir.BinaryOperator.MULTIPLY, two, ir.Binary(ir.BinaryOperator.ADD, out, _))) if (
            ir.Ref(variable) in added.arguments
        ):
            return ir.Let(variable, build.times(two, out))
    return op


def _once_is_enough(row: ir.ForNeighbors) -> bool:
    """Whether the loop leaves early, says `forall` or only combines values, does nothing that a second time changes,
    and reads nothing that it changes."""
    inside = tuple(visitor.walk_kernel(row.body))
    joined = [value for op in inside if (value := _joined(op)) is not None]
    changed = visitor.assigned_variables(row.body) - {variable for op in inside for variable in visitor.declared_by(op)}
    reads = [e for op in inside if _joined(op) is None for e in visitor.expressions_of(op)] + joined
    written = visitor.written_arrays(row.body)
    dependent = not changed.isdisjoint(_refs(reads)) or any(a in written for e in reads for a in visitor.arrays_in(e))
    stores = any(isinstance(op, ir.Store | ir.SetLocal) and _joined(op) is None for op in inside)
    repeats = row.parallel or leaves(row.body) or not stores
    return repeats and not dependent and all(isinstance(op, _PLAIN) or _joined(op) is not None for op in inside)


def _joined(op: ir.KernelOp) -> ir.Expression | None:
    """The value that an operation combines with a cell or a local, if a second time changes nothing."""
    match op:
        case ir.UpdateCell(combine=combine, value=value) if combine in _AGAIN:
            return value
        case ir.SetLocal(local, value) if (taken := combined_with(local, value)) is not None and taken[0] in _AGAIN:
            return taken[1]
    return None


def _row(loop: ir.ForRange, block: tuple[ir.KernelOp, ...]) -> ir.ForNeighbors | None:
    """The loop over the arcs that leave the node, if this is one over arcs both ways whose own arc is not asked for;
    `ir.lowering.kernels` makes them."""
    match loop:
        case ir.ForRange(
            step,
            ir.Const(0),
            _,
            (
                ir.Let(
                    neighbor,
                    ir.Select(
                        ir.Binary(ir.BinaryOperator.LESS, ir.Ref(counted), ir.Ref()),
                        ir.Load(ir.COLUMNS, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(first), ir.Ref())),
                        ir.Load(ir.IN_COLUMNS, _),
                    ),
                ),
                *rest,
            ),
            parallel,
        ) if counted == step and step not in _refs(visitor.all_expressions(rest)):
            begins = (op.value for op in block if isinstance(op, ir.Let) and op.variable == first)
            match next(begins, None):
                case ir.Load(ir.ROW_OFFSETS, node):
                    return ir.ForNeighbors(ir.Direction.OUT, node, neighbor, step, tuple(rest), parallel)
    return None


def _refs(expressions: Iterable[ir.Expression]) -> set[ir.Variable]:
    return {part.variable for e in expressions for part in visitor.walk_expression(e) if isinstance(part, ir.Ref)}
