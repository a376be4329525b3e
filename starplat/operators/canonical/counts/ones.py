"""Nodes that a loop visits, and that are counted behind it, are counted in the loop.

forall (v in g.nodes().filter(in)) {                  left = 0;
  v.core = k;                                         forall (v in g.nodes().filter(in)) {
}                                                       v.core = k; left += 1;
left = Count(in);                                     }
"""

from dataclasses import replace
from itertools import pairwise

from starplat.analysis import walk
from starplat.analysis.settling.monotone import asked_flag
from starplat.frontend import typed
from starplat.operators.build import Builder
from starplat.operators.canonical import rebuilding
from starplat.operators.canonical.counts.members import is_over_nodes


def with_ones_counted(body: typed.Block) -> typed.Block:
    """A function's body in which the members of such sets are counted."""
    counts = any(_count(s) is not None for s in walk.statements(body))
    return rebuilding.with_host_blocks(body, _counted_there) if counts else body


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


def _counted_there(statements: rebuilding.Statements) -> rebuilding.Statements:
    """The statements of a block, with counts of what the loop before goes through made in that loop."""
    for place, (loop, s) in enumerate(pairwise(statements)):
        if (found := _count(s)) is not None and _goes_through(loop, *found):
            assert isinstance(loop, typed.ForEach)
            build = Builder(s.span)
            kind = typed.scalar_of(found[0])
            one = typed.Update(typed.Combine.ADD, found[0], build.number(1, kind), span=s.span)
            counting = replace(loop, body=replace(loop.body, statements=(*loop.body.statements, one)))
            begins = build.assign(found[0], build.number(0, kind))
            return _counted_there((*statements[:place], begins, counting, *statements[place + 2 :]))
    return statements


def _goes_through(loop: typed.Statement, place: typed.Variable, members: typed.Symbol) -> bool:
    """Whether a loop goes through the members of a set, and has nothing to do with their number."""
    if not isinstance(loop, typed.ForEach) or not is_over_nodes(loop) or loop.filter is None:
        return False
    changes = members in walk.all_written(loop) or walk.touches(loop, place.symbol) or walk.leaves(loop)
    return asked_flag(loop.filter, loop.iterator) is members and not changes
