"""Rounds until a set is no larger than before are rounds until no node joins it.

int size = 1; int last = 0;                           bool more = True;
while (size != last) {                                while (more) {
  last = size;                                          more = False;
  ... w.there = True; ...                               ... if (!w.there) { w.there = True; more = True; } ...
  size = Count(there);
}                                                     }

Nodes only join in these rounds, and the number that the loop begins with is that of the set. Where a round counts those
that join, and adds them to the number, it is their number that is compared with 0. An endless loop may count first:

while (True) {
  size = Count(there);
  if (size == last) { break; }
  last = size;
  ... w.there = True; ...
}
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import conjuncts
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical.effects import asked_by_loop
from starplat.operators.canonical.hosts import HostLoop, Known, Surroundings, may_leave, with_loops
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.operators.canonical.rising import number
from starplat.operators.canonical.searches.initial_values import initial_values
from starplat.operators.canonical.searches.stores import says

_Loop = typed.While | typed.DoWhile


def until_none_joins(body: typed.Block) -> typed.Block:
    """A function's body with such rounds."""
    return with_loops(body, _until_none_joins)


def _until_none_joins(loop: HostLoop, around: Surroundings) -> tuple[typed.Statement, ...] | None:
    if not isinstance(loop, _Loop):
        return None
    counted_first = _counted_first(loop)
    growth = _added(loop) or _read(counted_first or loop)
    if growth is None or any(around.is_seen(s, loop) for s in (growth.size, growth.last)):
        return None
    known = around.known_before(loop)
    if isinstance(growth, _Added):
        return growth.made(loop) if growth.begins(loop, known) else None
    size = _size(growth.members, around.before(loop))
    if size is None or (counted_first is None and size != known.get(growth.size)):
        return None
    begins = not isinstance(loop, typed.While) or size > known.get(growth.last, math.inf)
    return growth.made(loop) if begins else None


def _counted_first(loop: _Loop) -> typed.While | None:
    """An endless loop that counts first, and is left where the number is the last one, as one that counts last; its
    first number has been counted before it."""
    if not isinstance(loop, typed.While) or loop.condition != typed.TRUE:
        return None
    for place, s in enumerate(loop.body.statements):
        match s:
            case typed.If(
                typed.Binary(typed.Operator.EQUAL, one, other) as stands, typed.Block((typed.Break(),)), None
            ):
                counts, rounds = map(_assigned, loop.body.statements[:place]), loop.body.statements[place + 1 :]
                kept = [i.place for i in rounds[:1] if isinstance(i, typed.Assign)]
                size, last = (one, other) if kept == [other] else (other, one)
                goes_on = replace(stands, operator=typed.Operator.NOT_EQUAL, left=size, right=last)
                return typed.While(goes_on, replace(loop.body, statements=(*rounds, *counts)), span=loop.span)
    return None


def _assigned(s: typed.Statement) -> typed.Statement:
    """A declaration as a store."""
    match s:
        case typed.Declare(symbol, value) if value is not None:
            return typed.Assign(typed.Variable(symbol, span=s.span), value, span=s.span)
    return s


@dataclass(frozen=True)
class _Growth:
    """What a round compares: how many `members` there were in the `last`, and the statements between."""

    size: typed.Symbol
    last: typed.Symbol
    members: typed.Symbol
    rounds: tuple[typed.Statement, ...]

    def made(self, loop: _Loop) -> tuple[typed.Statement, ...]:
        """The loop that goes on while a node joins."""
        build = Builder(loop.span)
        more = build.variable(build.local("more", Scalar.BOOL))

        def joins(s: typed.Assign | typed.Update, *when: typed.Expression) -> typed.Statement:
            at = Builder(s.span)
            return at.when(at.both(*when, at.negated(s.place)), at.assign(s.place, True), at.assign(more, True))

        def change(part: Any) -> Any:
            match part:
                case typed.If(_, then, None) if self._asks_first(part):
                    goes_on = Builder(part.span).assign(more, True)
                    return replace(part, then=replace(then, statements=(goes_on, *then.statements)))
                case typed.Assign(typed.Cell(symbol)) if symbol is self.members:
                    return joins(part)
                case typed.Update(place=typed.Cell(symbol), value=value) if symbol is self.members:
                    return joins(part, value)
            return None

        rounds = (build.assign(more, False), *rebuilt(self.rounds, change))
        return build.declare(more.symbol, build.truth(True)), replace(loop, condition=more, body=build.block(*rounds))

    def _asks_first(self, branch: typed.If) -> bool:
        """Whether a branch makes a node a member, for which it asks that it is none."""
        stores = [s for s in branch.then.statements if self.members in walk.all_written(s)]
        match stores:
            case [typed.Assign(typed.Cell() as place)]:
                return any(says(c, place, False) for c in conjuncts(branch.condition))
        return False


@dataclass(frozen=True)
class _Added:
    """What a round compares: a `size`, and that of the `last` round, to which it has added `more`."""

    size: typed.Symbol
    last: typed.Symbol
    more: typed.Variable
    rounds: tuple[typed.Statement, ...]

    def begins(self, loop: _Loop, known: Known) -> bool:
        """Whether a first round runs for sure."""
        size, last = known.get(self.size), known.get(self.last)
        if not isinstance(loop, typed.While) or size is None or last is None:
            return not isinstance(loop, typed.While)
        return size != last if _asked(loop) is typed.Operator.NOT_EQUAL else size > last

    def made(self, loop: _Loop) -> tuple[typed.Statement, ...]:
        """The loop that goes on while something is added."""
        build = Builder(loop.span)
        grown = build.variable(build.local("grown", Scalar.BOOL))
        some = build.compared(self.more, _asked(loop), build.number(0, self.more.symbol.scalar))
        body = build.block(*self.rounds, build.assign(grown, some))
        return build.declare(grown.symbol, build.truth(True)), replace(loop, condition=grown, body=body)


def _asked(loop: _Loop) -> typed.Operator:
    """How the number of the last round is compared with 0."""
    assert isinstance(loop.condition, typed.Binary)
    is_differing = loop.condition.operator is typed.Operator.NOT_EQUAL
    return typed.Operator.NOT_EQUAL if is_differing else typed.Operator.GREATER


def _added(loop: _Loop) -> _Added | None:
    """The sum that a loop waits for the end of, where it is the last thing that a round works out."""
    compared = _compared(loop)
    match compared, loop.body.statements[-1:]:
        case (
            (size, last, (*rounds,)),
            (
                typed.Assign(
                    typed.Variable(to), typed.Binary(typed.Operator.ADD, typed.Variable(one), typed.Variable(other))
                ),
            ),
        ) if to is size and last in (one, other) and one is not other:
            more, rest = other if one is last else one, tuple(rounds[:-1])
            used = {symbol for s in rest for i in walk.statements(s) for symbol in (*walk.read(i), *walk.written(i))}
            apart = more.type == last.type and not used & {size, last} and not may_leave(rest)
            return _Added(size, last, typed.Variable(more, span=loop.span), rest) if apart else None
    return None


def _compared(loop: _Loop) -> tuple[typed.Symbol, typed.Symbol, tuple[typed.Statement, ...]] | None:
    """The number that a loop compares with what it keeps of it as a round begins, and the rest of the round."""
    match loop.condition:
        case typed.Binary(
            typed.Operator.NOT_EQUAL | typed.Operator.GREATER, typed.Variable(size), typed.Variable(last)
        ):
            pass
        case typed.Binary(typed.Operator.LESS, typed.Variable(last), typed.Variable(size)):
            pass
        case _:
            return None
    match loop.body.statements:
        case (typed.Assign(typed.Variable(to), typed.Variable(of)), *rounds) if to is last and of is size:
            return size, last, tuple(rounds)
    return None


def _read(loop: _Loop) -> _Growth | None:
    """The growth that a loop waits for the end of."""
    if (compared := _compared(loop)) is None:
        return None
    size, last, rounds = compared
    found = counted(rounds, size)
    if found is None:
        return None
    members, rest = found
    inside = [i for s in rest for i in walk.statements(s)]
    used = {symbol for i in inside for symbol in (*walk.read(i), *walk.written(i))}
    writers = [i for i in inside if members in walk.written(i)]
    if used & {size, last} or may_leave(rest) or not writers or not all(_joins(w, members) for w in writers):
        return None
    return _Growth(size, last, members, rest)


def _joins(s: typed.Statement, members: typed.Symbol) -> bool:
    """Whether a statement only makes nodes members."""
    match s:
        case typed.Assign(typed.Cell(symbol), value):
            return symbol is members and value == typed.TRUE
        case typed.Update(typed.Combine.OR, typed.Cell(symbol)):
            return symbol is members
    return False


def counted(
    rounds: Sequence[typed.Statement], size: typed.Symbol
) -> tuple[typed.Symbol, tuple[typed.Statement, ...]] | None:
    """The set whose members a round counts when it no longer changes them, and what else it does."""
    last = max((i for i, s in enumerate(rounds) if walk.touches(s, size)), default=-1)
    ahead, after = rounds[: last + 1], rounds[last + 1 :]
    found = _counted(ahead, size)
    if found is None or any(found[0] in walk.all_written(s) for s in after):
        return None
    return found[0], (*found[1], *after)


def _counted(
    rounds: Sequence[typed.Statement], size: typed.Symbol
) -> tuple[typed.Symbol, tuple[typed.Statement, ...]] | None:
    """The set whose members are counted last, and what stands before."""
    match rounds:
        case (*rest, typed.Assign(typed.Variable(to), value)) if to is size:
            value = value.operand if isinstance(value, typed.Convert) else value
            is_count = isinstance(value, typed.Aggregate) and value.aggregation is typed.Aggregation.COUNT
            return (value.property, tuple(rest)) if is_count and isinstance(value, typed.Aggregate) else None
        case (*rest, typed.Assign(typed.Variable(to), nothing), typed.ForEach(domain=typed.AllNodes()) as counting) if (
            to is size and number(nothing) == 0
        ):
            match asked_by_loop(counting):
                case (
                    (typed.Cell(members, typed.Variable(at)),),
                    (typed.Update(typed.Combine.ADD, typed.Variable(also), value),),
                ) if also is size and at is counting.iterator and number(value) == 1:
                    return (members, tuple(rest)) if members.property.element is Scalar.BOOL else None
    return None


def _size(members: typed.Symbol, before: Sequence[typed.Statement]) -> int | None:
    """How many members a set has that is filled with none, or with one."""
    begun = initial_values(members, before)
    if begun is None or begun.fill != typed.FALSE or not all(value == typed.TRUE for _, value in begun.set):
        return None
    return len(begun.set) if len(begun.set) < 2 else None
