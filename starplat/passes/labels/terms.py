"""The meaning of a kernel's expressions in one iteration: values of locals, and nodes of the own component.

A node is the iteration's own if it is surely in the component that the iteration is about: whatever is reached from its
own node along arcs is, and along labels too where these are nodes. A value is the component's own if it is the label of
such a node, at least by the time that it is looked at.
"""

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.rewriter import map_expression
from starplat.passes.labels.orders import Labels, loop_name

_WHOLE = (ir.Element.INT, ir.Element.NODE)


class Terms:
    """`known` is what every local stands for, `aliases` what else has a name; `members` are nodes of the iteration's
    own component and `values` labels of these, which may grow; where labels are nodes, they are one set."""

    def __init__(self, labels: Labels) -> None:
        assert labels.array is not None
        self.labels, self.label = labels, labels.array
        self.members: set[ir.Expression] = set()
        self.values: set[ir.Expression] = set() if labels.values else self.members
        self.known: dict[ir.Variable, ir.Expression] = {}
        self.aliases: dict[ir.Expression, ir.Expression] = {}
        self.fresh = 0

    def of(self, expression: ir.Expression) -> ir.Expression:
        """The expression in terms of the iteration: locals replaced by what they stand for."""

        def replaced(inner: ir.Expression) -> ir.Expression:
            if isinstance(inner, ir.Ref) and inner.variable in self.known:
                return self.known[inner.variable]
            return self.aliases.get(inner, inner)

        return map_expression(replaced, expression)

    def is_member(self, term: ir.Expression) -> bool:
        """Whether the node is surely in the component of the iteration's own."""
        if not self.labels.values:
            return self.is_value(term)
        match term:
            case _ if term in self.members:
                return True
            case ir.Select(_, then, otherwise):
                return self.is_member(then) and self.is_member(otherwise)
            case ir.Cast(operand, element):
                return element in _WHOLE and operand.element in _WHOLE and self.is_member(operand)
            case _:
                return False

    def is_value(self, term: ir.Expression) -> bool:
        """Whether the value is surely the label of a node of the component, or one that no other is worse than."""
        match term:
            case _ if term in self.values:
                return True
            case ir.Load(array, index):
                return array == self.label and self.is_member(index)
            case ir.Apply(ir.MathFunction.MIN | ir.MathFunction.MAX, arguments):
                return all(self.is_value(argument) for argument in arguments)
            case ir.Binary(ir.BinaryOperator.AND | ir.BinaryOperator.OR, left, right):
                return self.is_value(left) and self.is_value(right)
            case ir.Select(_, then, otherwise):
                return self.is_value(then) and self.is_value(otherwise)
            case ir.Cast(operand, element):
                return element in _WHOLE and operand.element in _WHOLE and self.is_value(operand)
            case ir.Const():
                return self.labels.values and term == self.labels.worst
            case _:
                return False

    def shows_best(self, condition: ir.Expression) -> bool:
        """Whether the condition holds only where some label of the component is the best that there is; each of its
        parts may have been read at another time, as labels do not get worse."""
        if self.labels.best is None:
            return False
        wanted = self.labels.best.value
        match condition:
            case ir.Binary(ir.BinaryOperator.AND, left, right) if self.shows_best(left) or self.shows_best(right):
                return True
            case ir.Unary(ir.UnaryOperator.NOT, ir.Unary(ir.UnaryOperator.NOT, operand)):
                return self.shows_best(operand)
            case ir.Unary(ir.UnaryOperator.NOT, ir.Binary(ir.BinaryOperator.EQUAL, left, right)):
                return self.shows_best(build.differs(left, right))
            case ir.Binary(ir.BinaryOperator.EQUAL, operand, ir.Const(truth, ir.Element.BOOL)):
                return self.shows_best(operand if truth else build.denied(operand))
            case ir.Binary(ir.BinaryOperator.NOT_EQUAL, operand, ir.Const(truth, ir.Element.BOOL)):
                return self.shows_best(build.denied(operand) if truth else operand)
            case ir.Binary(ir.BinaryOperator.NOT_EQUAL, left, right):
                return self.is_value(left) and self.is_value(right)
            case ir.Unary(ir.UnaryOperator.NOT, operand):
                return wanted is False and self.is_value(operand)
            case _:
                return wanted is True and self.is_value(condition)

    def unknown(self, variable: ir.Variable) -> ir.Ref:
        """A new name for what a loop leaves in a variable."""
        self.fresh += 1
        return loop_name(variable, self.fresh)

    def is_as_own(self, after: ir.Expression, before: ir.Expression) -> bool:
        """Whether one term belongs to the own component if the other does."""
        node = before not in self.members or self.is_member(after)
        return node and (before not in self.values or self.is_value(after))

    def renamed(self, variable: ir.Variable, before: ir.Expression) -> ir.Ref:
        """A new name for it that is as much the component's own as what it held before."""
        name = self.unknown(variable)
        if self.is_member(before):
            self.members.add(name)
        if self.is_value(before):
            self.values.add(name)
        return name
