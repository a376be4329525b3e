"""Runs the scheduling steps in order and memoises them.

A search over hundreds of schedules takes most steps on the same modules again, with settings that differ only in knobs
that the step does not read. The knobs that it reads are recorded while it runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

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
    """The knobs that a step read, and its result."""

    asked: Mapping[str, object]
    end: Decided | DiagnosticError


@dataclass(frozen=True)
class TakingOnce(Taking):
    """Memoised: no step runs twice where it would read the same."""

    _known: dict[tuple[Step | GraphStep, Same], list[_Taken]] = field(default_factory=dict, repr=False, compare=False)
    _checked: set[Same] = field(default_factory=set, repr=False, compare=False)

    def take(self, step: Step | GraphStep, module: ir.Module, schedule: Schedule) -> Decided:
        known = self._known.setdefault((step, Same(module)), [])
        taken = next((taken for taken in known if _same(taken.asked, schedule)), None)
        if taken is None:
            taken = self._taken(step, module, schedule)
            known.append(taken)
        if isinstance(taken.end, DiagnosticError):
            raise taken.end
        return taken.end

    def _taken(self, step: Step | GraphStep, module: ir.Module, schedule: Schedule) -> _Taken:
        watched = Watched(**schedule.values)
        try:
            end: Decided | DiagnosticError = super().take(step, module, watched)
        except DiagnosticError as error:
            end = error
        return _Taken({name: getattr(schedule, name) for name in watched.asked}, end)

    def check(self, module: ir.Module) -> None:
        if Same(module) not in self._checked:
            verify(module)
            self._checked.add(Same(module))


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
