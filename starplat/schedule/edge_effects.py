"""What a kernel does at each arc of its nodes: under which conditions, and what comes of it, without locals.

All steps that ask what a kernel tells its neighbors ask here, so that a value has one form however it is spelled: with
locals before the loop or in it, in one condition or in several, with a filter or an `if`.
"""

from __future__ import annotations

from dataclasses import dataclass

from starplat.ir import nodes as ir
from starplat.ir.conditions import conjuncts
from starplat.ir.rewriter import Rewriter


@dataclass(frozen=True, slots=True)
class EdgeEffect:
    """At each arc of `loop`, where all `guards` hold, `ops` are done, none of which is a local or one condition for all
    the others; `ahead` is worked out once for a node, `inside` for an arc."""

    loop: ir.ForNeighbors
    ahead: tuple[ir.Let, ...]
    inside: tuple[ir.Let | ir.Expression, ...]
    ops: tuple[ir.KernelOp, ...]

    @property
    def guards(self) -> tuple[ir.Expression, ...]:
        """All conditions in the order in which they are asked, without locals."""
        return tuple(self.unfolded(step) for step in self.inside if not isinstance(step, ir.Let))

    def unfolded(self, expression: ir.Expression) -> ir.Expression:
        """The expression with the values of locals in their places."""
        lets = {step.variable: step.value for step in (*self.ahead, *self.inside) if isinstance(step, ir.Let)}
        return unfolded(expression, lets)


def edge_effect(body: tuple[ir.KernelOp, ...], node: ir.Variable | None) -> EdgeEffect | None:
    """What the body of a kernel over nodes does at their arcs, if it does nothing else but work out locals."""
    match body:
        case (*ahead, ir.ForNeighbors(node=ir.Ref(whose)) as loop) if whose == node:
            lets = tuple(op for op in ahead if isinstance(op, ir.Let))
        case _:
            return None
    steps, ops = _nest(loop.body)
    return EdgeEffect(loop, lets, tuple(steps), ops) if len(lets) == len(ahead) else None


def _nest(body: tuple[ir.KernelOp, ...]) -> tuple[list[ir.Let | ir.Expression], tuple[ir.KernelOp, ...]]:
    """Locals and conditions, and what they are for."""
    steps: list[ir.Let | ir.Expression] = []
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
    """The expression with the values of locals in their places."""

    class Unfolder(Rewriter):
        def expression(self, inner: ir.Expression) -> ir.Expression:
            if isinstance(inner, ir.Ref) and inner.variable in lets:
                return self.expression(lets[inner.variable])
            return self.rebuild(inner)

    return Unfolder().expression(expression)
