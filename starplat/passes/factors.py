"""Which expressions are a value of a node: they depend on it alone, cannot fail, and cost more than a look at a cell.

Knows nothing of loops and kernels; `hoist_factors` asks here for every expression inside a loop over neighbors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir.nodes import (
    IN_ROW_OFFSETS,
    ROW_OFFSETS,
    Apply,
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Const,
    Direction,
    Element,
    Expression,
    Extent,
    Load,
    MathFunction,
    NumArcs,
    NumNodes,
    Ref,
    Select,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.rewriter import map_expression
from starplat.ir.visitor import operands, walk_expression

NODE = Variable("node", Element.NODE)
"""Stands for the node in a factor."""

_DIVISIONS = (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)
_CHEAP = (MathFunction.MIN, MathFunction.MAX, MathFunction.ABS, MathFunction.FLOOR, MathFunction.CEIL)


@dataclass(frozen=True, slots=True)
class Factor:
    """A value of `NODE`. Where `guard` does not hold, the value must not be worked out, and nobody wants it."""

    value: Expression
    guard: Expression | None

    def at(self, node: Variable) -> Factor:
        """The same of another node."""
        guard = None if self.guard is None else _renamed(self.guard, NODE, node)
        return Factor(_renamed(self.value, NODE, node), guard)


def _renamed(expression: Expression, old: Variable, new: Variable) -> Expression:
    return map_expression(lambda e: Ref(new) if e == Ref(old) else e, expression)


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A loop's variable. `holds` tells of arrays and variables whether the kernel leaves them alone."""

    variable: Variable
    direction: Direction
    holds: Callable[[Array | Variable], bool]

    def factor(self, expression: Expression) -> Factor | None:
        """The expression as a factor of the neighbor, if it is one and worth a cell."""
        if not self.is_of_it(expression) or not is_worth_a_cell(expression):
            return None
        divisors = dict.fromkeys(
            e.right
            for e in walk_expression(expression)
            if isinstance(e, Binary) and e.operator in _DIVISIONS and _may_be_zero(e)
        )
        guard: Expression | None = None
        for divisor in divisors:
            zero = Const(0, divisor.element)
            condition = Binary(BinaryOperator.NOT_EQUAL, divisor, zero, Element.BOOL)
            guard = condition if guard is None else Binary(BinaryOperator.AND, guard, condition, Element.BOOL)
        return Factor(_renamed(expression, self.variable, NODE), guard and _renamed(guard, self.variable, NODE))

    def is_of_it(self, expression: Expression) -> bool:
        """Whether the value depends on the neighbor and on what is the same for all, and cannot fail for any node that
        is a neighbor; a divisor that is zero for others is its degree."""
        match expression:
            case Const() | NumNodes() | NumArcs():
                return True
            case Ref(variable):
                return variable == self.variable or self.holds(variable)
            case Load(array, index):
                return self.holds(array) and self._is_inside(array.extent, index)
            case Binary() if expression.operator in _DIVISIONS and _may_be_zero(expression):
                return self._is_its_degree(expression.right) and self.is_of_it(expression.left)
            case Unary() | Binary() | Select() | Cast() | Apply():
                return all(map(self.is_of_it, operands(expression)))
            case _:
                return False

    def _is_inside(self, extent: Extent, index: Expression) -> bool:
        if extent is Extent.NODES:
            return index == Ref(self.variable)
        return extent is Extent.NODES_AND_ONE and index in (Ref(self.variable), self._next())

    def _next(self) -> Expression:
        return Binary(BinaryOperator.ADD, Ref(self.variable), Const(1, Element.NODE), Element.NODE)

    def _is_its_degree(self, divisor: Expression) -> bool:
        """Whether it counts the arcs among which the loop's own is."""
        while isinstance(divisor, Cast) and divisor.element.is_integer and divisor.operand.element.is_integer:
            divisor = divisor.operand
        rows = ROW_OFFSETS if self.direction is Direction.IN else IN_ROW_OFFSETS
        match divisor:
            case Binary(BinaryOperator.SUBTRACT, Load(end, after), Load(start, at)):
                return (end, after, start, at) == (rows, self._next(), rows, Ref(self.variable))
            case _:
                return False


def _may_be_zero(division: Binary) -> bool:
    """Whether dividing might fail: not for reals, nor for constants."""
    if division.right.element.is_real:
        return False
    return not (isinstance(division.right, Const) and division.right.value != 0)


def is_worth_a_cell(expression: Expression) -> bool:
    """Whether one cell is cheaper to read than what the expression reads and computes. The two ends of a row lie side
    by side, so they count once."""
    inside = tuple(walk_expression(expression))
    places = {e.array for e in inside if isinstance(e, Load)}
    worth = len(places) > 1 or (len(places) == 1 and any(map(_is_dear, inside)))
    return worth and expression.element is not Element.ARC


def _is_dear(expression: Expression) -> bool:
    match expression:
        case Binary(operator, _, right) if operator in _DIVISIONS:
            return right.element.is_real or not isinstance(right, Const)
        case Apply(function):
            return function not in _CHEAP
        case _:
            return False


def is_product(expression: Expression) -> bool:
    """Whether it is a product of reals, which a target may add without rounding it before."""
    while isinstance(expression, Unary) and expression.operator is UnaryOperator.NEGATE:
        expression = expression.operand
    match expression:
        case Binary(BinaryOperator.MULTIPLY):
            return expression.element.is_real
        case Select(_, then, otherwise):
            return is_product(then) or is_product(otherwise)
        case _:
            return False
