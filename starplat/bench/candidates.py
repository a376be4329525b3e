"""The schedules that differ for one program: all combinations of knob values, those that give one module counted once.

`auto` and `plain` come first. A knob with a number in it is tried with one width; only where that makes a difference
are others tried, a ladder around the mean weight of the graph's arcs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from starplat.backends.scheduled import made_for_target
from starplat.diagnostics import DiagnosticError
from starplat.ir.nodes import Module
from starplat.schedule import AUTO, KNOBS, PLAIN, Schedule
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Delta, Value

LADDER = (0.25, 1, 4, 16, 64)
"""Widths of delta, in mean weights."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A schedule, and the module that it makes of the program."""

    schedule: Schedule
    module: Module


@dataclass(frozen=True, slots=True)
class Refused:
    """A schedule that is not legal for the program, and the reason."""

    schedule: Schedule
    reason: str


def candidates(module: Module, target: str, facts: GraphFacts) -> Iterator[Candidate | Refused]:
    """Every schedule whose module no schedule before it gave, and every one that is refused for a new reason."""
    seen: set[int] = set()
    reasons: set[str] = set()
    for schedule in space(module, target, facts):
        try:
            made = made_for_target(module, target, schedule, facts)
        except DiagnosticError as error:
            reason = error.diagnostics[0].message
            if reason not in reasons:
                reasons.add(reason)
                yield Refused(schedule, reason)
            continue
        if id(made) not in seen:  # equal modules are one object, which `made_for_target` keeps alive
            seen.add(id(made))
            yield Candidate(schedule, made)


def space(module: Module, target: str, facts: GraphFacts) -> Iterator[Schedule]:
    """All schedules worth a look, `auto` and `plain` first."""
    yield from (AUTO, PLAIN)
    first, *others = widths(facts)
    for values in product(*(_values(name, first) for name in KNOBS)):
        schedule = replace(AUTO, **dict(zip(KNOBS, values, strict=True)))  # type: ignore[arg-type]
        yield schedule
        if isinstance(schedule.priority, Delta) and _matters(module, target, schedule, facts):
            yield from (replace(schedule, priority=Delta(width)) for width in others)


def widths(facts: GraphFacts) -> tuple[int | float, ...]:
    """The ladder for a graph, in whole numbers where steps of less than one would be none."""
    mean = 1.0 if facts.mean_weight is None else facts.mean_weight
    rounded = (round(mean * step) if mean * step >= 2 else round(mean * step, 6) for step in LADDER)
    found = tuple(dict.fromkeys(int(width) if float(width).is_integer() else width for width in rounded if width > 0))
    return found or (1,)


def _values(name: str, width: int | float) -> list[Value]:
    """`auto` last: what it comes to has mostly been seen by then under the name of what it chose."""
    knob = KNOBS[name]
    named = sorted(knob.kind, key=lambda value: str(value) == "auto")
    return [*named, *(form(width) for form in knob.forms)]


def _matters(module: Module, target: str, schedule: Schedule, facts: GraphFacts) -> bool:
    """Whether the width is part of the module."""
    try:
        other = replace(schedule, priority=Delta(1 + 2 * _width(schedule)))
        return made_for_target(module, target, schedule, facts) is not made_for_target(module, target, other, facts)
    except DiagnosticError:
        return False


def _width(schedule: Schedule) -> int | float:
    return schedule.priority.width if isinstance(schedule.priority, Delta) else 0
