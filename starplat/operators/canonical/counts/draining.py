"""Empties a set while its members are visited, where the program clears it in every round.

while (left > 0) {                                    g.attachNodeProperty(now = False);
  g.attachNodeProperty(now = False);                  while (left > 0) {
  ... v.now = True; ...                                 ... v.now = True; ...
  forall (v in g.nodes().filter(now)) {                 forall (v in g.nodes().filter(now)) {
    forall (w in g.neighbors(v)) { w.x -= 1; }            v.now = False;
  }                                                       forall (w in g.neighbors(v)) { w.x -= 1; }
}                                                       }
                                                      }

Nodes are inserted before that loop in the same round only, and nothing else tests membership.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_flag
from starplat.frontend import typed
from starplat.operators.canonical.counts.members import FLAG, empties, is_over_nodes
from starplat.operators.canonical.hosts import HostLoop, may_leave
from starplat.operators.canonical.rebuilding import with_each_statement
from starplat.same import Same


def drained_when_visited(body: typed.Block) -> typed.Block:
    """Rewrites such sets in a function's body."""
    for s in list(walk.statements(body)):
        if isinstance(s, typed.Declare) and s.symbol.type == FLAG and s.symbol.role is typed.Role.LOCAL:
            drained = _Set(s, body)
            if (found := drained.rounds()) is not None:
                body = drained.drained(*found)
    return body


@dataclass(frozen=True)
class _Set:
    """A flag of the function's own."""

    declared: typed.Declare
    body: typed.Block

    @property
    def flag(self) -> typed.Symbol:
        return self.declared.symbol

    def rounds(self) -> tuple[typed.Attach, typed.ForEach] | None:
        """The statement that clears the set in each round of a loop of the host, and the loop over its members; None if
        the set has other uses."""
        inside = list(walk.statements(self.body))
        asks = [s for s in inside if self.flag in walk.read(s)]
        visits = asks[0] if len(asks) == 1 else None
        if not isinstance(visits, typed.ForEach) or not self._is_for_members(visits):
            return None
        blocks = [s.body for s in inside if isinstance(s, HostLoop) and any(i is visits for i in s.body.statements)]
        for block in blocks:
            cleared = [s for s in block.statements if empties(s, self.flag)]
            if (
                len(cleared) == 1
                and isinstance(cleared[0], typed.Attach)
                and self._joins_before(visits, cleared[0], block)
            ):
                return cleared[0], visits
        return None

    def _is_for_members(self, loop: typed.ForEach) -> bool:
        is_asked = loop.filter is not None and asked_flag(loop.filter, loop.iterator) is self.flag
        return is_asked and is_over_nodes(loop) and self.flag not in walk.all_written(loop.body)

    def _joins_before(self, visits: typed.ForEach, cleared: typed.Attach, block: typed.Block) -> bool:
        """Whether nodes are inserted only before `visits` in a round, after `cleared` if that comes first, and every
        round reaches `visits`."""
        every = block.statements
        first, last = _place(cleared, every), _place(visits, every)
        between = every[first + 1 : last] if first < last else every[:last]
        joins = {Same(i) for s in between for i in walk.statements(s)}
        writers = [s for s in walk.statements(self.body) if self.flag in walk.written(s) and not empties(s, self.flag)]
        joined = all(isinstance(s, typed.Assign) and s.value == typed.TRUE and Same(s) in joins for s in writers)
        emptied = any(empties(i, self.flag) for s in between for i in walk.statements(s))
        return bool(writers) and joined and not emptied and not may_leave(every)

    def drained(self, cleared: typed.Attach, visits: typed.ForEach) -> typed.Block:
        """The body in which visits remove members; the set is declared and cleared at its top."""
        clear = typed.Attach(cleared.graph, ((self.flag, typed.FALSE),), span=cleared.span)
        leaves = typed.Assign(typed.Cell(self.flag, typed.Variable(visits.iterator)), typed.FALSE, span=visits.span)

        def at(s: typed.Statement) -> Sequence[typed.Statement] | None:
            if s is self.declared:
                return ()
            if s is visits:
                return (replace(visits, body=replace(visits.body, statements=(leaves, *visits.body.statements))),)
            if isinstance(s, typed.Attach) and empties(s, self.flag):
                rest = tuple(item for item in s.items if item[0] is not self.flag)
                return (replace(s, items=rest),) if rest else ()
            return None

        body = with_each_statement(self.body, at)
        return replace(body, statements=(self.declared, clear, *body.statements))


def _place(s: typed.Statement, every: Sequence[typed.Statement]) -> int:
    return next(place for place, other in enumerate(every) if other is s)
