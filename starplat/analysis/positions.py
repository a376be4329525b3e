"""The position of a cell relative to an iteration: its own, a neighbor's, the same for all, or any."""

from collections.abc import Mapping
from enum import Enum

from starplat.analysis import parallel, walk
from starplat.frontend import typed


class Position(Enum):
    """The position of a cell relative to one iteration of a loop."""

    OWN = "its own"
    OUT_NEIGHBOR = "an out-neighbor's"
    IN_NEIGHBOR = "an in-neighbor's"
    OUT_ARC = "its out-arc's"
    IN_ARC = "its in-arc's"
    SAME = "the same for all iterations"
    ANY = "any"


OWNED = frozenset({Position.OWN, Position.OUT_ARC, Position.IN_ARC})  # each alone: what two of them name may meet


class Positions:
    """What one iteration of a loop knows of its symbols: which are its own, which stand for something else, and where
    nodes and arcs stand. `bound` are parameters of functions that are being followed."""

    def __init__(self, loop: parallel.ParallelLoop) -> None:
        self.loop = loop
        self.private = {loop.iterator, *walk.declared(loop.body)}
        self.positions: dict[typed.Symbol, Position] = {loop.iterator: self._iterator_position()}
        self.arcs: dict[typed.Symbol, Position] = {}
        self.aliases = aliases(loop.body)
        if isinstance(loop.domain, typed.Neighbors) and loop.domain.direction is not typed.Direction.BOTH:
            self.arcs[loop.iterator] = Position.OWN
        self.bound: dict[typed.Symbol, typed.Symbol] = {}
        self.levels: dict[typed.Symbol, int] = {}
        if loop.visited is not None:
            self.levels[loop.visited] = 0
            self.note_level(loop.iterator, loop.domain)

    def note_level(self, iterator: typed.Symbol, domain: typed.Domain) -> None:
        """Inside a BFS pass, neighbors of the visited node stand one level on, or one back."""
        if isinstance(domain, typed.Neighbors) and self.loop.visited is not None and self.level(domain.node) == 0:
            match domain.direction:
                case typed.Direction.OUT:
                    self.levels[iterator] = 1
                case typed.Direction.IN:
                    self.levels[iterator] = -1
                case typed.Direction.BOTH:
                    pass

    def level(self, index: typed.Expression) -> int | None:
        """How many levels on from the visited node a node stands, if known."""
        match index:
            case typed.Convert():
                return self.level(index.operand)
            case typed.Variable(symbol) if symbol in self.levels:
                return self.levels[symbol]
            case typed.Variable(symbol) if symbol in self.aliases:
                return self.level(self.aliases[symbol])
        return None

    def _iterator_position(self) -> Position:
        """Parallel arcs may bring one neighbor twice, and a list may hold a node twice, so neither is an iteration's
        own."""
        return Position.ANY if isinstance(self.loop.domain, typed.Neighbors | typed.Items) else Position.OWN

    def position(self, index: typed.Expression) -> Position:
        match index:
            case typed.Convert():
                return self.position(index.operand)
            case typed.Variable(symbol) if symbol in self.positions:
                return self.positions[symbol]
            case typed.Variable(symbol) if symbol in self.aliases:
                return self.position(self.aliases[symbol])
            case typed.ArcInHand(iterator):
                return self.arcs.get(iterator, Position.ANY)
        return Position.SAME if self.is_same(index) else Position.ANY

    def is_same(self, expression: typed.Expression) -> bool:
        """Whether every iteration computes the same value: only literals and scalars from outside that nothing here
        writes."""
        return all(
            isinstance(
                e, typed.Literal | typed.Infinity | typed.Unary | typed.Binary | typed.Convert | typed.Conditional
            )
            or (
                isinstance(e, typed.Variable)
                and self.resolve(e.symbol) not in self.private
                and not self._writes(e.symbol)
            )
            or (isinstance(e, typed.GraphQuery) and e.query in (typed.Query.NUM_NODES, typed.Query.NUM_EDGES))
            for e in walk.within(expression)
        )

    def _writes(self, symbol: typed.Symbol) -> bool:
        return any(
            isinstance(place, typed.Variable) and place.symbol is symbol for place in walk.places(self.loop.body)
        )

    def resolve(self, symbol: typed.Symbol) -> typed.Symbol:
        while symbol in self.bound:
            symbol = self.bound[symbol]
        return symbol

    def place_neighbor(self, iterator: typed.Symbol, direction: typed.Direction) -> None:
        match direction:
            case typed.Direction.OUT:
                self.positions[iterator], self.arcs[iterator] = Position.OUT_NEIGHBOR, Position.OUT_ARC
            case typed.Direction.IN:
                self.positions[iterator], self.arcs[iterator] = Position.IN_NEIGHBOR, Position.IN_ARC
            case typed.Direction.BOTH:
                pass


def aliases(body: typed.Statement) -> Mapping[typed.Symbol, typed.Expression]:
    """Locals that are given a value once, at their declaration, and so stand for it."""
    values: dict[typed.Symbol, typed.Expression] = {}
    written: set[typed.Symbol] = set()
    for statement in walk.statements(body):
        if isinstance(statement, typed.Declare) and statement.value is not None:
            values[statement.symbol] = statement.value
        written |= {place.symbol for place in walk.written_places(statement) if isinstance(place, typed.Variable)}
    for call in walk.calls(body):
        written |= {a for a in call.arguments if isinstance(a, typed.Symbol)}
    return {symbol: value for symbol, value in values.items() if symbol not in written}
