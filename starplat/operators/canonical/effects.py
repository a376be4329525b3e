"""Reads the rounds of a loop as effects on arcs: what every arc offers to the node at its other end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import (
    all_asked,
    asked_flag,
    asked_of,
    leaves_out_end,
    mentions,
    says_that_it_wins,
    without,
)
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.frontend.walk import children
from starplat.operators.canonical.rebuilding import Tree, rebuilt
from starplat.operators.records import EdgeEffect, How

REVERSED = {
    typed.Direction.IN: typed.Direction.OUT,
    typed.Direction.OUT: typed.Direction.IN,
    typed.Direction.BOTH: typed.Direction.BOTH,
}
Locals = dict[typed.Symbol, typed.Expression]
_HOLDS = {
    Scalar.INT: (Scalar.LONG, Scalar.DOUBLE, Scalar.NODE, Scalar.EDGE),
    Scalar.NODE: (Scalar.INT, Scalar.LONG),
    Scalar.LONG: (Scalar.EDGE,),
    Scalar.EDGE: (Scalar.LONG,),
    Scalar.FLOAT: (Scalar.DOUBLE,),
}
"""The types to which values of a type convert without becoming others."""


class _NotFollowed(Exception):  # noqa: N818 - it says what the loop is
    """The loop does something besides."""


class EffectReader:
    """Reads the statements of a round that lower (raise) the cells of a symbol. `written` are the symbols that rounds
    change, flags of active nodes among them; no cell is ever worse than `worst`, if that is known.

    If nodes are visited `in_order`, one after another, a flag that a visit clears may have been set by an earlier
    visit: it must be the frontier's, or be cleared before the node offers its value.
    """

    def __init__(
        self,
        symbol: typed.Symbol,
        extreme: typed.Extreme,
        written: set[typed.Symbol],
        worst: typed.Expression | None = None,
        *,
        in_order: bool = False,
    ) -> None:
        self.symbol, self.extreme, self.written, self.worst = symbol, extreme, written, worst
        self.in_order = in_order
        self.graphs: set[typed.Symbol] = set()
        self._taken_back: set[typed.Symbol] = set()
        self._has_offered = False
        self._turns: list[set[typed.Symbol]] = []

    def effects(self, statements: Sequence[typed.Statement]) -> tuple[EdgeEffect, ...]:
        """The effects, in their order; none if a round does anything else to the cells, or is left early."""
        try:
            effects = tuple(effect for s in statements for effect in self._of_round(s))
        except _NotFollowed:
            return ()
        return effects if all(e.frontier in asked for e in effects for asked in self._turns) else ()

    def _of_round(self, s: typed.Statement) -> Iterator[EdgeEffect]:
        if self.symbol not in walk.all_written(s):
            if walk.leaves(s):
                raise _NotFollowed
            return
        match s:
            case typed.ForEach(parallel=True, domain=typed.AllNodes(graph=graph)):
                self.graphs.add(graph)
                self._taken_back, self._has_offered = set(), False
                yield from self._of_node(s.iterator, s.body.statements, all_asked(s.filter), {})
            case _:
                raise _NotFollowed

    def _of_node(
        self,
        node: typed.Symbol,
        statements: Sequence[typed.Statement],
        when: tuple[typed.Expression, ...],
        values: Locals,
    ) -> Iterator[EdgeEffect]:
        for s in statements:
            match s:
                case typed.Declare(local, value) if value is not None and local not in values:
                    values[local] = self._read(forwarded(value, values))
                case typed.Block(inner):
                    yield from self._of_node(node, inner, when, values)
                case typed.If(_, then, None):
                    yield from self._of_node(node, then.statements, (*when, *self._asked(s.condition)), values)
                case typed.ForEach(domain=typed.Neighbors(node=typed.Variable(own)) as row) if own is node:
                    conditions = (*when, *self._asked(s.filter))
                    self._has_offered = True
                    yield from self._of_arc(node, s.iterator, row.direction, s.body.statements, conditions, values)
                case typed.Assign(typed.Cell(flag, typed.Variable(own)), value) if (
                    own is node and flag in self.written and value == typed.FALSE
                ):
                    self._leave(flag, node, tuple(forwarded(c, values) for c in when))
                case _:
                    raise _NotFollowed

    def _leave(self, flag: typed.Symbol, node: typed.Symbol, when: tuple[typed.Expression, ...]) -> None:
        """A visited node leaves the frontier."""
        self._taken_back.add(flag)
        if self.in_order:
            if self._has_offered:
                raise _NotFollowed
            self._turns.append({turn for c in when if (turn := self._frontier(c, node)) is not None})

    def _asked(self, condition: typed.Expression | None) -> tuple[typed.Expression, ...]:
        return () if condition is None else all_asked(self._read(condition))

    def _read(self, value: typed.Expression) -> typed.Expression:
        """A value, which may not be a flag that the turn has taken back already."""
        if mentions(value, self._taken_back):
            raise _NotFollowed
        return value

    def _of_arc(
        self,
        node: typed.Symbol,
        there: typed.Symbol,
        direction: typed.Direction,
        statements: Sequence[typed.Statement],
        when: tuple[typed.Expression, ...],
        values: Locals,
    ) -> Iterator[EdgeEffect]:
        for s in statements:
            match s:
                case typed.Declare(local, value) if value is not None and local not in values:
                    values[local] = self._read(forwarded(value, values))
                case typed.If(_, typed.Block((typed.Assign(typed.Variable()) as a,)), None) if a.place.symbol in values:
                    values[a.place.symbol] = self._better(s.condition, a, values)
                case typed.Block(inner):
                    yield from self._of_arc(node, there, direction, inner, when, values)
                case typed.If(_, then, None):
                    conditions = (*when, *self._asked(s.condition))
                    yield from self._of_arc(node, there, direction, then.statements, conditions, values)
                case typed.AssignExtreme(place=typed.Cell(symbol)) if symbol is self.symbol:
                    carried = tuple(replace(c, value=forwarded(c.value, values)) for c in s.carried)
                    offer = replace(s, candidate=_besides(forwarded(s.candidate, values), s), carried=carried)
                    yield self._effect(node, there, direction, offer, tuple(forwarded(c, values) for c in when))
                case _:
                    raise _NotFollowed

    def _better(self, condition: typed.Expression, store: typed.Assign, values: Locals) -> typed.Expression:
        """What a local holds that takes a value if it is less (greater)."""
        for extreme, function in ((typed.Extreme.MIN, typed.Function.MIN), (typed.Extreme.MAX, typed.Function.MAX)):
            if says_that_it_wins(condition, typed.AssignExtreme(extreme, store.place, store.value)):
                both = values[store.place.symbol], forwarded(store.value, values)
                return typed.Apply(function, both, store.place.type, span=store.span)
        raise _NotFollowed

    def _effect(
        self,
        node: typed.Symbol,
        there: typed.Symbol,
        direction: typed.Direction,
        s: typed.AssignExtreme,
        when: tuple[typed.Expression, ...],
    ) -> EdgeEffect:
        (index,) = children(s.place)
        if index == typed.Variable(there):
            source, destination = node, there
        elif index == typed.Variable(node):
            source, destination, direction = there, node, REVERSED[direction]
            s, when = rebuilt((s, when), lambda part: seen_from(part, there, node))
        else:
            raise _NotFollowed
        offered = typed.Cell(self.symbol, typed.Variable(source))
        asks = {c: flag for c in when if (flag := self._frontier(c, source)) is not None}
        kept = tuple(c for c in when if c not in asks and not self._is_idle(c, offered, s.candidate, destination))
        marks = {c.place.symbol for c in s.carried if c.value == typed.TRUE} & self.written
        carried = tuple(c for c in s.carried if isinstance(c.place, typed.Cell) and c.place.symbol not in marks)
        frontiers = set(asks.values())
        for value in (*kept, *(c.value for c in carried), without(s.candidate, offered)):
            if mentions(value, self.written - {there, node}):
                raise _NotFollowed
        if len(frontiers) > 1 or any(children(c.place) != children(s.place) for c in carried):
            raise _NotFollowed
        ends = source, destination, direction
        frontier = frontiers.pop() if frontiers else None
        how = How(self.extreme.value.lower())
        return EdgeEffect(*ends, kept, s.place, how, _own_first(s.candidate, offered), carried, frontier, s.span)

    def _frontier(self, condition: typed.Expression, source: typed.Symbol) -> typed.Symbol | None:
        """The flag that a condition asks of the source, if rounds change it."""
        flag = asked_flag(condition, source)
        return flag if flag in self.written else None

    def _is_idle(
        self, condition: typed.Expression, offered: typed.Cell, candidate: typed.Expression, destination: typed.Symbol
    ) -> bool:
        """Whether a condition only leaves out what would not win: the end of the order, of which comes no other, or
        the worst that any cell holds and the node itself, where a cell offers nothing better than itself."""
        better = typed.Operator.GREATER if self.extreme is typed.Extreme.MAX else typed.Operator.LESS
        idle = asked_of(condition, offered) == (better, self.worst) or no_loop(condition, offered.index, destination)
        if idle and is_bounded(candidate, offered, self.extreme):
            return True
        return leaves_out_end(condition, offered, self.extreme) and is_end(candidate, offered, self.extreme)


def asked_by_loop(loop: typed.ForEach) -> tuple[tuple[typed.Expression, ...], tuple[typed.Statement, ...]]:
    """The conditions of a loop's filter and of the branches, one in another, that it may consist of, and what is done
    under them."""
    conditions, statements = all_asked(loop.filter), loop.body.statements
    while len(statements) == 1 and isinstance(branch := statements[0], typed.If) and branch.otherwise is None:
        conditions, statements = (*conditions, *all_asked(branch.condition)), branch.then.statements
    return conditions, statements


def no_loop(condition: typed.Expression, source: typed.Expression, destination: typed.Symbol) -> bool:
    """Whether a condition asks that an arc leads to another node."""
    match condition:
        case typed.Binary(typed.Operator.NOT_EQUAL, typed.Variable() as one, typed.Variable() as two):
            return {one, two} == {source, typed.Variable(destination)}
    return False


def forwarded(value: Tree, values: Mapping[typed.Symbol, typed.Expression]) -> Tree:
    """The value (the statement) with what locals hold in their place."""

    def change(part: object) -> object:
        return values.get(part.symbol) if isinstance(part, typed.Variable) else None

    return rebuilt(value, change)


def is_end(candidate: typed.Expression, offered: typed.Cell, extreme: typed.Extreme) -> bool:
    """Whether a cell at the end of the order offers nothing: INF plus a number is INF, which no `Min` takes."""
    match candidate:
        case typed.Cell():
            return candidate == offered
        case typed.Convert(operand):
            return is_end(operand, offered, extreme)
        case typed.Binary(typed.Operator.ADD, left, right) if extreme is typed.Extreme.MIN:
            return is_end(left, offered, extreme) or is_end(right, offered, extreme)
        case typed.Apply(typed.Function.MIN | typed.Function.MAX as function, arguments):
            strong = (function is typed.Function.MAX) is (extreme is typed.Extreme.MIN)
            return strong and any(is_end(argument, offered, extreme) for argument in arguments)
    return False


def is_bounded(value: typed.Expression, offered: typed.Cell, extreme: typed.Extreme) -> bool:
    """Whether no cell offers better than what it holds: the least of it and anything, to a `Max`; it and a number, 0 or
    more, to a `Min`."""
    match value:
        case typed.Cell():
            return value == offered
        case typed.Convert(operand) if value.type in _HOLDS.get(typed.scalar_of(operand), ()):
            return is_bounded(operand, offered, extreme)
        case typed.Binary(typed.Operator.ADD, left, typed.Literal(added)):
            return left == offered and extreme is typed.Extreme.MIN and added >= 0
        case typed.Apply(typed.Function.MIN | typed.Function.MAX as function, arguments):
            weak = (function is typed.Function.MIN) is (extreme is typed.Extreme.MAX)
            return weak and any(is_bounded(argument, offered, extreme) for argument in arguments)
    return False


def _besides(candidate: typed.Expression, s: typed.AssignExtreme) -> typed.Expression:
    """What a `Min` (`Max`) offers its place but what that holds already."""
    best = typed.Function.MIN if s.extreme is typed.Extreme.MIN else typed.Function.MAX
    match candidate:
        case typed.Apply(function, (left, right)) if function is best and s.place in (left, right):
            return right if left == s.place else left
    return candidate


def _own_first(value: typed.Expression, own: typed.Cell) -> typed.Expression:
    """A value of two parts with the one in front that the source holds. More parts stay as they are: INF may be one."""
    match value:
        case typed.Apply(typed.Function.MIN | typed.Function.MAX, (left, right)) if right == own:
            return value if left == own else replace(value, arguments=(right, left))
        case typed.Binary(typed.Operator.ADD, left, right) if right == own:
            return value if left == own else replace(value, left=right, right=left)
    return value


def seen_from(part: object, there: typed.Symbol, node: typed.Symbol) -> object:
    """The arc in hand of a row, as the loop names it that comes to it from its other end."""
    return replace(part, iterator=node) if isinstance(part, typed.ArcInHand) and part.iterator is there else None
