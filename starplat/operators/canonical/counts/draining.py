"""A set that is cleared in every round for those that have their turn in it is left by its members in their turn.

while (left > 0) {                                    g.attachNodeProperty(now = False);
  g.attachNodeProperty(now = False);                  while (left > 0) {
  ... v.now = True; ...                                 ... v.now = True; ...
  forall (v in g.nodes().filter(now)) {                 forall (v in g.nodes().filter(now)) {
    forall (w in g.neighbors(v)) { w.x -= 1; }            v.now = False;
  }                                                       forall (w in g.neighbors(v)) { w.x -= 1; }
}                                                       }
                                                      }

Nodes join it before that loop only, in the same round, and nothing else asks for members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.operators.canonical.counts.members import FALSE, FLAG, TRUE, empties, is_over_nodes, member_of
from starplat.operators.canonical.hosts import HostLoop, may_leave, read
from starplat.operators.canonical.rebuilding import rebuilt


def left_in_turn(body: typed.Block) -> typed.Block:
    """A function's body in which members leave such sets in their turn."""
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
        """What clears the set in each round of a loop of the host, and the loop for its members; None if the set is
        more than that."""
        inside = list(walk.statements(self.body))
        asks = [s for s in inside if self.flag in read(s)]
        turns = asks[0] if len(asks) == 1 else None
        if not isinstance(turns, typed.ForEach) or not self._is_for_members(turns):
            return None
        blocks = [s.body for s in inside if isinstance(s, HostLoop) and any(i is turns for i in s.body.statements)]
        for block in blocks:
            cleared = [s for s in block.statements if empties(s, self.flag)]
            if (
                len(cleared) == 1
                and isinstance(cleared[0], typed.Attach)
                and self._joins_before(turns, cleared[0], block)
            ):
                return cleared[0], turns
        return None

    def _is_for_members(self, loop: typed.ForEach) -> bool:
        own = typed.Cell(self.flag, typed.Variable(loop.iterator))
        is_asked = loop.filter is not None and member_of(loop.filter) == (own, True)
        return is_asked and is_over_nodes(loop) and not any(self.flag in walk.written(s) for s in _below(loop))

    def _joins_before(self, turns: typed.ForEach, cleared: typed.Attach, block: typed.Block) -> bool:
        """Whether nodes join only between the clearing, if it comes first, and the turns, to which rounds come."""
        every = block.statements
        first, last = _place(cleared, every), _place(turns, every)
        between = every[first + 1 : last] if first < last else every[:last]
        joins = {id(i) for s in between for i in walk.statements(s)}
        writers = [s for s in walk.statements(self.body) if self.flag in walk.written(s) and not empties(s, self.flag)]
        joined = all(isinstance(s, typed.Assign) and s.value == TRUE and id(s) in joins for s in writers)
        emptied = any(empties(i, self.flag) for s in between for i in walk.statements(s))
        return bool(writers) and joined and not emptied and not may_leave(every)

    def drained(self, cleared: typed.Attach, turns: typed.ForEach) -> typed.Block:
        """The body in which members leave in their turn; the set is declared and cleared first."""
        clear = typed.Attach(cleared.graph, ((self.flag, FALSE),), span=cleared.span)
        leaves = typed.Assign(typed.Cell(self.flag, typed.Variable(turns.iterator)), FALSE, span=turns.span)

        def change(part: Any) -> Any:
            if not isinstance(part, typed.Block):
                return None
            return replace(part, statements=tuple(new for s in part.statements for new in at(s)))

        def at(s: typed.Statement) -> Sequence[typed.Statement]:
            if s is self.declared:
                return ()
            if s is turns:
                return (replace(turns, body=replace(turns.body, statements=(leaves, *turns.body.statements))),)
            if isinstance(s, typed.Attach) and empties(s, self.flag):
                rest = tuple(item for item in s.items if item[0] is not self.flag)
                return (replace(s, items=rest),) if rest else ()
            return (rebuilt(s, change),)

        body: typed.Block = change(self.body)
        return replace(body, statements=(self.declared, clear, *body.statements))


def _below(loop: typed.ForEach) -> list[typed.Statement]:
    return list(walk.statements(loop.body))


def _place(s: typed.Statement, every: Sequence[typed.Statement]) -> int:
    return next(place for place, other in enumerate(every) if other is s)
