"""Monotone fixed points: cells lowered by `Min` (raised by `Max`) end alike in any order of updates.

Iterations of a `forall` may see each other's cells old or new. That is harmless where all that follows from a cell goes
the same way as the cell, and where the loop ends only when nothing changed: a later round repairs a stale
read. The verdict is asked by `races` for class (d), and lowering hands it on to all schedules that change the order.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from starplat.analysis import walk
from starplat.analysis.settling.labels import are_labels
from starplat.analysis.settling.loop_flags import Loop, Signals
from starplat.analysis.settling.lost_updates import loses_no_update
from starplat.analysis.settling.monotone import (
    all_asked,
    conjuncts,
    keeps_holding,
    mentions,
    rises_with,
    says_that_it_wins,
    without,
)
from starplat.analysis.settling.snapshots import Snapshot, snapshot
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.frontend.walk import children
from starplat.same import Same

NO_LOOP = "its new value depends on cells that other iterations change, and no loop goes on until nothing changes"


def unsettled(
    symbol: typed.Symbol, extreme: typed.Extreme, around: Sequence[typed.Statement], program: typed.Program
) -> str:
    """Why the end of the cells depends on the order of iterations; empty if one of the loops around settles them.

    `around` are the statements that stand around the `forall`, outermost first; `symbol` is only written by `extreme`.
    """
    loops = [s for s in reversed(around) if isinstance(s, Loop)]
    reasons = [_Round(loop, symbol, extreme, program).reason() for loop in loops]
    if not reasons:
        return NO_LOOP
    if "" in reasons or follows_labels(symbol, around, program):
        return ""
    return reasons[0]


def settles(loop: Loop, symbol: typed.Symbol, extreme: typed.Extreme, program: typed.Program) -> bool:
    """Whether a loop ends only when no `Min` (`Max`) of the cells in it would change anything, and all that its rounds
    do besides with the cells comes to the same end in any order."""
    return not _Round(loop, symbol, extreme, program).reason()


def follows_labels(symbol: typed.Symbol, around: Sequence[typed.Statement], program: typed.Program) -> bool:
    """Whether the cells are labels of which a loop around finds the least (greatest) of each component."""
    loops = [s for s in around if isinstance(s, Loop)]
    return any(are_labels(symbol, extreme, loop, around[0], program) for loop in loops for extreme in typed.Extreme)


def idle_guards(statement: typed.Statement) -> frozenset[Same]:
    """The expressions that only test whether the one `Min` or `Max` behind them would win."""
    found: set[Same] = set()
    for inner in walk.statements(statement):
        match inner:
            case typed.If(_, typed.Block((typed.AssignExtreme() as extreme,)), None):
                for condition in conjuncts(inner.condition):
                    if says_that_it_wins(condition, extreme):
                        found |= {Same(part) for part in walk.within(condition)}
    return frozenset(found)


class _Unsettled(Exception):  # noqa: N818 - it is an answer
    """Why one loop does not settle the cells."""


@dataclass(slots=True)
class _Round:
    """One round of a loop, seen as rules `cell <- Min(cell, value of other cells)`. `falling` are the symbols whose
    values depend on the cells: the cells, those that they lower, and locals on the way."""

    loop: Loop
    symbol: typed.Symbol
    extreme: typed.Extreme
    program: typed.Program
    falling: set[typed.Symbol] = field(default_factory=set)
    compared: Snapshot | None = None
    signals: Signals = field(init=False)
    private: frozenset[typed.Symbol] = field(init=False)

    def reason(self) -> str:
        self.falling = {self.symbol}
        self.signals = Signals(self.loop, self.program)
        self.private = frozenset(s for s in walk.declared(self.loop.body) if isinstance(s.type, Scalar))
        self.compared = snapshot(self.loop, self.symbol, self.extreme)
        self._follow()
        try:
            self._sequence(self.loop.body.statements, ())
            if mentions(self.loop.condition, self.falling):
                raise _Unsettled("the condition of the loop reads it")
        except _Unsettled as found:
            return str(found)
        return ""

    def _follow(self) -> None:
        """Adds what is lowered by values that depend on the cells, until nothing is added."""
        inside = [i for s in self.loop.body.statements if not self._compares(s) for i in walk.statements(s)]
        before = 0
        while before < len(self.falling):
            before = len(self.falling)
            told = {place.symbol for s in inside for place, value in _flows(s) if mentions(value, self.falling)}
            self.falling |= told

    def _compares(self, s: typed.Statement) -> bool:
        return self.compared is not None and (s is self.compared.copy or s is self.compared.comparison)

    # --- statements

    def _sequence(self, statements: Sequence[typed.Statement], under: tuple[typed.Expression, ...]) -> None:
        """Statements that happen where all conditions `under` hold."""
        for position, statement in enumerate(statements):
            if self._compares(statement):
                continue
            if (leaves := _left_by(statement)) is not None:
                self._condition(conjuncts(leaves, holds=False), statements[position + 1 :])
                under = (*under, *conjuncts(leaves, holds=False))
            else:
                self._statement(statement, under, statements)

    def _statement(
        self, s: typed.Statement, under: tuple[typed.Expression, ...], beside: Sequence[typed.Statement]
    ) -> None:
        match s:
            case typed.Block():
                self._sequence(s.statements, under)
            case typed.If() if (shorter := self._as_extreme(s)) is not None:
                self._store(shorter)
            case typed.If():
                self._branches(s, under)
            case typed.ForEach():
                self._head(s)
                conditions = all_asked(s.filter)
                self._condition(conditions, s.body.statements)
                self._sequence(s.body.statements, (*under, *conditions))
            case typed.AssignExtreme() if s.place.symbol in self.falling and s.place.symbol not in self.private:
                self._lower(s, under, beside)
            case typed.Declare() | typed.Assign() | typed.Update() | typed.AssignExtreme():
                self._store(s)
            case _:
                self._other(s, under)

    def _other(self, s: typed.Statement, under: tuple[typed.Expression, ...]) -> None:
        """Any other statement, which must not use the cells."""
        if any(symbol in self.falling for symbol in _whole(s)):
            raise _Unsettled("it is written otherwise in the same round")
        for value in walk.expressions(s):
            self._refuse_reading(value)
        for part in walk.blocks(s):
            self._statement(part, under, ())

    def _head(self, s: typed.ForEach) -> None:
        if isinstance(s.domain, typed.Neighbors):
            self._refuse_reading(s.domain.node)

    def _branches(self, s: typed.If, under: tuple[typed.Expression, ...]) -> None:
        conditions = tuple(conjuncts(s.condition))
        self._condition(conditions, s.then.statements)
        self._sequence(s.then.statements, (*under, *conditions))
        if s.otherwise is not None:
            against = tuple(conjuncts(s.condition, holds=False))
            self._condition(against, s.otherwise.statements)
            self._sequence(s.otherwise.statements, (*under, *against))

    def _as_extreme(self, s: typed.If) -> typed.AssignExtreme | None:
        """`if (value < local) local = value;` as the Min that it is."""
        match s:
            case typed.If(_, typed.Block((typed.Assign() as store,)), None):
                if store.place.symbol not in self.private:
                    return None
                ways = [typed.AssignExtreme(way, store.place, store.value, span=s.span) for way in typed.Extreme]
                return next((way for way in ways if says_that_it_wins(s.condition, way)), None)
        return None

    def _condition(self, conditions: Iterable[typed.Expression], then: Sequence[typed.Statement]) -> None:
        """A condition on the cells must keep holding, and guard only idempotent statements."""
        for condition in conditions:
            if not mentions(condition, self.falling):
                continue
            asks = any(isinstance(s, typed.AssignExtreme) and says_that_it_wins(condition, s) for s in then)
            if not asks and not keeps_holding(condition, self.falling, self.extreme):
                raise _Unsettled("it decides what happens in the same round")
            if not all(self._may_come_late(s) for inner in then for s in walk.statements(inner)):
                raise _Unsettled("it decides what happens in the same round")

    def _may_come_late(self, s: typed.Statement) -> bool:
        """Whether a statement is the same if it happens in another round, or more often."""
        match s:
            case typed.Assign():
                return s.place.symbol in self.private or isinstance(s.value, typed.Literal)
            case typed.Update():
                return s.place.symbol in self.private or s.combine in (typed.Combine.OR, typed.Combine.AND)
            case typed.Block() | typed.If() | typed.ForEach() | typed.Declare() | typed.AssignExtreme():
                return True
            case typed.Continue():
                return True
        return False

    def _store(self, s: typed.Declare | typed.Assign | typed.Update | typed.AssignExtreme) -> None:
        """A store to a local, which may depend on the cells, or to anything else, which may not."""
        if isinstance(s, typed.AssignExtreme) and any(mentions(s.candidate, self.falling) for _ in s.carried):
            raise _Unsettled("it decides what a Min or Max carries in the same round")
        for place, value in _flows(s):
            if not mentions(value, self.falling) and place.symbol not in self.falling:
                continue
            if place.symbol not in self.private:
                written = place.symbol is self.symbol
                raise _Unsettled("it is written otherwise in the same round" if written else _READ)
            adds = not isinstance(s, typed.Update) or s.combine is typed.Combine.ADD
            if not adds or not rises_with(value, self.falling):
                raise _Unsettled(self._wrong_way())
        for value in walk.expressions(s):
            if not any(value is stored for _, stored in _flows(s)):
                self._refuse_reading(value)

    # --- what lowers the cells

    def _lower(
        self, s: typed.AssignExtreme, under: tuple[typed.Expression, ...], beside: Sequence[typed.Statement]
    ) -> None:
        if s.extreme is not self.extreme:
            raise _Unsettled("it goes both ways, by Min and by Max")
        if not rises_with(s.candidate, self.falling):
            raise _Unsettled(self._wrong_way())
        for value in children(s.place):
            self._refuse_reading(value)
        for carried in s.carried:
            self._refuse_reading(without(carried.value, s.candidate))
        if not self.signals.told_by(s, beside) and not self._is_noticed(s):
            raise _Unsettled(NO_LOOP)
        for condition in under:
            self._require_that_it_comes_again(condition, s, beside)

    def _is_noticed(self, s: typed.AssignExtreme) -> bool:
        """Whether the loop compares the cells with their old values, and goes on where they differ."""
        compared = self.compared if s.place.symbol is self.symbol else None
        return compared is not None and self.signals.told_by_comparing(compared)

    def _require_that_it_comes_again(
        self, condition: typed.Expression, s: typed.AssignExtreme, beside: Sequence[typed.Statement]
    ) -> None:
        """A changed node must be visited again: other conditions may not change with the rounds."""
        changing = self.signals.changing & {
            part.symbol for part in walk.within(condition) if isinstance(part, typed.Variable | typed.Cell)
        }
        changing -= self.falling | self.private
        marks = self.signals.marked_by(s, beside)
        if changing and not (changing <= marks and _asks_for(condition, changing)):
            name = min(symbol.name for symbol in changing)
            raise _Unsettled(f"'{name}', which the rounds change, decides which nodes are visited")
        for flag in changing:
            if not isinstance(flag.type, Scalar) and not loses_no_update(flag, s.place.symbol, self.loop, self.program):
                raise _Unsettled(f"'{flag.name}' may be taken back before the node is visited")

    def _refuse_reading(self, value: typed.Expression) -> None:
        if mentions(value, self.falling):
            raise _Unsettled(_READ)

    def _wrong_way(self) -> str:
        rise, lower = ("rise", "lower") if self.extreme is typed.Extreme.MIN else ("fall", "higher")
        return f"what {self.extreme.value} compares may {rise} where a cell that it reads gets {lower}"


_READ = "it is read in the same round by more than that Min or Max"


def _asks_for(condition: typed.Expression, flags: set[typed.Symbol]) -> bool:
    """Whether a condition only tests that one flag is set."""
    match condition:
        case typed.Cell(symbol) | typed.Variable(symbol):
            return symbol in flags
    return False


def _left_by(s: typed.Statement) -> typed.Expression | None:
    """The condition under which a statement does nothing but end the iteration."""
    match s:
        case typed.If(_, typed.Block((typed.Continue(),)), None):
            return s.condition
    return None


def _flows(s: typed.Statement) -> list[tuple[typed.Place, typed.Expression]]:
    """What a statement stores, and where, but for what goes with a Min or Max."""
    match s:
        case typed.Declare() if s.value is not None:
            return [(typed.Variable(s.symbol), s.value)]
        case typed.Assign() | typed.Update():
            return [(s.place, s.value)]
        case typed.AssignExtreme():
            return [(s.place, s.candidate)]
    return []


def _whole(s: typed.Statement) -> Iterator[typed.Symbol]:
    """The symbols that a statement touches as a whole, or writes in a way of its own."""
    yield from walk.written(s)
    match s:
        case typed.CopyProperty():
            yield s.source
        case typed.Attach():
            yield from (value for _, value in s.items if isinstance(value, typed.Symbol))
