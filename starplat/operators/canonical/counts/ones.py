"""Sums of cells that hold 0 or 1 count those that hold 1; nodes that a loop visits are counted there.

for (u in g.nodes_to(v)) { d += u.in; }               for (u in g.nodes_to(v)) { if (u.in == 1) { d += 1; } }
forall (v in g.nodes().filter(in == 1)) {             left = 0;
  v.core = k;                                         forall (v in g.nodes().filter(in == 1)) {
}                                                       v.core = k; left += 1;
left = Sum(in);                                       }
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import conjuncts
from starplat.frontend import typed
from starplat.operators.build import Builder
from starplat.operators.canonical import rebuilding, rising
from starplat.operators.canonical.counts.members import FLAG, NUMBER, is_over_nodes, member_of


def with_ones_counted(body: typed.Block) -> typed.Block:
    """A function's body in which such cells are counted."""
    own = {s.symbol for s in walk.statements(body) if isinstance(s, typed.Declare) and s.symbol.type == NUMBER}
    ones = {symbol for symbol in own if symbol.role is typed.Role.LOCAL and _is_one_or_none(symbol, body)}

    def change(part: Any) -> Any:
        match part:
            case typed.Update(combine=typed.Combine.ADD, value=value) if (cell := _cell(value, ones)) is not None:
                build = Builder(part.span)
                one = build.number(1, typed.scalar_of(value))
                return build.when(build.equal(cell, build.number(1)), replace(part, value=one))
            case typed.Aggregate(aggregation=typed.Aggregation.SUM, property=symbol) if symbol in ones:
                return replace(part, aggregation=typed.Aggregation.COUNT)
            case typed.Block(statements):
                inner = [rebuilding.rebuilt(s, change) for s in statements]
                return replace(part, statements=tuple(_counted_there(inner, ones)))
        return None

    return rebuilding.rebuilt(body, change) if ones or _counts_members(body) else body


def _is_one_or_none(symbol: typed.Symbol, body: typed.Block) -> bool:
    """Whether a property is filled, and only 0 and 1 are stored in its cells."""
    stored: list[typed.Expression | typed.Symbol] = []
    for s in walk.writers(symbol, body):
        match s:
            case typed.Attach(items=items):
                stored += [value for filled, value in items if filled is symbol]
            case typed.Assign(value=value):
                stored.append(value)
            case _:
                return False
    lent = any(symbol in call.arguments for call in walk.calls(body))
    return (
        bool(stored)
        and not lent
        and all(isinstance(value, typed.Expression) and rising.number(value) in (0, 1) for value in stored)
    )


def _cell(value: typed.Expression, ones: set[typed.Symbol]) -> typed.Cell | None:
    """The cell that is added, if it holds 0 or 1."""
    value = value.operand if isinstance(value, typed.Convert) else value
    return value if isinstance(value, typed.Cell) and value.symbol in ones else None


def _count(s: typed.Statement) -> tuple[typed.Variable, typed.Symbol] | None:
    """The scalar that gets the number of members of a set, and the set."""
    match s:
        case typed.Assign(
            typed.Variable() as place,
            typed.Aggregate(aggregation=typed.Aggregation.COUNT, property=of)
            | typed.Convert(typed.Aggregate(aggregation=typed.Aggregation.COUNT, property=of)),
        ):
            return place, of
    return None


def _counts_members(body: typed.Block) -> bool:
    return any(_count(s) is not None for s in walk.statements(body))


def _counted_there(statements: list[typed.Statement], ones: set[typed.Symbol]) -> Iterator[typed.Statement]:
    """The statements, with counts of what the loop before goes through made in that loop; `ones`
    are the properties whose cells hold 0 or 1."""
    made: dict[int, tuple[typed.Statement, ...]] = {}
    for place, (loop, s) in enumerate(pairwise(statements)):
        if (found := _count(s)) is not None and _goes_through(loop, *found, ones):
            assert isinstance(loop, typed.ForEach)
            build = Builder(s.span)
            kind = typed.scalar_of(found[0])
            one = typed.Update(typed.Combine.ADD, found[0], build.number(1, kind), span=s.span)
            counting = replace(loop, body=replace(loop.body, statements=(*loop.body.statements, one)))
            made[place], made[place + 1] = (build.assign(found[0], build.number(0, kind)), counting), ()
    for place, s in enumerate(statements):
        yield from made.get(place, (s,))


def _goes_through(loop: typed.Statement, place: typed.Variable, members: typed.Symbol, ones: set[typed.Symbol]) -> bool:
    """Whether a loop goes through the members of a set, and has nothing to do with their number."""
    if not isinstance(loop, typed.ForEach) or not is_over_nodes(loop) or loop.filter is None:
        return False
    asked = [member_of(c) for c in conjuncts(loop.filter)]
    mine = typed.Cell(members, typed.Variable(loop.iterator))
    changes = members in walk.all_written(loop) or walk.touches(loop, place.symbol) or walk.leaves(loop)
    return asked == [(mine, 1 if members in ones else True)] and members.type in (FLAG, NUMBER) and not changes
