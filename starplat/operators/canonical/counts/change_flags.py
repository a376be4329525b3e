"""Drops a flag of the nodes whose numbers have changed, which only spares tests that fail anyway.

g.attachNodeProperty(check = True);                   do {
fixedPoint until (stable : !check) {                    more = False;
  g.attachNodeProperty(out = False);                    g.attachNodeProperty(out = False);
  forall (v in g.nodes().filter(check)) {               forall (v in g.nodes()) {
    if (v.core == -1 && v.d <= k) {                       if (v.core == -1 && v.d <= k) {
      v.core = k; v.out = True;                             v.core = k; v.out = True; more = True;
    }                                                     }
  }                                                     }
  g.attachNodeProperty(check = False);                  forall (v in g.nodes().filter(out)) {
  forall (v in g.nodes().filter(out)) {                   forall (w in g.neighbors(v)) { w.d -= 1; }
    forall (w in g.neighbors(v)) {                      }
      w.d -= 1; w.check = True;                       } while (more);
    }
  }
}

Invariant where nodes are tested: the test fails for nodes without the flag. All have it at first; a node that passes
fails from then on, as it leaves a set that the test asks for; every other change of a number that is tested sets the
flag. A round in which no node passes changes nothing, so that the loop may end there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starplat.analysis import convergence, walk
from starplat.analysis.settling.monotone import asked_flag
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, filters, hosts, unread
from starplat.operators.canonical.counts.members import FLAG, Members, empties, filled_with, is_over_nodes, member_of


def without_change_flags(body: typed.Block) -> typed.Block:
    """A function's body without such flags."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        if not isinstance(loop, typed.FixedPoint) or (flag := convergence.negated_property(loop)) is None:
            continue
        found = _read(loop, flag, around.before(loop), body)
        if found is None or any(around.is_seen(s, loop) for s in (*found.marks, loop.flag)):
            continue
        return without_change_flags(unread.without_stores(around.with_in_place(loop, found.made(loop)), {flag}))
    return body


@dataclass(frozen=True)
class _Round:
    """A round: nodes are tested by the loop `visits`, which asks `conditions` besides the flag and does `done`; `marks`
    are the flags of the nodes that passed."""

    visits: typed.ForEach
    conditions: tuple[typed.Expression, ...]
    done: tuple[typed.Statement, ...]
    marks: frozenset[typed.Symbol]

    def made(self, loop: typed.FixedPoint) -> tuple[typed.Statement, ...]:
        """The loop that goes on while nodes pass."""
        build = Builder(loop.span)
        more = build.variable(build.local("more", types.Scalar.BOOL))
        inside = build.block(*self.done, build.assign(more, True))
        tests = replace(self.visits, filter=filters.all_of(self.conditions), body=inside)
        statements = [tests if s is self.visits else s for s in loop.body.statements]
        body = replace(loop.body, statements=(build.assign(more, False), *statements))
        return build.declare(more.symbol, build.truth(True)), typed.DoWhile(body, more, span=loop.span)


def _read(
    loop: typed.FixedPoint, flag: typed.Symbol, before: Sequence[typed.Statement], body: typed.Block
) -> _Round | None:
    """The round of a loop, if the flag is for nothing else."""
    every = loop.body.statements
    filled = filled_with(flag, before) == typed.TRUE
    asking = [s for s in walk.statements(body) if flag in walk.read(s) and s is not loop]
    clears = [place for place, s in enumerate(every) if empties(s, flag)]
    tests = [place for place, s in enumerate(every) if any(s is i for i in asking)]
    is_own = flag.type == FLAG and flag.role is typed.Role.LOCAL and not any(walk.calls(body))
    leaves = walk.leaves(loop.body) or walk.touches(loop.body, loop.flag)  # or asks whether the loop has ended
    if not is_own or not filled or len(asking) != 1 or leaves:
        return None
    match tests, clears:
        case [tested], [cleared] if tested < cleared and isinstance(visits := every[tested], typed.ForEach):
            conditions, done = effects.asked_by_loop(visits)
        case _:
            return None
    others = tuple(c for c in conditions if asked_flag(c, visits.iterator) is not flag)
    if len(others) + 1 != len(conditions) or not is_over_nodes(visits) or not _fail_after(visits, others, done, body):
        return None
    marks = frozenset(
        s.place.symbol
        for s in done
        if isinstance(s, typed.Assign) and s.place.symbol.type == FLAG and s.value == typed.TRUE
    )
    tested_symbols = {part.symbol for c in others for part in walk.within(c) if isinstance(part, typed.Cell)}
    asked = walk.variables(*others)
    written = walk.all_written(loop.body)
    flag_set = all(
        _sets_flag(part, flag, tested_symbols) for s in every[cleared + 1 :] for part in walk.statements(s)
    ) and not any((tested_symbols | {flag}) & walk.all_written(s) for s in every[:cleared] if s is not visits)
    nothing_left = all(_is_of_marked(s, marks, every[:tested], flag) for s in every if s is not visits)
    local = all(mark.role is typed.Role.LOCAL for mark in marks)
    if not flag_set or not nothing_left or not local or asked & written or tested_symbols & marks or flag in marks:
        return None
    return _Round(visits, others, done, marks)


def _fail_after(
    visits: typed.ForEach, conditions: Sequence[typed.Expression], done: Sequence[typed.Statement], body: typed.Block
) -> bool:
    """Whether a node that passes fails from then on, and no other node is concerned: it is about its own cells, and
    leaves a set of which it is asked to be a member."""
    own = typed.Variable(visits.iterator)
    cells = [part for c in conditions for part in walk.within(c) if isinstance(part, typed.Cell)]
    plain = all(isinstance(s, typed.Assign | typed.Update) for s in done) and not any(walk.calls(visits))
    mine = all(cell.index == own for cell in cells) and all(
        not isinstance(place, typed.Cell) or place.index == own for s in done for place in walk.written_places(s)
    )
    pure = not any(isinstance(part, typed.Aggregate) for c in conditions for part in walk.within(c))
    return plain and mine and pure and any(_leaves(c, visits, done, body) for c in conditions)


def _leaves(
    condition: typed.Expression, visits: typed.ForEach, done: Sequence[typed.Statement], body: typed.Block
) -> bool:
    """Whether a condition asks for a member of a set that the node leaves, by the only store to its cell."""
    if (found := member_of(condition)) is None or found[0].index != typed.Variable(visits.iterator):
        return False
    writers = walk.writers(found[0].symbol, visits.body)
    members = Members(found[0].symbol, found[1])
    return len(writers) == 1 and any(
        s is writers[0] and isinstance(s, typed.Assign) and members.joins(s.value, body) is False for s in done
    )


def _sets_flag(s: typed.Statement, flag: typed.Symbol, tested: set[typed.Symbol]) -> bool:
    """Whether each change of a tested number in a block sets the flag of the same node, and the flag is set beside such
    a change only."""
    if not isinstance(s, typed.Block):
        return isinstance(s, typed.Assign | typed.Update) or not (tested | {flag}) & set(walk.written(s))
    changes, sets = list[typed.Expression](), list[typed.Expression]()
    for inner in s.statements:
        for place in walk.written_places(inner):
            if isinstance(place, typed.Cell) and place.symbol in tested:
                changes.append(place.index)
            elif isinstance(place, typed.Cell) and place.symbol is flag:
                if not isinstance(inner, typed.Assign) or inner.value != typed.TRUE:
                    return False
                sets.append(place.index)
    return set(changes) == set(sets)


def _is_of_marked(
    s: typed.Statement, marks: frozenset[typed.Symbol], before: Sequence[typed.Statement], flag: typed.Symbol
) -> bool:
    """Whether a statement changes nothing in a round that marks no node: it clears flags, or is about marked nodes
    where none was marked when the round began."""
    match s:
        case typed.Attach(items=items):
            return all(symbol in (*marks, flag) and value == typed.FALSE for symbol, value in items)
        case typed.ForEach(filter=condition) if is_over_nodes(s) and condition is not None:
            mark = asked_flag(condition, s.iterator)
            return mark is not None and mark in marks and any(empties(i, mark) for i in before)
    return False
