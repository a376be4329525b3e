"""Reads statements that do something for triples of nodes: where the nodes come from, which arcs there must be between
them, and in which orders of their numbers and degrees three nodes count.

The nodes come from loops over neighbors, or from the loop over nodes or arcs around them; arcs from these loops and
from questions for an arc. All else that is asked must compare numbers or degrees. What is said of the triples holds for
graphs in which every arc has its reverse and no other beside it.
"""

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations, product

from starplat.analysis import walk
from starplat.analysis.settling.monotone import conjuncts
from starplat.frontend import typed, types
from starplat.operators.canonical import effects, rebuilding

_CHOICES = {typed.Function.MIN: min, typed.Function.MAX: max}
_MEANINGS: dict[typed.Operator, Callable[[int, int], int]] = {
    typed.Operator.EQUAL: operator.eq,
    typed.Operator.NOT_EQUAL: operator.ne,
    typed.Operator.LESS: operator.lt,
    typed.Operator.LESS_EQUAL: operator.le,
    typed.Operator.GREATER: operator.gt,
    typed.Operator.GREATER_EQUAL: operator.ge,
    typed.Operator.AND: operator.and_,
    typed.Operator.OR: operator.or_,
}
_DEGREES = (typed.Query.OUT_DEGREE, typed.Query.IN_DEGREE)
_WHOLE = (types.Scalar.INT, types.Scalar.LONG, types.Scalar.NODE, types.Scalar.EDGE)
_ORDERS = list(permutations(range(3)))
"""The orders of the numbers of three nodes."""


class NotCounted(Exception):  # noqa: N818 - it says what the statements are
    """The statements do something else."""


@dataclass
class Triples:
    """The triples that are read, by their `nodes`, the `arcs` between these and the `conditions` on their numbers.

    Args:
        program: its functions are followed where they are called.
        parts: the scalars and properties that are looked at; statements that write none of them are left out. None:
            there must be no such statements.
        changed: the locals that do not stand for what they are declared as.
        left_out: statements that are not looked at.
    """

    program: typed.Program
    parts: Collection[typed.Symbol] | None = None
    changed: Collection[typed.Symbol] = ()
    nodes: list[typed.Expression] = field(default_factory=list)
    arcs: set[frozenset[typed.Expression]] = field(default_factory=set)
    conditions: list[typed.Expression] = field(default_factory=list)
    known: dict[typed.Symbol, typed.Expression] = field(default_factory=dict)
    left_out: Collection[typed.Statement] = ()

    def are_triangles(self) -> bool:
        """Whether it is about three nodes, an arc between any two of them."""
        return len(self.nodes) == len(self.arcs) == 3

    def loops_count(self) -> bool:
        """Whether loops may make triples that count of fewer nodes."""
        fewer = [places for places in product(range(3), repeat=3) if len(set(places)) < 3]
        return any(self._holds(places, degrees) for places in fewer for degrees in self._degrees())

    def times(self, *firsts: int) -> int:
        """How many orders of three nodes count in which the first node has the place, the same for all of `firsts`,
        whatever the degrees; how many of all orders, if there are no `firsts`.

        Raises:
            NotCounted: the number differs, or is none.
        """
        kinds = [[o for o in _ORDERS if o[0] == first] for first in firsts] or [_ORDERS]
        numbers = {sum(self._holds(o, degrees) for o in kind) for kind in kinds for degrees in self._degrees()}
        if len(numbers) != 1 or numbers == {0}:
            raise NotCounted
        return numbers.pop()

    def shares(self, node: typed.Expression) -> Iterator[tuple[int, int, int]]:
        """How many orders of three nodes count in which one of them has the first, second or third number: for all
        degrees that they may have.

        Raises:
            NotCounted: it is another node.
        """
        if node not in self.nodes:
            raise NotCounted
        which = self.nodes.index(node)
        for degrees in product(range(3), repeat=3):
            holding = [order[which] for order in _ORDERS if self._holds(order, degrees)]
            yield holding.count(0), holding.count(1), holding.count(2)

    def _degrees(self) -> Iterable[tuple[int, ...]]:
        """The degrees that three nodes may have, as far as conditions compare them."""
        parts = (part for condition in self.conditions for part in walk.within(condition))
        asked = any(isinstance(part, typed.GraphQuery) and part.query in _DEGREES for part in parts)
        return product(range(3 if asked else 1), repeat=3)

    def _holds(self, places: tuple[int, ...], degrees: tuple[int, ...]) -> bool:
        """Whether three nodes count whose numbers are in this order; the node of each number has one of the degrees."""
        numbers = {node: (place, degrees[place]) for node, place in zip(self.nodes, places, strict=True)}
        return all(_value(condition, numbers)[1] for condition in self.conditions)

    # --- statements

    def value(self, statements: Iterable[typed.Statement], total: typed.Place) -> int:
        """What each triple adds to `total`, which may be a local that begins with 0.

        Raises:
            NotCounted: the statements do something besides, or something else.
        """
        match list(self._defined(statements)):
            case [typed.Update(typed.Combine.ADD, place, value)] if place == total:
                match bare(value):
                    case typed.Call() as call:
                        return self._called(call, total)
                    case added:
                        return _number(added)
            case [typed.If(condition, then, None)]:
                self.condition(condition)
                return self.value(then.statements, total)
            case [typed.If(condition, typed.Block(())) as branch] if branch.otherwise:
                self.condition(typed.Unary(typed.UnaryOperator.NOT, condition))
                return self.value(branch.otherwise.statements, total)
            case [typed.ForEach(domain=typed.Neighbors()) as row]:
                self._row(row)
                return self.value(row.body.statements, total)
            case [typed.Declare(local, zero), first, typed.Update(place=place) as last] if (
                place == total and zero is not None and constant(zero) == 0 and adds(last, local)
            ):
                return self.value((first,), typed.Variable(local))
        raise NotCounted

    def _defined(self, statements: Iterable[typed.Statement]) -> Iterator[typed.Statement]:
        """The statements without locals that only name nodes, degrees and conditions, which are noted."""
        for s in statements:
            match s:
                case _ if any(s is one for one in self.left_out):
                    pass
                case typed.Block():
                    yield from self._defined(s.statements)
                case typed.Declare(local, value) if (
                    value is not None and constant(value) is None and local not in self.changed
                ):
                    self.known[local] = self.term(value)
                case _ if self.parts is None or any(_makes(inner, self.parts) for inner in walk.statements(s)):
                    yield s

    def _row(self, row: typed.ForEach) -> None:
        assert isinstance(row.domain, typed.Neighbors)
        node, neighbor = self.term(row.domain.node), typed.Variable(row.iterator)
        if node not in self.nodes or row.domain.direction is typed.Direction.BOTH:
            raise NotCounted
        if len(self.nodes) == 3:
            self.known[row.iterator] = found = self._looked_for(row)
            self.arcs.add(frozenset((node, found)))
        else:
            self.nodes.append(neighbor)
            self.arcs.add(frozenset((node, neighbor)))
        if row.filter is not None:
            self.condition(row.filter)

    def _looked_for(self, row: typed.ForEach) -> typed.Expression:
        """Which of the three nodes a loop looks for: it only does something for that one."""
        for condition in effects.asked_by_loop(row)[0]:
            match self.term(condition):
                case typed.Binary(typed.Operator.EQUAL, left, right):
                    others = {bare(left), bare(right)} - {typed.Variable(row.iterator)}
                    if len(others) == 1 and others <= set(self.nodes):
                        return others.pop()
        raise NotCounted

    def _called(self, call: typed.Call, total: typed.Place) -> int:
        """What each triple adds by way of a function that returns a sum."""
        callee = self.program.function(call.function)
        values = dict(zip(callee.parameters, call.arguments, strict=True))
        plain = all(isinstance(a, typed.Symbol | typed.Variable | typed.Literal) for a in call.arguments)
        written = walk.all_written(callee.body)
        match callee.body.statements:
            case (*ahead, typed.Return(value=value)) if plain and value is not None and not written & values.keys():
                self.parts, self.changed = None, written
                added = typed.Update(typed.Combine.ADD, total, value)
                return self.value(rebuilding.substituted((*ahead, added), values), total)
        raise NotCounted

    # --- conditions

    def term(self, value: typed.Expression) -> typed.Expression:
        return bare(effects.forwarded(value, self.known))

    def condition(self, condition: typed.Expression) -> None:
        """Takes a condition apart into arcs that there must be and comparisons of nodes."""
        for c in conjuncts(self.term(condition)):
            if (ends := tested_arc(c)) is None:
                self.conditions.append(c)
            elif len(set(ends)) == 2 and set(ends) <= set(self.nodes):
                self.arcs.add(frozenset(ends))
            else:
                raise NotCounted


def adds(s: typed.Update, local: typed.Symbol) -> bool:
    """Whether a statement adds what a local holds."""
    return s.combine is typed.Combine.ADD and bare(s.value) == typed.Variable(local)


def tested_arc(condition: typed.Expression) -> tuple[typed.Expression, typed.Expression] | None:
    """The ends of an arc, if the condition is that it exists; or of either direction, where arcs lead both ways."""
    match condition:
        case typed.GraphQuery(query=typed.Query.IS_EDGE, arguments=(source, destination)):
            return bare(source), bare(destination)
        case typed.Binary(typed.Operator.OR, left, right):
            one, other = tested_arc(left), tested_arc(right)
            return one if one is not None and other is not None and set(one) == set(other) else None
        case typed.Binary(asked_for, left, right):
            least = {typed.Operator.GREATER_EQUAL: 0, typed.Operator.GREATER: -1, typed.Operator.NOT_EQUAL: -1}
            match bare(left):
                case typed.GraphQuery(query=typed.Query.FIND_EDGE, arguments=(source, destination)):
                    found = asked_for in least and constant(right) == least[asked_for]
                    return (bare(source), bare(destination)) if found else None
    return None


def closes_no_pair(row: typed.ForEach, node: typed.Symbol) -> bool:
    """Whether a loop over the neighbors of a node only does something for those without an arc the other way."""
    ends = {typed.Variable(node), typed.Variable(row.iterator)}
    conditions = (c for c in effects.asked_by_loop(row)[0] if isinstance(c, typed.Unary))
    denied = (tested_arc(c.operand) for c in conditions if c.operator is typed.UnaryOperator.NOT)
    return any(tested is not None and set(tested) == ends for tested in denied)


def constant(value: typed.Expression) -> int | None:
    """The whole number that an expression is."""
    match bare(value):
        case typed.Literal(number, kind) if kind in _WHOLE:
            return int(number)
        case typed.Unary(typed.UnaryOperator.NEGATE, operand):
            return None if (denied := constant(operand)) is None else -denied
    return None


def _number(value: typed.Expression) -> int:
    if (number := constant(value)) is None:
        raise NotCounted
    return number


def bare(value: typed.Expression) -> typed.Expression:
    """A whole number without conversions to wider or narrower types, which it is taken to fit."""
    while isinstance(value, typed.Convert) and {value.type, typed.scalar_of(value.operand)} <= set(_WHOLE):
        value = value.operand
    return value


def _makes(s: typed.Statement, parts: Collection[typed.Symbol]) -> bool:
    """Whether a statement itself declares or writes one of the parts."""
    return (isinstance(s, typed.Declare) and s.symbol in parts) or any(symbol in parts for symbol in walk.written(s))


def _value(value: typed.Expression, numbers: Mapping[typed.Expression, tuple[int, int]]) -> tuple[str, int]:
    """A truth, the number of a node or its degree, with which of these it is. Where arcs lead both ways a node
    has one degree."""
    match bare(value):
        case typed.Literal(bool() as truth):
            return "truth", truth
        case typed.Unary(typed.UnaryOperator.NOT, operand):
            return "truth", not _value(operand, numbers)[1]
        case typed.Binary(meaning, left, right) if meaning in _MEANINGS:
            (kind, one), (other_kind, other) = _value(left, numbers), _value(right, numbers)
            if kind == other_kind:
                return "truth", _MEANINGS[meaning](one, other)
        case typed.Apply(function, (left, right)) if function in _CHOICES:
            (kind, one), (other_kind, other) = _value(left, numbers), _value(right, numbers)
            if kind == other_kind:
                return kind, _CHOICES[function](one, other)
        case typed.GraphQuery(query=query, arguments=(node,)) if query in _DEGREES and bare(node) in numbers:
            return "degree", numbers[bare(node)][1]
        case node if node in numbers:
            return "number", numbers[node][0]
    raise NotCounted
