"""The effects of a parallel loop: every read and write of a property or an outer scalar, and the cell's position.

Takes a parallel loop (a `forall`, or a pass of iterateInBFS) of the checked tree, gives its `Access`es. Calls are
followed into the functions they call. Says nothing about whether anything is allowed: that is `races`.
"""

from dataclasses import dataclass
from enum import Enum

from starplat.analysis import parallel, walk
from starplat.analysis.positions import OWNED, Position, Positions, aliases
from starplat.frontend import typed, types
from starplat.source import Span


class Kind(Enum):
    """The kinds of access."""

    READ = "read"
    WRITE = "write"
    UPDATE = "reduction"
    EXTREME = "Min/Max"
    CARRIED = "carried by a Min/Max"


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One access to one cell set.

    `place` is the tree node that names the cell (also the key by which lowering finds the verdict). `combine`,
    `extreme` and `value` belong to the kinds they are named after. `decides` are the statements that a value read only
    decides about, whether they happen; None if it goes further. `level` is how many levels on a cell of a BFS pass
    stands. `elsewhere` says of what is carried that its cell is not the one beside the shared cell of the Min or Max.
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


def accesses(loop: parallel.ParallelLoop, program: typed.Program) -> list[Access]:
    """Every access to memory that outlives an iteration, in text order, without the loop's own filter, which is
    evaluated on entry. Locals that a Min or Max of a shared cell carries are included: they tell which iteration
    won."""
    collector = _Collector(program, loop)
    collector.block(loop.body)
    if not collector.told:
        return collector.found
    again = _Collector(program, loop, frozenset(collector.told))
    again.block(loop.body)
    return again.found


class _Collector(Positions):
    def __init__(
        self, program: typed.Program, loop: parallel.ParallelLoop, watched: frozenset[typed.Symbol] = frozenset()
    ) -> None:
        super().__init__(loop)
        self.program, self.watched = program, watched
        self.told: set[typed.Symbol] = set()
        self.found: list[Access] = []
        self.depth = 0  # of calls that are being followed

    def block(self, block: typed.Block) -> None:
        for statement in block.statements:
            self.statement(statement)

    def statement(self, statement: typed.Statement) -> None:
        match statement:
            case typed.If():
                branches = statement.then.statements + (statement.otherwise.statements if statement.otherwise else ())
                self.reads(statement.condition, branches)
                for child in walk.blocks(statement):
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
                           value=typed.TRUE)  # fmt: skip
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
                for child in walk.blocks(statement):
                    self.statement(child)

    def inner_loop(self, loop: typed.ForEach) -> None:
        if isinstance(loop.domain, typed.Neighbors):
            self.reads(loop.domain.node)
            self.note_level(loop.iterator, loop.domain)
            if self.position(loop.domain.node) is Position.OWN and self.loop.iterator.type is types.Scalar.NODE:
                self.place_neighbor(loop.iterator, loop.domain.direction)
        elif isinstance(loop.domain, typed.Members):
            self.touch(loop.domain.symbol, Position.ANY, Kind.READ, loop.span, loop)
        if loop.filter is not None:
            self.reads(loop.filter, loop.body.statements)
        self.block(loop.body)

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
        """Whether other iterations compete for the place, so that their order decides which one wins when."""
        if self.resolve(place.symbol) in self.private:
            return False
        return not isinstance(place, typed.Cell) or self.position(place.index) not in OWNED

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
        for expression in walk.within(value):
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

    def call(self, call: typed.Call) -> None:
        """The effects of the called function, with arguments for its parameters."""
        function = self.program.function(call.function)
        inner = set(walk.declared(function.body)) | {p for p in function.parameters if isinstance(p.type, types.Scalar)}
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
            symbol.type, types.Scalar | types.PropertyType | types.SetType
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
