"""Classifies every cell set that a parallel loop writes, (a) to (f), with the reason.

(a) owned, (b) read only, (c) reduction, (d) monotone, (e) common value, (f) race. Takes the `Access`es of `effects`;
`lower` asks the verdicts which writes must be atomic, `describe` prints them, and class (f) becomes the
warning W0501.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from starplat.analysis import common, parallel, walk
from starplat.analysis.convergence import keeps_two_copies
from starplat.analysis.effects import Access, Kind, accesses
from starplat.analysis.positions import OWNED, Position
from starplat.analysis.settling.loops import follows_labels, idle_guards, unsettled
from starplat.diagnostics import Diagnostic, Label, Severity
from starplat.frontend import typed, types
from starplat.same import Same


class RaceClass(Enum):
    """The language's six classes."""

    OWNED = "a"
    READ_ONLY = "b"
    REDUCTION = "c"
    MONOTONE = "d"
    COMMON_VALUE = "e"
    RACE = "f"

    @property
    def title(self) -> str:
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True, eq=False)
class CellSet:
    """The cells of one symbol at certain positions, as one loop accesses them. `where` names these positions."""

    symbol: typed.Symbol
    where: str
    race_class: RaceClass
    reason: str
    accesses: tuple[Access, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LoopRaces:
    """A parallel loop's verdicts; `shared` holds every written place whose cell other iterations may touch too."""

    loop: parallel.ParallelLoop
    cells: tuple[CellSet, ...]
    shared: frozenset[Same]


def races(function: typed.FunctionDefinition, program: typed.Program) -> tuple[LoopRaces, ...]:
    """The verdicts of all parallel loops of a function, outer before inner."""
    return tuple(classify(loop, program) for loop in parallel.parallel_loops(function))


def classify(loop: parallel.ParallelLoop, program: typed.Program) -> LoopRaces:
    """One loop's verdicts: cell sets in the order of first touch."""
    touched: dict[typed.Symbol, list[Access]] = {}
    for access in accesses(loop, program):
        touched.setdefault(access.symbol, []).append(access)
    cells = [cell for symbol, found in touched.items() for cell in _of_symbol(symbol, found, loop, program)]
    written = {Same(a.place) for c in cells if c.race_class is not RaceClass.OWNED for a in c.accesses}
    return LoopRaces(loop, tuple(cells), frozenset(written))


def settled(found: Iterable[LoopRaces]) -> frozenset[Same]:
    """The places changed by a Min or Max whose end does not depend on the order of iterations."""
    cells = [cell for verdict in found for cell in verdict.cells]
    by_class = {
        race_class: {Same(a.place) for c in cells if c.race_class is race_class for a in c.accesses if a.extreme}
        for race_class in (RaceClass.MONOTONE, RaceClass.RACE)
    }
    return frozenset(by_class[RaceClass.MONOTONE] - by_class[RaceClass.RACE])


def _of_symbol(
    symbol: typed.Symbol, found: Sequence[Access], loop: parallel.ParallelLoop, program: typed.Program
) -> Iterable[CellSet]:
    for where, group in _disjoint(found, loop):
        if any(a.elsewhere and a.position is Position.OWN for a in group) and _is_scalar(symbol):
            if any(a.kind is Kind.READ for a in group):
                reason = "it depends on the order of the iterations which of them win the Min or Max meanwhile"
                yield CellSet(symbol, where, RaceClass.RACE, reason, tuple(group))
        elif all(a.kind is Kind.READ for a in group):
            yield CellSet(symbol, where, RaceClass.READ_ONLY, "no iteration writes it", tuple(group))
        else:
            race_class, reason = _judge(group, loop, program)
            yield CellSet(symbol, where, race_class, reason, tuple(group))


def _disjoint(found: Sequence[Access], loop: parallel.ParallelLoop) -> Iterable[tuple[str, list[Access]]]:
    """Groups of accesses that cannot meet. In a pass over a BFS level, its nodes, their children and their parents
    are different nodes."""
    levels = {0: "this level", 1: "the next level", -1: "the level before"}
    if loop.visited is not None and all(a.level is not None for a in found):
        for level, where in levels.items():
            group = [a for a in found if a.level == level]
            if group:
                yield where, group
    else:
        positions = dict.fromkeys(a.position for a in found)
        yield ", ".join(p.value for p in positions), list(found)


def _judge(group: Sequence[Access], loop: parallel.ParallelLoop, program: typed.Program) -> tuple[RaceClass, str]:
    writes = [a for a in group if a.kind is not Kind.READ]
    reads = [a for a in group if a.kind is Kind.READ]
    positions = {a.position for a in group}
    stray = [a for a in writes if a.elsewhere]
    if stray and not (positions == {Position.SAME} and _stores_common_value(writes, loop)):
        return RaceClass.RACE, "it depends on the order of the iterations which of them win the Min or Max meanwhile"
    if len(positions) == 1 and positions <= OWNED:
        return RaceClass.OWNED, f"every iteration touches only {positions.pop().value} cell"
    if _is_reduction(writes) and not reads:
        return RaceClass.REDUCTION, f"every access is '{_operator(writes[0])}'"
    if all(a.kind is Kind.EXTREME for a in writes) and len({a.extreme for a in writes}) == 1:
        return _judge_extreme(writes[0], reads, loop, program)
    if _is_reduction(writes) and writes[0].combine in (typed.Combine.OR, typed.Combine.AND):
        return RaceClass.MONOTONE, f"it only changes by '{_operator(writes[0])}'; a stale read is allowed"
    if _stores_common_value(writes, loop):
        if any(isinstance(s, typed.FixedPoint) and keeps_two_copies(s, writes[0].symbol) for s in loop.around):
            return RaceClass.COMMON_VALUE, "every write stores the same value; a read sees the beginning of the round"
        if all(_only_guards(a) for a in reads):
            return RaceClass.COMMON_VALUE, "every write stores the same value"
        return RaceClass.RACE, "it is read where another iteration may have written it already"
    if all(a.kind is Kind.CARRIED for a in writes) and len({a.extreme for a in writes}) == 1 and not reads:
        return RaceClass.MONOTONE, "it goes with the winner of a Min or Max, as one unit; on ties any winner's stays"
    if _is_own(writes) and follows_labels(writes[0].symbol, loop.around, program):
        return RaceClass.MONOTONE, "labels that follow labels, until all of a component agree; a stale read is allowed"
    return RaceClass.RACE, _why_race(writes, reads)


def _judge_extreme(
    write: Access, reads: Sequence[Access], loop: parallel.ParallelLoop, program: typed.Program
) -> tuple[RaceClass, str]:
    """Cells that only one Min or Max changes: other reads of them must not depend on the order."""
    assert write.extreme is not None
    idle = idle_guards(loop.body)
    if all(Same(a.place) in idle for a in reads):
        return RaceClass.MONOTONE, f"it only changes by {write.extreme.value}, and nothing reads it meanwhile"
    if reason := unsettled(write.symbol, write.extreme, loop.around, program):
        return RaceClass.RACE, reason
    return RaceClass.MONOTONE, f"it only changes by {write.extreme.value}; a later read repairs a stale one"


def _is_reduction(writes: Sequence[Access]) -> bool:
    return all(a.kind is Kind.UPDATE for a in writes) and len({a.combine for a in writes}) == 1


def _operator(access: Access) -> str:
    return access.combine.value if access.combine is not None else "="


def _stores_common_value(writes: Sequence[Access], loop: parallel.ParallelLoop) -> bool:
    if any(a.kind not in (Kind.WRITE, Kind.CARRIED) or a.value is None for a in writes):
        return False
    first = writes[0].value
    if first is None or any(a.value != first for a in writes):
        return False
    return common.is_common(first, loop) or common.is_of_level(first, loop)


def _only_guards(read: Access) -> bool:
    """Whether the value read only decides about idempotent statements."""
    return read.decides is not None and all(_is_idempotent(s, read) for d in read.decides for s in walk.statements(d))


def _is_idempotent(statement: typed.Statement, read: Access) -> bool:
    match statement:
        case typed.Assign():
            return _goes_with(statement.place, read)
        case typed.Update():
            return statement.combine in (typed.Combine.OR, typed.Combine.AND)
        case typed.AssignExtreme() | typed.AddToSet() | typed.Block() | typed.If() | typed.Continue():
            return True
    return False


def _goes_with(place: typed.Place, read: Access) -> bool:
    """Whether the place is a scalar, the symbol that was read, or another property of the same node."""
    match place:
        case typed.Variable():
            return True
        case typed.ListItem():
            return False  # no parallel loop has any
        case typed.Cell():
            beside = isinstance(read.place, typed.Cell) and place.index == read.place.index
            return beside or place.symbol is read.symbol


def _is_own(writes: Sequence[Access]) -> bool:
    """Whether every cell is written by one iteration only."""
    positions = {a.position for a in writes}
    return len(positions) == 1 and positions <= OWNED


def _why_race(writes: Sequence[Access], reads: Sequence[Access]) -> str:
    kinds = {a.kind for a in writes}
    if _is_own(writes):
        return "other iterations read the cell, before or after it is written"
    if kinds == {Kind.UPDATE}:
        return "it is read while other iterations add to it" if reads else "it is updated by different operators"
    if Kind.WRITE in kinds and len(kinds) == 1:
        return "iterations may write different values to one cell"
    if kinds == {Kind.CARRIED}:
        return "it is read while a Min or Max of another iteration may change it"
    return "it is written in different ways"


def race_warnings(found: Iterable[LoopRaces], program: typed.Program) -> list[Diagnostic]:
    """W0501 for every class (f) cell set, with both source lines; one message a cell set, the innermost loop's."""
    diagnostics: dict[tuple[typed.Symbol, int], Diagnostic] = {}
    for verdict in found:
        for cell in verdict.cells:
            if cell.race_class is RaceClass.RACE:
                diagnostic = _warning(cell, verdict.loop, program)
                assert diagnostic.place is not None
                diagnostics.setdefault((cell.symbol, diagnostic.place.span.start), diagnostic)
    return list(diagnostics.values())


def _warning(cell: CellSet, loop: parallel.ParallelLoop, program: typed.Program) -> Diagnostic:
    writes = [a for a in cell.accesses if a.kind is not Kind.READ]
    own = _is_own(writes) and not any(a.elsewhere for a in writes)
    others = [a for a in cell.accesses if a is not writes[0] and a.span != writes[0].span]
    if own:
        others = [a for a in others if a.position not in OWNED]
    noun = "set" if isinstance(cell.symbol.type, types.SetType) else "scalar" if _is_scalar(cell.symbol) else "property"
    related = [Label(a.span, f"{'read' if a.kind is Kind.READ else 'written'} here") for a in others[:1]]
    related.append(Label(loop.iterator.span, f"iterations of '{loop.iterator.name}' run at once"))
    return Diagnostic(
        "W0501",
        f"race on {noun} '{cell.symbol.name}': {cell.reason}",
        program.source,
        Label(writes[0].span, "written by its own iteration" if own else "written by several iterations"),
        tuple(related),
        _remedy(writes),
        Severity.WARNING,
    )


def _remedy(writes: Sequence[Access]) -> str:
    if all(a.kind is Kind.EXTREME for a in writes):
        return "go on until nothing changes ('fixedPoint', a flag beside the Min or Max), or read a second property"
    if _is_own(writes) and not any(a.elsewhere for a in writes):
        return "read a second property, or use 'Min'/'Max' in a loop that goes on until nothing changes"
    return "use 'Min'/'Max', a reduction such as '+=', or a second property for the new values"


def tie_notes(found: Iterable[LoopRaces], program: typed.Program) -> list[Diagnostic]:
    """W0506 for every cell set whose carried data differ between winners of a Min or Max."""
    notes: dict[typed.Symbol, Diagnostic] = {}
    for cell, loop in ((cell, verdict.loop) for verdict in found for cell in verdict.cells):
        writes = [a for a in cell.accesses if a.kind is Kind.CARRIED]
        if cell.race_class is RaceClass.MONOTONE and writes:
            notes.setdefault(cell.symbol, _tie_note(cell, writes[0], loop, program))
    return list(notes.values())


def _tie_note(cell: CellSet, write: Access, loop: parallel.ParallelLoop, program: typed.Program) -> Diagnostic:
    assert write.extreme is not None
    return Diagnostic(
        "W0506",
        f"'{cell.symbol.name}' is any winner's where several have the same {write.extreme.value}",
        program.source,
        Label(write.span, "goes with the winner"),
        (Label(loop.iterator.span, f"iterations of '{loop.iterator.name}' run at once"),),
        "every such answer is right; where one must be told from the others, let the candidates differ",
        Severity.NOTE,
    )


def _is_scalar(symbol: typed.Symbol) -> bool:
    return isinstance(symbol.type, types.Scalar)


_ALONE = {
    Position.OUT_NEIGHBOR: "one node is the out-neighbor of many",
    Position.IN_NEIGHBOR: "one node is the in-neighbor of many",
    Position.SAME: "all iterations touch this one cell",
    Position.ANY: "which cell it is depends on values, so two iterations may meet at one",
}


def is_shared(cell: CellSet) -> bool:
    """Whether one iteration may write what another touches."""
    return cell.race_class not in (RaceClass.OWNED, RaceClass.READ_ONLY)


def why_shared(cell: CellSet) -> str:
    """Why two iterations may touch one cell of the set."""
    positions = {access.position for access in cell.accesses}
    for widest in (Position.ANY, Position.SAME):
        if widest in positions:
            return _ALONE[widest]
    if Position.OWN in positions and len(positions) > 1:
        other = next(position for position in Position if position in positions and position is not Position.OWN)
        return f"a cell that is one iteration's own is {other.value} for another"
    if positions == {Position.OUT_ARC, Position.IN_ARC}:
        return "every arc goes out of one node and into another"
    return next((_ALONE[position] for position in Position if position in positions and position in _ALONE), "")
