"""Nodes that leave a set one after another, as their numbers fall, leave it together.

while (left > 0) {                                    while (left > 0) {
  more = False;                                         more = False;
  for (v in g.nodes()) {                                forall (v in g.nodes()) {
    if (v.core == -1 && v.d <= k) {                       if (v.core == -1 && v.d <= k) {
      v.core = k; left -= 1; more = True;                   v.core = k; left -= 1; more = True;
      for (w in g.neighbors(v)) {                           v.leaving = True;
        if (w.core == -1) { w.d -= 1; }                   }
      }                                                 }
    }                                                   forall (v in g.nodes().filter(leaving)) {
  }                                                       v.leaving = False;
  if (!more) { k++; }                                     forall (w in g.neighbors(v)) {
}                                                           if (w.core == -1) { w.d -= 1; }
                                                          }
                                                        }
                                                        if (!more) { k++; }
                                                      }

Numbers only fall and nodes only leave while the bound stays, so a node that may leave may still do so later: rounds end
with the same nodes left in whatever order others go. The number of a node that has left is not read again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_of, conjuncts, mentions
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, hosts, rebuilding, rising
from starplat.operators.canonical.counts.members import Members, constant, filled_with, member_of


def left_at_once(body: typed.Block) -> typed.Block:
    """A function's body with such nodes leaving together."""
    return hosts.with_loops(body, _left_at_once)


def _left_at_once(loop: hosts.HostLoop, around: hosts.Surroundings) -> tuple[typed.Statement, ...] | None:
    if not isinstance(loop, typed.While) or (found := _read(loop, around, around.body)) is None:
        return None
    return found.made(loop)


@dataclass(frozen=True)
class _Visit:
    """A loop over nodes one after another: a node that meets `conditions` does `done`, which includes that it leaves
    the `members`, and goes through the `rows`, where the `numbers` of others fall."""

    loop: typed.ForEach
    conditions: tuple[typed.Expression, ...]
    done: tuple[typed.Statement, ...]
    rows: tuple[typed.ForEach, ...]
    members: Members
    numbers: typed.Symbol

    def made(self, loop: typed.While) -> tuple[typed.Statement, ...]:
        """The declaration of the nodes that leave, and the loop in which they do so together."""
        visits, build = self.loop, Builder(self.loop.span)
        assert isinstance(visits.domain, typed.AllNodes)
        leaving = build.of_nodes("leaving", types.Scalar.BOOL)
        mark = build.cell(leaving, visits.iterator)
        test = build.when(build.both(*self.conditions), *self.done, build.assign(mark, True))
        rows = (replace(row, parallel=True) for row in self.rows)
        falls = build.over(visits.iterator, visits.domain, build.assign(mark, False), *rows, condition=mark)
        together = build.over(visits.iterator, visits.domain, test), rebuilding.with_fresh_symbols(falls, (falls,))
        clear = typed.Attach(visits.domain.graph, ((leaving, build.truth(False)),), span=visits.span)
        at = loop.body.statements.index(visits)
        return build.declare(leaving), clear, replace(loop, body=rebuilding.spliced(loop.body, at, together))


def _read(loop: typed.While, around: hosts.Surroundings, body: typed.Block) -> _Visit | None:
    """The visits of a loop that repeats them for a bound until no node leaves, and then raises the bound."""
    match loop.body.statements:
        case (
            typed.Assign(typed.Variable(more), typed.FALSE) | typed.Declare(more, typed.FALSE),
            typed.ForEach(parallel=False, domain=typed.AllNodes()) as visits,
            typed.If(
                typed.Unary(typed.UnaryOperator.NOT, typed.Variable(asked)),
                typed.Block((typed.Update(place=typed.Variable(bound)) as step,)),
                None,
            ),
        ) if asked is more and rising.added(step) is not None:
            found = _visit(visits, body)
        case _:
            return None
    changed = walk.all_written(visits)
    if found is None or bound in changed or Builder().assign(typed.Variable(more), True) not in found.done:
        return None
    own = (found.numbers, more)
    unseen = all(s.role is typed.Role.LOCAL and not around.is_seen(s, loop) for s in own)
    is_asked_once = [s for s in walk.statements(loop) if more in walk.read(s)] == [loop.body.statements[-1]]
    ends = all(
        not mentions(c, {*changed, more}) or _asks_for_members(c, found, around.before(loop))
        for c in conjuncts(loop.condition)
    )
    return found if unseen and is_asked_once and ends else None


def _asks_for_members(c: typed.Expression, visit: _Visit, before: Sequence[typed.Statement]) -> bool:
    """Whether a condition asks for the number of members, which begins as that of all nodes."""
    symbol = visit.members.symbol
    begun = filled_with(symbol, before)
    filled = begun is not None and constant(begun) == visit.members.value
    counts = [s for s in visit.done if isinstance(s, typed.Update) and mentions(c, {s.place.symbol})]
    return filled and hosts.asks_for_nodes(c, before) and len(counts) == 1 and rising.number(counts[0].value) == -1


def _visit(loop: typed.ForEach, body: typed.Block) -> _Visit | None:
    """What a node does in its turn."""
    conditions, statements = effects.asked_by_loop(loop)
    own, changed = typed.Variable(loop.iterator), walk.all_written(loop)
    rows = tuple(s for s in statements if isinstance(s, typed.ForEach))
    done = tuple(s for s in statements if not isinstance(s, typed.ForEach))
    sets = [
        Members(found[0].symbol, found[1])
        for c in conditions
        if (found := member_of(c)) is not None and found[0].index == own and found[0].symbol in changed
    ]
    numbers = {_falling(row, own) for row in rows}
    if len(sets) != 1 or len(numbers) != 1 or any(walk.calls(loop)):
        return None
    (members,), (falls,) = sets, numbers
    leaves = [s for s in done if isinstance(s, typed.Assign) and s.place == typed.Cell(members.symbol, own)]
    if falls is None or len(leaves) != 1 or members.joins(leaves[0].value, body) is not False:
        return None
    steady = [c for c in conditions if not mentions(c, changed)]
    few = [c for c in conditions if c not in steady and not members.asked(c, loop.iterator)]
    of_rows = [(c, row.iterator) for row in rows for c in effects.asked_by_loop(row)[0] if mentions(c, changed)]
    asked, written = {falls, members.symbol}, [place.symbol for s in done for place in walk.written_places(s)]
    fits = (
        len(few) == 1
        and _is_below(few[0], typed.Cell(falls, own), changed)
        and all(members.asked(c, there) for c, there in of_rows)
        and all(s is leaves[0] or _is_apart(s, own, asked) for s in done)
        and len(written) == len(set(written))
        and not any(mentions(value, changed) for s in done for value in walk.all_values(s))
    )
    return _Visit(loop, conditions, done, rows, members, falls) if fits else None


def _falling(row: typed.ForEach, own: typed.Variable) -> typed.Symbol | None:
    """The number of each neighbor from which a loop over a row takes a constant; None if it does anything else."""
    match row.domain, effects.asked_by_loop(row)[1]:
        case (typed.Neighbors(node=node), (typed.Update(typed.Combine.ADD, typed.Cell(symbol, at), value),)) if (
            node == own and at == typed.Variable(row.iterator)
        ):
            amount = rising.number(value)
            return symbol if amount is not None and amount < 0 else None
    return None


def _is_below(condition: typed.Expression, cell: typed.Cell, changed: set[typed.Symbol]) -> bool:
    """Whether a condition asks whether a number is below what no visit changes."""
    match asked_of(condition, cell):
        case typed.Operator.LESS | typed.Operator.LESS_EQUAL, bound:
            return not mentions(bound, changed)
    return False


def _is_apart(s: typed.Statement, own: typed.Variable, asked: set[typed.Symbol]) -> bool:
    """Whether a statement stores in a cell of the node, sets a scalar or counts in one, in any order of nodes."""
    match s:
        case typed.Assign(typed.Cell(symbol, at)):
            return at == own and symbol not in asked
        case typed.Assign(typed.Variable(), typed.Literal()):
            return True
        case typed.Update(typed.Combine.ADD, typed.Variable(), value):
            return rising.number(value) is not None
    return False
