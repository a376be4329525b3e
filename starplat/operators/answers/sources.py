"""Is a loop over sources a search from each, of which only the distances are asked? Then many may run at once.

    one after another src of sources
      level := INF
      level[src] := 0
      loop until active is empty
        advance active  v -> w
          level[w] <- min level[v] + 1
          activates active
      each v when level[v] != INF
        far[v] += level[v]

What the iterations leave must not depend on their order: sums of whole numbers, `Min`, `Max`, `or`, `and` into cells of
the node that is reached, of values made of its level and of what no iteration changes. The level may be kept by
`iterateInBFS`, and what is done to a node may stand in its body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.infinity import may_be_infinite
from starplat.analysis.settling.monotone import MIRRORED, conjuncts
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar, SetType
from starplat.operators.answers.components import begin_or_offer_nothing
from starplat.operators.canonical.hosts import Surroundings, surroundings
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.operators.canonical.rounds import edge_effects
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.levels import above
from starplat.operators.records import EdgeEffect, How, Searches
from starplat.same import Same

_IDEMPOTENT = (typed.Combine.AND, typed.Combine.OR, typed.Combine.BIT_AND, typed.Combine.BIT_OR)


def searches(program: typed.Program, infinite: frozenset[typed.Symbol]) -> Mapping[Same, Searches]:
    """The loops over sources that are such searches, by identity; `infinite` are the symbols that may hold INF."""
    found: dict[Same, Searches] = {}
    for function in program.functions:
        around: Surroundings | None = None
        for loop in walk.statements(function.body):
            if isinstance(loop, typed.ForEach) and _is_over_nodes(loop, program) and _may_search(loop):
                around = around or surroundings(function.body)
                if (one := _Reader(loop, function, around, program, infinite).searches()) is not None:
                    found[Same(loop)] = one
    return found


def _is_over_nodes(loop: typed.ForEach, program: typed.Program) -> bool:
    match loop.domain:
        case typed.AllNodes():
            return loop.filter is None
        case typed.Members(symbol=symbol):
            return loop.filter is None and symbol.type == SetType(Scalar.NODE)
        case _:
            return False


def _may_search(loop: typed.ForEach) -> bool:
    rounds = (typed.FixedPoint, typed.IterateInBFS)
    return any(isinstance(s, rounds) for s in _flat(loop.body))


def _flat(block: typed.Block) -> Iterator[typed.Statement]:
    """The statements of a block, those of blocks in it as its own."""
    for s in block.statements:
        if isinstance(s, typed.Block):
            yield from _flat(s)
        else:
            yield s


@dataclass(frozen=True)
class _Found:
    """A search: the property that it leaves the level in, if any, and what its body does to a node beside."""

    direction: typed.Direction
    level: typed.Symbol | None
    own: frozenset[typed.Symbol]
    node: typed.Symbol | None = None
    beside: tuple[typed.Statement, ...] = ()


class _Reader:
    """Reads one loop over sources."""

    def __init__(
        self,
        loop: typed.ForEach,
        function: typed.FunctionDefinition,
        around: Surroundings,
        program: typed.Program,
        infinite: frozenset[typed.Symbol],
    ) -> None:
        self.loop, self.around, self.program, self.infinite = loop, around, program, infinite
        self.results = frozenset(
            p
            for p in function.parameters
            if isinstance(p.type, PropertyType | SetType) or p.role is typed.Role.REFERENCE
        )
        self.source = typed.Variable(loop.iterator)
        self.changed = {symbol for s in walk.statements(loop.body) for symbol in walk.changed(s, program)}

    def searches(self) -> Searches | None:
        """What the loop comes to; None if it is no such loop."""
        row = list(_flat(self.loop.body))
        places = [i for i, s in enumerate(row) if isinstance(s, typed.FixedPoint | typed.IterateInBFS)]
        if len(places) != 1:
            return None
        before, search, after = row[: places[0]], row[places[0]], row[places[0] + 1 :]
        found = self.rounds(search, before) if isinstance(search, typed.FixedPoint) else self.in_bfs(search, before)
        if found is None or not all(self.begins(s, found.own) for s in before):
            return None
        if any(symbol in self.results or self.around.is_seen(symbol, self.loop) for symbol in found.own):
            return None
        visits = _Visits(self, found)
        reached = visits.all(found.beside, found.node) if found.node is not None else ()
        for s in after:
            more = visits.of_loop(s)
            reached = None if reached is None or more is None else (*reached, *more)
        if not reached:
            return None
        return Searches(found.direction, visits.node, visits.level, visits.count, reached, visits.why_not)

    # --- the search

    def rounds(self, search: typed.Statement, before: Sequence[typed.Statement]) -> _Found | None:
        """A search by rounds over a frontier."""
        assert isinstance(search, typed.FixedPoint)
        if not any(search is loop for loop in self.around.loops):
            return None
        effects = edge_effects(search, self.around, self.program, self.results, frontier_is_kept=True)
        match effects:
            case (effect,) if effect.how is How.LEAST and not (effect.when or effect.carried or _both_ways(effect)):
                offered = above(effect.value, typed.Cell(effect.symbol, typed.Variable(effect.source)))
            case _:
                return None
        frontier = effect.frontier
        if offered != 1 or frontier is None or not begin_or_offer_nothing(effect, self.around.before(search)):
            return None
        if not self.begins_at_source(effect.symbol, before):
            return None
        return _Found(effect.direction, effect.symbol, frozenset({effect.symbol, frontier}))

    def in_bfs(self, search: typed.Statement, before: Sequence[typed.Statement]) -> _Found | None:
        """A search by `iterateInBFS`, which may also write the level down."""
        assert isinstance(search, typed.IterateInBFS)
        if search.source != self.source or search.filter is not None or search.reverse is not None:
            return None
        level: typed.Symbol | None = None
        beside = []
        for s in _flat(search.body):
            kept = _level_kept(s, search.iterator)
            if kept is None:
                beside.append(s)
            elif level not in (None, kept):
                return None
            level = kept or level
        if level is not None and not self.begins_at_source(level, before):
            return None
        own = frozenset() if level is None else frozenset({level})
        return _Found(typed.Direction.OUT, level, own, search.iterator, tuple(beside))

    def begins_at_source(self, level: typed.Symbol, before: Sequence[typed.Statement]) -> bool:
        """Whether the level is INF but for the source, which has 0."""
        begun = initial_values(level, before) if level.property.element is Scalar.INT else None
        if begun is None or not isinstance(begun.fill, typed.Infinity) or begun.fill.negative:
            return False
        return begun.set == ((self.source, typed.Literal(0, Scalar.INT)),)

    def begins(self, s: typed.Statement, own: frozenset[typed.Symbol]) -> bool:
        """Whether a statement before the search only prepares what belongs to it, or what nobody else sees."""
        match s:
            case typed.Declare():
                return not walk.changed(s, self.program) - {s.symbol}
            case typed.Attach(items=items):
                return all(symbol in own and not isinstance(value, typed.Symbol) for symbol, value in items)
            case typed.Assign(place=typed.Cell(symbol=symbol, index=index)):
                return symbol in own and index == self.source
            case _:
                return False


def _both_ways(effect: EdgeEffect) -> bool:
    return effect.direction is typed.Direction.BOTH


def _level_kept(s: typed.Statement, node: typed.Symbol) -> typed.Symbol | None:
    """The property in which a node's children get its level and 1 more."""
    match s:
        case typed.ForEach(
            iterator=child,
            domain=typed.Neighbors(node=typed.Variable(symbol=parent), direction=typed.Direction.OUT),
            filter=None,
            body=typed.Block(statements=(inner,)),
        ) if parent is node:
            pass
        case _:
            return None
    match inner:
        case typed.AssignExtreme(extreme=typed.Extreme.MIN, place=place, candidate=value, carried=()):
            pass
        case typed.Assign(place=place, value=value):
            pass
        case _:
            return None
    is_childs = isinstance(place, typed.Cell) and place.index == typed.Variable(child)
    return place.symbol if is_childs and above(value, typed.Cell(place.symbol, typed.Variable(node))) == 1 else None


# --- what is done to a node ----------------------------------------------------------------------------------------


class _Visits:
    """Statements on a node that is reached, in terms of its level and of how many sources reach it."""

    def __init__(self, reader: _Reader, found: _Found) -> None:
        self.reader, self.found = reader, found
        loop = reader.loop
        name = "v" if found.node is None else found.node.name
        self.node = typed.Symbol(name, Scalar.NODE, typed.Role.ITERATOR, loop.span)
        self.level = typed.Symbol("level", Scalar.INT, typed.Role.LOCAL, loop.span)
        self.count = typed.Symbol("count", Scalar.INT, typed.Role.LOCAL, loop.span)
        self.why_not: str | None = None
        self.locals: set[typed.Symbol] = set()
        self.how: dict[typed.Symbol, object] = {}

    def of_loop(self, s: typed.Statement) -> tuple[typed.Statement, ...] | None:
        """What a loop over the nodes that were reached does to each."""
        if not isinstance(s, typed.ForEach) or not isinstance(s.domain, typed.AllNodes) or self.found.level is None:
            return None
        conditions = [] if s.filter is None else list(conjuncts(s.filter))
        body = tuple(_flat(s.body))
        while not any(self.says_reached(c, s.iterator) for c in conditions):
            match body:
                case (typed.If(condition=condition, then=then, otherwise=None),):
                    conditions += conjuncts(condition)
                    body = tuple(_flat(then))
                case _:
                    return None
        rest = [c for c in conditions if not self.says_reached(c, s.iterator)]
        for condition in reversed(rest):
            body = (typed.If(condition, typed.Block(body, span=s.span), span=s.span),)
        return self.all(body, s.iterator)

    def says_reached(self, condition: typed.Expression, node: typed.Symbol) -> bool:
        """Whether a condition says that a node has a level."""
        match condition:
            case typed.Binary(operator=operator, left=left, right=right):
                if isinstance(left, typed.Infinity):
                    operator, left, right = MIRRORED.get(operator, operator), right, left
                less = operator in (typed.Operator.LESS, typed.Operator.NOT_EQUAL)
                infinite = isinstance(right, typed.Infinity) and not right.negative
                return less and infinite and left == typed.Cell(self.level_kept, typed.Variable(node))
            case _:
                return False

    @property
    def level_kept(self) -> typed.Symbol:
        assert self.found.level is not None
        return self.found.level

    def all(self, statements: Sequence[typed.Statement], node: typed.Symbol) -> tuple[typed.Statement, ...] | None:
        """The statements, once for all sources that reach the node at a level; None if that is not the same."""
        made = []
        for s in statements:
            one = self.visit(self.of_node(s, node))
            if one is None:
                return None
            made.append(one)
        return tuple(made)

    def of_node(self, s: typed.Statement, node: typed.Symbol) -> typed.Statement:
        """A statement on the node at hand and its level."""
        mine = None if self.found.level is None else typed.Cell(self.found.level, typed.Variable(node))
        is_source = {typed.Operator.EQUAL: typed.Operator.EQUAL, typed.Operator.NOT_EQUAL: typed.Operator.GREATER}

        def change(part: object) -> object:
            match part:
                case typed.Cell() if part == mine:
                    return typed.Variable(self.level, span=part.span)
                case typed.Binary(operator=operator, left=left, right=right) if operator in is_source:
                    if {left, right} == {typed.Variable(node), self.reader.source}:
                        level, zero = typed.Variable(self.level, span=part.span), typed.Literal(0, Scalar.INT)
                        return typed.Binary(is_source[operator], level, zero, Scalar.BOOL, span=part.span)
                    return None
                case typed.Symbol() if part is node:
                    return self.node
                case _:
                    return None

        return rebuilt(s, change)

    def visit(self, s: typed.Statement) -> typed.Statement | None:
        """One such statement, for `count` sources at once."""
        match s:
            case typed.Block():
                inner = [self.visit(i) for i in s.statements]
                return None if None in inner else replace(s, statements=tuple(i for i in inner if i is not None))
            case typed.Declare(symbol=symbol, value=value) if isinstance(symbol.type, Scalar):
                self.locals.add(symbol)
                return s if value is not None and self.is_same(value) else None
            case typed.If(condition=condition, then=then, otherwise=otherwise) if self.is_same(condition):
                first, second = self.visit(then), None if otherwise is None else self.visit(otherwise)
                if not isinstance(first, typed.Block) or not isinstance(second, typed.Block | None):
                    return None
                return None if second is None is not otherwise else replace(s, then=first, otherwise=second)
            case typed.AssignExtreme(place=place, candidate=candidate, carried=()):
                return s if self.is_mine(place, s.extreme) and self.is_same(candidate) else None
            case typed.Update(combine=combine, place=place, value=value) if combine in _IDEMPOTENT:
                return s if self.is_mine(place, combine) and self.is_same(value) else None
            case typed.Update(combine=typed.Combine.ADD, place=place, value=value):
                is_mine = self.is_mine(place, typed.Combine.ADD)
                is_mine = is_mine and not may_be_infinite(value, self.reader.infinite, frozenset())
                return self.added(s, place, value) if is_mine and self.is_same(value) else None
            case typed.Assign(place=place, value=typed.Literal() as value):
                return s if self.is_mine(place, value) else None
            case _:
                return None

    def added(self, s: typed.Update, place: typed.Place, value: typed.Expression) -> typed.Statement:
        """The value as often as there are sources."""
        kind = place.type
        if kind in (Scalar.FLOAT, Scalar.DOUBLE) and not self.reader.loop.parallel:
            self.why_not = (
                f"'{place.symbol.name}' is a sum of floating-point numbers, which 'for' adds up in the order of the "
                "sources; write 'forall', or add whole numbers"
            )
        count: typed.Expression = typed.Variable(self.count, span=s.span)
        if kind is not Scalar.INT:
            count = typed.Convert(count, kind, span=s.span)
        one = value.operand if isinstance(value, typed.Convert) else value
        if isinstance(one, typed.Literal) and one.value == 1:
            return replace(s, value=count)
        return replace(s, value=typed.Binary(typed.Operator.MULTIPLY, count, value, kind, span=s.span))

    def is_mine(self, place: typed.Place, how: object) -> bool:
        """Whether a place is the node's own cell, of a property that the loop over sources leaves, and is changed in
        this way alone."""
        if not isinstance(place, typed.Cell) or place.symbol in self.found.own:
            return False
        if self.how.setdefault(place.symbol, how) != how:
            return False
        of_nodes = place.symbol.property.carrier is Carrier.NODE
        return of_nodes and place.index == typed.Variable(self.node)

    def is_same(self, value: typed.Expression) -> bool:
        """Whether a value is the same for all sources that are one level away from the node."""
        return all(self.is_known(part) for part in walk.within(value))

    def is_known(self, part: typed.Expression) -> bool:
        match part:
            case typed.Literal() | typed.Infinity() | typed.Unary() | typed.Binary() | typed.Conditional():
                return True
            case typed.Convert() | typed.Apply():
                return True
            case typed.Variable(symbol=symbol):
                mine = symbol in (self.node, self.level) or symbol in self.locals
                return mine or (symbol is not self.reader.loop.iterator and symbol not in self.changed)
            case typed.Cell(symbol=symbol):
                return symbol not in self.changed
            case typed.GraphQuery() | typed.SetSize() | typed.SetContains():
                symbols = {part.symbol} if isinstance(part, typed.SetSize | typed.SetContains) else set()
                return not symbols & self.changed
            case _:
                return False

    @property
    def changed(self) -> set[typed.Symbol]:
        return self.reader.changed | set(walk.declared(self.reader.loop)) - self.locals
