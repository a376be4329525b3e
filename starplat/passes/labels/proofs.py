"""Proves what holds for all arcs after a kernel that lets better labels win.

Takes the `Summary` of a kernel, gives the `Ways` in which labels agree along arcs if it has signalled nothing, or
whatever it has marked.
"""

from dataclasses import dataclass

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.passes.labels.changes import Signal, Summary
from starplat.passes.labels.orders import all_of


@dataclass(frozen=True, slots=True)
class Ways:
    """Whether every arc's end has as good a label as its beginning (`onward`), and the other way round."""

    onward: bool
    back: bool


def quiet_ways(found: Summary, signals: list[Signal]) -> Ways | None:
    """What holds for all arcs if none of the signals was given; None if labels may have changed nevertheless."""
    label, labels = found.labels.array, found.labels
    assert label is not None
    for place, change in enumerate(found.changes):
        # the first change of all finds labels as those that were read before it, and only these
        before = [build.denied(signal.condition) for signal in signals if signal.after <= place]
        old = ir.Load(label, change.node)
        new = labels.beyond(change.value, old) if change.wins else build.differs(change.value, old)
        if not labels.always(build.denied(all_of((change.condition, new))), (*before, *found.facts_before(place))):
            return None
    return _held(found, (*(build.denied(signal.condition) for signal in signals), *found.facts))


def _held(found: Summary, given: tuple[ir.Expression, ...]) -> Ways | None:
    label, labels = found.labels.array, found.labels
    assert label is not None
    ends = [(ir.Load(label, arc.source), ir.Load(label, arc.destination)) for arc in found.arcs]
    onward = any(labels.always(labels.reaches(end, start), given) for start, end in ends)
    back = any(labels.always(labels.reaches(start, end), given) for start, end in ends)
    return Ways(onward, back) if onward or back else None


def marked_ways(found: Summary, active: ir.Array, marked: ir.Array) -> Ways | None:
    """Which ways of all arcs hold after a round for active nodes, if every change marks its node."""
    if not found.changes or found.facts:
        return None
    for place, change in enumerate(found.changes):
        signals = [s for s in found.signals if s.to == marked and s.node == change.node]
        if not change.wins or not any(_tells_of(found, signal, place) for signal in signals):
            return None
    onward = back = False
    for arc in found.arcs:
        onward |= _passes_on(found, arc.source, arc.destination, active)
        back |= _passes_on(found, arc.destination, arc.source, active)
    return Ways(onward, back) if onward or back else None


def _passes_on(found: Summary, giver: ir.Expression, taker: ir.Expression, active: ir.Array) -> bool:
    """Whether an active giver's label surely comes to the taker, where it is better."""
    label, labels = found.labels.array, found.labels
    assert label is not None
    given = ir.Load(label, giver)
    changes = [c for c in found.changes if c.node == taker and c.value in (given, labels.best)]
    better = labels.beyond(given, ir.Load(label, taker))
    return any(labels.always(c.condition, (ir.Load(active, giver), better)) for c in changes)


def told_of_changes(found: Summary) -> set[ir.Variable]:
    """The variables that are told of every change."""
    told = set()
    for variable in {signal.to for signal in found.signals if isinstance(signal.to, ir.Variable)}:
        signals = [signal for signal in found.signals if signal.to == variable]
        if all(any(_tells_of(found, s, place) for s in signals) for place in range(len(found.changes))):
            told.add(variable)
    return told


def _tells_of(found: Summary, signal: Signal, place: int) -> bool:
    """Whether a signal is surely given if a change, by its place among all, wins.

    Labels that are read before the first change of an iteration are still what they were when it wins; where there are
    changes before, only the winner itself surely tells.
    """
    assert found.labels.array is not None
    change = found.changes[place]
    won = all_of((change.condition, found.labels.beyond(change.value, ir.Load(found.labels.array, change.node))))
    if place or signal.after:
        return signal.after == place and signal.condition == won
    return found.labels.always(signal.condition, (won,))
