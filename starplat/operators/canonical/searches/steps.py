"""Follows the flags of a search, statement by statement, through a round that discovers nodes and then visits them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, mentions
from starplat.frontend import typed, types
from starplat.operators.canonical.searches.levels import above
from starplat.operators.canonical.searches.stores import says


@dataclass
class Steps:
    """The effect of the statements of a round, taken in order, on the nodes discovered in it. Without a flag for the
    frontier, the level that is counted says which nodes it has.

    `holds` maps a flag to True if it now covers exactly the discovered nodes, to False if it covers none; a flag that
    is not in it is as at the start of the round. `levels` are the stores of their levels, each with the number of
    increments of the counter before it. `marks` are their visited flags, `asked_again` what is asked of a node
    that they were discovered by, `more` the stores that request another round.
    """

    frontier: typed.Symbol | None
    next_frontier: typed.Symbol
    holds: dict[typed.Symbol, bool] = field(default_factory=dict)
    levels: list[tuple[typed.Assign, int]] = field(default_factory=list)
    marks: list[typed.Symbol] = field(default_factory=list)
    asked_again: list[tuple[typed.Expression, typed.Symbol]] = field(default_factory=list)
    more: list[typed.Assign] = field(default_factory=list)
    counted: int = 0
    begun: bool = False
    cleared: bool = False

    def begin(self) -> None:
        """The next statement discovers nodes."""
        self.begun = True
        self.cleared = self.next_frontier in self.holds
        self.holds[self.next_frontier] = True

    def count(self) -> None:
        """The next statement increments the counter of levels."""
        self.counted += 1

    def are_next(self) -> bool:
        """Whether the discovered nodes are the frontier of the next round, where a flag tells it, and no other has been
        discovered by then."""
        none_left = self.cleared or not self.holds[self.next_frontier]
        return none_left and (self.frontier is None or self.holds.get(self.frontier, False))

    def are_right(self, counter: typed.Variable) -> bool:
        """Whether the discovered nodes are the frontier of the next round, and have its level."""
        if not self.are_next() or len(self.levels) != 1:
            return False
        ((store, counted),) = self.levels
        more = above(store.value, counter)
        signals = {place.symbol for s in self.more for place in walk.written_places(s)}
        return more is not None and more + counted == 1 and len(signals) == 1 and store.place.type is types.Scalar.INT

    def follow(self, s: typed.Statement) -> bool:
        """Takes in a statement over all nodes, each on its own cells; False if it is none of the known forms."""
        match s:
            case typed.CopyProperty(to, of):
                return self._becomes(to, of)
            case typed.Attach(items=items):
                return self._become(items)
            case typed.Declare(symbol, None):
                return symbol is self.next_frontier and self._becomes(symbol, None)
            case typed.ForEach(parallel=True, domain=typed.AllNodes(), filter=None):
                return all(self._of_node(inner, typed.Variable(s.iterator)) for inner in s.body.statements)
            case typed.ForEach(parallel=True, domain=typed.AllNodes()):
                own = typed.Variable(s.iterator)
                return self._are_discovered(s.filter, own) and all(
                    self._of_discovered(i, own) for i in s.body.statements
                )
        return False

    def _become(self, items: Sequence[tuple[typed.Symbol, typed.Expression | typed.Symbol]]) -> bool:
        """Takes in that flags are cleared, or become copies of others as these were before."""
        before = dict(self.holds)
        for to, value in items:
            of = value if isinstance(value, typed.Symbol) else None
            if (of is None and value != typed.FALSE) or (of is not None and before.get(of) != self.holds.get(of)):
                return False
            if not self._becomes(to, of):
                return False
        return True

    def _becomes(self, to: typed.Symbol, of: typed.Symbol | None) -> bool:
        """Takes in that the flag `to` becomes a copy of `of`, or is cleared if that is None; False if it may not."""
        discovered = False if of is None else self.holds.get(of)
        fits = discovered is not None and (to is self.next_frontier or (to is self.frontier and self.begun))
        if fits and discovered is not None:
            self.holds[to] = discovered
        return fits

    def _of_node(self, s: typed.Statement, own: typed.Variable) -> bool:
        match s:
            case typed.Assign(typed.Cell(to, at), typed.Cell(of, from_)):
                return at == own and from_ == own and self._becomes(to, of)
            case typed.Assign(typed.Cell(to, at), value):
                return at == own and value == typed.FALSE and self._becomes(to, None)
            case typed.If(otherwise=None):
                return self._are_discovered(s.condition, own) and all(
                    self._of_discovered(i, own) for i in s.then.statements
                )
        return False

    def _are_discovered(self, condition: typed.Expression | None, own: typed.Variable) -> bool:
        """Whether a condition holds for exactly the discovered nodes."""
        conditions = all_asked(condition)
        flags = [flag for flag, discovered in self.holds.items() if discovered]
        return len(conditions) == 1 and any(says(conditions[0], typed.Cell(flag, own), True) for flag in flags)

    def _of_discovered(self, s: typed.Statement, own: typed.Variable) -> bool:
        """Takes in a statement for discovered nodes; False if it is none of the known forms."""
        match s:
            case typed.Assign(typed.Variable(), value):
                self.more.append(s)
                return value == typed.TRUE
            case typed.Assign(typed.Cell(flag, at), value) if flag is self.frontier and value == typed.TRUE:
                joins = at == own and self.begun and self.holds.get(flag) is False
                self.holds[flag] = True
                return joins
            case typed.Assign(typed.Cell(flag, at), value) if flag in (self.frontier, self.next_frontier):
                return at == own and value == typed.FALSE and self.holds.get(flag, False) and self._becomes(flag, None)
            case typed.If(condition, then, None):
                self.asked_again.append((condition, own.symbol))
                stored = {*self.holds, *self.marks, *(store.place.symbol for store, _ in self.levels)}
                return not mentions(condition, stored) and all(self._of_discovered(i, own) for i in then.statements)
            case typed.Assign(typed.Cell(mark, at), value) if value == typed.TRUE:
                self.marks.append(mark)
                return at == own
            case typed.Assign(typed.Cell(index=at)):
                self.levels.append((s, self.counted))
                return at == own
        return False
