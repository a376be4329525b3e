"""Finds expressions that are a value of a node: they depend on it alone, cannot fail, and cost more than a load.

Knows nothing of loops and kernels; `hoist_factors` asks here for every expression inside a loop over neighbors.
"""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir import build, nodes as ir, rewriter, visitor

NODE = ir.Variable("node", ir.Element.NODE)
"""Stands for the node in a factor."""

_CHEAP = (ir.MathFunction.MIN, ir.MathFunction.MAX, ir.MathFunction.ABS, ir.MathFunction.FLOOR, ir.MathFunction.CEIL)


@dataclass(frozen=True, slots=True)
class Factor:
    """A value of `NODE`. Where `guard` does not hold, the value is unused and must not be evaluated."""

    value: ir.Expression
    guard: ir.Expression | None

    def at(self, node: ir.Variable) -> "Factor":
        guard = None if self.guard is None else _renamed(self.guard, NODE, node)
        return Factor(_renamed(self.value, NODE, node), guard)


def _renamed(expression: ir.Expression, old: ir.Variable, new: ir.Variable) -> ir.Expression:
    return rewriter.map_expression(lambda e: ir.Ref(new) if e == ir.Ref(old) else e, expression)


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A loop's variable. `holds` tells whether the kernel leaves an array or variable unchanged."""

    variable: ir.Variable
    direction: ir.Direction
    holds: Callable[[ir.Array | ir.Variable], bool]

    def factor(self, expression: ir.Expression) -> Factor | None:
        """The expression as a factor of the neighbor, if it is one and worth a cell."""
        if not self.is_of_it(expression) or not is_worth_a_cell(expression):
            return None
        divisors = dict.fromkeys(
            e.right
            for e in visitor.walk_expression(expression)
            if isinstance(e, ir.Binary) and e.operator.divides and may_be_zero(e)
        )
        guard: ir.Expression | None = None
        for divisor in divisors:
            zero = ir.Const(0, divisor.element)
            condition = build.differs(divisor, zero)
            guard = condition if guard is None else build.both(guard, condition)
        return Factor(_renamed(expression, self.variable, NODE), guard and _renamed(guard, self.variable, NODE))

    def is_of_it(self, expression: ir.Expression) -> bool:
        """Whether the value depends on the neighbor and on what is the same for all, and cannot fail for any neighbor;
        a divisor that may be zero is its degree."""
        match expression:
            case ir.Const() | ir.NumNodes() | ir.NumArcs():
                return True
            case ir.Ref(variable):
                return variable == self.variable or self.holds(variable)
            case ir.Load(array, index):
                return self.holds(array) and self._is_inside(array.extent, index)
            case ir.Binary() if expression.operator.divides and may_be_zero(expression):
                return self._is_its_degree(expression.right) and self.is_of_it(expression.left)
            case ir.Unary() | ir.Binary() | ir.Select() | ir.Cast() | ir.Apply():
                return all(map(self.is_of_it, visitor.operands(expression)))
        return False

    def _is_inside(self, extent: ir.Extent, index: ir.Expression) -> bool:
        if extent is ir.Extent.NODES:
            return index == ir.Ref(self.variable)
        return extent is ir.Extent.NODES_AND_ONE and index in (ir.Ref(self.variable), self._next())

    def _next(self) -> ir.Expression:
        return build.plus(ir.Ref(self.variable), ir.Const(1, ir.Element.NODE), ir.Element.NODE)

    def _is_its_degree(self, divisor: ir.Expression) -> bool:
        """Whether it counts the arcs among which the loop's own is."""
        while isinstance(divisor, ir.Cast) and divisor.element.is_integer and divisor.operand.element.is_integer:
            divisor = divisor.operand
        other = ir.CSR if self.direction is ir.Direction.IN else ir.REVERSE
        return divisor == other.degree(ir.Ref(self.variable))


def may_be_zero(division: ir.Binary) -> bool:
    """Whether dividing might fail: not for reals, nor for constants."""
    if division.right.element.is_real:
        return False
    return not (isinstance(division.right, ir.Const) and division.right.value != 0)


def is_worth_a_cell(expression: ir.Expression) -> bool:
    """Whether one cell is cheaper to read than what the expression reads and computes. The two ends of a row lie side
    by side, so they count once."""
    inside = tuple(visitor.walk_expression(expression))
    places = {e.array for e in inside if isinstance(e, ir.Load)}
    worth = len(places) > 1 or (len(places) == 1 and any(map(_is_dear, inside)))
    return worth and expression.element is not ir.Element.ARC


def _is_dear(expression: ir.Expression) -> bool:
    match expression:
        case ir.Binary(operator, _, right) if operator.divides:
            return right.element.is_real or not isinstance(right, ir.Const)
        case ir.Apply(function):
            return function not in _CHEAP
    return False


def is_product(expression: ir.Expression) -> bool:
    """Whether it is a product of reals, which a target may add without rounding it before."""
    while isinstance(expression, ir.Unary) and expression.operator is ir.UnaryOperator.NEGATE:
        expression = expression.operand
    match expression:
        case ir.Binary(ir.BinaryOperator.MULTIPLY):
            return expression.element.is_real
        case ir.Select(_, then, otherwise):
            return is_product(then) or is_product(otherwise)
    return False
