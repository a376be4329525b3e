"""Stores a value once, when a node is removed from a set, where the program stores it for all members in every round.

while (some) {                                        int left = g.num_nodes();
  ... v.alive = False; ...                            while (some) {
  some = False;                                         ... v.alive = False; v.core = k - 1; left -= 1; ...
  forall (v in g.nodes().filter(alive)) {               some = left > 0;
    v.core = k;                                         k += 1;
    some = True;                                      }
  }
  k += 1;
}

All nodes are members at first, none is inserted again, and the loop runs while the set is not empty. The last value
stored for a node removed in round k is k - 1; for one removed in the first round it is the fill, which must be one less
than the first k. A counter of members replaces the test for an empty set.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical import hosts, rebuilding
from starplat.operators.canonical.counts.members import (
    FLAG,
    NUMBER,
    Members,
    filled_with,
    is_over_nodes,
    loops_over_nodes,
)
from starplat.operators.canonical.rising import added, number
from starplat.same import Same


def stored_on_leaving(body: typed.Block) -> typed.Block:
    """A function's body in which removed nodes get their final values, and members are counted."""
    flags = [s.symbol for s in walk.statements(body) if isinstance(s, typed.Declare) and s.symbol.type == FLAG]
    for members in (Members(flag, value) for flag in flags for value in (True, False)):
        around = hosts.surroundings(body)
        for loop in around.loops:
            rounds = _Rounds(loop, members, around.before(loop), around, body)
            if isinstance(loop, typed.While) and (found := rounds.changed()) is not None:
                return stored_on_leaving(around.with_in_place(loop, found))
    return body


@dataclass(frozen=True)
class _Rounds:
    """A loop of the host and a set of nodes; `before` are the statements before the loop in its block."""

    loop: hosts.HostLoop
    members: Members
    before: Sequence[typed.Statement]
    around: hosts.Surroundings
    body: typed.Block

    def changed(self) -> tuple[typed.Statement, ...] | None:
        """The declaration of the counter of members, and the loop; None if the flags are not of such a set."""
        every = self.loop.body.statements
        visits = [
            (place, s) for place, s in enumerate(every) if isinstance(s, typed.ForEach) and self._is_of_members(s)
        ]
        flag, value = self.members.symbol, typed.TRUE if self.members.value else typed.FALSE
        if len(visits) != 1 or filled_with(flag, self.before) != value or hosts.may_leave(every):
            return None
        ((place, survivors),) = visits
        leaving = self._leaving(every[:place])
        asked = self._asked(place, survivors)
        given = [s for s in survivors.body.statements if isinstance(s, typed.Assign) and s.place != asked]
        if (
            not leaving
            or asked is None
            or not all(self._is_given_each_round(s, place, survivors.iterator) for s in given)
        ):
            return None
        return tuple(self._made(place, survivors, leaving, asked, given))

    def _is_of_members(self, s: typed.ForEach) -> bool:
        """Whether a loop is over members and only stores values or counts."""
        of_members = s.filter is not None and self.members.asked(s.filter, s.iterator)
        gives = all(isinstance(i, typed.Assign) or _counts_one(i) for i in s.body.statements)
        return is_over_nodes(s) and of_members and gives

    def _leaving(self, before: Sequence[typed.Statement]) -> dict[Same, typed.Symbol]:
        """The stores that remove members, each with its node; empty if another statement changes the set."""
        loops = [loop for s in before for loop in loops_over_nodes(s)]
        leaving = [(self.members.sure_to_leave(loop, self.body), loop.iterator) for loop in loops]
        found = {Same(s): node for s, node in leaving if s is not None}
        writers = {Same(s) for s in walk.statements(self.loop.body) if self.members.symbol in walk.written(s)}
        return found if writers == found.keys() else {}

    def _asked(self, place: int, survivors: typed.ForEach) -> typed.Variable | None:
        """The scalar of the loop's condition, if it says whether the set is not empty."""
        notes: list[typed.Statement]
        match self.loop.condition:
            case typed.Variable() as some:
                notes = [s for s in survivors.body.statements if s == typed.Assign(some, typed.TRUE)]
            case typed.Binary(typed.Operator.GREATER | typed.Operator.NOT_EQUAL, typed.Variable() as some, zero) if (
                number(zero) == 0
            ):
                notes = [s for s in survivors.body.statements if _counts_one(s) and some.symbol in walk.written(s)]
            case _:
                return None
        inside = list(walk.statements(self.loop.body))
        denied = [s for s in self.loop.body.statements[:place] if _says_none(s, some)]
        touches = [s for s in inside if some.symbol in (*walk.written(s), *walk.read(s))]
        counted = all(isinstance(s, typed.Assign) or s in notes for s in survivors.body.statements)
        return some if len(notes) == 1 and denied and counted and len(touches) == len(denied) + 1 else None

    def _is_given_each_round(self, s: typed.Assign, place: int, node: typed.Symbol) -> bool:
        """Whether a store gives member `node` the number of the round, one more than in the round before, and the loop
        does not read it."""
        given, k = s.place.symbol, s.value
        if (
            s.place != typed.Cell(given, typed.Variable(node))
            or given.type != NUMBER
            or not isinstance(k, typed.Variable)
            or k.type is not Scalar.INT
        ):
            return False
        inside = list(walk.statements(self.loop.body))
        touches = sum(given in (*walk.written(i), *walk.read(i)) for i in inside)
        steps = [i for i in inside if k.symbol in walk.written(i)]
        raised = any(i is step and added(i) == 1 for step in steps for i in self.loop.body.statements[place + 1 :])
        first = number(filled_with(given, self.before))
        begins = self.around.known_before(self.loop).get(k.symbol)
        return touches == 1 and raised and len(steps) == 1 and begins is not None and first == begins - 1

    def _made(
        self,
        place: int,
        survivors: typed.ForEach,
        leaving: dict[Same, typed.Symbol],
        asked: typed.Variable,
        given: Sequence[typed.Assign],
    ) -> Iterator[typed.Statement]:
        span, flag = survivors.span, self.members.symbol
        assert isinstance(survivors.domain, typed.AllNodes)
        build = Builder(span)
        left = build.variable(build.local(f"left_{flag.name}", Scalar.INT))

        def on_leaving(node: typed.Symbol) -> Iterator[typed.Statement]:
            for store in given:
                one = build.number(1)
                before = typed.Binary(typed.Operator.SUBTRACT, store.value, one, Scalar.INT, span=span)
                yield build.assign(build.cell(store.place.symbol, node), before)
            yield build.add(left, -1)

        def at(s: typed.Statement) -> tuple[typed.Statement, ...] | None:
            if s is survivors:
                there = build.compared(left, typed.Operator.GREATER, build.number(0))
                as_asked = left if asked.type is Scalar.INT else typed.Convert(left, asked.type, span=span)
                return (build.assign(asked, there if asked.type is Scalar.BOOL else as_asked),)
            if Same(s) in leaving:
                return (s, *on_leaving(leaving[Same(s)]))
            return () if _says_none(s, asked) else None

        number_of_nodes = typed.GraphQuery(survivors.domain.graph, typed.Query.NUM_NODES, (), Scalar.INT, span=span)
        yield build.declare(left.symbol, number_of_nodes)
        yield replace(self.loop, body=rebuilding.with_each_statement(self.loop.body, at))


def _says_none(s: typed.Statement, place: typed.Variable) -> bool:
    return isinstance(s, typed.Assign) and s.place == place and (s.value == typed.FALSE or number(s.value) == 0)


def _counts_one(s: typed.Statement) -> bool:
    return added(s) == 1 and isinstance(s, typed.Update) and isinstance(s.place, typed.Variable)
