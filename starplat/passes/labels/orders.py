"""Decides whether a condition follows from others, for any order of the numbers in them.

Conditions compare the labels of nodes: `label[v] < label[u]`, `a != b`. Every order that the numbers of a condition may
be in is tried; there are few, because there are few numbers. Equal nodes have equal labels, and where labels are nodes
a node's label is the node itself or beyond it (`label[v] <= v` where the least wins). What is no comparison may be true
or false; of labels that are truths, True is the greater.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.conditions import COMPARISONS
from starplat.ir.visitor import walk_expression
from starplat.passes.labels.weak_orders import weak_orders

MOST_NUMBERS = 7
MOST_VALUES = 6
MOST_TRUTHS = 4

_NARROW = (ir.Element.INT, ir.Element.NODE)
"""What any integer type can hold."""


def all_of(conditions: Iterable[ir.Expression]) -> ir.Expression:
    """The conjunction."""
    asked = [condition for condition in conditions if condition != build.TRUE]
    return build.both(*asked) if asked else build.TRUE


@dataclass(frozen=True, slots=True)
class Labels:
    """A label for every node, of which the least (MIN) or the greatest (MAX) wins; `array` None for numbers alone.

    `flat` tells that a label is its own label; `values`, that labels are any values, not nodes.
    """

    array: ir.Array | None
    extreme: ir.Combine
    flat: bool = False
    values: bool = False

    @property
    def best(self) -> ir.Const | None:
        """What no label can be beyond; of numbers, none is known."""
        if self.array is None or self.array.element is not ir.Element.BOOL:
            return None
        return ir.Const(self.extreme is ir.Combine.MAX, ir.Element.BOOL)

    @property
    def worst(self) -> ir.Const | None:
        """What is beyond no label; of nodes and reals, none is known."""
        assert self.array is not None
        element, least = self.array.element, self.extreme is ir.Combine.MIN
        match element:
            case ir.Element.BOOL:
                return ir.Const(least, element)
            case ir.Element.INT | ir.Element.LONG:
                beyond = 2 ** (31 if element is ir.Element.INT else 63)
                return ir.Const(beyond - 1 if least else -beyond, element)
            case _:
                return None

    def is_joined_by(self, combine: ir.Combine) -> bool:
        """Whether that combination lets the better one win."""
        return {ir.Combine.OR: ir.Combine.MAX, ir.Combine.AND: ir.Combine.MIN}.get(combine, combine) is self.extreme

    def beyond(self, candidate: ir.Expression, other: ir.Expression) -> ir.Binary:
        """Whether the candidate wins."""
        return build.beyond(self.extreme, candidate, other)

    def reaches(self, candidate: ir.Expression, other: ir.Expression) -> ir.Binary:
        """Whether the candidate wins or is the same."""
        compare = build.at_most if self.extreme is ir.Combine.MIN else build.at_least
        return compare(candidate, other)

    def always(self, conclusion: ir.Expression, given: Iterable[ir.Expression] = ()) -> bool:
        """Whether the conclusion surely holds where all that is given does."""
        known = tuple(given)
        spoken_of = _nodes(conclusion)
        near = tuple(condition for condition in known if _nodes(condition) <= spoken_of)
        chosen = (known, near, *((one,) for one in known))
        return any(self._follows(conclusion, some) for some in dict.fromkeys(chosen))

    def _follows(self, conclusion: ir.Expression, given: tuple[ir.Expression, ...]) -> bool:
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

    def _orders(self, terms: tuple[ir.Expression, ...]) -> Iterator[dict[ir.Expression, int]]:
        """Every order of the numbers, equal ones among them, that labels can have."""
        if not self.values:
            yield from self._placed(terms, self._labelled(terms), ())
            return
        at = {term: place for place, term in enumerate(terms)}
        labels = [place for term, place in at.items() if self._is_label(term)]
        nodes = [(at[t.index], at[t]) for t in terms if isinstance(t, ir.Load) and self._is_label(t) and t.index in at]
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
        least = self.extreme is ir.Combine.MIN
        return all(order[label] <= order[worst] if least else order[label] >= order[worst] for label in labels)

    def _labelled(self, terms: tuple[ir.Expression, ...]) -> tuple[int | ir.Expression | None, ...]:
        """For each label what it is the label of: the place of that number among the terms, or how to compute it."""
        at = {term: place for place, term in enumerate(terms)}
        return tuple(at.get(t.index, t.index) if isinstance(t, ir.Load) and self._is_label(t) else None for t in terms)

    def _placed(
        self, terms: tuple[ir.Expression, ...], labelled: tuple[int | ir.Expression | None, ...], order: tuple[int, ...]
    ) -> Iterator[dict[ir.Expression, int]]:
        """The orders of all terms that begin with the places of the first few."""
        rest = len(terms) - len(order)
        if 1 + max(order, default=-1) - len(set(order)) > rest:
            return
        if not rest:
            yield dict(zip(terms, order, strict=True))
            return
        for place in range(len(terms)):
            wider = (*order, place)
            if self._possible(terms, labelled, wider):
                yield from self._placed(terms, labelled, wider)

    def _possible(
        self, terms: tuple[ir.Expression, ...], labelled: tuple[int | ir.Expression | None, ...], order: tuple[int, ...]
    ) -> bool:
        """Whether what is known of labels holds for the last of the terms that have a place, if it is a label; what it
        is the label of has been placed before it."""
        last, label = len(order) - 1, order[-1]
        term = terms[last]
        if labelled[last] is None:
            return True
        assert isinstance(term, ir.Load)

        def node_of(place: int) -> int:
            owner = labelled[place]
            if isinstance(owner, int):
                return order[owner]
            assert owner is not None
            return _World(dict(zip(terms, order, strict=False)), {}).number(owner)

        node = node_of(last)
        if label > node if self.extreme is ir.Combine.MIN else label < node:
            return False
        if self.flat and self._is_label(term.index) and label != node:
            return False
        before = (place for place in range(last) if labelled[place] is not None)
        return all(order[place] == label for place in before if node_of(place) == node)

    def _is_label(self, term: ir.Expression) -> bool:
        return isinstance(term, ir.Load) and term.array == self.array


def loop_name(variable: ir.Variable, number: int) -> ir.Ref:
    """A name for an unknown value that a loop leaves in a variable; it is no node's."""
    return ir.Ref(ir.Variable(f"{variable.name}'{number}", variable.element))


def _nodes(condition: ir.Expression) -> set[ir.Variable]:
    """The nodes that a condition speaks of."""
    parts = (part.variable for part in walk_expression(condition) if isinstance(part, ir.Ref))
    return {variable for variable in parts if "'" not in variable.name}


class _Atoms:
    """The numbers and truths that conditions are made of; where labels are nodes, a label's node before it."""

    def __init__(self, labels: ir.Array | None) -> None:
        self.labels = labels
        self.numbers: dict[ir.Expression, None] = {}
        self.truths: dict[ir.Expression, None] = {}

    def condition(self, condition: ir.Expression) -> None:
        match condition:
            case ir.Const():
                pass
            case ir.Unary(ir.UnaryOperator.NOT, operand):
                self.condition(operand)
            case ir.Binary(ir.BinaryOperator.AND | ir.BinaryOperator.OR, left, right):
                self.condition(left)
                self.condition(right)
            case ir.Binary(operator, left, right) if operator in COMPARISONS and not left.element.is_real:
                for side in (left, right):
                    (self.condition if side.element is ir.Element.BOOL else self.number)(side)
            case ir.Select(chosen, then, otherwise):
                for part in (chosen, then, otherwise):
                    self.condition(part)
            case _:
                self.truths[condition] = None

    def number(self, number: ir.Expression) -> None:
        match number:
            case ir.Apply(ir.MathFunction.MIN | ir.MathFunction.MAX, arguments):
                for argument in arguments:
                    self.number(argument)
            case ir.Select(chosen, then, otherwise):
                self.condition(chosen)
                self.number(then)
                self.number(otherwise)
            case ir.Cast(operand, element) if operand.element in _NARROW and element.is_integer:
                self.number(operand)
            case ir.Load(array, index):
                if array == self.labels:
                    self.number(index)
                self.numbers[number] = None
            case _:
                self.numbers[number] = None


@dataclass(frozen=True, slots=True)
class _World:
    """One way in which numbers and truths may be."""

    numbers: dict[ir.Expression, int]
    truths: dict[ir.Expression, bool]

    def holds(self, condition: ir.Expression) -> bool:
        match condition:
            case ir.Const(truth):
                return bool(truth)
            case ir.Unary(ir.UnaryOperator.NOT, operand):
                return not self.holds(operand)
            case ir.Binary(ir.BinaryOperator.AND, left, right):
                return self.holds(left) and self.holds(right)
            case ir.Binary(ir.BinaryOperator.OR, left, right):
                return self.holds(left) or self.holds(right)
            case ir.Binary(operator, left, right) if operator in COMPARISONS and not left.element.is_real:
                return COMPARISONS[operator](self.either(left), self.either(right))
            case ir.Select(chosen, then, otherwise):
                return self.holds(then if self.holds(chosen) else otherwise)
            case _:
                return self.truths[condition]

    def either(self, side: ir.Expression) -> int:
        return int(self.holds(side)) if side.element is ir.Element.BOOL else self.number(side)

    def number(self, number: ir.Expression) -> int:
        match number:
            case ir.Apply(ir.MathFunction.MIN, arguments):
                return min(self.number(argument) for argument in arguments)
            case ir.Apply(ir.MathFunction.MAX, arguments):
                return max(self.number(argument) for argument in arguments)
            case ir.Select(chosen, then, otherwise):
                return self.number(then if self.holds(chosen) else otherwise)
            case ir.Cast(operand, element) if operand.element in _NARROW and element.is_integer:
                return self.number(operand)
            case _:
                return self.numbers[number]
