"""Whether a condition follows from others, whatever the order of the numbers in them.

Conditions compare the labels of nodes: `label[v] < label[u]`, `a != b`. Every order that the numbers of a condition may
be in is tried; there are few, because there are few numbers. A node's label is the node itself or beyond it
(`label[v] <= v` where the least wins), and equal nodes have equal labels. What is no comparison may be true or false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from starplat.ir.nodes import (
    Apply,
    Array,
    Binary,
    BinaryOperator,
    Cast,
    Combine,
    Const,
    Element,
    Expression,
    Load,
    MathFunction,
    Ref,
    Select,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.visitor import walk_expression

MOST_NUMBERS = 7
MOST_TRUTHS = 4

_NARROW = (Element.INT, Element.NODE)
"""What any integer type can hold."""

_COMPARISONS: dict[BinaryOperator, Callable[[int, int], bool]] = {
    BinaryOperator.EQUAL: lambda a, b: a == b,
    BinaryOperator.NOT_EQUAL: lambda a, b: a != b,
    BinaryOperator.LESS: lambda a, b: a < b,
    BinaryOperator.LESS_EQUAL: lambda a, b: a <= b,
    BinaryOperator.GREATER: lambda a, b: a > b,
    BinaryOperator.GREATER_EQUAL: lambda a, b: a >= b,
}


def compared(operator: BinaryOperator, left: Expression, right: Expression) -> Binary:
    """A comparison."""
    return Binary(operator, left, right, Element.BOOL)


def denied(condition: Expression) -> Expression:
    """The opposite."""
    return Unary(UnaryOperator.NOT, condition)


def all_of(conditions: Iterable[Expression]) -> Expression:
    """The conjunction."""
    whole: Expression = Const(True, Element.BOOL)
    for condition in conditions:
        whole = Binary(BinaryOperator.AND, whole, condition, Element.BOOL)
    return whole


@dataclass(frozen=True, slots=True)
class Labels:
    """A label for every node, of which the least (MIN) or the greatest (MAX) wins; `array` None for numbers alone.

    `flat` tells that a label is its own label.
    """

    array: Array | None
    extreme: Combine
    flat: bool = False

    def beyond(self, candidate: Expression, other: Expression) -> Binary:
        """Whether the candidate wins."""
        least = self.extreme is Combine.MIN
        return compared(BinaryOperator.LESS if least else BinaryOperator.GREATER, candidate, other)

    def reaches(self, candidate: Expression, other: Expression) -> Binary:
        """Whether the candidate wins or is the same."""
        least = self.extreme is Combine.MIN
        return compared(BinaryOperator.LESS_EQUAL if least else BinaryOperator.GREATER_EQUAL, candidate, other)

    def always(self, conclusion: Expression, given: Iterable[Expression] = ()) -> bool:
        """Whether the conclusion surely holds where all that is given does."""
        known = tuple(given)
        spoken_of = _nodes(conclusion)
        near = tuple(condition for condition in known if _nodes(condition) <= spoken_of)
        chosen = (known, near, *((one,) for one in known))
        return any(self._follows(conclusion, some) for some in dict.fromkeys(chosen))

    def _follows(self, conclusion: Expression, given: tuple[Expression, ...]) -> bool:
        atoms = _Atoms(self.array)
        for condition in (conclusion, *given):
            atoms.condition(condition)
        if len(atoms.numbers) > MOST_NUMBERS or len(atoms.truths) > MOST_TRUTHS:
            return False
        worlds = (
            _World(numbers, dict(zip(atoms.truths, truths, strict=True)))
            for numbers in self._orders(tuple(atoms.numbers))
            for truths in product((False, True), repeat=len(atoms.truths))
        )
        return all(world.holds(conclusion) for world in worlds if all(world.holds(condition) for condition in given))

    def _orders(self, terms: tuple[Expression, ...]) -> Iterator[dict[Expression, int]]:
        """Every order of the numbers, equal ones among them, that labels can have."""
        yield from self._extended({}, terms, len(terms))

    def _extended(
        self, placed: dict[Expression, int], rest: tuple[Expression, ...], count: int
    ) -> Iterator[dict[Expression, int]]:
        if not rest:
            if set(placed.values()) == set(range(len(set(placed.values())))):
                yield placed
            return
        for place in range(count):
            wider = {**placed, rest[0]: place}
            if self._possible(rest[0], wider):
                yield from self._extended(wider, rest[1:], count)

    def _possible(self, term: Expression, placed: dict[Expression, int]) -> bool:
        """Whether what is known of labels holds for a label; what it is the label of has been placed before it."""
        if not (isinstance(term, Load) and term.array == self.array):
            return True
        world = _World(placed, {})
        node, label = world.number(term.index), placed[term]
        if label > node if self.extreme is Combine.MIN else label < node:
            return False
        if self.flat and isinstance(term.index, Load) and term.index.array == self.array and label != node:
            return False
        others = (other for other in placed if isinstance(other, Load) and other.array == self.array)
        return all(placed[other] == label for other in others if world.number(other.index) == node)


def loop_name(variable: Variable, number: int) -> Ref:
    """A name for what some round of a loop leaves in a variable; it is nobody's node."""
    return Ref(Variable(f"{variable.name}'{number}", variable.element))


def _nodes(condition: Expression) -> set[Variable]:
    """The nodes that a condition speaks of."""
    parts = (part.variable for part in walk_expression(condition) if isinstance(part, Ref))
    return {variable for variable in parts if "'" not in variable.name}


class _Atoms:
    """The numbers and truths that conditions are made of, what stands inside a number before it."""

    def __init__(self, labels: Array | None) -> None:
        self.labels = labels
        self.numbers: dict[Expression, None] = {}
        self.truths: dict[Expression, None] = {}

    def condition(self, condition: Expression) -> None:
        match condition:
            case Const():
                pass
            case Unary(UnaryOperator.NOT, operand):
                self.condition(operand)
            case Binary(BinaryOperator.AND | BinaryOperator.OR, left, right):
                self.condition(left)
                self.condition(right)
            case Binary(operator, left, right) if operator in _COMPARISONS and not left.element.is_real:
                for side in (left, right):
                    (self.condition if side.element is Element.BOOL else self.number)(side)
            case Select(chosen, then, otherwise):
                for part in (chosen, then, otherwise):
                    self.condition(part)
            case _:
                self.truths[condition] = None

    def number(self, number: Expression) -> None:
        match number:
            case Apply(MathFunction.MIN | MathFunction.MAX, arguments):
                for argument in arguments:
                    self.number(argument)
            case Select(chosen, then, otherwise):
                self.condition(chosen)
                self.number(then)
                self.number(otherwise)
            case Cast(operand, element) if operand.element in _NARROW and element.is_integer:
                self.number(operand)
            case Load(array, index):
                if array == self.labels:
                    self.number(index)
                self.numbers[number] = None
            case _:
                self.numbers[number] = None


@dataclass(frozen=True, slots=True)
class _World:
    """One way in which numbers and truths may be."""

    numbers: dict[Expression, int]
    truths: dict[Expression, bool]

    def holds(self, condition: Expression) -> bool:
        match condition:
            case Const(truth):
                return bool(truth)
            case Unary(UnaryOperator.NOT, operand):
                return not self.holds(operand)
            case Binary(BinaryOperator.AND, left, right):
                return self.holds(left) and self.holds(right)
            case Binary(BinaryOperator.OR, left, right):
                return self.holds(left) or self.holds(right)
            case Binary(operator, left, right) if operator in _COMPARISONS and not left.element.is_real:
                return _COMPARISONS[operator](self.either(left), self.either(right))
            case Select(chosen, then, otherwise):
                return self.holds(then if self.holds(chosen) else otherwise)
            case _:
                return self.truths[condition]

    def either(self, side: Expression) -> int:
        return int(self.holds(side)) if side.element is Element.BOOL else self.number(side)

    def number(self, number: Expression) -> int:
        match number:
            case Apply(MathFunction.MIN, arguments):
                return min(self.number(argument) for argument in arguments)
            case Apply(MathFunction.MAX, arguments):
                return max(self.number(argument) for argument in arguments)
            case Select(chosen, then, otherwise):
                return self.number(then if self.holds(chosen) else otherwise)
            case Cast(operand, element) if operand.element in _NARROW and element.is_integer:
                return self.number(operand)
            case _:
                return self.numbers[number]
