"""What flags stand for, statement by statement, in rounds in which nodes are told first and reached then."""

from __future__ import annotations

from dataclasses import dataclass, field

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.effects import asked
from starplat.operators.canonical.searches.levels import above
from starplat.operators.canonical.searches.stores import says

_TRUE, _FALSE = typed.Literal(True, Scalar.BOOL), typed.Literal(False, Scalar.BOOL)


@dataclass
class Steps:
    """What the statements of a round are found to do, one after another, with the nodes that are told in it.

    `holds` says of a flag whether it stands for these (True) or for none (False) by now; a flag that is not in it is as
    the round found it. `levels` are the stores of their levels, with how often the counter has counted before.
    """

    here: typed.Symbol
    there: typed.Symbol
    holds: dict[typed.Symbol, bool] = field(default_factory=dict)
    levels: list[tuple[typed.Assign, int]] = field(default_factory=list)
    marks: list[typed.Symbol] = field(default_factory=list)
    more: list[typed.Statement] = field(default_factory=list)
    counted: int = 0
    begun: bool = False
    cleared: bool = False

    def begin(self) -> None:
        """Nodes are told."""
        self.begun = True
        self.cleared = self.there in self.holds
        self.holds[self.there] = True

    def count(self) -> None:
        """The counter counts."""
        self.counted += 1

    def are_right(self, counter: typed.Variable) -> bool:
        """Whether nodes that have been told are those who tell in the next round, and have the level that is counted
        then."""
        none_left = self.cleared or not self.holds[self.there]
        if not self.holds.get(self.here) or not none_left or len(self.levels) != 1:
            return False
        ((store, counted),) = self.levels
        more = above(store.value, counter)
        signals = {place.symbol for s in self.more for place in walk.written_places(s)}
        return more is not None and more + counted == 1 and len(signals) == 1 and store.place.type is Scalar.INT

    def follow(self, s: typed.Statement) -> bool:
        """Takes in a statement that all nodes do, each for itself; whether it is understood."""
        match s:
            case typed.CopyProperty(destination=to, source=of):
                return self._becomes(to, of)
            case typed.Attach(items=items):
                return all(value == _FALSE and self._becomes(to, None) for to, value in items)
            case typed.ForEach(parallel=True, domain=typed.AllNodes(), filter=None):
                return all(self._of_node(inner, typed.Variable(s.iterator)) for inner in s.body.statements)
            case typed.ForEach(parallel=True, domain=typed.AllNodes()):
                own = typed.Variable(s.iterator)
                return self._are_told(s.filter, own) and all(self._of_told(i, own) for i in s.body.statements)
            case _:
                return False

    def _becomes(self, to: typed.Symbol, of: typed.Symbol | None) -> bool:
        """Takes in that a flag stands for what another does, or for none."""
        told = False if of is None else self.holds.get(of)
        fits = told is not None and (to is self.there or (to is self.here and self.begun))
        if fits and told is not None:
            self.holds[to] = told
        return fits

    def _of_node(self, s: typed.Statement, own: typed.Variable) -> bool:
        match s:
            case typed.Assign(place=typed.Cell(symbol=to, index=at), value=typed.Cell(symbol=of, index=from_)):
                return at == own and from_ == own and self._becomes(to, of)
            case typed.Assign(place=typed.Cell(symbol=to, index=at), value=value):
                return at == own and value == _FALSE and self._becomes(to, None)
            case typed.If(otherwise=None):
                return self._are_told(s.condition, own) and all(self._of_told(i, own) for i in s.then.statements)
            case _:
                return False

    def _are_told(self, condition: typed.Expression | None, own: typed.Variable) -> bool:
        """Whether a condition holds for those that are told."""
        conditions = asked(condition)
        flags = [flag for flag, told in self.holds.items() if told]
        return len(conditions) == 1 and any(says(conditions[0], typed.Cell(flag, own), True) for flag in flags)

    def _of_told(self, s: typed.Statement, own: typed.Variable) -> bool:
        """Takes in what nodes do that are told."""
        match s:
            case typed.Assign(place=typed.Variable(), value=value):
                self.more.append(s)
                return value == _TRUE
            case typed.Assign(place=typed.Cell(symbol=flag, index=at), value=value) if flag in (self.here, self.there):
                return at == own and value == _FALSE and self.holds.get(flag, False) and self._becomes(flag, None)
            case typed.Assign(place=typed.Cell(symbol=mark, index=at), value=value) if value == _TRUE:
                self.marks.append(mark)
                return at == own
            case typed.Assign(place=typed.Cell(index=at)):
                self.levels.append((s, self.counted))
                return at == own
            case _:
                return False
