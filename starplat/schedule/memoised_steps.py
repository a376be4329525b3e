"""Runs the scheduling steps in order and memoises them.

A search over hundreds of schedules takes most steps on the same modules again, with settings that differ only in knobs
that the step does not read. The knobs that it reads are recorded while it runs. So do the kinds of graphs that a
program is compiled for: most steps do not look at the graph.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, assert_never

from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.verifying.modules import verify
from starplat.same import Same
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import KNOBS, Schedule
from starplat.schedule.step import Decided, GraphStep, Step


@dataclass(frozen=True)
class Taking:
    """Runs steps for one kind of device and, if known, one graph."""

    capabilities: Capabilities
    facts: GraphFacts | None = None

    def take(self, step: Step | GraphStep, module: ir.Module, schedule: Schedule) -> Decided:
        """The module after the step.

        Raises:
            DiagnosticError: E06xx, the schedule asks for what is not legal for the program.
        """
        match step:
            case Step():
                found = step.rewrite(module, schedule, self.capabilities)
            case GraphStep():
                found = step.rewrite(module, schedule, self.capabilities, self.facts)
            case _:
                assert_never(step)
        return found if isinstance(found, Decided) else Decided(found)

    def check(self, module: ir.Module) -> None:
        """Verifies the module after all steps."""
        verify(module)


@dataclass(frozen=True, slots=True)
class _Taken:
    """The knobs that a step read, the graph if it may have looked at one, and its result."""

    asked: Mapping[str, object]
    facts: GraphFacts | None
    end: Decided | DiagnosticError


@dataclass(frozen=True)
class TakingOnce(Taking):
    """Memoised: no step runs twice where it would read the same."""

    _known: dict[tuple[Step | GraphStep, Same], list[_Taken]] = field(default_factory=dict, repr=False, compare=False)
    _checked: set[Same] = field(default_factory=set, repr=False, compare=False)

    def on(self, facts: GraphFacts | None) -> Self:
        """The same for another graph, with what is known of steps that do not look at it."""
        return replace(self, facts=facts)

    def take(self, step: Step | GraphStep, module: ir.Module, schedule: Schedule) -> Decided:
        known = self._known.setdefault((step, Same(module)), [])
        looks = isinstance(step, GraphStep) and step.is_for(module, self.capabilities)
        facts = self.facts if looks else None
        taken = next((one for one in known if one.facts == facts and _same(one.asked, schedule)), None)
        if taken is None:
            watched = Watched(**schedule.values)
            end = _as_one(self._end(step, module, watched), known)
            taken = _Taken({name: getattr(schedule, name) for name in watched.asked}, facts, end)
            known.append(taken)
        if isinstance(taken.end, DiagnosticError):
            raise taken.end
        return taken.end

    def _end(self, step: Step | GraphStep, module: ir.Module, schedule: Schedule) -> Decided | DiagnosticError:
        try:
            return super().take(step, module, schedule)
        except DiagnosticError as error:
            return error

    def check(self, module: ir.Module) -> None:
        if Same(module) not in self._checked:
            verify(module)
            self._checked.add(Same(module))


def _as_one(end: Decided | DiagnosticError, known: list[_Taken]) -> Decided | DiagnosticError:
    """With the equal module that came first in the place of its own, so that no further step runs twice."""
    if isinstance(end, Decided):
        for other in known:
            if isinstance(other.end, Decided) and other.end.module == end.module:
                return replace(end, module=other.end.module)
    return end


def _same(asked: Mapping[str, object], schedule: Schedule) -> bool:
    return all(getattr(schedule, name) == value for name, value in asked.items())


class Watched(Schedule):
    """A schedule that records which of its knobs are read; `asked` has their names."""

    __slots__ = ("asked",)
    asked: set[str]

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "asked", set())
        super().__init__(**values)

    def __getattribute__(self, name: str) -> Any:
        if name in KNOBS:
            object.__getattribute__(self, "asked").add(name)
        return super().__getattribute__(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schedule) and self.values == other.values

    def __hash__(self) -> int:
        return hash(Schedule(**self.values))  # type: ignore[arg-type]
