"""Starts a peeling for a rising bound from the result for the bound before, where the program starts from all nodes.

while (found) {                                       propNode<bool> stays;
  propNode<bool> stays;                               g.attachNodeProperty(stays = True);
  g.attachNodeProperty(stays = True);                 while (found) {
  ... until nothing changes: remove nodes that          ... until nothing changes: remove nodes that
      have fewer than k neighbors in `stays` ...            have fewer than k neighbors in `stays` ...
  ... k++;                                              ... k++;
}                                                     }

Peeling removes nodes that have too few neighbors in the set until none does. Its result does not depend on the order:
it is the largest set in which every node has enough, since a node of that set always sees the rest of it. The largest
set for a greater bound is a subset of that for a smaller one, so a peeling may start from the result of the one before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, asked_of, conjuncts, mentions, rises_with
from starplat.frontend import typed
from starplat.operators.canonical import counters, hosts, rebuilding
from starplat.operators.canonical.counts.counting import counts_in_locals
from starplat.operators.canonical.counts.members import FLAG, Members, is_over_nodes, member_of
from starplat.operators.canonical.rising import only_rises
from starplat.same import Same


def in_what_was_left(body: typed.Block) -> typed.Block:
    """A function's body in which such peelings start from the result before."""
    for tried in (body, counters.as_flags(body)):
        if (found := hosts.with_loops(tried, _begun_before)) is not tried:
            return found
    return body


def _begun_before(loop: hosts.HostLoop, around: hosts.Surroundings) -> tuple[typed.Statement, ...] | None:
    """The fill of the set and the loop without it; None if the loop has no such peeling."""
    statements = loop.body.statements
    fills = [(place, s, item) for place, s in enumerate(statements) if isinstance(s, typed.Attach) for item in s.items]
    for place, fill, (flag, value) in fills:
        declared = [s for s in statements[:place] if isinstance(s, typed.Declare) and s.symbol is flag]
        is_own = flag.role is typed.Role.LOCAL and (declared or not around.is_seen(flag, loop))
        if flag.type == FLAG and isinstance(value, typed.Literal) and is_own:
            search = _Search(loop, Members(flag, bool(value.value)), statements[place + 1 :], around)
            if search.is_nested() and _is_only_search(loop, search, flag, fill):
                rest = tuple(item for item in fill.items if item[0] is not flag)
                kept = (replace(fill, items=rest),) if rest else ()
                left = [s for s in statements[:place] if s not in declared]
                inner = replace(loop.body, statements=(*left, *kept, *statements[place + 1 :]))
                return *declared, replace(fill, items=((flag, value),)), replace(loop, body=inner)
    return None


def _is_only_search(loop: hosts.HostLoop, search: "_Search", flag: typed.Symbol, fill: typed.Attach) -> bool:
    """Whether nothing else in the loop changes the set, or reads it before it is filled."""
    inside = set() if search.loop is None else {Same(s) for s in walk.statements(search.loop)}
    others = [s for s in walk.statements(loop.body) if Same(s) not in inside and s is not fill]
    before = loop.body.statements[: loop.body.statements.index(fill)]
    is_asked = any(flag in walk.read(i) for s in before for i in walk.statements(s)) or mentions(loop.condition, {flag})
    copied = any(value is flag for _, value in fill.items)
    return not is_asked and not copied and not any(flag in walk.written(s) for s in others)


@dataclass(frozen=True)
class _Search:
    """The statements `after` the fill of a set in the rounds of a loop."""

    around_it: hosts.HostLoop
    members: Members
    after: Sequence[typed.Statement]
    around: hosts.Surroundings

    @property
    def loop(self) -> typed.Statement | None:
        """The first inner loop, if only scalars are set before it."""
        for s in self.after:
            if isinstance(s, hosts.HostLoop):
                return s
            plain = isinstance(s, typed.Declare | typed.Assign) and isinstance(s.value, typed.Literal)
            if not plain:
                return None
        return None

    def is_nested(self) -> bool:
        """Whether it is a peeling for a bound that only rises."""
        match self.loop:
            case (typed.While() | typed.DoWhile()) as loop if isinstance(loop.condition, typed.Variable):
                more = loop.condition.symbol
            case _:
                return False
        visits = self._visits(loop.body.statements, typed.Variable(more))
        if visits is None or not hosts.surely_begins(loop, self.around.known_before(loop), ()):
            return False
        return is_over_nodes(visits) and self._leave(visits, more)

    def _visits(self, statements: Sequence[typed.Statement], more: typed.Variable) -> typed.ForEach | None:
        """The loop that removes nodes, possibly after a second loop that removes those it marked is fused into it; None
        if a round does anything else."""
        every = [s for s in statements if not isinstance(s, typed.Declare)]
        loops = [s for s in every if isinstance(s, typed.ForEach)]
        first = every[: len(every) - len(loops)]
        begins = any(isinstance(s, typed.Assign) and s.place == more and s.value == typed.FALSE for s in first)
        match loops:
            case [visits] if len(first) == 1 and begins and first[0] is not visits:
                return visits
            case [visits, second] if len(first) == 2 and begins and is_over_nodes(second) and second.filter is not None:
                found = member_of(second.filter)
            case _:
                return None
        if found is None or found != (typed.Cell(found[0].symbol, typed.Variable(second.iterator)), True):
            return None
        weak = found[0].symbol
        leaves = typed.Assign(typed.Cell(self.members.symbol, typed.Variable(second.iterator)), self._outside)
        if second.body.statements != (leaves,) or not any(
            isinstance(s, typed.Attach) and s.items == ((weak, typed.FALSE),) for s in first
        ):
            return None

        def change(part: Any) -> Any:
            match part:
                case typed.Assign(typed.Cell(symbol) as cell, typed.TRUE) if symbol is weak:
                    return replace(part, place=replace(cell, symbol=self.members.symbol), value=self._outside)
            return None

        return rebuilding.rebuilt(visits, change)

    @property
    def _outside(self) -> typed.Literal:
        """The value of nodes outside the set."""
        return typed.FALSE if self.members.value else typed.TRUE

    def _leave(self, visits: typed.ForEach, more: typed.Symbol) -> bool:
        """Whether an iteration only removes its node if that has too few neighbors in the set, and sets `more`."""
        if any(walk.calls(visits)) or walk.leaves(visits):
            return False
        members = self.members
        counted = {Same(c.target): c.target for c in counts_in_locals(visits) if c.members == members}
        conditions, statements = list(all_asked(visits.filter)), visits.body.statements
        local: typed.Symbol | None = None
        while len(statements) == 1 or local is None:
            match statements:
                case (typed.If(condition, then, None),):
                    conditions += conjuncts(condition)
                    statements = then.statements
                case (typed.Declare(symbol) as declared, _, *rest) if Same(declared) in counted:
                    statements, local = tuple(rest), symbol
                case _:
                    return False
        own = typed.Cell(members.symbol, typed.Variable(visits.iterator))
        done = {(s.place, s.value) for s in statements if isinstance(s, typed.Assign)}
        leaves = len(statements) == 2 and done == {(own, self._outside), (typed.Variable(more), typed.TRUE)}
        few = [c for c in conditions if mentions(c, {local})]
        is_member = [c for c in conditions if members.asked(c, visits.iterator)]
        steady = all(not mentions(c, self._changed) for c in conditions if c not in few and c not in is_member)
        return leaves and bool(is_member) and steady and len(few) == 1 and self._is_bound(few[0], local)

    @property
    def _inside(self) -> list[typed.Statement]:
        return [s for part in walk.blocks(self.around_it) for s in walk.statements(part)]

    @property
    def _changed(self) -> set[typed.Symbol]:
        written = {symbol for s in self._inside for symbol in walk.written(s)}
        return written | {s.symbol for s in self._inside if isinstance(s, typed.Declare)}

    def _is_bound(self, condition: typed.Expression, counted: typed.Symbol) -> bool:
        """Whether a condition says that the count is below, or no greater than, a value that only rises."""
        declared = {s.symbol for s in self._inside if isinstance(s, typed.Declare)}
        parts = walk.blocks(self.around_it)
        rising = {s for s in self._changed - declared if all(only_rises(s, part) for part in parts)}
        match asked_of(condition, typed.Variable(counted)):
            case typed.Operator.LESS | typed.Operator.LESS_EQUAL, bound:
                return not mentions(bound, self._changed - rising) and rises_with(bound, rising)
        return False
