"""Rounds while a set has members are a fixed point of none being left.

while (Count(frontier) > 0) {                         fixedPoint until (done : !frontier) {
  ... w.next = True; ...                                ... w.next = True; ...
  frontier = next;                                      frontier = next;
}                                                     }

The number may also be kept in a scalar that every round sets in the end. The set has members when the loop begins, and
rounds do not only add to it: a fixed point of such rounds would begin each with an empty set.
"""

from collections.abc import Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.convergence import Spelling, convergence
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import counters, hosts
from starplat.operators.canonical.labels.growing import counted
from starplat.operators.canonical.searches.initial_values import initial_values

_FLAG = types.PropertyType(types.Carrier.NODE, types.Scalar.BOOL)
_Loop = typed.While | typed.DoWhile


def until_none_is_left(body: typed.Block, program: typed.Program) -> typed.Block:
    """A function's body with such fixed points."""
    return hosts.with_loops(body, lambda loop, around: _fixed_point(loop, around, program))


def _fixed_point(
    loop: hosts.HostLoop, around: hosts.Surroundings, program: typed.Program
) -> tuple[typed.FixedPoint] | None:
    if not isinstance(loop, _Loop):
        return None
    rounds, known = loop.body.statements, around.known_before(loop)
    match loop.condition:
        case typed.Binary(left=typed.Aggregate(aggregation=typed.Aggregation.COUNT, property=members)) as condition:
            begins = _has_members(members, around.before(loop))
        case typed.Binary(left=typed.Variable(size)) as condition if found := counted(rounds, size):
            members, others = found
            begins = known.get(size, 0) > 0
            needed = around.is_seen(size, loop) or any(size in walk.read(i) for s in others for i in walk.statements(s))
            rounds = rounds if needed else others
        case _:
            return None
    if members.type != _FLAG or not counters.says_that_some(condition) or hosts.may_leave(rounds):
        return None
    if isinstance(loop, typed.While) and not begins:
        return None
    build = Builder(loop.span)
    domains = (s.domain for s in walk.statements(loop) if isinstance(s, typed.ForEach))
    graph = next(d.graph for d in domains if isinstance(d, typed.AllNodes | typed.AllEdges | typed.Neighbors))
    made = replace(build.until_none(members, graph), body=replace(loop.body, statements=rounds))
    return None if convergence(made, program).spelling is Spelling.ONE_FLAG else (made,)


def _has_members(members: typed.Symbol, before: Sequence[typed.Statement]) -> bool:
    """Whether some node, or every one, is put into a set, and none is taken out again."""
    begun, true = initial_values(members, before), typed.TRUE
    return (
        begun is not None and all(value == true for _, value in begun.set) and (begun.fill == true or bool(begun.set))
    )
