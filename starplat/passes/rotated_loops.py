"""Rotates loops that surely run once: `bool more = True; while (more) …` becomes `do … while (more)`, the one form that
later steps look for.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from starplat.ir import launches, nodes as ir, rewriter, uses, visitor
from starplat.ir.interpreting.evaluate import evaluate

_KNOWABLE = ir.Ref | ir.Const | ir.Unary | ir.Binary


def rotated_loops(module: ir.Module) -> ir.Module:
    """The same program with more loops that are tested last."""
    rotator = _Rotator(module)
    return replace(module, functions=rotator.functions_of(module))


class _Rotator(rewriter.Rewriter):
    """Looks in every row of operations for loops whose condition is known to hold at first."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module

    def host_block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        row = tuple(super().host_block(ops))
        return tuple(self.rotated(op, row[:place]) for place, op in enumerate(row))

    def rotated(self, op: ir.HostOp, before: Sequence[ir.HostOp]) -> ir.HostOp:
        if not isinstance(op, ir.Loop) or op.test_last or op.before or op.step:
            return op
        return replace(op, test_last=True) if self.begins(op.condition, before) else op

    def begins(self, condition: ir.Expression, before: Sequence[ir.HostOp]) -> bool:
        """Whether the condition surely holds after the operations."""
        parts = list(visitor.walk_expression(condition))
        divides = any(isinstance(part, ir.Binary) and part.operator.divides for part in parts)
        if divides or not all(isinstance(part, _KNOWABLE) for part in parts):
            return False
        asked = {part.variable for part in parts if isinstance(part, ir.Ref)}
        known = {variable: self.known(variable, before) for variable in asked}
        values = {variable.name: value.value for variable, value in known.items() if value is not None}
        return len(values) == len(asked) > 0 and bool(evaluate(condition, values, {}, 0, 0))

    def known(self, variable: ir.Variable, before: Sequence[ir.HostOp]) -> ir.Const | None:
        """The constant value of the variable after the operations."""
        for op in reversed(list(uses.stream(before))):
            match op:
                case ir.DeclareVariable(assigned, ir.Const() as value) | ir.SetVariable(assigned, ir.Const() as value):
                    if assigned == variable and value.element is variable.element:
                        return value
            if launches.assigns(op, variable, self.module):
                return None
        return None
