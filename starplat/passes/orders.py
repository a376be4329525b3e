"""Whether a condition follows from others, whatever the order of the numbers in them.

Conditions compare the labels of nodes: `label[v] < label[u]`, `a != b`. Every order that the numbers of a condition may
be in is tried; there are few, because there are few numbers. Equal nodes have equal labels, and where labels are nodes
a node's label is the node itself or beyond it (`label[v] <= v` where the least wins). What is no comparison may be true
or false; of labels that are truths, True is the greater.
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
from starplat.passes.weak_orders import weak_orders

MOST_NUMBERS = 7
MOST_VALUES = 6
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
    true = Const(True, Element.BOOL)
    whole: Expression = true
    for condition in conditions:
        if condition != true:
            whole = condition if whole == true else Binary(BinaryOperator.AND, whole, condition, Element.BOOL)
    return whole


@dataclass(frozen=True, slots=True)
class Labels:
    """A label for every node, of which the least (MIN) or the greatest (MAX) wins; `array` None for numbers alone.

    `flat` tells that a label is its own label; `values`, that labels are any values, not nodes.
    """

    array: Array | None
    extreme: Combine
    flat: bool = False
    values: bool = False

    @property
    def best(self) -> Const | None:
        """What no label can be beyond; of numbers, none is known."""
        if self.array is None or self.array.element is not Element.BOOL:
            return None
        return Const(self.extreme is Combine.MAX, Element.BOOL)

    @property
    def worst(self) -> Const | None:
        """What is beyond no label; of nodes and reals, none is known."""
        assert self.array is not None
        element, least = self.array.element, self.extreme is Combine.MIN
        match element:
            case Element.BOOL:
                return Const(least, element)
            case Element.INT | Element.LONG:
                beyond = 2 ** (31 if element is Element.INT else 63)
                return Const(beyond - 1 if least else -beyond, element)
            case _:
                return None

    def is_joined_by(self, combine: Combine) -> bool:
        """Whether that combination lets the better one win."""
        return {Combine.OR: Combine.MAX, Combine.AND: Combine.MIN}.get(combine, combine) is self.extreme

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
        atoms = _Atoms(None if self.values else self.array)
        for condition in (conclusion, *given):
            atoms.condition(condition)
        most = MOST_VALUES if self.values else MOST_NUMBERS
        if len(atoms.numbers) > most or len(atoms.truths) > MOST_TRUTHS:
            return False
        worlds = (
            _World(numbers, dict(zip(atoms.truths, truths, strict=True)))
            for numbers in self._orders(tuple(atoms.numbers))
            for truths in product((False, True), repeat=len(atoms.truths))
        )
        return all(world.holds(conclusion) for world in worlds if all(world.holds(condition) for condition in given))

    def _orders(self, terms: tuple[Expression, ...]) -> Iterator[dict[Expression, int]]:
        """Every order of the numbers, equal ones among them, that labels can have."""
        if not self.values:
            yield from self._extended({}, terms, len(terms))
            return
        at = {term: place for place, term in enumerate(terms)}
        labels = [place for term, place in at.items() if self._is_label(term)]
        nodes = [(at[t.index], at[t]) for t in terms if isinstance(t, Load) and self._is_label(t) and t.index in at]
        worst = at.get(self.worst) if self.worst is not None else None
        for order in weak_orders(len(terms)):
            if self._is_even(order, nodes) and (worst is None or self._is_last(order, worst, labels)):
                yield dict(zip(terms, order, strict=True))

    def _is_even(self, order: tuple[int, ...], nodes: list[tuple[int, int]]) -> bool:
        """Whether equal nodes have equal labels, of those that something is said of."""
        held: dict[int, int] = {}
        return all(held.setdefault(order[node], order[label]) == order[label] for node, label in nodes)

    def _is_last(self, order: tuple[int, ...], worst: int, labels: list[int]) -> bool:
        """Whether no label comes after what none does."""
        least = self.extreme is Combine.MIN
        return all(order[label] <= order[worst] if least else order[label] >= order[worst] for label in labels)

    def _extended(
        self, placed: dict[Expression, int], rest: tuple[Expression, ...], count: int
    ) -> Iterator[dict[Expression, int]]:
        missing = 1 + max(placed.values(), default=-1) - len(set(placed.values()))
        if missing > len(rest):
            return
        if not rest:
            yield placed
            return
        for place in range(count):
            wider = {**placed, rest[0]: place}
            if self._possible(rest[0], wider):
                yield from self._extended(wider, rest[1:], count)

    def _possible(self, term: Expression, placed: dict[Expression, int]) -> bool:
        """Whether what is known of labels holds for a label; what it is the label of has been placed before it."""
        if not self._is_label(term):
            return True
        assert isinstance(term, Load)
        world = _World(placed, {})
        node, label = world.number(term.index), placed[term]
        if label > node if self.extreme is Combine.MIN else label < node:
            return False
        if self.flat and self._is_label(term.index) and label != node:
            return False
        others = (other for other in placed if isinstance(other, Load) and other.array == self.array)
        return all(placed[other] == label for other in others if world.number(other.index) == node)

    def _is_label(self, term: Expression) -> bool:
        return isinstance(term, Load) and term.array == self.array


def loop_name(variable: Variable, number: int) -> Ref:
    """A name for what some round of a loop leaves in a variable; it is nobody's node."""
    return Ref(Variable(f"{variable.name}'{number}", variable.element))


def _nodes(condition: Expression) -> set[Variable]:
    """The nodes that a condition speaks of."""
    parts = (part.variable for part in walk_expression(condition) if isinstance(part, Ref))
    return {variable for variable in parts if "'" not in variable.name}


class _Atoms:
    """The numbers and truths that conditions are made of; where labels are nodes, a label's node before it."""

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
