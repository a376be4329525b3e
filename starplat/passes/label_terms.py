"""What the expressions of a kernel mean in one iteration: what its locals stand for, and which nodes are its own.

A node is the iteration's own if it is surely in the component that the iteration is about: whatever is reached from its
own node along arcs and labels is, as long as labels are.
"""

from __future__ import annotations

from starplat.ir.nodes import Apply, Array, Cast, Element, Expression, Load, MathFunction, Ref, Select, Variable
from starplat.ir.rewriter import map_expression
from starplat.passes.orders import loop_name


class Terms:
    """`known` is what every local stands for, `aliases` what else has a name; `members` are nodes of the iteration's
    own component, which may grow."""

    def __init__(self, label: Array) -> None:
        self.label = label
        self.members: set[Expression] = set()
        self.known: dict[Variable, Expression] = {}
        self.aliases: dict[Expression, Expression] = {}
        self.fresh = 0

    def of(self, expression: Expression) -> Expression:
        """The expression in terms of the iteration: locals replaced by what they stand for."""

        def replaced(inner: Expression) -> Expression:
            if isinstance(inner, Ref) and inner.variable in self.known:
                return self.known[inner.variable]
            return self.aliases.get(inner, inner)

        return map_expression(replaced, expression)

    def is_member(self, term: Expression) -> bool:
        """Whether the node is surely in the component of the iteration's own."""
        match term:
            case _ if term in self.members:
                return True
            case Load(array, index):
                return array == self.label and self.is_member(index)
            case Apply(MathFunction.MIN | MathFunction.MAX, arguments):
                return all(self.is_member(argument) for argument in arguments)
            case Select(_, then, otherwise):
                return self.is_member(then) and self.is_member(otherwise)
            case Cast(operand, Element.INT | Element.NODE):
                return operand.element in (Element.INT, Element.NODE) and self.is_member(operand)
            case _:
                return False

    def unknown(self, variable: Variable) -> Ref:
        """A new name for what a loop leaves in a variable."""
        self.fresh += 1
        return loop_name(variable, self.fresh)
