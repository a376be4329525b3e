"""The loops of a function that count triangles, as operators.

A sum that is divided by what each triangle adds, and not looked at otherwise, is one of which each triangle adds one:

forall (u in g.nodes()) { ... sum += 1; ... }         intersect u -> w when u < w: common x > w
return sum / 6;                                         sum <- sum 1
                                                      return sum
"""

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators import records as op
from starplat.operators.answers import triangles, triples
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.same import Same


def with_intersections(body: typed.Block, program: typed.Program) -> tuple[typed.Block, dict[Same, op.Intersect]]:
    """A function's body with such sums, and what its loops over all triangles are, by their `id`s."""
    found: dict[Same, op.Intersect] = {}
    for s in walk.statements(body):
        if isinstance(s, typed.ForEach) and s.parallel and (counted := triangles.counted_in(s, program)) is not None:
            found[Same(s)] = op.Intersect(counted.symbol, counted.value, s)
    for place, meeting in found.items():
        if isinstance(meeting.total.type, types.Scalar) and _is_asked_for_in_shares(meeting, body):
            body = _with_whole_sum(meeting, body)
            found[place] = op.Intersect(meeting.total, 1, meeting.loop)
    return body, found


def _is_asked_for_in_shares(meeting: op.Intersect, body: typed.Block) -> bool:
    """Whether a sum begins with nothing, only triangles are added, and all that is asked for is how many."""
    inside = list(walk.statements(body))
    begins = [s.value for s in inside if isinstance(s, typed.Declare) and s.symbol is meeting.total]
    writes = sum(meeting.total in walk.written(s) for s in inside)
    parts = [part for s in inside for part in walk.own_parts(s)]
    shares = sum(_is_share(part, meeting) for part in parts)
    whole = parts.count(typed.Variable(meeting.total))
    return begins == [typed.Literal(0, meeting.total.scalar)] and writes == 1 and shares == whole


def _with_whole_sum(meeting: op.Intersect, body: typed.Block) -> typed.Block:
    return rebuilt(body, lambda part: typed.Variable(meeting.total) if _is_share(part, meeting) else None)


def _is_share(value: object, meeting: op.Intersect) -> bool:
    match value:
        case typed.Binary(typed.Operator.DIVIDE, left, right):
            return triples.bare(left) == typed.Variable(meeting.total) and triples.constant(right) == meeting.value
    return False
