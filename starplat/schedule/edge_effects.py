"""The effect of a kernel at each arc of its nodes: its conditions and operations, with locals unfolded.

Every step that asks what a kernel sends to its neighbors asks here, so that a value has one form however it is spelled:
with locals before the loop or in it, one condition or several, a filter or an `if`.
"""

from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.ir.conditions import conjuncts
from starplat.ir.rewriter import Rewriter

Step = ir.Let | ir.Expression
"""A local, or a condition of all that follows."""


@dataclass(frozen=True, slots=True)
class EdgeEffect:
    """At each arc of `loop`, after the `steps`, `ops` are done, none of which is a local or one condition for all the
    others. Locals that are computed once per node, before the loop, are the first steps."""

    loop: ir.ForNeighbors
    steps: tuple[Step, ...]
    ops: tuple[ir.KernelOp, ...]

    @property
    def conditions(self) -> tuple[ir.Expression, ...]:
        return tuple(step for step in self.steps if not isinstance(step, ir.Let))

    @property
    def lets(self) -> dict[ir.Variable, ir.Expression]:
        """The values of the locals."""
        return {step.variable: step.value for step in self.steps if isinstance(step, ir.Let)}

    @property
    def guards(self) -> tuple[ir.Expression, ...]:
        """All conditions in order, without locals."""
        return tuple(self.unfolded(condition) for condition in self.conditions)

    def unfolded(self, expression: ir.Expression) -> ir.Expression:
        """The expression with locals replaced by their values."""
        return unfolded(expression, self.lets)


def edge_effect(body: tuple[ir.KernelOp, ...], node: ir.Variable | None) -> EdgeEffect | None:
    """The effect of a kernel's body at its nodes' arcs, if it otherwise only computes locals."""
    match body:
        case (*ahead, ir.ForNeighbors(node=ir.Ref(whose)) as loop) if whose == node:
            lets = tuple(op for op in ahead if isinstance(op, ir.Let))
        case _:
            return None
    steps, ops = _nest(loop.body)
    return EdgeEffect(loop, (*lets, *steps), ops) if len(lets) == len(ahead) else None


def _nest(body: tuple[ir.KernelOp, ...]) -> tuple[list[Step], tuple[ir.KernelOp, ...]]:
    """Locals and conditions, and the operations under them."""
    steps: list[Step] = []
    while True:
        match body:
            case (ir.Let() as first, *rest):
                steps.append(first)
                body = tuple(rest)
            case (ir.KernelIf(condition, then, ()),):
                steps += conjuncts(condition)
                body = then
            case _:
                return steps, body


def unfolded(expression: ir.Expression, lets: dict[ir.Variable, ir.Expression]) -> ir.Expression:
    """The expression with locals replaced by their values."""

    class Unfolder(Rewriter):
        def expression(self, inner: ir.Expression) -> ir.Expression:
            if isinstance(inner, ir.Ref) and inner.variable in lets:
                return self.expression(lets[inner.variable])
            return self.rebuild(inner)

    return Unfolder().expression(expression)
