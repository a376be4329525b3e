"""What arcs offer in the rounds of a loop that does nothing else and ends only when they have nothing to offer.

Asked by the rewrites that replace such loops, and of the canonical form by the answers about them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.analysis.settling.loops import settles
from starplat.analysis.settling.lost_updates import loses_no_update
from starplat.analysis.settling.monotone import all_asked, asked_flag, mentions
from starplat.frontend import typed
from starplat.operators.canonical.arcs import by_rows
from starplat.operators.canonical.counted import (
    added_by_arcs,
    never_better,
    until_nothing_changes,
    until_quiet,
    with_bound_as_count,
)
from starplat.operators.canonical.effects import EffectReader
from starplat.operators.canonical.extremes import as_extremes, with_branches_apart
from starplat.operators.canonical.gathers import as_scatters
from starplat.operators.canonical.hosts import HostLoop, Known, Loop, Surroundings, at_once, surely_begins
from starplat.operators.canonical.labels.any_neighbor import without_findings
from starplat.operators.canonical.labels.double_buffers import in_one_buffer
from starplat.operators.canonical.labels.guards import without_idle_guards
from starplat.operators.canonical.rebuilding import rebuilt, spliced, substituted
from starplat.operators.canonical.searches.initial_values import opened, worst
from starplat.operators.canonical.searches.offers import as_offers, with_marks
from starplat.operators.records import EdgeEffect
from starplat.same import Same, remembered


def edge_effects(
    written: HostLoop,
    around: Surroundings,
    program: typed.Program,
    results: frozenset[typed.Symbol],
    *,
    frontier_is_kept: bool = False,
) -> tuple[EdgeEffect, ...]:
    """What arcs offer in every round of a loop, if that is all it does, and it ends only when they offer nothing. That
    its frontier is empty then may be seen later if it `is_kept`."""
    offered = _offered(written, around, program)
    if offered is None:
        return ()
    left = offered.left - {e.frontier for e in offered.effects if frontier_is_kept}
    return () if any(s in results or around.is_seen(s, written) for s in left) else offered.effects


@dataclass(frozen=True, slots=True)
class _Offered:
    """What the arcs offer in rounds that do nothing else, and the symbols that these leave changed besides."""

    effects: tuple[EdgeEffect, ...]
    left: frozenset[typed.Symbol]

    def is_like(self, other: "_Offered | None") -> bool:
        """Whether others offer the same, whatever they call the ends of arcs."""
        if other is None or len(self.effects) != len(other.effects):
            return False
        pairs = zip(self.effects, other.effects, strict=True)
        return all(
            _said(a) == _said(substituted(b, {b.source: a.source, b.destination: a.destination})) for a, b in pairs
        )


def _said(e: EdgeEffect) -> tuple[object, ...]:
    return e.source, e.destination, e.direction, e.when, e.target, e.how, e.value, e.carried, e.frontier


@remembered(64)
def _offered(written: HostLoop, around: Surroundings, program: typed.Program) -> _Offered | None:
    """Of a loop, as far as nothing is seen of it; found once, though rewrites and answers ask again."""
    found = [_offered_by(body, written, around, program) for body in _ways(written.body)]
    first, *others = found
    return first if all(first is not None and first.is_like(other) for other in others) else None


def _ways(body: typed.Block) -> Iterator[typed.Block]:
    """The body of a loop, once for each way in which a round may go if the host chooses between two."""
    choices = [s for s in body.statements if isinstance(s, typed.If) and s.otherwise is not None]
    if len(choices) != 1 or not any(isinstance(s, typed.ForEach) for s in walk.statements(choices[0])):
        yield body
        return
    place = body.statements.index(choices[0])
    for way in (choices[0].then, choices[0].otherwise):
        assert way is not None
        yield spliced(body, place, way.statements)


def _offered_by(body: typed.Block, written: HostLoop, around: Surroundings, program: typed.Program) -> _Offered | None:
    """What arcs offer in the rounds of a loop that go as one of its bodies says."""
    before = opened(around.before(written))
    freed = at_once(body)
    rounds = _as_rounds(replace(written, body=plain(freed)), written, around)
    if (
        rounds is None
        or (lowered := _lowered((loop := rounds[0]).body)) is None
        or not settles(loop, *lowered, program)
    ):
        return None
    symbol, extreme = lowered
    written_by = {s for inner in walk.statements(loop) for s in (*walk.written(inner), *walk.declared(inner))}
    in_order = freed is not body
    reader = EffectReader(symbol, extreme, written_by, worst(symbol, extreme, before, rounds[1]), in_order=in_order)
    effects = reader.effects(loop.body.statements)
    if in_order and not _carries_the_same(effects):
        return None
    if is_counted(written, around) and not all(never_better(e) or added_by_arcs(e) for e in effects):
        return None
    if not any(e.frontier is not None or mentions(e.value, {symbol}) for e in effects):
        return None  # one round is enough
    if len(reader.graphs) != 1 or len({effect.frontier for effect in effects}) != 1:
        return None
    carried = {c.place.symbol for effect in effects for c in effect.carried}
    others = [s for s in walk.statements(loop) if not _lowers(s, symbol)]
    if any(carried & {*walk.written(s), *walk.declared(s)} for s in others):
        return None  # what goes with the winners is changed besides, or begins anew
    frontier = effects[0].frontier
    if {symbol, frontier} & set(walk.declared(loop)):
        return None  # every round begins with other cells
    if frontier is not None and not (
        _joins_by_winning(frontier, symbol, loop, written, around) and loses_no_update(frontier, symbol, loop, program)
    ):
        return None
    changed = walk.all_written(written)
    return _Offered(effects, frozenset(changed - {symbol} - carried))


def _as_rounds(plain: HostLoop, written: HostLoop, around: Surroundings) -> tuple[Loop, Known] | None:
    """The `plain` form of a loop as rounds that offer values until nothing changes, and what is known when they begin;
    None if it may not begin, or end before."""
    known, before = dict(around.known_before(written)), opened(around.before(written))
    loop = in_one_buffer(with_bound_as_count(plain, known, before), before)
    if isinstance(loop, typed.CountedLoop):
        quiet = until_quiet(loop, before) or until_nothing_changes(with_marks(loop), before)
        if quiet is None:
            return None
        assert isinstance(loop.first, typed.Literal)
        known[loop.symbol] = loop.first.value
        loop = quiet
    elif not surely_begins(loop, known, before):
        return None
    return as_offers(loop, before, known), known


def is_counted(loop: HostLoop, around: Surroundings) -> bool:
    """Whether a count of its rounds may end a loop."""
    counted = with_bound_as_count(loop, around.known_before(loop), opened(around.before(loop)))
    return isinstance(counted, typed.CountedLoop)


def offer_the_same(one: typed.Block, other: typed.Block) -> bool:
    """Whether the arcs of two blocks in plain form offer the same, in one way each, and the blocks change the same."""
    changed, offered = [], []
    for block in (one, other):
        if len(block.statements) != 1 or (lowered := _lowered(block)) is None:
            return False
        declared = {symbol for s in walk.statements(block) for symbol in walk.declared(s)}
        changed.append(walk.all_written(block) - declared)
        reader = EffectReader(*lowered, changed[-1] | declared)
        offered.append(_Offered(reader.effects(block.statements), frozenset()))
    return changed[0] == changed[1] and len(offered[0].effects) == 1 and offered[0].is_like(offered[1])


def _lowered(body: typed.Block) -> tuple[typed.Symbol, typed.Extreme] | None:
    """The one property whose cells a block lowers by Min, or raises by Max."""
    found = {
        (s.place.symbol, s.extreme)
        for s in walk.statements(body)
        if isinstance(s, typed.AssignExtreme) and isinstance(s.place, typed.Cell)
    }
    return found.pop() if len(found) == 1 else None


def _carries_the_same(effects: tuple[EdgeEffect, ...]) -> bool:
    """Whether what goes with the winners does not tell which of them came last."""
    carried = {frozenset((c.place.symbol, c.value) for c in effect.carried) for effect in effects}
    return len(carried) <= 1 and all(isinstance(value, typed.Literal) for of in carried for _, value in of)


def _joins_by_winning(
    frontier: typed.Symbol, target: typed.Symbol, loop: Loop, written: HostLoop, around: Surroundings
) -> bool:
    """Whether no node joins a frontier but those that begin in it, and those that win the target."""
    marks = {frontier}
    inside = list(walk.statements(loop.body))
    while more := {of for s in inside for to, of in walk.copies(s) if to in marks} - marks:
        marks |= more
    outside = {Same(s) for s in walk.statements(written)}
    waiting = marks - {frontier}
    before = [s for s in walk.statements(around.body) if Same(s) not in outside and waiting & set(walk.written(s))]
    return all(_only_fills(s, waiting, set()) for s in before) and all(
        _lowers(s, target) or _only_fills(s, marks, marks) for s in inside if marks & set(walk.written(s))
    )


def _lowers(s: typed.Statement, target: typed.Symbol) -> bool:
    return isinstance(s, typed.AssignExtreme) and s.place.symbol is target


def _only_fills(s: typed.Statement, marks: set[typed.Symbol], sources: set[typed.Symbol]) -> bool:
    """Whether a statement takes nodes out of flags only, or copies some of the sources."""
    match s:
        case typed.Attach(items=items):
            return all(symbol not in marks or value == typed.FALSE or value in sources for symbol, value in items)
        case typed.CopyProperty(source=source):
            return source in sources
        case typed.Assign(value=value):
            return value == typed.FALSE
    return False


def plain(body: typed.Block) -> typed.Block:
    """The body of a loop with loops over arcs by rows, and with values that are offered instead of looked for."""
    rows = rebuilt(body, lambda part: by_rows(part) if isinstance(part, typed.ForEach) else None)
    body = as_extremes(with_branches_apart(rows))
    body = without_idle_guards(without_findings(body))
    return replace(body, statements=tuple(new for s in body.statements for new in as_scatters(s) or _row_by_row(s)))


def _row_by_row(s: typed.Statement) -> Iterator[typed.Statement]:
    """A loop over nodes with several rows, as one loop for each row, if none changes which nodes pass the filter."""
    match s:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(), body=typed.Block((_, _, *_) as rows)) if all(
            isinstance(row, typed.ForEach) for row in rows
        ):
            steady = all(_stays(c, s) for c in all_asked(s.filter))
            yield from (replace(s, body=replace(s.body, statements=(row,))) for row in rows) if steady else (s,)
        case _:
            yield s


def _stays(condition: typed.Expression, loop: typed.ForEach) -> bool:
    """Whether a condition goes on to hold while a loop runs: nothing changes it, or it is a flag that is only set."""
    flag = asked_flag(condition, loop.iterator)
    if flag is None:
        return not mentions(condition, walk.all_written(loop))
    stores = [i for i in walk.statements(loop.body) if flag in walk.written(i)]
    return all(isinstance(i, typed.Assign) and i.value == typed.TRUE for i in stores)
