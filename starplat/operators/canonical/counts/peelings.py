"""Writes peelings in one loop, whose rounds raise the bound where no node leaves; `core` tells which nodes are left.

int k = 1;                                            int k = 0;
while (left > 0) {                                    while (left > 0) {
  bool again = True;                                    int peeled = 0;
  while (again) {                                       forall (v in g.nodes().filter(core == -1 && d <= k)) {
    again = False;                                        v.core = k; v.peeling = True; peeled += 1;
    forall (v in g.nodes().filter(alive)) {             }
      int d = 0;                                        forall (v in g.nodes().filter(peeling)) {
      for (u in g.nodes_to(v).filter(alive)) { d++; }     v.peeling = False;
      if (d < k) {                                        forall (u in g.neighbors(v)) { u.d -= 1; }
        v.alive = False; v.core = k - 1;                }
        left -= 1; again = True;                        left -= peeled;
      }                                                 if (peeled == 0) { k += 1; }
    }                                                 }
  }
  k += 1;
}

The same nodes leave at the same bounds: a node leaves that has no more than so many neighbors among the members, and
the order does not matter. The loop runs as long as nodes are left; the bound rises by one after rounds in which none
leaves, or to the least degree of those left. `core` may be stored for those that survive a bound in place of those that
leave. What rounds do is read by `followed`.
"""

from collections.abc import Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import hosts, rebuilding, rising
from starplat.operators.canonical.counts import rows
from starplat.operators.canonical.counts.followed import (
    NONE,
    ONE,
    Cells,
    Followed,
    NotFollowed,
    Of,
    Rows,
    Sum,
    When,
    joined,
    plus,
)

_MOST = 9
"""Rounds until it is known what cells hold when one begins."""
_NUMBER = types.PropertyType(types.Carrier.NODE, types.Scalar.INT)


def as_peelings(body: typed.Block) -> typed.Block:
    """A function's body with such peelings in one loop."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        if not _is_in_form(loop) and (found := _peeling(loop, around)) is not None:
            core, counted = found
            return as_peelings(peeled(loop, around, core, counted))
    return body


def _is_in_form(loop: hosts.HostLoop) -> bool:
    """Whether a peeling is in one loop as it is."""
    match loop, [s for s in loop.body.statements if not isinstance(s, typed.Declare)]:
        case typed.While(), [typed.ForEach() as visits, typed.ForEach() as told, typed.Update(), typed.If()]:
            members = [c for c in all_asked(visits.filter) if rising.number(getattr(c, "right", None)) == -1]
            first = told.body.statements[0]
            return bool(members) and isinstance(first, typed.Assign) and first.value == typed.FALSE
    return False


def peeled(loop: hosts.HostLoop, around: hosts.Surroundings, core: typed.Symbol, row: rows.Row) -> typed.Block:
    """The function's body with a peeling in the place of a loop, without what only that needs."""
    block, place = around.block_of(loop)
    before, made = block.statements[:place], rows.peeling(core, row, Builder(loop.span))
    own = {s for i in before for s in walk.declared(i) if not around.is_seen(s, loop)} | {core}
    declared = [s for s in before if core in walk.declared(s)]  # where the numbers are not the result
    others = [s for s in before if s not in declared]
    while True:
        gone = [s for s in others if (c := _changes(s)) and c <= own]
        kept = [s for s in before if not any(s is g for g in gone)]
        used = {s for k in kept for i in walk.statements(k) for s in walk.read(i)}
        used |= {s for k in kept if not isinstance(k, typed.Attach) and k not in declared for s in _changes(k)}
        if not (used := used & own):
            break
        own -= used
    statements = (*(n for s in kept for n in _without(s, own)), *made, *block.statements[place + 1 :])
    return rebuilding.with_block(around.body, block, rebuilding.with_statements(block, statements))


def _changes(s: typed.Statement) -> set[typed.Symbol]:
    return {symbol for i in walk.statements(s) for symbol in (*walk.written(i), *walk.declared(i))}


def _without(s: typed.Statement, own: set[typed.Symbol]) -> tuple[typed.Statement, ...]:
    match s:
        case typed.Attach(items=items):
            rest = tuple(item for item in items if item[0] not in own)
            return (replace(s, items=rest),) if rest else ()
    return (s,)


def _peeling(loop: hosts.HostLoop, around: hosts.Surroundings) -> tuple[typed.Symbol, rows.Row] | None:
    """The core numbers that a loop computes, and the neighbors that it counts."""
    try:
        core, row = _read(loop, around)
    except NotFollowed:
        return None
    own = {*walk.all_written(loop.body), *([loop.flag] if isinstance(loop, typed.FixedPoint) else [])} - {core}
    unseen = all(s.role is not typed.Role.PARAMETER and not around.is_seen(s, loop) for s in own)
    return (core, row) if unseen and core.type == _NUMBER else None


def _read(loop: hosts.HostLoop, around: hosts.Surroundings) -> tuple[typed.Symbol, rows.Row]:
    inner = next((s for s in loop.body.statements if isinstance(s, hosts.HostLoop)), None)
    itself = _counts_for_itself(loop) and (inner is None or _counts_for_itself(inner))
    if not itself or hosts.may_leave(around.before(loop)):
        raise NotFollowed
    cells: Cells | None = None
    gone: frozenset[When] = frozenset()
    for _ in range(_MOST):
        begun = Followed(around.body, found := Rows())
        begun.begin(around.before(loop))
        paths, first = _paths(loop, inner, begun, found, cells, gone)
        rounds = joined(paths[0].next_cells(paths), paths[-1].next_cells(paths), begins=cells is None)
        made, classes = joined(first, rounds, begins=True), frozenset(When) - {When.MEMBER, When.LEAVING}
        if made == cells and classes == gone:
            break
        members = {symbol: held[When.MEMBER] for symbol, held in made.items()}
        if cells is None or members != {symbol: held[When.MEMBER] for symbol, held in cells.items()}:
            cells, gone = {symbol: {When.MEMBER: held} for symbol, held in members.items()}, frozenset()
        else:
            cells, gone = made, classes if gone else frozenset({When.LAST})
    else:
        raise NotFollowed
    some, none = paths[0], paths[-1]
    assert cells is not None
    numbers = [s for s, held in cells.items() if all(held.get(w) == {Of.BOUND: 1} for w in (When.LAST, When.EARLIER))]
    cores = [s for s in numbers if s.role is typed.Role.PARAMETER or around.is_seen(s, loop)]
    if not _rises(begun, some, none if none is not some else None) or found.counted is None or len(cores) != 1:
        raise NotFollowed
    return cores[0], found.counted


def _paths(
    loop: hosts.HostLoop,
    inner: hosts.HostLoop | None,
    begun: Followed,
    found: Rows,
    cells: Cells | None,
    gone: frozenset[When],
) -> tuple[list[Followed], Cells]:
    """The round in which some nodes leave and the one in which none does, and what cells hold when the first round
    begins, if the loop goes on as long as nodes are left."""
    every = loop.body.statements
    place = 0 if inner is None else every.index(inner)
    begins = not isinstance(loop, typed.While) or begun.number(loop.condition) in ({Of.NODES: 1}, ONE)
    begun.run(every[:place] if inner is not None else ())
    inside = {s for s in walk.all_written(loop.body) if isinstance(s.type, types.PropertyType)}
    first: Cells = {s: {When.MEMBER: begun.cells.get(s, {}).get(When.MEMBER)} for s in {*begun.cells, *inside}}
    some, none = (
        Followed(begun.body, found, leaves, cells={s: dict(held) for s, held in (cells or first).items()}, gone=gone)
        for leaves in (True, False)
    )
    rounds = [some, none]
    if inner is None:
        some.run(every)
        if some.raised is None:
            none.run(every)
        else:
            rounds = [some]
        left = rounds[-1].members_left(loop)
        begins = begins and all(s.members_left(loop) == left or _goes_on_as_before(s, loop) for s in rounds)
    else:
        for followed in rounds:
            followed.run(inner.body.statements)
            begins = begins and followed.goes_on(inner) is followed.leaves
        none.run(every[place + 1 :])
        left = none.members_left(loop)
        none.run(_kept(every[:place], inner))
        begins = begins and (isinstance(inner, typed.DoWhile) or (begun.goes_on(inner) and none.goes_on(inner)))
    counts = all(s.later(left) == plus(left, {Of.GONE: -1 if s.leaves else 0}) for s in rounds)
    if not begins or not counts or begun.later(left) != {Of.NODES: 1} or any(s.bound is None for s in rounds):
        raise NotFollowed
    return rounds, first


def _kept(before: Sequence[typed.Statement], inner: hosts.HostLoop) -> list[typed.Statement]:
    """What stands before the inner loop, without the fill of the one property that this uses, where that is the same in
    every round: a bound leaves the same members, whether all nodes are members again or those left."""
    changed, begun = (
        walk.all_written(inner.body),
        {s for i in before for s in (*walk.all_written(i), *walk.declared(i))},
    )
    used = changed | {s for i in walk.statements(inner.body) for s in walk.read(i)}
    properties = {s for s in used if isinstance(s.type, types.PropertyType)}
    if len(properties) != 1 or not changed - set(walk.declared(inner.body)) <= begun:
        return [*before]
    (members,) = properties

    def fills(s: typed.Statement) -> bool:
        match s:
            case typed.Attach(items=((symbol, _),)):
                return symbol is members and not any(walk.read(s))
            case typed.Declare(symbol):
                return symbol is members
        return False

    kept = [s for s in before if not fills(s)]
    return [*before] if any(walk.touches(s, members) for s in kept) else kept


def _goes_on_as_before(followed: Followed, loop: hosts.HostLoop) -> bool:
    """Whether a round changes nothing about a condition that held before it."""
    begun = Followed(followed.body, Rows())
    return isinstance(loop, typed.While) and followed.number(loop.condition) == begun.number(loop.condition)


def _counts_for_itself(loop: hosts.HostLoop) -> bool:
    """Whether a loop changes no number of others where it begins or between its rounds."""
    return not isinstance(loop, typed.CountedLoop) or (
        loop.declares and {*walk.all_written(loop.step)} <= {loop.symbol}
    )


def _rises(begun: Followed, some: Followed, none: Followed | None = None) -> bool:
    """Whether the bound is 0 at first and rises by one after rounds in which no node leaves, or to the least degree."""
    assert some.bound is not None
    if none is None:
        assert some.raised is not None
        k: Sum = {some.raised: 1}
        return begun.later(k) == NONE and some.bound == some.later(k) == {Of.RAISED: 1}
    assert none.bound is not None
    stays = some.bound == none.bound == some.later(some.bound)
    rises = none.later(none.bound) == plus(none.bound, ONE) and begun.later(none.bound) == NONE
    return stays and rises and none.raised is some.raised is None
