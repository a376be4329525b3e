"""What a program does to a node that a search reaches, said once for all sources that reach it at the same level.

    each v when level[v] != INF                   each v at level, reached by count sources
      far[v] += level[v]                            far[v] += count * level

`Visits` reads statements on a node in this way, and refuses those whose outcome depends on the order of the sources.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from starplat.analysis import infinity, walk
from starplat.analysis.settling.monotone import all_asked, conjuncts, leaves_out_end
from starplat.frontend import typed, types
from starplat.operators.canonical.rebuilding import rebuilt

_IDEMPOTENT = (typed.Combine.AND, typed.Combine.OR, typed.Combine.BIT_AND, typed.Combine.BIT_OR)


@dataclass(frozen=True)
class Search:
    """A search: the property that it leaves the level in, if any, and what its body does to a node beside."""

    direction: typed.Direction
    level: typed.Symbol | None
    own: frozenset[typed.Symbol]
    node: typed.Symbol | None = None
    beside: tuple[typed.Statement, ...] = ()


class Visits:
    """Statements on a node that is reached, in terms of its level and of how many sources reach it."""

    def __init__(
        self, loop: typed.ForEach, found: Search, changed: set[typed.Symbol], infinite: frozenset[typed.Symbol]
    ) -> None:
        self.loop, self.found, self.infinite = loop, found, infinite
        name = "v" if found.node is None else found.node.name
        self.node = typed.Symbol(name, types.Scalar.NODE, typed.Role.ITERATOR, loop.span)
        self.level = typed.Symbol("level", types.Scalar.INT, typed.Role.LOCAL, loop.span)
        self.count = typed.Symbol("count", types.Scalar.INT, typed.Role.LOCAL, loop.span)
        self.why_not: str | None = None
        self.locals: set[typed.Symbol] = set()
        self.kept: dict[typed.Symbol, typed.Symbol] = {}
        self.how: dict[typed.Symbol, object] = {}
        self._changed = changed | set(walk.declared(loop))

    def of_loop(self, s: typed.Statement) -> tuple[typed.Statement, ...] | None:
        """What a loop over the nodes that were reached does to each."""
        if not isinstance(s, typed.ForEach) or not isinstance(s.domain, typed.AllNodes) or self.found.level is None:
            return None
        conditions = list(all_asked(s.filter))
        body = tuple(flat(s.body))
        while not any(self.says_reached(c, s.iterator) for c in conditions):
            match body:
                case (typed.If(condition, then, None),):
                    conditions += conjuncts(condition)
                    body = tuple(flat(then))
                case _:
                    return None
        rest = [c for c in conditions if not self.says_reached(c, s.iterator)]
        for condition in reversed(rest):
            body = (typed.If(condition, typed.Block(body, span=s.span), span=s.span),)
        return self.all(body, s.iterator)

    def says_reached(self, condition: typed.Expression, node: typed.Symbol) -> bool:
        """Whether a condition says that a node has a level."""
        assert self.found.level is not None
        return leaves_out_end(condition, typed.Cell(self.found.level, typed.Variable(node)), typed.Extreme.MIN)

    def all(self, statements: Sequence[typed.Statement], node: typed.Symbol) -> tuple[typed.Statement, ...] | None:
        """The statements, once for all sources that reach the node at a level; None if that is not the same."""
        made = []
        for s in statements:
            if (one := self.visit(self.of_node(s, node))) is None:
                return None
            made.append(one)
        return tuple(made)

    def of_node(self, s: typed.Statement, node: typed.Symbol) -> typed.Statement:
        """A statement on the node at hand and its level."""
        mine = None if self.found.level is None else typed.Cell(self.found.level, typed.Variable(node))
        stands_for = self.stands_for_node(node)
        is_source = {typed.Operator.EQUAL: typed.Operator.EQUAL, typed.Operator.NOT_EQUAL: typed.Operator.GREATER}

        def change(part: object) -> object:
            match part:
                case typed.Cell() if part == mine:
                    return typed.Variable(self.level, span=part.span)
                case typed.Binary(operator, left, right) if operator in is_source:
                    if {left, right} == {typed.Variable(node), typed.Variable(self.loop.iterator)}:
                        level, zero = typed.Variable(self.level, span=part.span), typed.Literal(0, types.Scalar.INT)
                        return typed.Binary(is_source[operator], level, zero, types.Scalar.BOOL, span=part.span)
                    return None
                case typed.Variable(symbol) if symbol in self.kept:
                    return typed.Cell(self.kept[symbol], typed.Variable(self.node), span=part.span)
                case typed.Symbol() if part is stands_for:
                    return self.node
            return None

        return rebuilt(s, change)

    def stands_for_node(self, node: typed.Symbol) -> typed.Symbol:
        """The symbol that is told as `self.node`."""
        return node

    def visit(self, s: typed.Statement) -> typed.Statement | None:
        """One such statement, for `count` sources at once."""
        match s:
            case typed.Block():
                inner = [self.visit(i) for i in s.statements]
                return None if None in inner else replace(s, statements=tuple(i for i in inner if i is not None))
            case typed.Declare(symbol, value) if isinstance(symbol.type, types.Scalar):
                self.locals.add(symbol)
                return s if value is not None and self.is_same(value) else None
            case typed.If(condition, then, otherwise) if self.is_same(condition):
                first, second = self.visit(then), None if otherwise is None else self.visit(otherwise)
                if not isinstance(first, typed.Block) or not isinstance(second, typed.Block | None):
                    return None
                return None if second is None is not otherwise else replace(s, then=first, otherwise=second)
            case typed.AssignExtreme(place=place, candidate=candidate, carried=()):
                return s if self.is_mine(place, s.extreme) and self.is_same(candidate) else None
            case typed.Update(combine, place, value) if combine in _IDEMPOTENT:
                return s if self.is_mine(place, combine) and self.is_same(value) else None
            case typed.Update(typed.Combine.ADD, place, value):
                is_mine = self.is_mine(place, typed.Combine.ADD)
                is_mine = is_mine and not infinity.may_be_infinite(value, self.infinite, frozenset())
                return self.added(s, place, value) if is_mine and self.is_same(value) else None
            case typed.Assign(place, typed.Literal() as value):
                return s if self.is_mine(place, value) else None
        return None

    def added(self, s: typed.Update, place: typed.Place, value: typed.Expression) -> typed.Statement:
        """The value as often as there are sources."""
        kind = place.type
        if kind in (types.Scalar.FLOAT, types.Scalar.DOUBLE) and not self.loop.any_order:
            self.why_not = (
                f"'{place.symbol.name}' is a sum of floating-point numbers, which 'for' adds up in the order of the "
                "sources; write 'forall', or add whole numbers"
            )
        return self.as_often(s, place, value)

    def as_often(self, s: typed.Update, place: typed.Place, value: typed.Expression) -> typed.Statement:
        """The sum of the value `count` times."""
        kind = place.type
        count: typed.Expression = typed.Variable(self.count, span=s.span)
        if kind is not types.Scalar.INT:
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
        of_nodes = place.symbol.property.carrier is types.Carrier.NODE
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
            case typed.Variable(symbol):
                mine = symbol in (self.node, self.level) or symbol in self.locals
                return mine or (symbol is not self.loop.iterator and symbol not in self.changed)
            case typed.Cell(symbol):
                return symbol not in self.changed
            case typed.GraphQuery() | typed.SetSize() | typed.SetContains():
                symbols = {part.symbol} if isinstance(part, typed.SetSize | typed.SetContains) else set()
                return not symbols & self.changed
        return False

    @property
    def changed(self) -> set[typed.Symbol]:
        return self._changed - self.locals


def flat(block: typed.Block) -> Iterator[typed.Statement]:
    """The statements of a block, those of blocks in it as its own."""
    for s in block.statements:
        if isinstance(s, typed.Block):
            yield from flat(s)
        else:
            yield s
