"""Enumerates the schedules that differ for one program: knob combinations, those with equal modules counted once.

`auto` and `plain` come first. A knob with a number in it is tried with one width; only where that makes a difference
are others tried, a ladder around the mean weight of the graph's arcs. `memory` and `order` are left out: one makes room
and saves no time, the other saves time only in many runs. `sources` is tried where a loop searches from each of many.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from starplat.backends.scheduled import capabilities_of, made_for_target
from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.visitor import walk_host
from starplat.same import Same
from starplat.schedule import AUTO, KNOBS, PLAIN, Schedule
from starplat.schedule.apply import looks_at_the_graph
from starplat.schedule.facts import GraphFacts
from starplat.schedule.memoised_steps import TakingOnce
from starplat.schedule.schedule import Delta, Value

LADDER = (0.25, 1, 4, 16, 64)
"""Widths of delta, in mean weights."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A schedule, and the module that it makes of the program."""

    schedule: Schedule
    module: ir.Module


@dataclass(frozen=True, slots=True)
class Refused:
    """A schedule that is not legal for the program, and the reason."""

    schedule: Schedule
    reason: str


def candidates(
    module: ir.Module,
    target: str,
    facts: GraphFacts,
    capabilities: Capabilities | None = None,
    mean_weight: float | None = None,
) -> Iterator[Candidate | Refused]:
    """Every schedule whose module no schedule before it gave, and every one that is refused for a new reason.

    `capabilities`: of the device that it will run on, where they are not those of the target in general. `mean_weight`:
    of the graph's arcs; None without weights.
    """
    made_by = _Making(module, target, facts, capabilities)
    seen: set[Same] = set()
    reasons: set[str] = set()
    for schedule in space(made_by, widths(mean_weight)):
        try:
            made = made_by.module_of(schedule)
        except DiagnosticError as error:
            reason = error.diagnostics[0].message
            if reason not in reasons:
                reasons.add(reason)
                yield Refused(schedule, reason)
            continue
        if Same(made) not in seen:  # `made_for_target` gives equal modules as one object
            seen.add(Same(made))
            yield Candidate(schedule, made)


@dataclass(frozen=True, eq=False)
class _Making:
    """Makes modules of schedules."""

    module: ir.Module
    target: str
    facts: GraphFacts
    capabilities: Capabilities | None

    def module_of(self, schedule: Schedule) -> ir.Module:
        """The module of a run: one for all graphs if no step looks at them."""
        facts = self.taking.facts
        return made_for_target(self.module, self.target, schedule, facts, self.capabilities, self.taking)

    @cached_property
    def taking(self) -> TakingOnce:
        """How steps are taken."""
        able = self.capabilities or capabilities_of(self.target)
        return TakingOnce(able, self.facts if looks_at_the_graph(self.module, able) else None)

    @cached_property
    def searches(self) -> bool:
        """Whether a loop searches from each of many sources."""
        ops = (op for function in self.module.functions for op in walk_host(function.body))
        return any(isinstance(op, ir.HostForRange | ir.HostForMembers) and op.searches is not None for op in ops)

    def differs_by_width(self, schedule: Schedule) -> bool:
        """Whether the width of delta is part of the module."""
        try:
            other = replace(schedule, priority=Delta(1 + 2 * _width(schedule)))
            return self.module_of(schedule) is not self.module_of(other)
        except DiagnosticError:
            return False


def space(made_by: _Making, ladder: tuple[int | float, ...]) -> Iterator[Schedule]:
    """All schedules worth a look, `auto` and `plain` first; `ladder` has the widths of delta."""
    yield from (AUTO, PLAIN)
    first, *others = ladder
    left_out = {"memory", "order", "updates"} | (set() if made_by.searches else {"sources"})
    names = [name for name in KNOBS if name not in left_out]
    for values in product(*(_values(name, first) for name in names)):
        schedule = replace(AUTO, **dict(zip(names, values, strict=True)))  # type: ignore[arg-type]
        yield schedule
        if isinstance(schedule.priority, Delta) and made_by.differs_by_width(schedule):
            yield from (replace(schedule, priority=Delta(width)) for width in others)


def widths(mean_weight: float | None) -> tuple[int | float, ...]:
    """The ladder for a graph, in two digits, so that much the same graphs have the same kernels; and in whole numbers
    where steps of less than one would be none."""
    mean = 1.0 if mean_weight is None else mean_weight
    rounded = (float(f"{mean * step:.2g}") for step in LADDER)
    rounded = (round(width) if width >= 2 else round(width, 6) for width in rounded)
    found = tuple(dict.fromkeys(int(width) if float(width).is_integer() else width for width in rounded if width > 0))
    return found or (1,)


def _values(name: str, width: int | float) -> list[Value]:
    """`auto` last: its result has mostly been seen by then under the value that it chose."""
    knob = KNOBS[name]
    named = sorted(knob.kind, key=lambda value: str(value) == "auto")
    return [*named, *(value for form in knob.forms for value in form.tried(width))]


def _width(schedule: Schedule) -> int | float:
    return schedule.priority.width if isinstance(schedule.priority, Delta) else 0
