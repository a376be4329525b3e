"""What a loop touches: every read and write of a property or an outer scalar, and where the cell stands seen from the
loop.

Takes a parallel loop (a `forall`, or a pass of iterateInBFS) of the checked tree, gives its `Access`es. Calls are
followed into the functions they call. Says nothing about whether anything is allowed: that is `races`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import PropertyType, Scalar, SetType
from starplat.source import Span


class Position(Enum):
    """Where a cell stands, seen from one iteration of a loop."""

    OWN = "its own"
    OUT_NEIGHBOR = "an out-neighbor's"
    IN_NEIGHBOR = "an in-neighbor's"
    OUT_ARC = "its out-arc's"
    IN_ARC = "its in-arc's"
    SAME = "the same for all iterations"
    ANY = "any"


class Kind(Enum):
    """How a cell is touched."""

    READ = "read"
    WRITE = "write"
    UPDATE = "reduction"
    EXTREME = "Min/Max"
    CARRIED = "carried by a Min/Max"


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One touch of one cell set.

    `place` is the tree node that names the cell (also the key by which lowering finds the verdict). `combine`,
    `extreme` and `value` belong to the kinds they are named after. `guard` tells that the value read only decides
    whether something happens; `decides` then are the statements that it decides about. `elsewhere` says of what is
    carried that its cell is not the one beside the shared cell of the Min or Max.
    """

    symbol: typed.Symbol
    position: Position
    kind: Kind
    span: Span
    place: object
    combine: typed.Combine | None = None
    extreme: typed.Extreme | None = None
    value: typed.Expression | None = None
    decides: tuple[typed.Statement, ...] | None = None
    level: int | None = None
    elsewhere: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ParallelLoop:
    """A loop whose iterations may run at once. `levels` tells that it is a pass of iterateInBFS, `visited` is the
    node of the pass around it (its own iterator if it is one); `node` is what it is in the tree."""

    node: typed.ForEach | typed.IterateInBFS
    iterator: typed.Symbol
    domain: typed.Domain
    filter: typed.Expression | None
    body: typed.Block
    span: Span
    levels: bool = False
    visited: typed.Symbol | None = None


def parallel_loops(function: typed.FunctionDefinition) -> Iterator[ParallelLoop]:
    """All of a function's, outer before inner."""
    yield from _loops_in(function.body, None)


def _loops_in(statement: typed.Statement, visited: typed.Symbol | None) -> Iterator[ParallelLoop]:
    match statement:
        case typed.ForEach(parallel=True) as loop:
            yield ParallelLoop(loop, loop.iterator, loop.domain, loop.filter, loop.body, loop.span, visited=visited)
        case typed.IterateInBFS():
            yield from of_bfs(statement)
            visited = statement.iterator
        case _:
            pass
    for child in walk.children(statement):
        yield from _loops_in(child, visited)


def of_bfs(loop: typed.IterateInBFS) -> tuple[ParallelLoop, ...]:
    """The forward pass and, where there is one, the reverse pass."""
    nodes = typed.AllNodes(loop.graph)
    seen = loop.iterator
    forward = ParallelLoop(loop, seen, nodes, loop.filter, loop.body, loop.span, levels=True, visited=seen)
    if loop.reverse is None:
        return (forward,)
    back = ParallelLoop(
        loop, seen, nodes, loop.reverse.filter, loop.reverse.body, loop.reverse.body.span, levels=True, visited=seen
    )
    return forward, back


def accesses(loop: ParallelLoop, program: typed.Program) -> list[Access]:
    """Every touch of memory that outlives an iteration, in the order of the text; the loop's own filter is left out,
    for it is judged on entry. Locals that a Min or Max of a shared cell carries are among them: they tell who won."""
    collector = _Collector(program, loop)
    collector.block(loop.body)
    if not collector.told:
        return collector.found
    again = _Collector(program, loop, frozenset(collector.told))
    again.block(loop.body)
    return again.found


class _Collector:
    def __init__(
        self, program: typed.Program, loop: ParallelLoop, watched: frozenset[typed.Symbol] = frozenset()
    ) -> None:
        self.program = program
        self.watched = watched
        self.told: set[typed.Symbol] = set()
        self.loop = loop
        self.private = {loop.iterator, *walk.declared(loop.body)}
        self.positions: dict[typed.Symbol, Position] = {loop.iterator: self._iterator_position()}
        self.arcs: dict[typed.Symbol, Position] = {}
        self.aliases = aliases(loop.body)
        self.found: list[Access] = []
        self.depth = 0  # of calls that are being followed
        if isinstance(loop.domain, typed.Neighbors) and loop.domain.direction is not typed.Direction.BOTH:
            self.arcs[loop.iterator] = Position.OWN
        self.bound: dict[typed.Symbol, typed.Symbol] = {}
        self.levels: dict[typed.Symbol, int] = {}
        if loop.visited is not None:
            self.levels[loop.visited] = 0
            self._note_level(loop.iterator, loop.domain)

    def _note_level(self, iterator: typed.Symbol, domain: typed.Domain) -> None:
        """Around a BFS pass, neighbors of the visited node stand one level on, or one back."""
        if isinstance(domain, typed.Neighbors) and self.loop.visited is not None and self.level(domain.node) == 0:
            match domain.direction:
                case typed.Direction.OUT:
                    self.levels[iterator] = 1
                case typed.Direction.IN:
                    self.levels[iterator] = -1
                case typed.Direction.BOTH:
                    pass

    def level(self, index: typed.Expression) -> int | None:
        """How many levels on from the visited node a node stands, where that is known."""
        match index:
            case typed.Convert():
                return self.level(index.operand)
            case typed.Variable(symbol=symbol) if symbol in self.levels:
                return self.levels[symbol]
            case typed.Variable(symbol=symbol) if symbol in self.aliases:
                return self.level(self.aliases[symbol])
            case _:
                return None

    def _iterator_position(self) -> Position:
        """Parallel arcs may bring one neighbor twice, so a neighbor is no iteration's own."""
        return Position.ANY if isinstance(self.loop.domain, typed.Neighbors) else Position.OWN

    # --- positions

    def position(self, index: typed.Expression) -> Position:
        match index:
            case typed.Convert():
                return self.position(index.operand)
            case typed.Variable(symbol=symbol) if symbol in self.positions:
                return self.positions[symbol]
            case typed.Variable(symbol=symbol) if symbol in self.aliases:
                return self.position(self.aliases[symbol])
            case typed.ArcInHand(iterator=iterator):
                return self.arcs.get(iterator, Position.ANY)
            case _:
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
            for e in walk.expressions(expression)
        )

    def _writes(self, symbol: typed.Symbol) -> bool:
        return any(
            isinstance(place, typed.Variable) and place.symbol is symbol
            for statement in walk.statements(self.loop.body)
            for place in walk.written_places(statement)
        )

    def resolve(self, symbol: typed.Symbol) -> typed.Symbol:
        while symbol in self.bound:
            symbol = self.bound[symbol]
        return symbol

    # --- statements

    def block(self, block: typed.Block) -> None:
        for statement in block.statements:
            self.statement(statement)

    def statement(self, statement: typed.Statement) -> None:
        match statement:
            case typed.If():
                branches = statement.then.statements + (statement.otherwise.statements if statement.otherwise else ())
                self.reads(statement.condition, branches)
                for child in walk.children(statement):
                    self.statement(child)
            case typed.Assign():
                self.reads_of(statement)
                self.write(statement.place, Kind.WRITE, value=statement.value)
            case typed.Update():
                self.reads_of(statement)
                self.write(statement.place, Kind.UPDATE, value=statement.value, combine=statement.combine)
            case typed.AssignExtreme():
                self.extreme(statement)
            case typed.AddToSet():
                self.reads_of(statement)
                self.touch(statement.symbol, self.position(statement.member), Kind.WRITE, statement.span, statement,
                           value=typed.Literal(True, Scalar.BOOL))  # fmt: skip
            case typed.Attach():
                self.reads_of(statement)
                for symbol, value in statement.items:
                    if isinstance(value, typed.Symbol):
                        self.touch(value, Position.ANY, Kind.READ, statement.span, statement)
                    self.touch(symbol, Position.ANY, Kind.WRITE, statement.span, statement)
            case typed.CopyProperty():
                self.touch(statement.source, Position.ANY, Kind.READ, statement.span, statement)
                self.touch(statement.destination, Position.ANY, Kind.WRITE, statement.span, statement)
            case typed.ForEach():
                self.inner_loop(statement)
            case _:
                self.reads_of(statement)
                for child in walk.children(statement):
                    self.statement(child)

    def inner_loop(self, loop: typed.ForEach) -> None:
        if isinstance(loop.domain, typed.Neighbors):
            self.reads(loop.domain.node)
            self._note_level(loop.iterator, loop.domain)
            if self.position(loop.domain.node) is Position.OWN and self.loop.iterator.type is Scalar.NODE:
                self._place_neighbor(loop.iterator, loop.domain.direction)
        elif isinstance(loop.domain, typed.Members):
            self.touch(loop.domain.symbol, Position.ANY, Kind.READ, loop.span, loop)
        if loop.filter is not None:
            self.reads(loop.filter, loop.body.statements)
        self.block(loop.body)

    def _place_neighbor(self, iterator: typed.Symbol, direction: typed.Direction) -> None:
        match direction:
            case typed.Direction.OUT:
                self.positions[iterator], self.arcs[iterator] = Position.OUT_NEIGHBOR, Position.OUT_ARC
            case typed.Direction.IN:
                self.positions[iterator], self.arcs[iterator] = Position.IN_NEIGHBOR, Position.IN_ARC
            case typed.Direction.BOTH:
                pass

    def extreme(self, statement: typed.AssignExtreme) -> None:
        self.reads_of(statement)
        self.write(statement.place, Kind.EXTREME, value=statement.candidate, extreme=statement.extreme)
        for carried in statement.carried:
            contested = self._is_contested(statement.place)
            if contested and self.resolve(carried.place.symbol) in self.private:
                self.told.add(carried.place.symbol)
            elsewhere = contested and (
                carried.place.symbol in self.watched or not _side_by_side(statement.place, carried.place)
            )
            if contested:
                won = statement.extreme
                self.write(carried.place, Kind.CARRIED, value=carried.value, extreme=won, elsewhere=elsewhere)
            else:  # every iteration has a winner of its own
                self.write(carried.place, Kind.WRITE, value=carried.value)

    def _is_contested(self, place: typed.Place) -> bool:
        """Whether other iterations compete for the place, so that it depends on their order who wins when."""
        if self.resolve(place.symbol) in self.private:
            return False
        owned = (Position.OWN, Position.OUT_ARC, Position.IN_ARC)
        return not isinstance(place, typed.Cell) or self.position(place.index) not in owned

    def write(
        self,
        place: typed.Place,
        kind: Kind,
        *,
        value: typed.Expression,
        combine: typed.Combine | None = None,
        extreme: typed.Extreme | None = None,
        elsewhere: bool = False,
    ) -> None:
        match place:
            case typed.Variable():
                position = Position.SAME
            case typed.Cell():
                position = self.position(place.index)
        self.touch(place.symbol, position, kind, place.span, place, combine=combine, extreme=extreme, value=value,
                   elsewhere=elsewhere)  # fmt: skip

    # --- reads

    def reads_of(self, statement: typed.Statement) -> None:
        for value in walk.values(statement):
            self.reads(value)

    def reads(self, value: typed.Expression, decides: tuple[typed.Statement, ...] | None = None) -> None:
        for expression in walk.expressions(value):
            match expression:
                case typed.Variable() | typed.SetSize() | typed.SetContains() | typed.Cell():
                    position = self.position(expression.index) if isinstance(expression, typed.Cell) else Position.SAME
                    if isinstance(expression, typed.SetContains | typed.SetSize):
                        position = Position.ANY
                    self.touch(expression.symbol, position, Kind.READ, expression.span, expression, decides=decides)
                case typed.Aggregate():
                    self.touch(expression.property, Position.ANY, Kind.READ, expression.span, expression)
                case typed.Call():
                    self.call(expression)
                case _:
                    pass

    def call(self, call: typed.Call) -> None:
        """What the called function does, with its parameters standing for the arguments."""
        function = self.program.function(call.function)
        inner = set(walk.declared(function.body)) | {p for p in function.parameters if isinstance(p.type, Scalar)}
        for parameter, argument in zip(function.parameters, call.arguments, strict=True):
            if isinstance(argument, typed.Symbol):
                self.bound[parameter] = argument
                inner.discard(parameter)
            else:
                self.positions[parameter] = self.position(argument)
        added = inner - self.private
        self.private |= added
        self.aliases = {**self.aliases, **aliases(function.body)}
        self.depth += 1
        self.block(function.body)
        self.depth -= 1
        self.private -= added

    def touch(
        self,
        symbol: typed.Symbol,
        position: Position,
        kind: Kind,
        span: Span,
        place: object,
        *,
        combine: typed.Combine | None = None,
        extreme: typed.Extreme | None = None,
        value: typed.Expression | None = None,
        decides: tuple[typed.Statement, ...] | None = None,
        elsewhere: bool = False,
    ) -> None:
        symbol = self.resolve(symbol)
        if symbol in self.watched:
            position = Position.OWN
        level = self.level(place.index) if isinstance(place, typed.Cell) else None
        if self.depth and not isinstance(value, typed.Literal | typed.Infinity):
            value = None  # it speaks of the function's own names
        if (symbol in self.private and symbol not in self.watched) or not isinstance(
            symbol.type, Scalar | PropertyType | SetType
        ):
            return
        self.found.append(
            Access(symbol, position, kind, span, place, combine, extreme, value, decides, level, elsewhere)
        )


def _side_by_side(place: typed.Place, other: typed.Place) -> bool:
    """Whether two places belong to one node or edge, or are both variables."""
    if isinstance(place, typed.Cell) and isinstance(other, typed.Cell):
        return place.index == other.index and place.symbol.property.carrier is other.symbol.property.carrier
    return isinstance(place, typed.Variable) and isinstance(other, typed.Variable)


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
